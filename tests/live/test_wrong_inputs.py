"""Each wrong input of a first day: one clear line, a documented code, nothing measured that was not."""

from __future__ import annotations

import os
import re
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import assay
from assay.platforms.images.initrd import Entry, archive
from tests import command
from tests.live.conftest import Make
from tests.live.parts import (
    Activity,
    Done,
    World,
    activities,
    assert_same_world,
    newest,
    run,
    seed_of,
    started,
)
from tests.platforms.guest_parts import program, real_image

pytestmark = pytest.mark.live

HOST_FIRST, GUEST_FIRST = str(seed_of("bb")), str(seed_of("tb"))


@pytest.fixture
def old(home: Path, before: World) -> list[Activity]:
    """Return the activities of before."""
    return activities(home)


def refused(done: Done, code: int) -> str:
    """Check that a command was refused with one clear line, and return that line."""
    assert done.code == code, done.err
    assert done.out == ""
    assert "Traceback" not in done.err
    (line,) = [line for line in done.err.splitlines() if line.startswith("error: ")]
    return line


def test_an_unknown_scene_names_the_nearest(home: Path) -> None:
    assert "nearest: 'quick'" in refused(command.run("evaluate", "quik", home=home), 3)


def test_an_unknown_key_of_a_scene_is_named_by_file_line_and_column(
    home: Path, old: list[Activity], tmp_path: Path
) -> None:
    text = run("scene", "show", "quick", home=home).out.replace("blocks:", "blocs:")
    line = 1 + next(n for n, line in enumerate(text.splitlines()) if "blocs" in line)
    column = 1 + text.splitlines()[line - 1].index("blocs")
    (tmp_path / "my.yaml").write_text(text)
    done = command.run("evaluate", "my.yaml", home=home, folder=tmp_path)
    assert done.code == 3
    assert re.search(rf"my\.yaml:{line}:{column}: .*'blocs'; nearest: 'blocks'", done.err)
    assert activities(home) == old


def test_a_tool_that_is_missing_here_is_refused_before_anything_starts(
    home: Path, old: list[Activity]
) -> None:
    done = command.run("evaluate", "--command", "no-such-tool --x", home=home)
    assert "no-such-tool" in refused(done, 4)
    assert "--input" in done.err
    assert activities(home) == old


@pytest.mark.parametrize("named", ["qemu-img", program("qemu-img")])
def test_a_tool_that_is_missing_in_the_guest_alone_says_how_to_add_it(
    home: Path, old: list[Activity], named: str
) -> None:
    done = command.run("evaluate", "--command", f"{named} --help", home=home)
    line = refused(done, 4)
    assert f"'{named}'" in line
    assert "guest" in line
    assert "assay platform image build --package" in done.err
    assert "--input" in done.err
    assert activities(home) == old


def test_a_workload_that_exits_1_has_no_number_and_is_given_up_after_two_failures(
    home: Path, old: list[Activity]
) -> None:
    job = "sh -c 'echo first >&2; echo no events in the file >&2; exit 1'"
    done = run("evaluate", "--command", job, "--seed", HOST_FIRST, home=home)
    assert done.code == 6, done.err
    reason = "'sh' exited with 1; it said: no events in the file"
    assert reason in done.out
    assert reason in done.err
    assert re.search(r"^sh +wall_time \(s\)( +-){6} +0 +not measured$", done.out, re.MULTILINE)
    activity = newest(home, old)
    assert activity is not None
    assert [(r["state"], r["exit_code"], r["measurements"]) for r in activity.records] == [
        ("failed", 1, [])
    ] * 2


def test_a_workload_that_is_killed_by_a_signal_is_a_failed_trial(
    home: Path, old: list[Activity], tmp_path: Path
) -> None:
    (tmp_path / "job.sh").write_text('#!/bin/sh\ncat data.txt\nkill -9 "$$"\n')
    (tmp_path / "job.sh").chmod(0o755)
    (tmp_path / "data.txt").write_text("events: 100\n")
    job = ("--command", "./job.sh", "--input", "data.txt")
    done = run("evaluate", *job, "--seed", HOST_FIRST, "--json", home=home, folder=tmp_path)
    assert done.code == 6, done.err
    assert {row["verdict"] for row in done.page["estimates"]} == {"not measured"}
    assert {row["loss"] for row in done.page["estimates"]} == {None}
    activity = newest(home, old)
    assert activity is not None
    for record in activity.records:
        assert (record["state"], record["exit_code"], record["measurements"]) == ("failed", 137, [])
        assert "was killed by signal 9" in record["cause"]
    assert {path.read_text() for path in activity.folder.glob("trials/*/stdout")} == {"events: 100\n"}


ENDLESS = """\
scene: endless
title: A job that prints without end
baseline: {machine: local}
treatment: {platform: guest}
workloads: [{name: job, command: 'yes', output-limit: 1 MiB}]
"""


