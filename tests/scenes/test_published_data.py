"""The published figures that come with the package are those of the publications, and are what
they must be.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from assay.model.figures.published import Quantity
from assay.scenes import publications, published_figures

REFERENCE = Path(__file__).parents[1] / "reference"
UNITS = {"%", "points", "MB", "MB/core", "s", "events", "workers", "1", "MB/s", "KB/s", "1/s"}
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
        ("juno-2017/detsim-loss-by-guests", "12 cores", 5, 20),
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
    assert all(len(figure.what) <= 80 and len(figure.condition or "") <= 80 for figure in EVERY)
    for key, one in publications().items():
        assert key == one.key
        assert str(one.year) in key
        assert all(len(text or "") <= 120 for text in (one.authors, one.title, one.venue, one.url, one.about))
