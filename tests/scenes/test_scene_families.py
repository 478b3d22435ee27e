"""Lists of event numbers and of copies: each becomes a workload of the plan, of one family."""

from __future__ import annotations

import pytest

from assay.model.units import BYTES
from assay.model.work.workload import Workload
from assay.scenes import SceneError, Wanted, alter_scene, find_scene, read_scene
from assay.workloads import Sizes

HEAD = "scene: a\ntitle: A\nbaseline: {machine: local}\ntreatment: {machine: local}\n"
ARM = Sizes(cache_bytes=None, memory_bytes=8 * BYTES["GiB"], cpus=4)


def prepare(workloads: str) -> tuple[Workload, ...]:
    return read_scene(f"{HEAD}{workloads}\n".encode(), file="a.yaml").prepare(ARM)


def refuse(workloads: str) -> str:
    with pytest.raises(SceneError) as refused:
        prepare(workloads)
    return refused.value.message


def test_each_event_number_of_a_ready_workload_becomes_a_workload() -> None:
    small, large = prepare("workloads: [{use: two-phase, parameters: {events: [1, 1000]}}]")
    assert [(w.name, w.events, w.family) for w in (small, large)] == [
        ("two-phase-n1", 1, "two-phase"),
        ("two-phase-n1000", 1000, "two-phase"),
    ]
    assert small.command[-2:] == ("--events", "1")
    assert small.command[:-1] == large.command[:-1]
    assert small.parser == "two-phase"
    assert 0.05 < small.seconds < large.seconds < 2


def test_each_event_number_of_an_own_command_stands_in_its_words() -> None:
    own = "{name: job, command: '/bin/sim -n {events} --out=f{events}.root', events: [10, 1000]}"
    small, large = prepare(f"workloads: [{own}]")
    assert small.command == ("/bin/sim", "-n", "10", "--out=f10.root")
    assert (large.name, large.events, large.family) == ("job-n1000", 1000, "job")


def test_one_event_number_keeps_the_workload_s_name_and_makes_no_family() -> None:
    for events in ("500", "[500]"):
        (only,) = prepare(f"workloads: [{{use: two-phase, parameters: {{events: {events}}}}}]")
        assert (only.name, only.events, only.family) == ("two-phase", 500, None)
        assert only.command[-1] == "500"


def test_each_number_of_copies_becomes_a_workload_with_its_placement() -> None:
    made = prepare(
        "workloads: [flops, {use: two-phase, placement: {copies: 3}}]\nplacement: {copies: [1, 2, 4]}"
    )
    assert [(w.name, w.placement.copies, w.family) for w in made] == [
        ("flops-c1", 1, "flops"),
        ("flops-c2", 2, "flops"),
        ("flops-c4", 4, "flops"),
        ("two-phase", 3, None),
    ]
    assert [w.command[-1] for w in made[:3]] == ["4", "2", "1"]


@pytest.mark.parametrize(
    ("workloads", "message"),
    [
        ("workloads: [{use: two-phase, parameters: {events: []}}]",
         (
"a.yaml:5:51: expected a whole number from 0 to 1000000000000, or a list of different ones, got an empty list"
)),
        ("workloads: [{use: two-phase, parameters: {events: [5, 5]}}]",
        "or a list of different ones, got a list"),
        ("workloads: [{use: two-phase, parameters: {events: 1 s}}]",
        "or a list of different ones, got '1 s'"),
        ("workloads: [{use: fio, parameters: {events: 5}}]",
         "a.yaml:5:37: expected a parameter of fio (runtime, size), got 'events'"),
        ("workloads: [{name: job, command: job, events: [1, 2]}]",
         "a.yaml:5:39: expected {events} in the command that 'events' is for, got none"),
        ("workloads: [{name: job, command: 'job {events}'}]",
         "a.yaml:5:34: expected the key 'events' for {events} in the command, got none"),
        ("workloads: [{name: job, command: 'job {events}', events: [1, 2]}, {name: job-n1, command: job}]",
         "a.yaml:5:67: expected each workload once, got 'job-n1' again"),
        ("workloads: [{use: two-phase, parameters: {events: [1, 2]}, placement: {copies: [1, 2]}}]",
         "a.yaml:5:60: expected several event numbers of two-phase or several numbers of copies, got both"),
        ("workloads: [iperf3]\nplacement: {copies: [1, 2]}", "a.yaml:6:1: expected one copy of iperf3"),
    ],
)  # fmt: skip
def test_a_wrong_list_is_refused_with_its_place(workloads: str, message: str) -> None:
    assert message in refuse(workloads)


def test_a_family_that_is_altered_is_written_whole() -> None:
    for name in ("event-scan", "scaling"):
        altered = alter_scene(find_scene(name), Wanted(seed=7))
        assert read_scene(altered.source.encode(), file="again.yaml").digest == altered.digest
    own = "workloads: [{name: job, command: 'job {events}', events: [1, 20]}]\n"
    altered = alter_scene(read_scene(f"{HEAD}{own}".encode(), file="a.yaml"), Wanted(seed=7))
    again = read_scene(altered.source.encode(), file="again.yaml")
    assert [member.name for member in again.members] == ["job-n1", "job-n20"]
    assert again.digest == altered.digest


def test_copies_asked_for_on_the_command_line_take_the_place_of_a_list() -> None:
    altered = alter_scene(find_scene("scaling"), Wanted(copies=2))
    assert [member.name for member in altered.members] == ["two-phase"]


def test_a_reference_may_be_a_member_of_a_family() -> None:
    ours = "workloads: [flops]\nplacement: {copies: [1, 2]}\ndesign: {reference: flops-c1}"
    assert read_scene(f"{HEAD}{ours}\n".encode(), file="a.yaml").design.goal.reference == "flops-c1"
    assert "flops-c1" in refuse(ours.replace("reference: flops-c1", "reference: flops"))