@pytest.mark.parametrize(
    "seed", [HOST_FIRST, pytest.param(GUEST_FIRST, marks=pytest.mark.long)], ids=["host", "guest"]
)
def test_a_workload_that_prints_without_end_is_ended_at_its_limit(
    seed: str, home: Path, old: list[Activity], tmp_path: Path
) -> None:
    (tmp_path / "endless.yaml").write_text(ENDLESS)
    done = run("evaluate", "endless.yaml", "--seed", seed, home=home, folder=tmp_path)
    assert done.code == 6, done.err
    activity = newest(home, old)
    assert activity is not None
    cause = "'yes' wrote more than its limit of 1048576 bytes to stdout and was stopped"
    assert {record["cause"] for record in activity.records} == {
        f"{cause} ('output-limit' of the workload lets it write more)"
    }
    assert {record["cause_kind"] for record in activity.records} == {"output-limit"}
    assert {path.stat().st_size for path in activity.folder.glob("trials/*/stdout")} == {1 << 20}


def test_a_plain_user_without_an_image_is_told_so(make_home: Make) -> None:
    plain = make_home("plain", images=False)
    os.chown(plain, 65534, 65534)
    done = run("evaluate", "quick", home=plain, wrap=_as_nobody(plain))
    line = refused(done, 4)
    assert "cannot build a guest image: it takes root, this is user 65534" in line
    assert "hint: " in done.err
    assert not (plain / "activities").exists()


def _as_nobody(home: Path) -> object:
    """Return a wrapper that runs a command as nobody, who sees the checkout and its environment elsewhere."""
    environment, source = home / "environment", home / "source"
    environment.mkdir()
    source.mkdir()
    script = (
        f"mount --bind '{sys.prefix}' '{environment}' && "
        f"mount --bind '{Path(assay.__file__).parents[1]}' '{source}' && cd / && "
        f"PYTHONPATH='{source}' HOME='{home}' TMPDIR='{home}' "
        'exec setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"'
    )

    def wrap(argv: Sequence[str]) -> Sequence[str]:
        python = f"{environment}/bin/{Path(sys.executable).name}"
        return ["unshare", "--mount", "sh", "-c", script, "sh", python, *argv[1:]]

    return wrap


@pytest.mark.parametrize(
    ("size", "built"),
    [("64m", True), ("64k", True), ("64m", False), ("1m", False)],
    ids=["too small", "full at once", "no room for an image", "no room for the probe"],
)
def test_a_full_disk_is_refused_before_any_work(
    size: str, built: bool, make_home: Make, tmp_path: Path
) -> None:
    full, listed = make_home("full", images=False), tmp_path / "listed"
    link = f"ln -s '{real_image().folder.parent}' '{full}/images' && " if built else ""
    script = (
        f"mount -t tmpfs -o size={size},mode=755 assay-test '{full}' && {link}"
        f"\"$@\"; code=$?; find '{full}' > '{listed}'; exit $code"
    )
    done = run(
        "evaluate",
        "quick",
        home=full,
        wrap=lambda argv: ["unshare", "--mount", "sh", "-c", script, "sh", *argv],
    )
    line = refused(done, 4)
    assert re.search(r"free|full|no space", line.lower())
    assert str(full) in line
    assert "/activities/" not in listed.read_text()


@pytest.fixture
def broken(make_home: Make) -> Path:
    """Return a home whose image is the current one, but for an initrd of its own."""
    home, image = make_home("broken", images=False), real_image()
    folder = home / "images" / image.digest
    folder.parent.mkdir()
    subprocess.run(
        ["cp", "-r", "--sparse=always", "--reflink=auto", str(image.folder), str(folder)], check=True
    )
    if (image.folder.parent / "packages.json").exists():
        shutil.copy2(image.folder.parent / "packages.json", home / "images")
    return home


@pytest.mark.long
def test_a_guest_whose_kernel_panics_is_unreachable_with_its_last_words_and_can_be_resumed(
    broken: Path, before: World, tmp_path: Path
) -> None:
    initrd = broken / "images" / real_image().digest / "initrd"
    whole = initrd.read_bytes()
    initrd.write_bytes(b"")
    done = run("evaluate", "--command", "true", "--seed", GUEST_FIRST, home=broken)
    line = refused(done, 7)
    assert "Kernel panic" in line
    log = re.search(r"log (\S+\.console\.log)", line)
    assert log is not None
    assert "Kernel panic" in Path(log[1]).read_text(errors="replace")
    assert_same_world(broken, before)
    activity = newest(broken)
    assert activity is not None
    assert f"assay activity resume {activity.id}" in done.err
    initrd.write_bytes(whole)
    with started("activity", "resume", activity.id, home=broken, scratch=tmp_path) as resumed:
        resumed.wait_for(lambda: activity.records, "the guest's trial has its record")
        resumed.send(signal.SIGTERM)
        assert resumed.end().code == 130
    assert_same_world(broken, before)
    assert activity.records[0]["state"] == "ended"


@pytest.mark.long
def test_a_guest_that_hangs_in_its_boot_is_given_up_after_two_minutes(broken: Path, before: World) -> None:
    initrd = broken / "images" / real_image().digest / "initrd"
    hang = Entry(
        "init", stat.S_IFREG | 0o755, b"#!/bin/busybox sh\necho it hangs here\nexec /bin/busybox sleep 900\n"
    )
    initrd.write_bytes(initrd.read_bytes() + b"\0" * (-initrd.stat().st_size % 4) + archive([hang]))
    done = run("evaluate", "--command", "true", "--seed", GUEST_FIRST, home=broken)
    line = refused(done, 7)
    assert "not usable within 120 s" in line
    assert "it hangs here" in line
    assert done.seconds > 120
    assert_same_world(broken, before)
