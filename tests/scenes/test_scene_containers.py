"""Near-native platforms in a scene: as treatment, as baseline, with their own factors only."""

from __future__ import annotations

import pytest

from assay.model.platforms.container import PlannedContainer, Runtime
from assay.scenes.changes.write import write_scene
from assay.scenes.load import read_scene
from assay.scenes.text.errors import SceneError
from assay.scenes.values.scene import Guest
from tests.scenes.parts import scene


def refused(treatment: str, baseline: str = "{machine: local}") -> str:
    with pytest.raises(SceneError) as refusal:
        scene(treatment, baseline)
    return f"{refusal.value.message} {refusal.value.hint}"


@pytest.mark.parametrize(
    ("treatment", "wanted"),
    [
        ("{platform: runc}", PlannedContainer(Runtime.RUNC)),
        ("{platform: podman, factors: {cpu.quota: 50 %}}", PlannedContainer(Runtime.PODMAN, cpu_quota=0.5)),
        (
            "{platform: runsc, factors: {runsc.platform: ptrace, memory.limit: 1 GiB}}",
            PlannedContainer(Runtime.RUNSC, 1 << 30, platform="ptrace"),
        ),
        ("{platform: uml}", PlannedContainer(Runtime.UML, 2 << 30)),
        ("{platform: uml, factors: {memory.size: 512 MiB}}", PlannedContainer(Runtime.UML, 512 << 20)),
    ],
)
def test_a_container_is_read_and_written_back_the_same(treatment: str, wanted: PlannedContainer) -> None:
    read = scene(treatment)
    assert read.treatment == wanted
    assert read_scene(write_scene(read).encode(), file="trial.yaml").digest == read.digest


@pytest.mark.parametrize(
    ("treatment", "wanted_each"),
    [
        (
            "{platform: runc, factors: {cpu.quota: [25 %, 50 %]}}",
            [PlannedContainer(Runtime.RUNC, cpu_quota=0.25), PlannedContainer(Runtime.RUNC, cpu_quota=0.5)],
        ),
        (
            "{platform: runsc, factors: {runsc.platform: [ptrace, systrap], memory.limit: 1 GiB}}",
            [PlannedContainer(Runtime.RUNSC, 1 << 30, platform=word) for word in ("ptrace", "systrap")],
        ),
        (
            "{platform: uml, factors: {memory.size: [512 MiB, 1 GiB]}}",
            [PlannedContainer(Runtime.UML, 512 << 20), PlannedContainer(Runtime.UML, 1 << 30)],
        ),
    ],
)
def test_lists_of_levels_are_several_containers(treatment: str, wanted_each: list[PlannedContainer]) -> None:
    read = scene(treatment)
    assert list(read.containers) == wanted_each
    again = read_scene(write_scene(read).encode(), file="trial.yaml")
    assert (again.treatments, again.digest) == (read.treatments, read.digest)


def test_containers_that_differ_in_one_factor_are_different_scenes() -> None:
    digests = {scene(f"{{platform: {word}}}").digest for word in ("runc", "podman", "runsc", "uml")}
    ptrace = scene("{platform: runsc, factors: {runsc.platform: ptrace}}").digest
    assert len(digests | {ptrace}) == 5


def test_a_baseline_of_the_same_runtime_is_the_treatment_against_itself() -> None:
    read = scene("{platform: runc, factors: {cpu.quota: 50 %}}", "{machine: local, platform: runc}")
    assert read.baseline_container == read.treatment
    assert read.baseline_guest is None
    assert read_scene(write_scene(read).encode(), file="trial.yaml").digest == read.digest


def test_a_baseline_of_another_runtime_is_a_plain_one() -> None:
    assert scene(
        "{platform: runsc}", "{machine: local, platform: runc}"
    ).baseline_container == PlannedContainer(Runtime.RUNC)
    guest = scene("{platform: guest}", "{machine: local, platform: podman}")
    assert isinstance(guest.treatment, Guest)
    assert guest.baseline_container == PlannedContainer(Runtime.PODMAN)


@pytest.mark.parametrize(
    ("treatment", "baseline", "said"),
    [
        ("{platform: rumc}", "{machine: local}", "nearest: 'runc'"),
        (
            "{platform: runc, factors: {runsc.platform: kvm}}",
            "{machine: local}",
            "'runsc.platform' belongs to a treatment with 'platform: runsc'",
        ),
        ("{platform: runsc, factors: {runsc.platform: xen}}", "{machine: local}", "ptrace, kvm, systrap"),
        ("{platform: uml, factors: {cpu.quota: 50 %}}", "{machine: local}", "memory.size"),
        ("{platform: runc, factors: {disk.cache: none}}", "{machine: local}", "'platform: guest'"),
        ("{machine: local}", "{machine: local, platform: runc}", "where the treatment is a machine"),
        ("{platform: runc}", "{machine: local, platform: uml}", "'uml' as treatment too"),
        (
            "{platform: runc}",
            "{machine: local, platform: runc, factors: {cpu.vcpus: 1}}",
            "no factors of a baseline that is runc",
        ),
        ("{platform: runc}", "{machine: local, platform: guest}", "where the treatment is no guest"),
    ],
)
def test_what_does_not_go_together_is_refused_with_the_word(treatment: str, baseline: str, said: str) -> None:
    assert said in refused(treatment, baseline)
