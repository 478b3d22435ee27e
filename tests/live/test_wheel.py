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
PROGRAMS = (PROBE.place, FLAME.place, CHAIN.place)


def pip(python: Path | str, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [str(python), "-m", "pip", "-q", "--disable-pip-version-check", *words]
    return subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree."""
    folder = tmp_path_factory.mktemp("wheel")
    done = pip(sys.executable, "wheel", "--no-deps", "--no-build-isolation", "-w", str(folder), str(ROOT))
    assert done.returncode == 0, done.stderr
    (made,) = folder.iterdir()
    return made


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
    wheel: Path, before: World, home: Path, tmp_path: Path
) -> None:
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv/bin/python"
    locked = ("--require-hashes", "--only-binary", ":all:", "-r", str(ROOT / "tools/locks/run.txt"))
    for words in (locked, ("--no-deps", str(wheel))):
        done = pip(python, "install", *words, CC="/bin/false")
        assert done.returncode == 0, done.stderr
    (tmp_path / "itself.yaml").write_text(ITSELF)
    environment = {
        "PATH": f"{tmp_path}/venv/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "ASSAY_HOME": str(as_home(home)),
        "LANG": "C.UTF-8",
    }

    def assay(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["assay", *words], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    facts = assay("machine", "facts", "local", "--json")
    assert facts.returncode == 0, facts.stderr
    assert json.loads(facts.stdout)["schema"]
    evaluated = assay("evaluate", "itself.yaml", "--seed", "5", "--json")
    assert evaluated.returncode == 0, evaluated.stderr
    page = json.loads(evaluated.stdout)
    assert page["result"]["state"] == "complete"
    assert next(row for row in page["estimates"] if row["metric"] == "wall_time")["blocks"] == 3
    assert_same_world(home, before)
