"""Rates that no disk of that kind gives: 454 to 669 MB/s of a single spinning one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.explain.sanity import Disk, Pair, Sampled, faster_than_disk
from assay.explain.sanity.disk_kinds import MOST
from assay.explain.sanity.tool_rates import rate_doubts
from assay.model.doubt import Raised
from assay.model.machines.machine import Limits
from assay.model.metric import Direction, Measurement, Metric
from assay.model.platforms.platform import SeenFactor
from assay.model.work.tool_output import NOT_COMPARABLE, Figure, ToolOutput
from assay.report.doubts import worded
from assay.workloads.saved_outputs import read_output
from assay.workloads.tools.bonnie import definition as bonnie
from tests.builders import FACTS, WORKLOAD
from tests.explain.sanity.both import HERE, QUIET, THERE, both
from tests.explain.sanity.test_gain import GUEST
from tests.explain.sanity.test_published import REFERENCE, rows

READ = Metric("get_block", "MB/s", Direction.HIGHER)
DIRECT = Metric("seq_read", "MB/s", Direction.HIGHER)
SPINNING = Disk("sda", "ST4000NM0033", rotational=True)
METAL = replace(FACTS, hypervisor=False)


def read_at(
    here: float | None,
    there: float | None,
    *,
    disk: Disk | None = SPINNING,
    parser: str = "bonnie++",
    **more: object,
) -> Pair:
    """Return a disk workload that read at these rates in MB/s on machines that are none of a hypervisor."""
    metric = READ if parser == "bonnie++" else DIRECT
    arms = [
        {"facts": METAL, "measurements": (Measurement(metric, value),), **more} for value in (here, there)
    ]
    sampled = {trial.name: Sampled(disk=disk) for trial in (HERE, THERE)}
    workload = replace(WORKLOAD, parser=parser, metrics=(metric,))
    return both(QUIET, QUIET, workload=workload, sampled=sampled, here=arms[0], there=arms[1])


def said(*pairs: Pair) -> list[str]:
    found = list(faster_than_disk(pairs))
    assert {doubt.code for doubt in found} <= {"faster-than-disk"}
    return [worded(doubt).sentence for doubt in found]


def test_the_published_rates_are_beyond_any_spinning_disk() -> None:
    low, high = said(read_at(454, 669))
    assert low == (
        "spin on host: get_block of 454 MB/s is more than a spinning disk gives (sda, "
        "ST4000NM0033: at most 350 MB/s). Memory answered, or another disk."
    )
    assert "spin on other: get_block of 669 MB/s" in high


@pytest.mark.parametrize(
    ("disk", "rate", "doubts"),
    [
        (SPINNING, 350.0, 0),
        (SPINNING, 350.1, 2),
        (Disk("sda", None, rotational=False), 2400.0, 0),
        (Disk("sda", None, rotational=False), 2401.0, 2),
        (Disk("nvme0n1", None, rotational=False), 16_000.0, 0),
        (Disk("nvme0n1", None, rotational=False), 16_001.0, 2),
        (Disk("vda", None, rotational=True), 9_000.0, 0),  # a virtual disk says nothing
        (Disk("md0", None, rotational=True), 9_000.0, 0),  # several
        (None, 9_000.0, 0),
    ],
)
def test_a_rate_is_doubted_above_what_a_disk_of_its_kind_gives(
    disk: Disk | None, rate: float, doubts: int
) -> None:
    assert len(said(read_at(rate, rate, disk=disk))) == doubts


def test_what_a_virtual_machine_says_of_its_disk_is_not_taken() -> None:
    assert said(read_at(669, 669, facts=replace(FACTS, hypervisor=None))) == []
    assert said(read_at(669, 669, facts=replace(FACTS, hypervisor=True))) == []


def test_a_guest_is_held_to_the_disk_of_its_host() -> None:
    pair = read_at(120, 669)
    guest = replace(pair.treatment.trials[0], platform=GUEST, facts=replace(FACTS, hypervisor=True))
    (doubt,) = said(replace(pair, treatment=replace(pair.treatment, trials=(guest,))))
    assert "spin on other: get_block of 669 MB/s is more than a spinning disk gives (sda" in doubt


def test_figures_that_are_not_there_are_beyond_nothing() -> None:
    assert said(read_at(None, None)) == []
    assert said(read_at(900, 900, parser="usage")) == []
    assert said(read_at(900, 900, data=(SeenFactor("data.access", "nfs", "its mount"),))) == []


@pytest.mark.parametrize(("rate", "doubts"), [(120.0, 0), (120.1, 2)])
def test_a_rate_above_the_limit_that_was_set_is_not_the_disks(rate: float, doubts: int) -> None:
    limits = Limits(read_bytes_per_s=100_000_000)
    assert len(said(read_at(rate, rate, disk=None, limits=limits))) == doubts


def test_a_limit_of_other_disks_bounds_nothing_here() -> None:
    limits = Limits(read_bytes_per_s=100_000_000, disks=("sdb",))
    assert said(read_at(200, 200, limits=limits)) == []
    assert (
        len(said(read_at(200, 200, limits=replace(limits, disks=("sda",))))) == 1
    )  # nothing tells where the guest's is
    data_read = read_at(200, 200, parser="data-read", limits=limits)
    assert len(said(data_read)) == 2  # the limit is that of the disk which the data lie on


@pytest.mark.parametrize(("rate", "doubts"), [(360.0, 0), (361.0, 1)])
def test_a_rate_through_the_page_cache_is_held_to_what_was_measured_past_it(rate: float, doubts: int) -> None:
    direct = read_at(120, 200, disk=None, parser="fio")
    found = said(read_at(rate, 300, disk=None), direct)
    assert len(found) == doubts
    assert all("3 times what the same disk gave past the page cache (120 MB/s)" in one for one in found)


CERNVM = [row for row in rows("atlas_2011_bonnie.csv") if row["configuration"] == "CernVM_c23"]


def bonnie_output(row: dict[str, str]) -> bytes:
    """Return a published row as Bonnie++ 1.03 prints it."""
    names = ("putc", "put_block", "rewrite", "getc", "get_block")
    rates = [row[f"{name}_{what}"] for name in names for what in ("kb_s", "cpu_percent")]
    files = ["16", *["+++++", "+++"] * 6]
    cells = [row["configuration"], row["size"], *rates, row["seeks_per_s"], row["seeks_cpu_percent"], *files]
    return (",".join(cells) + "\n").encode()


@pytest.mark.parametrize("row", CERNVM)
def test_the_published_rows_are_doubted_by_their_own_rates_of_writing(row: dict[str, str]) -> None:
    assert REFERENCE.is_dir()
    said_by = read_output("bonnie++", bonnie_output(row))
    (doubt,) = rate_doubts(said_by)
    times = float(row["get_block_kb_s"]) / float(row["put_block_kb_s"])
    assert f"is {times:.3g} times what the same run wrote by put_block" in worded(doubt).sentence
    beyond, _ = rate_doubts(said_by, "spinning")
    assert (
        "1 of 5 rates are more than a spinning disk gives, at most 350 MB/s: get_block of"
        in worded(beyond).sentence
    )


@pytest.mark.parametrize(
    "row", [row for row in rows("atlas_2011_bonnie.csv") if row["configuration"] != "CernVM_c23"]
)
def test_the_other_published_rows_are_a_disks(row: dict[str, str]) -> None:
    assert list(rate_doubts(read_output("bonnie++", bonnie_output(row)), "spinning")) == []


def output(*figures: Figure, tool: str = "iozone") -> ToolOutput:
    return ToolOutput(tool, None, figures)


def figure(metric: str, value: float, **labels: str) -> Figure:
    return Figure(metric, value, "KiB/s", Direction.HIGHER, labels)


def test_only_rates_of_one_file_are_held_against_each_other() -> None:
    small = {"file_size_kib": "64", "record_size_kib": "4"}
    large = {"file_size_kib": "1024", "record_size_kib": "4"}
    assert list(rate_doubts(output(figure("read", 4000, **small), figure("write", 1000, **small)))) == []
    apart = output(figure("read", 9000, **small), figure("write", 1000, **large))
    assert list(rate_doubts(apart)) == []
    worse = output(
        figure("read", 4001, **small), figure("write", 1000, **small),
        figure("read", 9000, **large, **{NOT_COMPARABLE: "the page cache"}), figure("write", 1000, **large),
    )  # fmt: skip
    (doubt,) = rate_doubts(worse)
    assert (
        "9 times what the same run wrote by write (1.024 MB/s; so in 2 of 2 pairs)" in worded(doubt).sentence
    )


def test_other_tools_and_kinds_of_figures_say_nothing() -> None:
    assert (
        list(rate_doubts(output(figure("read", 9e9), figure("write", 1.0), tool="stream"), "spinning")) == []
    )
    seeks = Figure("seeks", 1e12, "1/s", Direction.HIGHER)
    assert list(rate_doubts(output(seeks, tool="bonnie++"), "spinning")) == []
    assert list(rate_doubts(output(figure("read", 100.0), figure("write", 0.0)))) == []


def test_the_kinds_of_the_command_line_are_those_with_a_limit() -> None:
    from assay.cli.commands.workload import DISKS

    assert set(DISKS) == set(MOST)


def test_the_ready_bonnie_has_the_metrics_that_count_as_reads() -> None:
    assert READ.name in {metric.name for metric in bonnie.METRICS}
    assert all(isinstance(doubt, Raised) for doubt in rate_doubts(output()))
