"""The wheel works by itself: in an empty environment, far from this tree, with nothing to compile."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from assay.model.files.native import CHAIN, FLAME, PROBE
from tests.command import as_home
from tests.live.parts import ITSELF, World, assert_same_world

pytestmark = [pytest.mark.live, pytest.mark.long]

ROOT = Path(__file__).parents[2]
HEP = ROOT / "packages/assay-hep"
PROGRAMS = (PROBE.place, FLAME.place, CHAIN.place)


def pip(python: Path | str, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [str(python), "-m", "pip", "-q", "--disable-pip-version-check", *words]
    return subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


def wheel_of(tree: Path, folder: Path) -> Path:
    done = pip(sys.executable, "wheel", "--no-deps", "--no-build-isolation", "-w", str(folder), str(tree))
    assert done.returncode == 0, done.stderr
    (made,) = folder.iterdir()
    return made


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree."""
    return wheel_of(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def wheel_of_hep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of assay-hep of this tree."""
    return wheel_of(HEP, tmp_path_factory.mktemp("hep"))


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with the wheel and what it needs, where nothing can be compiled."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    locked = ("--require-hashes", "--only-binary", ":all:", "-r", str(ROOT / "tools/locks/run.txt"))
    for words in (locked, ("--no-deps", str(wheel))):
        done = pip(folder / "bin/python", "install", *words, CC="/bin/false")
        assert done.returncode == 0, done.stderr
    return folder / "bin/python"


def assay_of(
    python: Path, home: Path, folder: Path, *words: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": f"{python.parent}:/usr/sbin:/usr/bin:/sbin:/bin",
        "ASSAY_HOME": str(as_home(home)),
        "LANG": "C.UTF-8",
        **variables,
    }
    return subprocess.run(
        ["assay", *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_it_is_for_its_platform_and_has_the_programs(wheel: Path) -> None:
    assert wheel.name.endswith("-py3-none-manylinux_2_17_x86_64.musllinux_1_1_x86_64.whl")
    with zipfile.ZipFile(wheel) as packed:
        for name in PROGRAMS:
            info = packed.getinfo(f"assay/{name}")
            assert info.external_attr >> 16 & 0o111, "executable"
            assert packed.read(info) == (ROOT / "src/assay" / name).read_bytes()


def test_it_is_not_made_without_the_programs(tmp_path: Path) -> None:
    (tmp_path / "src/assay/probe/bin").mkdir(parents=True)
    for name in ("pyproject.toml", "README.md", "LICENSE", "tools/wheel.py", "src/assay/__init__.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    done = pip(
        sys.executable,
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(tmp_path / "wheel"),
        str(tmp_path),
    )
    assert done.returncode != 0
    assert f"cannot build a wheel without {', '.join(PROGRAMS)}: make wheel" in done.stderr


def test_it_measures_where_nothing_can_be_compiled(
    python: Path, before: World, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "itself.yaml").write_text(ITSELF)
    facts = assay_of(python, home, tmp_path, "machine", "facts", "local", "--json")
    assert facts.returncode == 0, facts.stderr
    assert json.loads(facts.stdout)["schema"]
    evaluated = assay_of(python, home, tmp_path, "evaluate", "itself.yaml", "--seed", "5", "--json")
    assert evaluated.returncode == 0, evaluated.stderr
    page = json.loads(evaluated.stdout)
    assert page["result"]["state"] == "complete"
    assert next(row for row in page["estimates"] if row["metric"] == "wall_time")["blocks"] == 3
    assert_same_world(home, before)


def test_that_of_assay_hep_is_for_every_platform_and_of_the_same_version(
    wheel: Path, wheel_of_hep: Path
) -> None:
    version = wheel.name.split("-")[1]
    assert wheel_of_hep.name == f"assay_hep-{version}-py3-none-any.whl"
    sources = HEP / "src"
    with zipfile.ZipFile(wheel_of_hep) as packed:
        names = {name for name in packed.namelist() if name.startswith("assay_hep/")}
        files = (path for path in sources.rglob("*") if path.is_file() and path.suffix != ".pyc")
        assert names == {str(path.relative_to(sources)) for path in files}
        info = f"assay_hep-{version}.dist-info"
        assert packed.read(f"{info}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()


def test_packs_and_the_chain_as_root_files_come_with_assay_hep_alone(
    python: Path, wheel_of_hep: Path, tmp_path: Path
) -> None:
    home, hep = tmp_path / "home", tmp_path / "hep"
    pack = ("workload", "pack", "root", "--python", "2.7")
    convert = ("chain", "convert", "a.chain", "b.root")
    for words, hint in ((pack, "pip install assay-hep"), (convert, "pip install 'assay-hep[root]'")):
        refused = assay_of(python, home, tmp_path, *words)
        assert (refused.returncode, refused.stderr.endswith(f"\n\nhint: {hint}\n")) == (4, True), (
            refused.stderr
        )
    done = pip(python, "install", "--no-deps", "--target", str(hep), str(wheel_of_hep))
    assert done.returncode == 0, done.stderr
    known = assay_of(python, home, tmp_path, *pack, PYTHONPATH=str(hep))
    assert "expected a version of Python like 3.11, got '2.7'" in known.stderr
    needs = assay_of(python, home, tmp_path, *convert, PYTHONPATH=str(hep))
    assert (needs.returncode, "is not installed" in needs.stderr, "Traceback" in needs.stderr) == (
        4,
        True,
        False,
    )
