"""What was asked for and could not be looked at."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from assay.activities.trials.observed import observation_doubts
from assay.model.work.observation import Count, Profile, ProfileTaken, Series
from assay.probe import RunResult, parse_result
from assay.report.doubts import worded

OLD = Path(__file__).parents[2] / "probe/records/1.0.json"


def result(**asked: object) -> RunResult:
    read = parse_result(OLD.read_bytes(), origin="here")
    return replace(read, spec=replace(read.spec, **asked))  # type: ignore[arg-type]


def said(one: RunResult) -> dict[str, str]:
    return {doubt.code: worded(doubt).sentence for doubt in observation_doubts(one)}


def test_nothing_asked_for_is_nothing_to_say() -> None:
    assert json.loads(OLD.read_text())["protocol"] == [1, 0]
    assert said(result()) == {}


def test_a_group_that_the_machine_has_not_got_is_told_with_its_reason() -> None:
    series = (Series("pressure", "pressure.csv", 3, None), Series("energy", None, 0, "no zone of RAPL"))
    assert said(replace(result(), series=series)) == {
        "series-absent": "Not on this machine: energy (no zone of RAPL)."
    }


def test_a_counter_without_a_value_is_not_zero() -> None:
    counts = (
        Count("cycles", None, reason="not supported here"),
        Count("page-faults", 0),
    )
    found = said(replace(result(counters=("cycles", "page-faults")), counters=counts))
    assert found == {"counters-absent": "Not counted on this machine: cycles (not supported here)."}


def test_a_probe_that_says_nothing_of_what_was_asked_for_did_not_do_it() -> None:
    assert said(result(counters=("cycles",), profile=Profile())) == {
        "counters-not-told": "The probe told nothing of cycles.",
        "profile-not-told": "The probe told nothing of the profile that was asked for.",
    }


def test_a_profile_that_could_not_be_taken_says_why() -> None:
    taken = ProfileTaken(None, "perf_event_paranoid is 3")
    found = said(replace(result(profile=Profile()), profile=taken))
    assert found == {"profile-absent": "No profile on this machine: perf_event_paranoid is 3."}
