"""Events and photons of Geant4's workloads, as a scene says them."""

from __future__ import annotations

import pytest

from assay.scenes import SceneError, Wanted, alter_scene, read_scene
from assay.workloads import Sizes

HEAD = "scene: a\ntitle: A\nbaseline: {machine: local}\ntreatment: {machine: local}\n"
ARM = Sizes(cache_bytes=None, memory_bytes=1 << 30, cpus=2)


def words(workloads: str) -> list[tuple[str, tuple[str, ...]]]:
    scene = read_scene(f"{HEAD}workloads: {workloads}\n".encode(), file="a.yaml")
    return [(one.name, one.command[2:]) for one in scene.prepare(ARM)]


def test_a_list_of_events_is_a_scan_and_photons_are_those_of_each_event() -> None:
    assert words("[{use: geant4-optical, parameters: {events: [0, 8], photons: 300}}]") == [
        (
            f"geant4-optical-n{events}",
            ("optical", "--photons", "300", "--events", str(events), "--seed", "1"),
        )
        for events in (0, 8)
    ]
    assert words("[geant4-electron]") == [("geant4-electron", ("electron", "--events", "20", "--seed", "1"))]


@pytest.mark.parametrize(
    ("workloads", "said"),
    [
        (
            "[{use: geant4-optical, parameters: {photons: 0}}]",
            "expected a whole number from 1 to 1000000, got 0",
        ),
        (
            "[{use: geant4-electron, parameters: {photons: 5}}]",
            "expected a parameter of geant4-electron (events), got 'photons'",
        ),
        (
            "[{use: chain, parameters: {photons: 5}}]",
            "expected a parameter of chain (events, size), got 'photons'",
        ),
        (
            "[{use: geant4-optical, parameters: {photon: 5}}]",
            "nearest: 'photons'",
        ),
    ],
)
def test_a_wrong_parameter_is_refused_with_its_place(workloads: str, said: str) -> None:
    with pytest.raises(SceneError) as refused:
        words(workloads)
    assert said in refused.value.message


def test_photons_are_written_and_count_for_the_digest_and_their_absence_does_not() -> None:
    given = read_scene(
        f"{HEAD}workloads: [{{use: geant4-optical, parameters: {{photons: 300}}}}]\n".encode(), file="a.yaml"
    )
    altered = alter_scene(given, Wanted(seed=7))
    assert read_scene(altered.source.encode(), file="again.yaml").digest == altered.digest
    assert '"photons": 300' in altered.source
    plain, other = (
        read_scene(f"{HEAD}workloads: [{name}]\n".encode(), file="a.yaml")
        for name in ("geant4-optical", "{use: geant4-optical}")
    )
    assert plain.digest == other.digest != given.digest
