"""``assay chain``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from assay.model.errors import Exit
from assay.model.files.native import CHAIN
from tests.command import run


def made(folder: Path) -> Path:
    argv = [str(CHAIN.path()), "--directory", str(folder)]
    for words in (["tables", "--pmts", "100"], ["phygen", "--events", "5"]):
        subprocess.run([argv[0], *words, *argv[1:]], check=True, capture_output=True, timeout=60)
    return folder / "phygen.chain"


def test_the_path_is_that_of_a_program_that_runs(tmp_path: Path) -> None:
    done = run("chain", "path", home=tmp_path)
    help_ = subprocess.run([done.out.strip(), "--help"], capture_output=True, text=True, check=True)
    assert help_.stdout.startswith("chain:")
    assert run("chain", "path", "--json", home=tmp_path).page["path"] == done.out.strip()


def test_a_file_becomes_a_root_file(tmp_path: Path) -> None:
    done = run("chain", "convert", str(made(tmp_path)), str(tmp_path / "out.root"), home=tmp_path)
    assert (done.code, done.out) == (0, "phygen: 5 events, 6 branches\n")
    assert (tmp_path / "out.root").read_bytes().startswith(b"root")
    again = run("chain", "convert", str(tmp_path / "phygen.chain"), str(tmp_path / "out.root"), home=tmp_path)
    assert again.code == Exit.INPUT
    assert "hint: --force replaces it" in again.err


def test_without_assay_hep_it_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "assay_hep"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "assay_hep", None)
    done = run("chain", "convert", str(made(tmp_path)), "out.root", home=tmp_path, folder=tmp_path)
    assert (done.code, done.out) == (Exit.MISSING, "")
    assert done.err == (
        "error: cannot write ROOT files: the Python package assay-hep is not installed\n\n"
        "hint: pip install 'assay-hep[root]'\n"
    )
    assert run("chain", "path", home=tmp_path).code == 0


def test_a_fault_of_assay_hep_is_not_taken_for_its_absence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "assay_hep.chain_root", raising=False)
    monkeypatch.setitem(sys.modules, "assay_hep.chain_root.trees", None)
    done = run("chain", "convert", str(made(tmp_path)), "out.root", home=tmp_path, folder=tmp_path)
    assert done.code == Exit.BUG
    assert "assay_hep.chain_root.trees" in done.err


def test_without_uproot_it_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = made(tmp_path)
    monkeypatch.setitem(sys.modules, "uproot", None)
    done = run("chain", "convert", str(source), "out.root", home=tmp_path, folder=tmp_path)
    assert done.code == Exit.MISSING
    assert "the Python package uproot is not installed\n\nhint: pip install 'assay-hep[root]'\n" in done.err
    assert not (tmp_path / "out.root").exists()
