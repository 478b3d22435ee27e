"""The fingerprint of each boot lies beside an activity's records."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

from assay.activities.fingerprints import keep_stage
from assay.activities.stage import Stage
from assay.model.machine import Fingerprint, Limits
from assay.probe import Probe
from assay.store.fingerprints import read_kept_fingerprint
from tests.builders import FACTS

SEEN = Fingerprint(FACTS, {"kernel": {"version": "#1"}}, 5)


def stage(boot: str, fingerprint: Fingerprint) -> Stage:
    return Stage(
        machine="node",
        probe=cast("Probe", None),
        put=lambda _here, _there: None,
        fingerprint=fingerprint,
        limits=Limits(),
        boot=boot,
        directory="/nowhere",
        own_clock=False,
    )


def test_each_boot_is_kept_once_under_its_own_name(tmp_path: Path) -> None:
    for boot, taken_ns in (("one", 1), ("one", 2), ("two", 3)):
        keep_stage(tmp_path, stage(boot, replace(SEEN, taken_ns=taken_ns)))
    kept = {path.stem: read_kept_fingerprint(path).taken_ns for path in (tmp_path / "facts").iterdir()}
    assert kept == {"one": 1, "two": 3}


def test_a_stage_shows_the_facts_of_its_fingerprint() -> None:
    assert stage("one", SEEN).facts == FACTS
