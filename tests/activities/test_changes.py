"""What changed of a machine between two looks at it."""

from __future__ import annotations

from dataclasses import replace

from assay.activities.changes import Seen, find_changes
from assay.model.machines.machine import Fingerprint
from assay.report.lists.fingerprint import text_changes
from tests.builders import FACTS


def seen(at_s: int, activity: str | None = None, *, kernel: str = "6.1", **general: object) -> Seen:
    facts = replace(FACTS, kernel=kernel, boot_id=str(at_s), **general)  # type: ignore[arg-type]
    groups = {"hardware": {"microcode": "0x1", "nodes": {"0": {"memory_bytes": at_s}}}}
    return Seen(Fingerprint(facts, groups, at_s * 10**9), activity)


def test_a_boot_and_memory_that_comes_bit_by_bit_are_no_change() -> None:
    assert list(find_changes([seen(1), seen(2), seen(3, memory_bytes=5)])) == []
    assert list(find_changes([])) == []
    assert text_changes("n01", []) == "nothing of n01 has changed between the looks at it"


def test_a_change_is_dated_and_names_the_results_on_its_two_sides() -> None:
    looks = [
        seen(1, "aaaa0000"),
        seen(2, "bbbb0000"),
        seen(3, kernel="6.6"),
        seen(4, "cccc0000", kernel="6.6"),
    ]
    (change,) = find_changes(looks)
    assert (change.after_ns, change.at_ns) == (2 * 10**9, 3 * 10**9)
    assert [(one.field, one.a, one.b) for one in change.differences] == [("kernel", "6.1", "6.6")]
    assert (change.before, change.since) == ("bbbb0000", "cccc0000")
    text = text_changes("n01", [change])
    assert "1970-01-01 00:00:03Z  general  kernel  6.1     6.6" in text
    assert text.endswith("assay result compare bbbb0000 cccc0000")


def test_without_a_result_on_one_side_nothing_is_compared() -> None:
    (change,) = find_changes([seen(1), seen(2, kernel="6.6")])
    assert (change.before, change.since) == (None, None)
    assert "compare" not in text_changes("n01", [change])
