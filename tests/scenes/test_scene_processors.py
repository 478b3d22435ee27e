"""Which processors an arm has, where the controller runs, and what the machine must have."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.model.machines.processors import ALL, ALL_CORES, Controller, CoreThreads, ProcessorsSpec
from assay.model.work.needs import Needs
from assay.scenes import Scene, read_scene
from assay.scenes.changes.alter import Wanted, alter_scene
from assay.scenes.changes.write import write_scene
from tests.scenes.wrong import GOOD, refuse

GIB = 1024**3


def scene(words: str = "", *, baseline: str = "machine: local", treatment: str = "platform: guest") -> Scene:
    text = GOOD.replace("machine: local", baseline).replace("platform: guest", treatment) + words
    return read_scene(text.encode(), file="trial.yaml")


@pytest.mark.parametrize(
    ("words", "spec", "controlled"),
    [
        ("", None, Controller.OWN_CORE),
        ("processors: all\n", ProcessorsSpec(ALL), Controller.SHARED),
        ("processors: all-cores\n", ProcessorsSpec(ALL_CORES), Controller.SHARED),
        ("processors: 12\n", ProcessorsSpec(12), Controller.OWN_CORE),
        ("processors: [3, 1]\n", ProcessorsSpec((3, 1)), Controller.OWN_CORE),
        ("threads: all\n", ProcessorsSpec(None, CoreThreads.ALL), Controller.OWN_CORE),
        (
            "processors: all\nthreads: one-per-core\ncontroller: own-core\n",
            ProcessorsSpec(ALL, CoreThreads.ONE_PER_CORE),
            Controller.OWN_CORE,
        ),
        ("processors: 2\ncontroller: elsewhere\n", ProcessorsSpec(2), Controller.ELSEWHERE),
    ],
)
def test_processors_are_asked_for_by_word_number_or_list(
    words: str, spec: ProcessorsSpec | None, controlled: Controller
) -> None:
    read = scene(words)
    assert (read.processors, read.controlled) == (spec, controlled)
    again = read_scene(write_scene(read).encode(), file="trial.yaml")
    assert again == replace(read, source=again.source)


def test_an_arm_may_have_processors_of_its_own_and_one_that_says_none_has_the_others() -> None:
    both = scene("processors: all\n", baseline="machine: local, processors: 2, threads: all")
    assert (both.processors, both.baseline_processors) == (
        ProcessorsSpec(ALL),
        ProcessorsSpec(2, CoreThreads.ALL),
    )
    one = scene(treatment="platform: guest, processors: [1]")
    assert (one.processors, one.baseline_processors) == (ProcessorsSpec((1,)), None)
    for read in (both, one):
        again = read_scene(write_scene(read).encode(), file="trial.yaml")
        assert again == replace(read, source=again.source)


def test_what_a_machine_must_have_is_read_written_and_no_part_of_what_is_asked() -> None:
    needs = "needs: {cores: 12, memory: 46 GiB, disk: 60 GB, nodes: 2, kvm: true, tools: [fio, iozone]}\n"
    read = scene(f"{needs}host-memory: 0 B\n")
    assert read.needs == Needs(12, 46 * GIB, 60 * 10**9, 2, True, ("fio", "iozone"))  # noqa: FBT003 # by field
    assert read.host_memory_bytes == 0
    again = read_scene(write_scene(read).encode(), file="trial.yaml")
    assert again == replace(read, source=again.source)
    assert scene(needs).digest == scene().digest
    assert scene("processors: all\n").digest != scene().digest


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("processors: al\n", "'all', 'all-cores', a number from 1 or a list of different processors"),
        ("processors: al\n", "nearest: 'all'"),
        ("processors: 0\n", "a number from 1"),
        ("processors: true\n", "a number from 1"),
        ("processors: 1.5\n", "a number from 1"),
        ("processors: []\n", "a list of different processors"),
        ("processors: [1, 1]\n", "a list of different processors"),
        ("processors: [-1]\n", "a list of different processors"),
        ("processors: [0]\nthreads: all\n", "expected no 'threads' beside a list of processors"),
        ("threads: two\n", "one-per-core"),
        ("controller: own\n", "'own-core'"),
        ("host-memory: 4\n", "like"),
        ("needs: {cores: 0}\n", "from 1"),
        ("needs: {core: 1}\n", "nearest: 'cores'"),
        ("needs: {kvm: perhaps}\n", "true or false"),
    ],
)
def test_what_is_wrong_with_them_is_said_at_its_place(words: str, said: str) -> None:
    error = refuse(GOOD + words)
    assert said in error.message
    assert error.message.startswith("trial.yaml:")


def test_a_scale_has_needs_processors_and_a_controller_of_its_own() -> None:
    text = GOOD + (
        "scales:\n  publication: {about: all of it, processors: all, controller: shared, needs: {cores: 9}}\n"
    )
    read = read_scene(text.encode(), file="trial.yaml")
    assert (read.processors, read.needs) == (None, Needs())
    large = read_scene(text.encode(), file="trial.yaml", scale="publication")
    assert (large.processors, large.controlled, large.needs.cores) == (
        ProcessorsSpec(ALL), Controller.SHARED, 9,
    )  # fmt: skip


def test_the_command_line_stands_in_the_place_of_both_arms() -> None:
    apart = scene("processors: 3\nthreads: all\n", baseline="machine: local, processors: 2")
    one = alter_scene(apart, Wanted(processors=4))
    assert (one.processors, one.baseline_processors) == (ProcessorsSpec(4, CoreThreads.ALL), None)
    whole = alter_scene(apart, Wanted(processors=ALL))
    assert (whole.processors, whole.controlled) == (ProcessorsSpec(ALL), Controller.SHARED)
    own = alter_scene(apart, Wanted(processors=ALL, controller=Controller.OWN_CORE))
    assert own.controlled is Controller.OWN_CORE
    listed = alter_scene(apart, Wanted(processors=(5, 6)))
    assert listed.processors == ProcessorsSpec((5, 6))
    for changed in (one, whole, own, listed):
        again = read_scene(changed.source.encode(), file="trial.yaml")
        assert again == replace(changed, source=again.source)
    assert alter_scene(apart, Wanted()) is apart
