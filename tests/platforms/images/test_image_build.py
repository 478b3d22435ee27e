"""Real builds of images: by one process at a time, whole or not at all."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assay.model.errors import MissingError
from assay.platforms.images.image import add_site_packages, build_image, find_image, list_images
from assay.platforms.images.packages import UnknownPackageError
from assay.platforms.images.recipe import current_recipe

pytestmark = [pytest.mark.live]

BUILDER = """
import sys
from pathlib import Path
from assay.platforms.images.image import build_image, site_packages
from assay.platforms.images.recipe import current_recipe
home = Path(sys.argv[1])
image = build_image(home, current_recipe(site_packages(home)), progress=lambda *step: print(*step, sep="|", flush=True))
print(image.built_s)
"""  # noqa: E501


def start_builder(home: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", BUILDER, str(home)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def wait_for_step(builder: subprocess.Popen[str], step: str) -> None:
    for line in builder.stdout or ():
        if line.startswith(f"{step}|"):
            return
    pytest.fail(f"the builder ended before '{step}'")


def processes_below(folder: Path) -> list[str]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(folder) in words:
            found.append(words)
    return found


def assert_nothing_runs_below(folder: Path) -> None:
    deadline = time.monotonic() + 10
    while (left := processes_below(folder)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert left == []
    assert str(folder) not in Path("/proc/mounts").read_text()


def names(home: Path) -> list[str]:
    return sorted(path.name for path in (home / "images").iterdir())


@contextmanager
def small_disk(folder: Path, mib: int) -> Iterator[Path]:
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mib}m", "assay-test", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.long
def test_too_little_space_is_told_with_figures_before_anything_is_fetched(tmp_path: Path) -> None:
    with small_disk(tmp_path / "small", 100) as home:
        with pytest.raises(MissingError, match=r"needed, .* MiB free") as caught:
            build_image(home, current_recipe(), progress=lambda step, done: None)
        assert str(home / "images") in caught.value.message
        assert names(home) == [".lock"]


def test_an_unknown_package_is_named_before_anything_is_built(tmp_path: Path) -> None:
    steps: list[str] = []
    recipe = current_recipe(["no-such-package"])
    with pytest.raises(UnknownPackageError, match="'no-such-package'"):
        build_image(tmp_path, recipe, progress=lambda step, done: steps.append(step))
    assert steps == ["looking up packages"]
    assert not (tmp_path / "images").exists()


def test_a_release_that_the_archives_do_not_have_is_refused_before_anything_is_built(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="guest image of the release 'nonesuch'") as refused:
        build_image(tmp_path, current_recipe(release="nonesuch"), progress=lambda step, done: None)
    assert "\n" not in refused.value.message
    assert not (tmp_path / "images").exists()


@pytest.mark.long
def test_a_disk_that_fills_up_meanwhile_leaves_nothing_half_built(tmp_path: Path) -> None:
    with small_disk(tmp_path / "small", 1300) as home:

        def fill(step: str, done: float) -> None:
            if step == "installing packages" and not (home / "filler").exists():
                with (home / "filler").open("wb") as filler:
                    os.posix_fallocate(filler.fileno(), 0, os.statvfs(home).f_bavail * 4096 - 10**6)

        with pytest.raises(MissingError, match="images is full"):
            build_image(home, current_recipe(), progress=fill)
        assert names(home) == [".lock"]


@pytest.mark.long
def test_ctrl_c_leaves_nothing_behind(tmp_path: Path) -> None:
    with start_builder(tmp_path) as builder:
        wait_for_step(builder, "installing essential packages")
        builder.send_signal(signal.SIGINT)
        assert builder.wait(60) != 0
    assert names(tmp_path) == [".lock"]
    assert_nothing_runs_below(tmp_path)


@pytest.mark.long
def test_after_a_kill_the_next_of_two_builders_builds_and_the_other_finds(tmp_path: Path) -> None:
    add_site_packages(tmp_path, ["bc"])
    with start_builder(tmp_path) as killed:
        wait_for_step(killed, "installing essential packages")
        killed.kill()
    assert any(name.startswith(".build-") for name in names(tmp_path))
    assert_nothing_runs_below(tmp_path / "images")

    both = [start_builder(tmp_path) for _ in range(2)]
    said = [builder.communicate(timeout=500)[0].splitlines() for builder in both]
    assert [builder.returncode for builder in both] == [0, 0]
    assert said[0][-1] == said[1][-1]
    assert sorted(any("writing the disk" in line for line in lines) for lines in said) == [False, True]

    recipe = current_recipe(["bc"])
    image = find_image(tmp_path, recipe)
    assert image is not None
    assert list_images(tmp_path) == (image,)
    assert names(tmp_path) == sorted([".lock", ".packages.lock", recipe.digest, "packages.json"])
    manifest = json.loads((image.folder / "manifest.json").read_text())
    assert "bc" in manifest["installed"]
    assert [path for path in (image.folder, *image.folder.iterdir()) if path.stat().st_mode & 0o077] == []
    assert image.login is None


@pytest.mark.long
def test_an_umask_and_an_environment_of_a_careful_user_do_no_harm(tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    environment = {"HOME": "/nonexistent", "PATH": "/usr/bin:/bin", "LC_ALL": "de_DE.UTF-8", "TMPDIR": "/tmp"}
    command = [sys.executable, "-c", BUILDER, str(private / "home")]
    done = subprocess.run(command, env=environment, umask=0o077, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    fractions = [float(line.partition("|")[2]) for line in done.stdout.splitlines()[:-1]]
    assert fractions == sorted(fractions)
    assert (fractions[0], fractions[-1]) == (0.0, 1.0)
    (image,) = list_images(private / "home")
    listed = subprocess.run(
        ["debugfs", "-R", "ls -l /usr", str(image.disk)], capture_output=True, text=True, check=True
    ).stdout
    assert " 40755 " in listed
    assert " 40700 " not in listed
    assert oct(image.folder.parent.stat().st_mode & 0o777) == "0o711"
