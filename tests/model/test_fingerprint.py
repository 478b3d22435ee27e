"""What differs between two fingerprints."""

from __future__ import annotations

from dataclasses import replace

from assay.model.machines.fingerprint import Difference, differences
from assay.model.machines.machine import Fingerprint
from tests.builders import FACTS

GROUPS = {
    "hardware": {"processor": {"flags": ["fpu", "sse2", "svm"], "model": 1}, "nodes": None},
    "kernel": {"command_line": "quiet mitigations=auto", "isolated_cpus": []},
}
HERE = Fingerprint(FACTS, GROUPS, 1)


def changed(**groups: dict[str, object]) -> Fingerprint:
    return replace(HERE, groups={**GROUPS, **groups})


def test_equal_fingerprints_of_two_times_do_not_differ() -> None:
    assert differences(HERE, replace(HERE, taken_ns=2)) == ()


def test_general_facts_come_first_then_groups_in_order() -> None:
    other = replace(
        changed(kernel={"command_line": "quiet"}, limits={"cpus": [0]}), facts=replace(FACTS, kernel="6.6")
    )
    found = differences(HERE, other)
    assert [(d.group, d.field) for d in found] == [
        ("general", "kernel"),
        ("kernel", "command_line"),
        ("kernel", "isolated_cpus"),
        ("limits", "cpus"),
    ]
    assert found[0] == Difference("general", "kernel", "6.1", "6.6")


def test_of_flags_and_the_command_line_only_what_the_other_lacks_is_shown() -> None:
    flags = {"processor": {"flags": ["fpu", "sse2", "vmx"], "model": 1}, "nodes": None}
    line = {"command_line": "quiet mitigations=off", "isolated_cpus": []}
    found = differences(HERE, changed(hardware=flags, kernel=line))
    assert [(d.a, d.b) for d in found] == [(["svm"], ["vmx"]), (["mitigations=auto"], ["mitigations=off"])]


def test_the_same_words_in_another_order_are_shown_whole() -> None:
    line = {"command_line": "mitigations=auto quiet", "isolated_cpus": []}
    assert differences(HERE, changed(kernel=line))[0].b == ["mitigations=auto", "quiet"]


def test_what_one_side_lacks_is_none_there() -> None:
    found = differences(
        HERE, changed(hardware={"processor": {"flags": None, "model": 1}, "nodes": {"0": {"cpus": [0]}}})
    )
    assert [(d.field, d.a, d.b) for d in found] == [
        ("nodes", None, None),
        ("nodes.0.cpus", None, [0]),
        ("processor.flags", ["fpu", "sse2", "svm"], None),
    ][1:]
