"""The figures of Geant4's tracking; another report, or none, is no figure."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from assay.model.trial import Usage
from assay.model.work.placement import PlacementSpec
from assay.workloads import OutputError, Parameters, Sizes, measure, result_digest, with_parameters

SIZES = Sizes(cache_bytes=None, memory_bytes=2**30, cpus=2)
USAGE = Usage(4.0, 2.5, 0.5, rss_bytes=1, read_bytes=None, write_bytes=None)
OPTICAL = with_parameters("geant4-optical", Parameters(), sizes=SIZES)
ELECTRON = with_parameters("geant4-electron", Parameters(events=3), sizes=SIZES)


def report(**more: Any) -> bytes:
    said: dict[str, Any] = {
        "schema": "assay.geant4/1.0",
        "particle": "opticalphoton",
        "digest": "0123456789abcdef",
        "events": 20,
        "photons": 100_000,
        "seconds": {"init": 0.5, "event_loop": 2.0},
    }
    return json.dumps(said | more).encode()


def test_rates_are_over_the_event_loop_and_those_of_copies_are_added_up() -> None:
    found = {m.metric.name: m.value for m in measure(OPTICAL, outputs=[report()], usage=USAGE)}
    assert found == {
        "events_per_s": 10.0,
        "photons_per_s": 50_000.0,
        "wall_time": 4.0,
        "cpu_time": 3.0,
    }
    both = replace(OPTICAL, placement=PlacementSpec(copies=2))
    rates = {m.metric.name: m.value for m in measure(both, outputs=[report(), report()], usage=USAGE)}
    assert (rates["events_per_s"], rates["photons_per_s"]) == (20.0, 100_000.0)


def test_without_events_there_is_no_rate() -> None:
    figures = measure(OPTICAL, outputs=[report(events=0, photons=0)], usage=USAGE)
    assert [figure.value for figure in figures[:2]] == [None, None]


def test_parameters_reach_the_command_and_electrons_have_no_number_of_photons() -> None:
    given = with_parameters("geant4-optical", Parameters(events=7, photons=300), sizes=SIZES)
    assert given.command[1:] == (
        *("{pack}/run.py", "optical", "--photons", "300"),
        *("--events", "7", "--seed", "1"),
    )
    assert ELECTRON.command[2:] == ("electron", "--events", "3", "--seed", "1")
    assert [one.name for one in OPTICAL.environment] == ["GEANT4_DATA_DIR"]
    assert [one.name for one in ELECTRON.environment] == ["GEANT4_DATA_DIR", "G4LEDATA"]
    assert OPTICAL.pack == ELECTRON.pack == "geant4"


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (b'{"schema": "other/1.0"}', "expected a report of assay.geant4/1.x"),
        (report(particle="e-"), "expected a report of 'opticalphoton', got 'e-'"),
        (report(digest="?"), "expected a digest of 16 hexadecimal digits"),
        (report(seconds={}), "event_loop"),
        (b"killed", "expected a JSON object"),
    ],
)
def test_another_report_is_refused(output: bytes, said: str) -> None:
    with pytest.raises(OutputError) as caught:
        measure(OPTICAL, outputs=[output], usage=USAGE)
    assert said in caught.value.message


def test_copies_that_detected_other_light_have_no_result() -> None:
    assert result_digest(OPTICAL, [report(), report()]) == "0123456789abcdef"
    with pytest.raises(OutputError, match="expected the same result of all copies"):
        result_digest(OPTICAL, [report(), report(digest="f" * 16)])
