"""The pack geant4 without its library: what it refuses before Geant4 is loaded, its geometry, its gate on
physics.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

import assay_hep
from assay_hep.packs.errors import PackError
from assay_hep.packs.geant4 import geometry
from assay_hep.packs.geant4.light import Light

_SOURCES = str(Path(assay_hep.__file__).parent.parent)


def pack(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the pack with these of its variables alone."""
    paths = os.pathsep.join(filter(None, (_SOURCES, os.environ.get("PYTHONPATH"))))
    kept = {name: value for name, value in os.environ.items() if name not in {"GEANT4_DATA_DIR", "G4LEDATA"}}
    return subprocess.run(
        (sys.executable, "-m", "assay_hep.packs.geant4", *words),
        env={**kept, "PYTHONPATH": paths, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("words", "variables", "code", "said"),
    [
        (
            ("optical",),
            {},
            4,
            "error: cannot run the pack geant4: GEANT4_DATA_DIR is not set, and without it",
        ),
        (("optical",), {"GEANT4_DATA_DIR": ""}, 4, "GEANT4_DATA_DIR is not set"),
        (("electron",), {"GEANT4_DATA_DIR": "/x"}, 4, "expected a folder in G4LEDATA, got ''"),
        (
            ("electron",),
            {"GEANT4_DATA_DIR": "/x", "G4LEDATA": "/x/y"},
            4,
            "expected a folder in G4LEDATA, got '/x/y'",
        ),
        (("optical", "--photons", "0"), {}, 2, "expected a whole number from 1 to 10000000, got '0'"),
        (("optical", "--events", "-1"), {}, 2, "--events"),
        (("optical",), {"GEANT4_DATA_DIR": "/x"}, 4, "python3 has no module geant4_pybind"),
    ],
)
def test_a_mistake_is_one_clear_line_before_geant4_is_loaded(
    words: tuple[str, ...], variables: dict[str, str], code: int, said: str
) -> None:
    done = pack(*words, **variables)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_photomultipliers_lie_on_their_sphere_and_touch_neither_each_other_nor_the_scintillator() -> None:
    places = list(geometry.pmt_places())
    assert len(places) == geometry.PMTS
    assert all(math.dist(place, (0, 0, 0)) == pytest.approx(geometry.PMTS_AT_M) for place in places)
    nearest = min(
        math.dist(one, other) for number, one in enumerate(places) for other in places[number + 1 :]
    )
    assert nearest > 2 * geometry.PMT_M
    assert geometry.SCINTILLATOR_M + geometry.PMT_M < geometry.PMTS_AT_M < geometry.WORLD_M - geometry.PMT_M


def test_the_light_of_the_centre_is_what_the_solid_angle_and_the_absorption_leave() -> None:
    angle = math.asin(geometry.PMT_M / geometry.PMTS_AT_M)
    covered = geometry.PMTS * (1 - math.cos(angle)) / 2
    water_m = geometry.PMTS_AT_M - geometry.PMT_M - geometry.SCINTILLATOR_M
    kept = math.exp(
        -geometry.SCINTILLATOR_M / geometry.SCINTILLATOR_ABSORPTION_M - water_m / geometry.WATER_ABSORPTION_M
    )
    assert geometry.hit_share(0.0) == pytest.approx(geometry.EFFICIENCY * covered * kept, rel=0.03)


def test_events_are_the_same_for_a_seed_and_lie_where_no_light_is_totally_reflected() -> None:
    places = [geometry.event_place(3, event) for event in range(200)]
    assert places == [geometry.event_place(3, event) for event in range(200)]
    assert len(set(places)) == 200
    farthest = max(math.dist(place, (0, 0, 0)) for place in places)
    assert farthest < geometry.SCINTILLATOR_M * geometry.WATER_INDEX / geometry.SCINTILLATOR_INDEX
    assert len({geometry.event_seed(3, event) for event in range(200)}) == 200


def seen(times: float, *, events: int = 10, photons: int | None = 5000) -> Light:
    """Return events at two metres of which so much of the expected light was detected."""
    light, each = Light(), 10_000 if photons is None else photons
    for _ in range(events):
        light.began(2.0)
        light.ended(round(times * each * geometry.hit_share(2.0)))
    return light


def test_the_expected_light_passes_and_other_light_or_too_few_events_do_not() -> None:
    passed = seen(1.0).checked(10, 5000)
    assert (passed["events"], passed["photons"]) == (10, 50_000)
    assert passed["hits"] == pytest.approx(passed["hits_expected"], rel=1e-3)
    assert seen(0.95, photons=None).checked(10, None)["photons"] is None
    for wrong in (0.9, 1.1):
        with pytest.raises(
            PackError, match=r"cannot trust the simulation: expected \d+ \+- \d+ photons detected"
        ):
            seen(wrong).checked(10, 5000)
    with pytest.raises(PackError, match="expected 11 events, got 10"):
        seen(1.0).checked(11, 5000)
