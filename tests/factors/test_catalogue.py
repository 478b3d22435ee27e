"""What holds for every factor, whoever adds one."""

from __future__ import annotations

import jsonschema
import pytest

from assay.factors.base.factor import Factor
from assay.factors.base.levels import LevelError
from assay.factors.catalogue import FACTORS, acts_left, apply_to, read_setting, refused, verify
from assay.factors.rules import RULES
from tests.factors.parts import FakeEvidence, FakeHost, draft

EVERY = [pytest.param(factor, id=name) for name, factor in FACTORS.items()]
THP = "/sys/kernel/mm/transparent_hugepage/enabled"


@pytest.mark.parametrize("factor", EVERY)
def test_a_factor_is_whole(factor: Factor) -> None:
    group, _, word = factor.name.partition(".")
    assert group, word
    assert all((factor.title, factor.default, factor.applied, factor.verified))
    assert not factor.title.endswith(".")
    assert factor.edit is None or factor.acts is None, "a factor is a guest's or the host's"
    assert (factor.of_host or factor.of_data or factor.of_start) == (factor.edit is None)


@pytest.mark.parametrize("factor", EVERY)
def test_levels_worth_trying_are_levels_in_their_spelling(factor: Factor) -> None:
    assert factor.levels.choices
    assert [factor.levels.read(level) for level in factor.levels.choices] == list(factor.levels.choices)


@pytest.mark.parametrize("factor", EVERY)
def test_what_a_program_is_told_of_levels_is_what_is_taken(factor: Factor) -> None:
    for level in factor.levels.choices:
        written = int(level) if factor.levels.schema.get("type") == "integer" else level
        jsonschema.validate(written, factor.levels.schema)
        assert factor.levels.read(written) == level


@pytest.mark.parametrize(
    ("name", "unit", "undo"),
    [
        ("memory.size", "B", "gone with the guest and its disks"),
        ("net.mtu", "B", "gone with the guest and its disks"),
        ("disk.cache", None, "gone with the guest and its disks"),
        ("disk.queues", None, "gone with the guest and its disks"),
        (
            "host.read_ahead_kb",
            "KiB",
            "what was there is written back at the end, after a crash by assay machine restore",
        ),
        ("data.access", None, "unmounted, and its servers ended, at the end of the activity"),
        ("host.ple_gap", "cycles", "none: it is never changed by us"),
        ("host.tuned", None, "none: it is never changed by us"),
        ("start.stagger", "s", "nothing is left of it: it is how the jobs of a trial start"),
        ("start.at_once", None, "nothing is left of it: it is how the jobs of a trial start"),
    ],
)
def test_a_factor_tells_its_unit_and_how_it_is_undone(name: str, unit: str | None, undo: str) -> None:
    assert (FACTORS[name].unit, FACTORS[name].undo) == (unit, undo)


@pytest.mark.parametrize("factor", EVERY)
def test_a_bare_host_is_told_what_it_lacks_in_one_clause(factor: Factor) -> None:
    bare = FakeHost(libvirt=(0, 0, 0), qemu=(0, 0, 0))
    for level in (None, *factor.levels.choices):
        reason = factor.needs(bare, level)
        assert reason is None or (reason and not reason.endswith("."))


def test_rules_look_at_factors_that_there_are() -> None:
    assert {name for rule in RULES for name in rule.factors} <= set(FACTORS)


def test_a_level_that_waits_for_the_host_says_what_to_type() -> None:
    host = FakeHost({THP: "always [madvise] never"})
    assert acts_left({"host.thp": "madvise"}, host) == ()
    (left,) = acts_left({"host.thp": "never"}, host)
    assert left.reason.endswith(f"echo never > {THP}")


def test_what_is_applied_is_what_is_looked_for() -> None:
    made = draft("<domain><devices><disk><driver/></disk></devices></domain>")
    apply_to(made, {"disk.cache": "unsafe"})
    assert made.at("devices/disk/driver").get("cache") == "unsafe"
    flags = {"writeback": True, "direct": False, "no-flush": True}
    nodes = [{"node-name": "libvirt-1-format", "cache": flags}]
    blocks = [{}, {"inserted": {"cache": flags}}]
    seen = FakeEvidence({"query-block": blocks, "query-named-block-nodes": nodes})
    (found,) = verify({"disk.cache": "unsafe"}, seen)
    assert (found.actual, found.ok) == ("unsafe", True)
    (found,) = verify({"disk.cache": "none"}, seen)
    assert not found.ok


def test_a_factor_that_a_host_lacks_is_refused() -> None:
    (refusal,) = refused({"host.thp": "never"}, FakeHost())
    assert refusal.reason == "this kernel has no transparent huge pages"


@pytest.mark.parametrize(
    ("text", "expected", "nearest"),
    [
        ("disk.cache", "FACTOR=LEVEL, got 'disk.cache'", None),
        ("disk.cash=none", "the name of a factor, got 'disk.cash'", "disk.cache"),
    ],
)
def test_a_setting_that_cannot_be_read_says_why(text: str, expected: str, nearest: str | None) -> None:
    with pytest.raises(LevelError) as error:
        read_setting(text)
    assert (error.value.expected, error.value.nearest) == (expected, nearest)
