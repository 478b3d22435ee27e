"""What each check says, word for word."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from assay.explain.sanity import Gain, Sampled, sanity_doubts
from assay.explain.sanity.cpu import job_efficiency, system_cpu
from assay.explain.sanity.gain import treatment_faster
from assay.explain.sanity.pressure import swap, throttled
from assay.explain.sanity.storage import cached_reads, flat_write_rate
from assay.explain.sanity.wall import copies_differ, short_wall
from assay.model.doubt import Doubt, Raised
from assay.model.machines.machine import Limits
from assay.model.work.page_cache import CacheCheck, CacheSpec, CacheState, Residency
from assay.report.doubts import worded
from assay.report.doubts.processors import PROFILE, UNKNOWN
from assay.report.doubts.storage import COLD
from tests.builders import FACTS, WORKLOAD, clock_check
from tests.explain.sanity.both import HERE, QUIET, THERE, both, copies_of
from tests.explain.sanity.test_gain import GUEST

MIB, GIB = 1 << 20, 1 << 30
USER = replace(WORKLOAD, parser="usage")
SAME = (
    "Check that both arms do the same work: same inputs, same number of events and copies, same "
    "program (digests)."
)
LIMITS = "Give both arms the same processors, memory and CPU quota (limits of the scene)."


def only(found: Iterator[Raised]) -> Doubt:
    """Return the one doubt there is, in words."""
    (doubt,) = found
    return worded(doubt)


def test_a_short_job_is_told_with_all_reasons() -> None:
    pair = both(replace(QUIET, wall_s=0.5), here={"clock": clock_check(rate_uncertainty=0.0042)})
    assert only(short_wall(pair, 2.0)) == Doubt(
        "short-wall",
        "spin took 0.5 s on host: a tick of 10 ms is 2% of that; samples are 2 s apart; over "
        "such a time its clock's rate is only known to 0.42%.",
        "Give spin more work, so that it takes at least 4 s (more events, a larger input), or set a shorter "
        "'interval'.",
    )
    assert "at least 1 s (" in str(only(short_wall(pair, 0.25)).next)


def test_copies_that_differ_are_told_with_their_times() -> None:
    assert only(copies_differ(both(here={"copies": copies_of(12.0, 8.0, 10.0)}))) == Doubt(
        "copies-differ",
        "The copies of spin on host took 8 to 12 s, 40% of their median apart: some of them had "
        "less of the machine.",
        "Set 'placement: {pinning: each}' and compare the copies' processors and memory nodes in trial.json.",
    )


def test_swap_is_told_with_its_amount_and_pages() -> None:
    step = (
        "Give the arm more memory (memory.size) or the workload less to hold, end what else uses "
        "memory there, or switch swap off for the measurement (swapoff -a)."
    )
    one = only(swap(both(sampled={HERE.name: Sampled(swap_bytes=3 * MIB, swapped_pages=300)})))
    assert one == Doubt(
        "swap",
        "spin on host: 3 MiB of the job was in swap and the machine moved 300 pages to or from "
        "swap in one trial; disk speed was measured too.",
        step,
    )
    two = only(swap(both(sampled={THERE.name: Sampled(swapped_pages=300)})))
    assert two.sentence == (
        "spin on other: the machine moved 300 pages to or from swap in one trial; disk speed was "
        "measured too."
    )


def test_heat_is_told_with_its_count_and_time() -> None:
    reported = (
        "Heat held a processor back 3 times{} in one trial of spin on host: the clock was not the "
        "nominal one."
    )
    step = (
        "Look at fans and inlet temperature, fix the frequency below the turbo range on both arms, and watch "
        "'frequency' and 'temperature'."
    )
    for sampled, length in (
        (Sampled(heat_count=3, heat_s=2.5), ", 2.5 s in all"),
        (Sampled(heat_count=3), ""),
    ):
        doubt = only(throttled(both(sampled={HERE.name: sampled})))
        assert doubt == Doubt("throttled", reported.format(length), step)


def test_a_used_up_quota_is_told_with_the_time_it_took() -> None:
    usage = replace(QUIET, throttled_s=25.0)
    step = (
        "If the quota is not what is to be measured, raise it (limits of the scene, cpu.max of the group, "
        "<cputune> of the domain) and compare again."
    )
    for limits, known in ((Limits((1,), cpu_quota=0.5), " of 50%"), (Limits((1,)), "")):
        doubt = only(throttled(both(usage, here={"limits": limits})))
        assert doubt == Doubt(
            "throttled",
            "spin on host stood still for 25 s of 100 s, summed over processors, because its "
            f"CPU quota{known} was used up.",
            step,
        )


def test_a_low_efficiency_is_told_with_what_was_waited_for() -> None:
    waiting = replace(QUIET, wall_s=400.0)
    reported = (
        "spin had a job efficiency (CPU time over wall time × parallelism) of 98% on host and "
        "24% on other: it waited for the rest{}."
    )
    pair = both(QUIET, replace(waiting, run_queue_s=250.0, block_io_s=40.0))
    assert only(job_efficiency(pair)) == Doubt(
        "job-efficiency",
        reported.format(" (other: 250 s for a processor, 40 s for block I/O)"),
        "End what else runs on these processors (see the doubt 'disturbed'), and measure again.",
    )
    assert only(job_efficiency(both(QUIET, waiting))) == Doubt("job-efficiency", reported.format(""), UNKNOWN)
    disk = replace(waiting, block_io_s=200.0)
    twice = only(job_efficiency(both(disk, replace(waiting, run_queue_s=300.0))))
    assert "(host: 200 s for block I/O; other: 300 s for a processor)" in twice.sentence
    assert str(twice.next).startswith("End what else runs")
    assert only(job_efficiency(both(QUIET, disk))).next == (
        "Add 'watch: [disks]' and compare throughput and latency of both arms."
    )
    assert UNKNOWN == (
        "See what it waited for: add 'watch: [delay, pressure, disks]' and compare run-queue "
        "wait, I/O wait and throttled time of both arms."
    )


def test_a_kernels_share_is_told_with_both_arms() -> None:
    kernel, short = replace(QUIET, user_s=60.0, system_s=40.0), replace(QUIET, user_s=0.1, system_s=0.1)
    reported = "40% of the CPU time of spin on {} was spent in the kernel{}."
    both_arms = " ({} on host, {} on other)"
    for pair, arm, rest in (
        (both(kernel, QUIET), "host", both_arms.format("40%", "2%")),
        (both(QUIET, kernel), "other", both_arms.format("2%", "40%")),
        (both(kernel, kernel), "host", both_arms.format("40%", "40%")),
        (both(kernel, short), "host", ""),
        (both(short, kernel), "other", ""),
    ):
        assert only(system_cpu(pair)) == Doubt("system-share", reported.format(arm, rest), PROFILE)
    fio = replace(WORKLOAD, parser="fio")
    assert only(system_cpu(both(QUIET, kernel, workload=fio))).sentence == reported.format(
        "other", both_arms.format("2%", "40%")
    )
    assert PROFILE == (
        "Take a profile of the whole machine ('profile: {scope: machine}', as root) and look at "
        "the kernel's functions: "
        "locks of a file system show there; then move the scratch folder to another file system."
    )


def test_a_flat_write_rate_is_told_with_its_limit() -> None:
    sampled = {THERE.name: Sampled(100.5e6)}
    step = (
        "Look for a limit: io.max of its control group, <iotune> of the domain, a quota of the "
        "storage or a rate in the workload itself; measure without it, or on both arms with it."
    )
    for limits, known in (
        (Limits(write_bytes_per_s=100_000_000), " (the plan limits it to 100 MB/s)"),
        (Limits(), ""),
    ):
        assert only(flat_write_rate(both(sampled=sampled, there={"limits": limits}))) == Doubt(
            "flat-write-rate",
            "spin on other wrote at 100.5 MB/s, constant within 2% over most of its run and "
            f"close to 100 MB/s: a limit, not a disk{known}.",
            step,
        )


def test_reads_from_memory_are_told_with_what_storage_delivered() -> None:
    cached = replace(QUIET, logical_read_bytes=4 * GIB, read_bytes=16 * MIB)
    fetched = replace(QUIET, logical_read_bytes=4 * GIB, read_bytes=3 * GIB)
    cold = replace(USER, cache=CacheSpec(CacheState.COLD))
    reported = (
        "spin read 4 GiB on other and storage delivered 16 MiB of it: the page cache (of {} of "
        "memory) was measured."
    )
    for limits, memory in ((Limits(), "8 GiB"), (Limits(memory_bytes=2 * GIB), "2 GiB")):
        pair = both(fetched, cached, workload=cold, there={"limits": limits, "facts": FACTS})
        assert only(cached_reads(pair)) == Doubt("cached-reads", reported.format(memory), COLD)
    assert only(cached_reads(both(fetched, cached, workload=USER))) == Doubt(
        "cached-reads",
        "spin fetched 3 GiB from storage on host, while memory served its 4 GiB on other: the "
        "arms did not do the same reads.",
        COLD,
    )
    other = only(cached_reads(both(cached, fetched, workload=USER)))
    assert "fetched 3 GiB from storage on other, while memory served its 4 GiB on host" in other.sentence
    assert COLD == (
        "Set 'cache: cold' (or 'warm' for both arms) for this workload, so that both read from "
        "the same place."
    )


HEAD = "other is faster than host in spin events (2 times). What differs: "
REPEAT = (
    "Repeat it with more blocks and 'watch: [disks, delay, frequency]', and have the job count "
    "its work (events) on both arms."
)


def faster(baseline: object = QUIET, treatment: object = QUIET, **more: object) -> Doubt:
    """Return the doubt of a treatment that is twice as fast."""
    wall = {"wall_s": 50.0}
    arms = (baseline, replace(treatment, **wall))  # type: ignore[type-var]
    return worded(treatment_faster(both(*arms, **more), Gain("spin", ("events",), 0.5)))  # type: ignore[arg-type]


def test_a_gain_that_nothing_explains_asks_for_more() -> None:
    assert faster() == Doubt(
        "treatment-faster",
        "other is faster than host in spin events (2 times), and neither reads from storage, "
        "system CPU, page cache, work, limits nor clock explain it as far as they were recorded.",
        REPEAT,
    )


@pytest.mark.parametrize(
    ("slowdown", "wall_s", "reported"),
    [
        (0.5, 50.0, "(2 times)"),
        (0.5, 61.0, "(2 times)"),
        (0.5, 62.6, "(2 times, 1.6 times by wall time)"),
        (0.5, 40.1, "(2 times)"),
        (0.5, 39.9, "(2 times, 2.51 times by wall time)"),
        (0.25, 25.0, "(4 times)"),
    ],
)
def test_wall_times_are_told_where_they_differ_by_a_quarter(
    slowdown: float, wall_s: float, reported: str
) -> None:
    doubt = worded(
        treatment_faster(both(QUIET, replace(QUIET, wall_s=wall_s)), Gain("spin", ("events",), slowdown))
    )
    assert f"in spin events {reported}, and" in doubt.sentence


@pytest.mark.parametrize(
    ("metrics", "reported"),
    [(("a",), "a"), (("a", "b", "c"), "a and b and c"), (("a", "b", "c", "d"), "a and b and c and others")],
)
def test_three_metrics_of_a_gain_are_named(metrics: tuple[str, ...], reported: str) -> None:
    doubt = worded(treatment_faster(both(), Gain("spin", metrics, 0.8)))
    assert doubt.sentence.startswith(f"other is faster than host in spin {reported} (1.25 times")


def test_each_clue_is_told_word_for_word() -> None:
    locks = faster(replace(QUIET, user_s=60.0, system_s=40.0), replace(QUIET, user_s=60.0, system_s=20.0))
    assert locks == Doubt(
        "treatment-faster",
        f"{HEAD}host spent 40% of its CPU time in the kernel, other 25%, at a job efficiency of "
        "100% and 160%, which is how locks of a file system or of memory show.",
        "Profile the kernel on host ('profile: {scope: machine}', as root), and run spin on "
        "another file system there.",
    )
    reads = faster(replace(QUIET, read_bytes=GIB), replace(QUIET, read_bytes=256 * MIB))
    assert reads == Doubt(
        "treatment-faster",
        f"{HEAD}host fetched 1 GiB from storage, other 256 MiB: its page cache had the rest.",
        "Set 'cache: cold' (or 'warm') for spin: both arms then start from the same state.",
    )
    wrote = faster(replace(QUIET, logical_write_bytes=GIB), replace(QUIET, logical_write_bytes=256 * MIB))
    assert wrote == Doubt("treatment-faster", f"{HEAD}they wrote 1 GiB and 256 MiB.", SAME)
    computed = faster(QUIET, replace(QUIET, user_s=30.0))
    assert computed == Doubt("treatment-faster", f"{HEAD}they computed for 96 and 30 s in user mode.", SAME)
    clock = faster(there={"clock": clock_check(0.9)})
    assert clock == Doubt(
        "treatment-faster",
        f"{HEAD}its clock ran -10.00% off the controller's, and a slow clock makes short times.",
        "Use figures that don't rest on the guest's clock, or repair it (kvm-clock, chrony) and repeat.",
    )


def test_the_clue_of_limits_is_told_word_for_word() -> None:
    narrow, wide = Limits((0,), GIB, cpu_quota=0.5), Limits((0, 1), 2 * GIB)
    assert faster(here={"limits": narrow}, there={"limits": wide}) == Doubt(
        "treatment-faster",
        f"{HEAD}the limits differ: 1 and 2 processors, a CPU quota of 50% and of 100%, 1 GiB and "
        "2 GiB of memory.",
        LIMITS,
    )
    same = {"limits": Limits((0, 1), GIB, cpu_quota=0.5)}
    assert "limits differ" not in faster(here=same, there=same).sentence
    unlimited = faster(here={"limits": Limits((1,), GIB)})  # the machine has 8 GiB
    assert "the limits differ: 1 GiB and 8 GiB of memory." in unlimited.sentence


def test_the_clue_of_the_hosts_page_cache_is_told_word_for_word() -> None:
    moved = replace(QUIET, read_bytes=GIB, write_bytes=GIB // 2)
    guest = replace(GUEST, disk_cache="writethrough")
    reported = (
        f"{HEAD}the guest's disk has cache mode writethrough: the 1.5 GiB that it read and wrote "
        "went through the host's page cache"
    )
    step = "Set 'disk.cache: none' for the guest, or count the host's own memory as part of what is measured."
    assert faster(moved, moved, there={"platform": guest}) == Doubt("treatment-faster", f"{reported}.", step)
    check = CacheCheck(CacheState.WARM, False, None, Residency(2, GIB, GIB // 4))  # noqa: FBT003
    known = faster(moved, moved, there={"platform": guest, "cache": check})
    assert known.sentence == f"{reported} (256 MiB of its image were there at the start)."


@pytest.mark.parametrize(
    ("mode", "named"),
    [("writeback", True), ("writethrough", True), ("unsafe", True), ("default", True), ("none", False),
    ("directsync", False)],
)  # fmt: skip
def test_cache_modes_that_use_the_hosts_memory(mode: str, named: bool) -> None:
    moved = replace(QUIET, read_bytes=GIB)
    found = faster(moved, moved, there={"platform": replace(GUEST, disk_cache=mode)})
    assert ("cache mode" in found.sentence) is named


@pytest.mark.parametrize(("moved", "named"), [(32 * MIB - 1, False), (32 * MIB, True)])
def test_little_data_is_no_clue_of_the_hosts_page_cache(moved: int, named: bool) -> None:
    usage = replace(QUIET, read_bytes=moved, write_bytes=None)
    guest = {"platform": replace(GUEST, disk_cache="writeback")}
    assert ("cache mode" in faster(usage, usage, there=guest).sentence) is named


@pytest.mark.parametrize(
    ("here", "there", "named"),
    [
        (96 * MIB, 64 * MIB, False),  # half as much again
        (97 * MIB, 64 * MIB, True),
        (33 * MIB, MIB, False),  # 32 MiB more
        (33 * MIB + 1, MIB, True),
        (None, MIB, False),
        (GIB, None, False),
        (MIB, GIB, False),
    ],
)
def test_reads_are_a_clue_from_half_as_much_again_and_32_mib_on(
    here: int | None, there: int | None, named: bool
) -> None:
    found = faster(replace(QUIET, read_bytes=here), replace(QUIET, read_bytes=there))
    assert ("page cache had the rest" in found.sentence) is named


@pytest.mark.parametrize(
    ("system_s", "named"), [(30.0, True), (20.1, True), (19.9, False), (10.0, False)]
)  # fmt: skip
def test_a_kernels_share_is_a_clue_from_ten_points_more_on(system_s: float, named: bool) -> None:
    here = replace(QUIET, user_s=100 - system_s, system_s=system_s)
    there = replace(QUIET, user_s=90.0, system_s=10.0)
    assert ("locks of a file system" in faster(here, there).sentence) is named


@pytest.mark.parametrize(
    ("rate", "known", "named"),
    [
        (0.9991, 1e-4, False),
        (0.9989, 1e-4, True),
        (0.98, 0.021, False),
        (0.98, 0.019, True),
        (1.1, 1e-4, False),
    ],
)
def test_a_slow_clock_is_a_clue_beyond_a_thousandth_and_what_is_known_of_it(
    rate: float, known: float, named: bool
) -> None:
    found = faster(there={"clock": clock_check(rate, rate_uncertainty=known)})
    assert ("its clock ran" in found.sentence) is named


def test_clues_are_told_the_likeliest_first() -> None:
    here = replace(QUIET, user_s=60.0, system_s=40.0, read_bytes=GIB, logical_write_bytes=GIB)
    doubt = faster(here, replace(QUIET, user_s=20.0), there={"clock": clock_check(0.9)})
    starts = ["host spent", "host fetched", "they wrote", "they computed", "its clock"]
    places = [doubt.sentence.index(start) for start in starts]
    assert places == sorted(places)
    assert "show; host fetched" in doubt.sentence
    assert str(doubt.next).startswith("Profile the kernel")


def test_all_checks_are_made_of_each_workload_and_gains_come_last() -> None:
    usage = replace(
        QUIET, wall_s=1.5, user_s=0.3, system_s=0.3, throttled_s=0.5, steal_s=1.0,
        logical_read_bytes=GIB, read_bytes=0,
    )  # fmt: skip
    sampled = Sampled(100e6, swap_bytes=GIB, vcpu_wait_s=(0.0, 0.1))
    pair = both(
        usage, usage, workload=replace(WORKLOAD, cache=CacheSpec(CacheState.COLD)),
        sampled={HERE.name: sampled},
        here={"copies": copies_of(1.0, 2.0)},
    )  # fmt: skip
    gains = (Gain("spin", ("events",), 0.5), Gain("unknown", ("events",), 0.5))
    codes = [doubt.code for doubt in sanity_doubts((pair,), gains, interval_s=1.0)]
    assert codes == [
        "short-wall", "short-wall", "job-efficiency", "system-share", "flat-write-rate", "cached-reads",
        "cached-reads", "swap", "throttled", "throttled", "steal-disagrees", "copies-differ",
        "treatment-faster",
    ]  # fmt: skip
    assert "short-wall" not in {doubt.code for doubt in sanity_doubts((pair,), (), interval_s=0.5)}
