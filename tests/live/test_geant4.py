"""Geant4's own tracking for real: the pack by pip, two copies that see the same light, and half the
processor.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.live.parts import fits, newest, run

pytestmark = [pytest.mark.live, pytest.mark.long]

SCENE = """\
scene: light
title: Optical photons on a whole core and on half of it
baseline: {machine: local}
treatment: {machine: local, factors: {cpu.quota: 50 %}}
workloads: [{use: geant4-optical, parameters: {events: 5, photons: 1000}, placement: {copies: 2}}]
design: {blocks: 3, seed: 7}
"""
DATA = {"GEANT4_DATA_DIR": "/usr/share/no-data"}
ENVIRONMENT_WITHOUT = {"GEANT4_DATA_DIR": "", "CI": "true"}
"""Under ``CI=true`` geant4-pybind downloads without asking."""
OTHER_PROCESSOR = "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX2_Usable,-FMA_Usable"
"""The C library then picks other variants of ``exp`` and ``sin``, which round differently."""


def test_photons_are_tracked_the_same_on_both_arms_and_nothing_runs_without_the_variable(
    tmp_path: Path,
) -> None:
    home, file = tmp_path / "home", tmp_path / "light.yaml"
    file.write_text(SCENE)
    refused = run("evaluate", str(file), home=home, variables=ENVIRONMENT_WITHOUT)
    assert refused.code == 4
    assert (
        "error: cannot run geant4-optical: GEANT4_DATA_DIR is not set: without it geant4-pybind"
        in refused.err
    )
    missing = run("evaluate", str(file), home=home, variables=DATA)
    assert (missing.code, "hint: assay workload pack geant4" in missing.err) == (4, True)
    made = run("workload", "pack", "geant4", home=home)
    assert made.code == 0, made.err
    done = run("evaluate", str(file), "--json", home=home, variables={**DATA, "CI": "true"})
    assert done.code == 0, done.err
    activity = newest(home)
    assert activity is not None
    assert len(activity.records) == 9
    digests = set()
    for record in activity.records:
        fits(record, "record")
        figures = {one["metric"]["name"]: one["value"] for one in record["measurements"]}
        assert figures["photons_per_s"] == pytest.approx(1000 * figures["events_per_s"])
        assert 0 < figures["init_time"] < figures["wall_time"]
        assert 0 < figures["event_loop_time"] < figures["wall_time"]
        digests.add(record["result_digest"])
    assert len(digests) == 1, "which photomultiplier saw how many photons of which event"
    pack = made.out.strip()
    assert {by_hand(pack, tunables) for tunables in ("", OTHER_PROCESSOR)} == digests
    said = electrons_without_tables(pack, tmp_path)
    assert "brem_SB" in said, "geometry, particles and processes are there, and the first table is looked for"


def by_hand(pack: str, tunables: str) -> str:
    """Return the digest of the same events, without assay."""
    words = ("optical", "--events", "5", "--photons", "1000")
    done = subprocess.run(
        ("python3", f"{pack}/run.py", *words),
        env={**os.environ, **DATA, "GLIBC_TUNABLES": tunables},
        capture_output=True,
        check=True,
        timeout=120,
    )
    return str(json.loads(done.stdout)["digest"])


def electrons_without_tables(pack: str, empty: Path) -> str:
    """Return what Geant4 says when it aborts."""
    done = subprocess.run(
        ("python3", f"{pack}/run.py", "electron", "--events", "1"),
        env={**os.environ, **DATA, "G4LEDATA": str(empty)},
        cwd=empty,
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == -signal.SIGABRT
    assert not done.stdout
    return done.stderr.decode(errors="replace")
