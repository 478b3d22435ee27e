"""Where packs come from: of assay-hep, of others, and what is said where no package brings one."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.model.errors import Exit, MissingError, UnknownNameError
from assay.model.plugins import Catalogue, Plugins
from assay.platforms import PackSource, pack_sources
from assay.platforms.pack_sources import PACKS, pack_source
from assay.platforms.packs import find_pack, make_pack
from tests.command import run

FAULT = "plug-in 'root' of assay-hep 1.0: ModuleNotFoundError: No module named 'x'"


def install(monkeypatch: pytest.MonkeyPatch, *faults: str, **sources: PackSource) -> None:
    """Let these be all packs that installed packages bring."""
    added = Plugins(sources, faults)
    monkeypatch.setattr(pack_sources, "PACKS", Catalogue("pack", {}, lambda: added))


def made(folder: Path, name: str) -> PackSource:
    """Return a pack whose program prints its arguments."""
    (folder / name).mkdir(parents=True)
    (folder / name / "__init__.py").touch()
    (folder / "run.py").write_text("import sys\nprint(*sys.argv[1:])\n")
    return PackSource(name, folder, ())


def test_assay_hep_brings_the_packs_that_workloads_of_assay_need() -> None:
    assert {"root", "geant4"} <= set(PACKS)
    assert PACKS["root"].requirements == ("numpy>=1.26", "awkward>=2.6", "uproot>=5.3")
    assert PACKS["geant4"].requirements == ("geant4-pybind>=0.1.3",)


def test_their_libraries_are_locked_by_hash_for_each_python() -> None:
    for name in ("root", "geant4"):
        for python in ("3.9", "3.10", "3.11", "3.12", "3.13", "3.14"):
            *words, lock = PACKS[name].wanted(python)
            assert "--require-hashes" in words
            lines = Path(lock).read_text().splitlines()
            assert lines
            assert all("==" in line and " --hash=sha256:" in line for line in lines)
    with pytest.raises(MissingError, match=r"root for Python 3\.7: its libraries are not locked") as missing:
        PACKS["root"].wanted("3.7")
    assert missing.value.hint == "Pythons that it can be made for: 3.9, 3.10, 3.11, 3.12, 3.13, 3.14"


def test_without_locks_pip_chooses(tmp_path: Path) -> None:
    assert PackSource("light", tmp_path, ("numpy>=2",)).wanted("3.11") == ("numpy>=2",)


def test_what_cannot_be_a_pack_is_left_out_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = made(tmp_path / "good", "light")
    wrong = [
        made(tmp_path / "hyphen", "light-2"),
        PackSource("start", tmp_path, ()),
        PackSource("own", good.folder, ()),
    ]
    found = Plugins({str(number): one for number, one in enumerate((*wrong, good))}, (FAULT,))
    monkeypatch.setattr(pack_sources.plugins, "load", lambda *_: found)
    added = pack_sources._added()
    assert added.values == {"light": good}
    assert added.faults == (
        FAULT,
        "plug-in: pack 'light-2': expected lower-case letters, digits and underscores",
        f"plug-in: pack 'start': expected run.py and a folder start in {tmp_path}",
        f"plug-in: pack 'own': expected run.py and a folder own in {good.folder}",
    )


def test_a_pack_of_another_package_is_made_and_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.platforms.packs._install", lambda *_: None)
    install(monkeypatch, light=made(tmp_path / "site", "light"))
    pack = make_pack("light", tmp_path / "home", pythons=("3.11",))
    assert find_pack(tmp_path / "home", "light") == pack.folder
    assert (pack.folder / "packs" / "light" / "__init__.py").is_file()
    assert not (pack.folder / "packs" / "run.py").exists()
    (tmp_path / "site" / "light" / "more.py").touch()
    with pytest.raises(MissingError, match="those here were made by another assay"):
        find_pack(tmp_path / "home", "light")


@pytest.mark.parametrize("name", ["root", "geant4"])
def test_where_no_package_brings_a_pack_of_assays_workloads_it_says_which_one_does(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)
    for act in (lambda: find_pack(tmp_path, name), lambda: make_pack(name, tmp_path)):
        with pytest.raises(MissingError) as caught:
            act()
        assert caught.value.message == f"cannot use the pack {name}: no installed package brings it"
        assert caught.value.hint == "pip install assay-hep"
    assert list(tmp_path.iterdir()) == []


def test_a_package_that_cannot_be_loaded_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, FAULT)
    with pytest.raises(MissingError) as missing:
        pack_source("root")
    assert missing.value.message == f"cannot use the pack root: no installed package brings it; {FAULT}"
    with pytest.raises(UnknownNameError) as unknown:
        pack_source("rooot")
    assert unknown.value.message == "unknown pack 'rooot'; nearest: 'root' (known: geant4, root)"
    assert unknown.value.hint == FAULT


def test_the_command_says_it_in_one_line_with_the_exit_code_of_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)
    done = run("workload", "pack", "root", home=tmp_path)
    assert (done.code, done.out) == (Exit.MISSING, "")
    assert done.err == (
        "error: cannot use the pack root: no installed package brings it\n\nhint: pip install assay-hep\n"
    )
    assert run("workload", "pack", "rooot", home=tmp_path).code == Exit.INPUT


def test_the_list_of_workloads_says_what_a_pack_needs_and_which_plug_ins_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, FAULT)
    done = run("workload", "list", "--json", home=tmp_path)
    rows = {row["name"]: row for row in done.page["workloads"]}
    assert rows["root-analysis"]["reason"] == "its pack is not there: pip install assay-hep"
    assert f"left out: {FAULT}\n" in done.err
