"""The chain's files as ROOT trees, held to what the chain itself says of them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import uproot

from assay.exchange.chain.frame import ChainFileError
from assay.model.errors import Exit
from assay.model.files.native import CHAIN
from assay_hep.chain_root import OutputFileError, convert
from assay_hep.chain_root import trees as chain_root

STEPS = ("phygen", "detsim", "elecsim", "pmtrec", "evtrec")


def chain(folder: Path, *words: str) -> dict[str, Any]:
    """Run the chain in a folder and return its report."""
    argv = (str(CHAIN.path()), *words, "--directory", str(folder))
    done = subprocess.run(argv, capture_output=True, check=True, timeout=120)
    return dict(json.loads(done.stdout.splitlines()[-1]))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, dict[str, Any]]]:
    """Return a folder with the files of all steps of 12 events, and the report of each."""
    folder = tmp_path_factory.mktemp("chain")
    chain(folder, "tables", "--pmts", "200", "--samples", "256")
    first = {"phygen": chain(folder, "phygen", "--events", "12")}
    return folder, first | {step: chain(folder, step) for step in STEPS[1:]}


@pytest.fixture(scope="module")
def root(made: tuple[Path, dict[str, dict[str, Any]]]) -> Path:
    folder, _ = made
    trees = convert([folder / f"{step}.chain" for step in STEPS], folder / "all.root")
    assert [(tree.name, tree.entries) for tree in trees] == [(step, 12) for step in STEPS]
    return folder / "all.root"


def test_every_branch_that_was_told_of_is_there_with_every_event(root: Path, made: Any) -> None:
    with uproot.open(root) as file:
        for step in STEPS:
            assert list(file[step]["event"].array()) == list(range(12))
            about = json.loads(str(file[f"{step}_about"]))
            assert (about["events"], about["seed"], about["pmts"]) == (12, 1, 200)
            assert file[step].title
        assert set(file["detsim"].keys()) == {
            "event", "true_energy_mev", "true_x_m", "true_y_m", "true_z_m", "photons", "nhit", "hit_pmt",
            "hit_time_ns",
        }  # fmt: skip


def test_the_numbers_are_those_of_the_chains_own_summary(root: Path, made: Any) -> None:
    _, reports = made
    physics = {step: reports[step]["physics"] for step in STEPS}
    with uproot.open(root) as file:
        kinetic = file["phygen"]["kinetic_mev"].array(library="np")
        assert kinetic.mean() == pytest.approx(physics["phygen"]["kinetic_mev"]["mean"])
        assert file["detsim"]["nhit"].array(library="np").sum() == physics["detsim"]["hits"]
        assert file["detsim"]["photons"].array(library="np").sum() == physics["detsim"]["photons"]
        samples = np.concatenate(file["elecsim"]["sample"].array(library="np"))
        assert len(samples) == physics["elecsim"]["samples"]
        charges = [event.sum() for event in file["pmtrec"]["pulse_charge_pe"].array(library="np")]
        assert np.mean(charges) == pytest.approx(physics["pmtrec"]["charge"]["mean"], rel=1e-5)
        fitted = file["evtrec"].arrays(["energy_mev", "true_energy_mev"], library="np")
        assert fitted["energy_mev"].mean() == pytest.approx(physics["evtrec"]["energy_mev"]["mean"])
        assert fitted["energy_mev"].std(ddof=1) == pytest.approx(physics["evtrec"]["energy_mev"]["sigma"])
        error = fitted["energy_mev"] / fitted["true_energy_mev"] - 1
        assert error.mean() == pytest.approx(physics["evtrec"]["energy_error"]["mean"])


def test_many_small_files_give_the_same_tree(made: Any, root: Path, tmp_path: Path) -> None:
    assert root.is_file()
    words = ("--as", "gen-sim-digi-reco")
    chain(tmp_path, "run", *words, "--events", "12", "--pmts", "200", "--samples", "256")
    convert([tmp_path / "sim", tmp_path / "reco"], tmp_path / "out.root")
    with uproot.open(root) as one, uproot.open(tmp_path / "out.root") as other:
        for name, again in (("detsim", "sim"), ("evtrec", "reco")):
            expected, found = (
                file[tree].arrays(library="np") for file, tree in ((one, name), (other, again))
            )
            for branch, values in expected.items():
                for left, right in zip(values, found[branch], strict=True):
                    assert np.array_equal(left, right), branch


def test_runs_of_events_that_do_not_fit_at_once_are_one_tree(
    made: Any, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chain_root, "RUN_BYTES", 20_000)
    convert([made[0] / "detsim.chain"], tmp_path / "out.root")
    with uproot.open(root) as one, uproot.open(tmp_path / "out.root") as other:
        assert other["detsim"].num_entries == 12
        assert other["detsim"]["event"].num_baskets > 2
        for name in ("event", "nhit"):
            values = [file["detsim"][name].array(library="np") for file in (one, other)]
            assert np.array_equal(*values)


def test_a_file_without_events_is_a_tree_without_entries(tmp_path: Path) -> None:
    chain(tmp_path, "tables", "--pmts", "200", "--samples", "256")
    chain(tmp_path, "phygen", "--events", "0")
    chain(tmp_path, "detsim")
    (tree,) = convert([tmp_path / "detsim.chain"], tmp_path / "out.root")
    assert tree.entries == 0
    with uproot.open(tmp_path / "out.root") as file:
        assert file["detsim"].num_entries == 0
        assert "hit_time_ns" in file["detsim"].keys()  # noqa: SIM118 - a tree


def cut(data: bytes) -> bytes:
    return data[:-100]


def flip(data: bytes) -> bytes:
    return data[:200] + bytes([data[200] ^ 1]) + data[201:]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (cut, "truncated after 11 events"),
        (flip, "damaged"),
        (lambda data: data[:40], "truncated in its header"),
        (lambda data: data[:20] + b"x" + data[21:], "damaged in its header"),
        (lambda data: data[:8] + b"\x02" + data[9:], "expected format version 1, got 2"),
        (lambda data: b"ROOT" + data[4:], "not a file of the chain"),
        (lambda data: data + b"x", "something follows its end"),
        (lambda data: b"", "not a file of the chain"),
    ],
)
def test_a_file_that_cannot_be_trusted_is_refused_and_nothing_is_left(
    made: Any, tmp_path: Path, change: Any, problem: str
) -> None:
    (tmp_path / "evtrec.chain").write_bytes(change((made[0] / "evtrec.chain").read_bytes()))
    with pytest.raises(ChainFileError, match=problem) as caught:
        convert([tmp_path / "evtrec.chain"], tmp_path / "out.root")
    assert caught.value.exit_code is Exit.INPUT
    assert [path.name for path in tmp_path.iterdir()] == ["evtrec.chain"]


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    chain(tmp_path, "run", "--as", "gen-sim-digi-reco", "--events", "25", "--pmts", "100", "--samples", "128")
    (tmp_path / "gen" / "00000010.part").unlink()
    with pytest.raises(ChainFileError, match="does not continue"):
        convert([tmp_path / "gen"], tmp_path / "out.root")
    (tmp_path / "sim" / "00000020.part").unlink()
    with pytest.raises(ChainFileError, match="5 of 25 events are missing"):
        convert([tmp_path / "sim"], tmp_path / "out.root")


def test_what_is_no_file_of_events_is_refused(made: Any, tmp_path: Path) -> None:
    folder, _ = made
    with pytest.raises(ChainFileError, match="no such file or directory"):
        convert([tmp_path / "none.chain"], tmp_path / "out.root")
    with pytest.raises(ChainFileError, match="it holds tables"):
        convert([folder / "tables.chain"], tmp_path / "out.root")
    with pytest.raises(ChainFileError, match="another file gives a tree 'phygen', too"):
        convert([folder / "phygen.chain", folder / "phygen.chain"], tmp_path / "out.root")
    with pytest.raises(ChainFileError, match=r"no files \*\.part"):
        convert([tmp_path], tmp_path / "out.root")


def test_an_output_that_is_there_is_replaced_only_when_told_so(made: Any, tmp_path: Path) -> None:
    output = tmp_path / "out.root"
    output.write_text("mine")
    with pytest.raises(OutputFileError, match="it is there already"):
        convert([made[0] / "phygen.chain"], output)
    convert([made[0] / "phygen.chain"], output, force=True)
    with uproot.open(output) as file:
        assert file["phygen"].num_entries == 12
    with pytest.raises(OutputFileError, match="there is no folder"):
        convert([made[0] / "phygen.chain"], tmp_path / "none" / "out.root")
