"""The published figures that come with the package are those of the publications, and are what
they must be.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from assay.factors.catalogue import FACTORS
from assay.model.figures.published import Quantity
from assay.scenes import publications, published_figures

REFERENCE = Path(__file__).parents[1] / "reference"
UNITS = {"%", "MB", "MB/core", "s", "events", "workers", "1", "MB/s", "KB/s", "1/s"}
EVERY = [figure for several in published_figures().values() for figure in several]
RANGES = {
    "juno_2017_basic": ("juno-2017", "loss_low_percent", "loss_high_percent"),
    "juno_2017_software": ("juno-2017", "loss_percent", "loss_percent"),
    "juno_2017_findings": ("juno-2017", "low", "high"),
    "boss_2017_findings": ("boss-2017", "low", "high"),
    "proof_2007_findings": ("proof-2007", "low", "high"),
    "ijclab_2022_findings": ("ijclab-2022", "low", "high"),
    "cern_2015_tuning": ("cern-2015", "gain_low_percent", "gain_high_percent"),
}


def recorded(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((REFERENCE / f"{name}.csv").read_text().splitlines()))


def numbers(publication: str) -> Counter[tuple[float, float]]:
    return Counter((figure.low, figure.high) for figure in EVERY if figure.publication == publication)


def test_every_figure_of_the_publications_is_there_and_no_other() -> None:
    expected: dict[str, Counter[tuple[float, float]]] = {}
    for file, (key, low, high) in RANGES.items():
        found = Counter((float(row[low]), float(row[high])) for row in recorded(file))
        expected[key] = expected.get(key, Counter()) + found
    assert {key: numbers(key) for key in expected} == expected
    rows = recorded("atlas_2011_bonnie")
    bonnie = [float(row[name]) for row in rows for name in list(row)[2:] if name != "source"]
    assert numbers("atlas-2011") == Counter((value, value) for value in bonnie)
    assert set(publications()) == {*expected, "atlas-2011"}


@pytest.mark.parametrize(
    ("name", "hardware", "low", "high"),
    [
        ("juno-2017/cpu-loss", "H1", 17.68, 17.68),
        ("juno-2017/io-loss", "H2", 13, 36),
        ("juno-2017/elecsim-no-output-loss", "H3", 2.8, 2.8),
        ("juno-2017/detsim-loss-by-guests", "H2", 5, 20),
        ("boss-2017/analysis-loss", None, 10.7, 33.4),
        ("ijclab-2022/system-cpu-share", "R6525", 96, 96),
    ],
)
def test_figures_lie_under_their_name_and_hardware(
    name: str, hardware: str | None, low: float, high: float
) -> None:
    found = [(figure.low, figure.high) for figure in published_figures()[name] if figure.hardware == hardware]
    assert (low, high) in found


def test_figures_of_one_name_are_of_one_thing() -> None:
    for name, several in published_figures().items():
        assert re.fullmatch(r"[a-z]+-\d{4}/[a-z0-9-]+", name)
        assert len({(one.quantity, one.what, one.unit) for one in several}) == 1
        reported = [(one.hardware, one.condition) for one in several]
        assert len(set(reported)) == len(reported), f"{name}: two figures that nothing tells apart"


def test_every_figure_has_a_unit_that_is_known_and_ends_in_order() -> None:
    for figure in EVERY:
        assert figure.low <= figure.high
        assert figure.unit in UNITS
        assert figure.publication in publications()
        if figure.quantity in {Quantity.LOSS, Quantity.GAIN, Quantity.SHARE}:
            assert figure.unit == "%"


def test_the_data_hold_figures_and_where_they_are_from_and_no_text() -> None:
    texts = [
        text for figure in EVERY for text in (figure.what, figure.condition, figure.printed, figure.note)
    ]
    assert all(len(text or "") <= 90 for text in texts)
    for key, one in publications().items():
        assert key == one.key
        assert str(one.year) in key
        assert all(len(text or "") <= 120 for text in (one.authors, one.title, one.venue, one.url, one.about))
        assert all(0 < len(text) <= 160 for text in (one.machines, one.runs))


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("juno-2017/detsim-init-share", "more than 28 %"),
        ("juno-2017/gluster-difference", "10 % better"),
        ("ijclab-2022/score", "18.83 (?)"),
        ("cern-2015/numa-gain", "about 9 %"),
        ("juno-2017/detsim-loss-preload", None),
    ],
)
def test_what_says_more_than_a_number_is_kept_as_it_is_printed(name: str, printed: str | None) -> None:
    assert published_figures()[name][-1].printed == printed


def test_what_is_printed_holds_the_number_that_it_is_of() -> None:
    for figure in EVERY:
        assert figure.printed is None or f"{figure.high:g}" in figure.printed


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["elecsim-loss"], "H2 in table 2, and that of H3 in the text"),
        (["pmtrec-loss", "pmtsim-loss-default-cpu"], "PmtRec's in table 2, and PmtSim's in section 2.4"),
        (["kvm-memory-1-core", "kvm-memory-12-cores", "kvm-memory-per-core"], "external memory"),
        (["gluster-difference", "several-guests-gain"], "is not known here"),
    ],
)
def test_where_a_paper_contradicts_itself_or_leaves_open_the_figure_has_a_note(
    names: list[str], words: str
) -> None:
    for name in names:
        notes = [figure.note for figure in published_figures()[f"juno-2017/{name}"] if figure.note]
        assert notes, name
        assert all(words in note for note in notes), name


def test_layouts_of_guests_ran_on_one_kind_of_hardware() -> None:
    layouts = ("detsim-loss-by-guests", "evtrec-loss-by-guests", "detsim-loss-stagger", "detsim-loss-preload")
    for name in layouts:
        assert [figure.hardware for figure in published_figures()[f"juno-2017/{name}"]] == ["H2"]


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("juno-2017", "no repetitions are stated"),
        ("boss-2017", "mean of 3 rounds: simulation 10,000 events, reconstruction 10,000, analysis 552,530"),
        ("atlas-2011", "3 runs of 124 events"),
        ("ijclab-2022", "3 runs; a job has not as many copies on metal as in guests"),
        ("boss-2017", "settings tried one at a time, then all together"),
    ],
)
def test_events_and_repetitions_are_told_of_each_publication(key: str, words: str) -> None:
    assert words in publications()[key].runs


def test_no_figure_is_called_after_a_thesis_and_effects_of_factors_are_of_publications() -> None:
    effects = [(factor.name, effect) for factor in FACTORS.values() for effect in factor.effects]
    assert not [name for name, effect in effects if "thesis" in effect.source]
    assert not [name for name, effect in effects if "event data model" in effect.workload]
    juno = {name for name, effect in effects if effect.source.startswith("JUNO 2017")}
    assert {"net.model", "disk.cache", "disk.preallocation", "cpu.mode", "start.stagger"} <= juno
    assert "net.driver" not in juno
    boss = {name for name, effect in effects if effect.source.startswith("BOSS 2017")}
    assert {"cpu.mode", "host.thp", "host.ksm", "disk.cache", "disk.preallocation", "numa.cell"} <= boss
    assert {"cpu.vcpupin", "cpu.feature"} <= boss
