"""Packs: made by pip, named by their content, found again by the assay that made them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from assay.model.errors import AssayError, Exit, MissingError
from assay.model.files.marker import make_marked
from assay.platforms import packs
from assay.platforms.errors import PlatformError
from assay.platforms.locks import is_locked
from assay.platforms.packs import find_pack, make_pack

SMALL = ("packaging",)
"""A library that the tests' environment has anyway: pip is what is tested."""
HERE = f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.fixture
def without_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make packs without libraries, where what pip puts there is not looked at."""
    monkeypatch.setattr(packs, "_install", lambda *_: None)


def test_the_same_content_is_the_same_folder_and_found_again(tmp_path: Path) -> None:
    first = make_pack("root", tmp_path, pythons=(HERE,), requirements=SMALL)
    again = make_pack("root", tmp_path, pythons=(HERE,), requirements=SMALL)
    assert first.folder == again.folder == find_pack(tmp_path, "root")
    assert first.pythons == (HERE,)
    assert set(first.distributions) == {"packaging"}
    assert sorted(path.name for path in (tmp_path / "packs").iterdir()) == [first.folder.name], (
        "nothing is left"
    )
    assert (first.folder / f"lib-{HERE}" / "packaging" / "version.py").is_file()


def test_what_a_killed_maker_left_is_removed_before_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = tmp_path / "packs" / ".new-killed" / "root" / "lib-3.11"
    make_marked(tmp_path / "packs" / ".new-killed")
    left.mkdir(parents=True)
    (left / "half.whl").write_bytes(b"1")
    seen = []

    def install(*_: object) -> None:
        seen.append((is_locked(tmp_path / ".packs.lock"), left.exists()))

    monkeypatch.setattr(packs, "_install", install)
    made = make_pack("root", tmp_path, pythons=(HERE,), requirements=SMALL)
    assert seen == [(True, False)], "one maker at a time: no other's is taken away"
    assert list((tmp_path / "packs").iterdir()) == [made.folder]


def test_a_pack_of_another_assay_is_not_taken(tmp_path: Path, without_pip: None) -> None:
    made = make_pack("root", tmp_path, pythons=(HERE,), requirements=SMALL)
    about = made.folder / "pack.json"
    about.write_text(json.dumps(json.loads(about.read_text()) | {"program": "0" * 12}))
    with pytest.raises(MissingError, match="made by another assay"):
        find_pack(tmp_path, "root")


def test_what_has_not_been_made_is_said_with_the_command(tmp_path: Path) -> None:
    with pytest.raises(MissingError) as caught:
        find_pack(tmp_path, "root")
    assert caught.value.exit_code == Exit.MISSING
    assert caught.value.message == f"cannot find the pack root in {tmp_path}/packs: it has not been made yet"
    assert caught.value.hint == "assay workload pack root"


def test_pips_own_words_are_told_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match=r"pip says: .*no-such\.whl"):
        make_pack("root", tmp_path, pythons=(HERE,), requirements=(f"{tmp_path}/no-such.whl",))
    assert not list((tmp_path / "packs").iterdir())


@pytest.mark.parametrize("word", ["3", "3.11.2", "--pre", "2.7"])
def test_a_wrong_version_of_python_is_refused(word: str, tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=r"expected a version of Python like 3\.11"):
        make_pack("root", tmp_path, pythons=(word,))


def test_a_python_that_the_pack_is_not_for_is_told_so(tmp_path: Path, without_pip: None) -> None:
    made = make_pack("root", tmp_path, pythons=(HERE,), requirements=SMALL)
    about = made.folder / "pack.json"
    about.write_text(json.dumps(json.loads(about.read_text()) | {"pythons": ["3.1"]}))
    done = subprocess.run(
        (sys.executable, str(made.folder / "run.py")), capture_output=True, text=True, check=False
    )
    assert done.returncode == Exit.MISSING
    assert f"it was made for Python 3.1, and python3 here is {HERE}" in done.stderr
    assert f"hint: assay workload pack root --python 3.1 --python {HERE}" in done.stderr


def test_a_library_that_the_pack_lacks_is_said_with_the_command(tmp_path: Path, without_pip: None) -> None:
    made = make_pack("root", tmp_path, pythons=(HERE,), requirements=SMALL)
    command = (
        sys.executable,
        "-IS",
        str(made.folder / "run.py"),
        "make",
        str(tmp_path / "x"),
        "--size",
        "2000000",
    )
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == Exit.MISSING
    assert "python3 has no module" in done.stderr
    assert "assay workload pack root" in done.stderr


def test_each_pack_holds_its_own_program_what_all_share_and_says_its_own_name(
    tmp_path: Path, without_pip: None
) -> None:
    made = make_pack("geant4", tmp_path, pythons=(HERE,), requirements=SMALL)
    shared = {"__init__.py", "errors.py", "phases.py"}
    assert {path.name for path in (made.folder / "packs").iterdir()} == shared | {"geant4"}
    assert not list(made.folder.rglob("__pycache__"))
    command = (sys.executable, "-IS", str(made.folder / "run.py"), "optical")
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={"GEANT4_DATA_DIR": "-", "CI": "true"}
    )
    assert done.returncode == Exit.MISSING
    assert "cannot run the pack geant4: python3 has no module geant4_pybind" in done.stderr
    assert "hint: assay workload pack geant4" in done.stderr
    with pytest.raises(MissingError, match="cannot find the pack root"):
        find_pack(tmp_path, "root")


def test_a_python_that_does_not_start_is_told_with_its_own_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "python3"
    python.write_text("#!/bin/sh\necho 'cannot open libpython' >&2\nexit 127\n")
    python.chmod(0o755)
    monkeypatch.setattr(packs, "_JOBS_PATH", str(tmp_path))
    with pytest.raises(MissingError) as failed:
        packs.python_here()
    assert failed.value.message == (
        f"cannot tell which Python workloads find here: {python} says: cannot open libpython"
    )
    assert failed.value.hint == f"{python} --version"
    python.write_text("#!/no/such/interpreter\n")
    with pytest.raises(MissingError, match=r"workloads find here: .*/python3: No such file"):
        packs.python_here()


def test_a_program_of_a_pack_that_does_not_end_is_an_error_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_pip: None
) -> None:
    made = make_pack("root", tmp_path, pythons=(HERE,), requirements=SMALL)
    (made.folder / "run.py").write_text("import sys, time; open(sys.argv[-1], 'w'); time.sleep(60)")
    monkeypatch.setattr(packs, "_MAKE_S", 1.0)
    with pytest.raises(PlatformError, match=r"cannot make ROOT files: python\S* has not ended after 1 s"):
        packs.make_root_file(made.folder, tmp_path / "data.root", 100, seed="s")
    assert not (tmp_path / "data.root").exists()
