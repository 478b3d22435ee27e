"""Three results written by hand: a quick run, a partial one with nasty words, and a command of the user's
own.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from statistics import fmean, stdev
from typing import Any

from assay.model.figures.estimate import Matters, Verdict
from assay.model.figures.scan import Point
from assay.model.metric import Direction
from assay.model.trial import Arm, PlannedTrial, State
from assay.pages.context import BlockValues, DoubtCount, Interval, Page, Result, Row, TrialPoint, Value
from assay.pages.host_phase import Growth, HostPhase, Named
from assay.pages.system import System
from assay.pages.track import Line, PhaseSpan, ProbeUse, Timeline, Track
from assay.report.doubts import worded
from assay.results.families.scans import show_scan
from assay.stats.lines.scan import scan
from tests.report.budgets import lone_budget, phases_budget
from tests.report.laid_out import LAYOUTS, STARTS
from tests.report.landscaped import LANDSCAPES
from tests.report.published import PUBLISHED
from tests.report.scaled import SCALINGS
from tests.report.weighed import SIZES

T_95 = {1: 12.706, 2: 4.303}
ORDERS = ((0, 2, 1), (2, 0, 1), (0, 1, 2))
"""Place of host, host again and guest in each block."""

QUICK = {
    ("sysbench-cpu", "events_per_s", "events/s", Direction.HIGHER): (
        (1143.21, 1139.8, 88.12), (1151.04, 1147.33, 90.47), (1140.92, 1149.06, 87.31)),
    ("flops", "flop_per_s", "Gflop/s", Direction.HIGHER): (
        (6.8123, 6.8034, 0.12873), (6.8201, 6.8177, 0.12901), (6.8055, 6.8212, 0.12844)),
    ("stream", "copy", "MB/s", Direction.HIGHER): (
        (12045.3, 11987.1, 2934.2), (12101.8, 12077.5, 2876.9), (11893.4, 12011.6, 2991.0)),
    ("stream", "scale", "MB/s", Direction.HIGHER): (
        (11231.9, 11190.4, 1203.7), (11287.2, 11301.0, 1188.1), (11140.6, 11222.8, 1215.4)),
    ("stream", "add", "MB/s", Direction.HIGHER): (
        (12877.0, 12801.3, 1322.6), (12903.5, 12911.7, 1301.8), (12790.2, 12844.9, 1340.1)),
    ("stream", "triad", "MB/s", Direction.HIGHER): (
        (12810.6, 12763.0, 917.4), (12866.1, 12870.9, 903.3), (12744.8, 12801.2, 926.9)),
    ("fio-sequential", "seq_write", "MB/s", Direction.HIGHER): (
        (412.7, 431.9, 118.4), (398.2, 405.5, 131.0), (441.6, 420.3, 104.8)),
    ("fio-sequential", "seq_read", "MB/s", Direction.HIGHER): (
        (611.3, 598.2, 590.7), (604.9, 607.1, 611.8), (600.4, 612.6, 581.3)),
    ("fio-random", "random_read_4k", "IO/s", Direction.HIGHER): (
        (10233.0, 10871.0, 2812.0), (11042.0, 10420.0, 3105.0), (10644.0, 10702.0, 2633.0)),
    ("fio-random", "latency_p99", "ms", Direction.LOWER): (
        (0.4143, 0.4021, 0.3312), (0.4088, 0.4175, 0.3267), (0.4201, 0.4117, 0.3391)),
    ("iperf3", "throughput", "Gbit/s", Direction.HIGHER): (
        (22.84, 23.11, 0.7421), (22.97, 22.63, 0.7718), (23.2, 22.89, 0.7203)),
    ("iperf3", "retransmits", "count", Direction.LOWER): (
        (100.0, 100.0, 100.3), (100.0, 100.0, 99.8), (100.0, 100.0, 100.1)),
}  # fmt: skip

Metric = tuple[str, str, str, Direction]
Values = Sequence[tuple[float | None, float | None, float | None]]


SYSTEMS = (
    System(
        label="host",
        hostname="node01",
        cpu_model="AMD EPYC 7763 64-Core Processor",
        cpus=256,
        confined=(1, 2, 3, 5),
        memory_bytes=512 << 30,
        memory_limit_bytes=2 << 30,
        architecture="x86_64",
        kernel="6.1.0-28-amd64",
        clock_source="tsc",
        governor="performance",
        thp="madvise",
        platform=None,
        accelerator=None,
        guest_cpu=None,
        disk=None,
        below=None,
    ),
    System(
        label="guest",
        hostname="assay-guest",
        cpu_model="QEMU <Virtual> CPU",
        cpus=4,
        confined=(1, 2, 3, 5),
        memory_bytes=2 << 30,
        memory_limit_bytes=None,
        architecture="x86_64",
        kernel="6.1.0-28-amd64",
        clock_source="hpet",
        governor=None,
        thp="always",
        platform="QEMU 7.2.22, libvirt 9.0.0",
        accelerator="tcg",
        guest_cpu="max",
        disk="qcow2, cache none",
        below="qemu-tcg",
    ),
)


def quick_page() -> Page:
    """Return the normal case: six workloads under emulation, one gain, one equivalent, one inconclusive."""
    result = Result(
        id="20261121-095312-7f3a", scene="quick", title="What a guest costs on this machine",
        state="complete", started="2026-11-21T09:53:12Z", ended="2026-11-21T09:58:47Z", seed=42,
        confidence=0.95, margin=0.01, blocks_planned=3, baseline="host", treatment="guest", accelerator="tcg",
        command=None,
    )  # fmt: skip
    doubts = (
        DoubtCount("accelerator-tcg", "The guest ran by emulation: /dev/kvm is not there.", 1),
        DoubtCount(
            "clock-rate-corrected", "The guest's clock ran 0.13 % fast; its times were corrected.", 18
        ),
    )
    method = (
        (
            "Each of 3 blocks boots a fresh guest; every workload runs once in it and twice on the "
            "host; seed 42."
        ),
        (
            "Host and guest use processor 1 and 2 GiB of memory; the whole QEMU process is confined "
            "to processor 1."
        ),
        "The guest's disk is qcow2 with cache mode none; its network is a tap on a bridge in a namespace.",
    )
    commands = ("assay result show 20261121-095312-7f3a", "assay result compare 20261121-095312-7f3a last")
    return Page(result, _rows(QUICK), _trials(QUICK), doubts, method, commands, systems=SYSTEMS)


def partial_page() -> Page:
    """Return a partial result whose words try to break out of every notation."""
    bad = (
        "the job was killed by signal 9: <script>alert(\"x\")</script> & 'quoted' | `tick` *star* "
        "\x1b[31mred\nsecond"
    )
    some: dict[Metric, Values] = {
        ("stream", "copy", "MB/s", Direction.HIGHER): ((12045.3, None, 2934.2), (12101.8, 12077.5, None)),
        ("fio-sequential", "seq_write", "MB/s", Direction.HIGHER): (
            (412.7, 431.9, 118.4),
            (398.2, 405.5, 331.0),
        ),
        ("<script>alert(1)</script>", "größe_µ|✓", "</td>", Direction.LOWER): (
            (1.0, 1.1, 1.2),
            (1.3, 1.0, 1.4),
        ),
        ("iperf3", "throughput", "Gbit/s", Direction.HIGHER): ((None, None, None), (None, None, None)),
        ("faster", "rate", "1/s", Direction.HIGHER): ((10.0, 10.1, 231.0), (10.2, 10.0, 202.0)),
        ("much-faster", "rate", "1/s", Direction.HIGHER): (
            (0.0012, 0.00121, 12345678.9),
            (0.0011, 0.0013, 13e6),
        ),
    }
    result = Result(
        id="20261121-101500-00ff", scene="quick", title='A "partial" run of <b>quick</b> & more 日本語',
        state="partial", started="2026-11-21T10:15:00Z", ended="2026-11-21T10:18:30Z", seed=7, confidence=0.9,
        margin=0.05, blocks_planned=3, baseline="host", treatment="guest", accelerator="kvm", command=None,
    )  # fmt: skip
    doubts = (
        DoubtCount("programs-differ", "Programs differ: </style><img src=x onerror=alert(1)> {{ 7*7 }}", 3),
    )
    page = Page(
        result,
        _rows(some),
        _trials(some, bad),
        doubts,
        ("- # 1. not a heading_ nor _this_",),
        ("echo '`<&>`'",),
    )
    reasons = {"iperf3": bad, "stream": None}
    return replace(
        page, estimates=tuple(replace(row, reason=reasons.get(row.workload)) for row in page.estimates)
    )


def command_page() -> Page:
    """Return the result of a command of the user's own: wall time, CPU seconds and exit status."""
    values: dict[Metric, Values] = {
        ("my-job", "wall", "s", Direction.LOWER): (
            (4.5123, 4.5311, 38.217), (4.4987, 4.5202, 37.902), (4.5377, 4.4893, 38.611)),
        ("my-job", "cpu", "s", Direction.LOWER): (
            (4.4871, 4.5027, 37.904), (4.4722, 4.4967, 37.611), (4.5103, 4.4661, 38.3)),
    }  # fmt: skip
    result = Result(
        id="20261121-110000-c0de", scene="command", title="./my-job --events 100", state="complete",
        started="2026-11-21T11:00:00Z", ended="2026-11-21T11:04:10Z", seed=1234567890, confidence=0.95,
        margin=0.01, blocks_planned=3, baseline="host", treatment="guest", accelerator="tcg",
        command="./my-job --events 100",
    )  # fmt: skip
    return Page(result, _rows(values), _trials(values), (), ("The command ran 3 times on each side.",), ())


def phases_page() -> Page:
    """Return a job of two phases on two copies, watched over time, with the probe's own cost."""
    page = command_page()
    tracks = (_track(Arm.BASELINE, "host", 4.5), _track(Arm.TREATMENT, "guest", 38.2))
    spans = {track.arm: track.phases for track in tracks}
    trials = tuple(
        replace(trial, phases=spans[trial.arm], probe=ProbeUse(0.00021, 1_757_184, 46, 1.0004, 51))
        for trial in page.trials
    )
    result = replace(page.result, id="20261121-120000-fa5e")
    budgets = (phases_budget(), lone_budget())
    return replace(
        page, result=result, trials=trials, timelines=(Timeline("my-job", 0, tracks),), budgets=budgets
    )


def _track(arm: Arm, label: str, wall_s: float) -> Track:
    guest = arm is Arm.TREATMENT
    loop = (PhaseSpan(0, "event-loop", wall_s / 4, wall_s, 0.75, 3.25, 0.125, 100),)
    again = (
        PhaseSpan(1, "init", 0.5, wall_s / 2, 0.4, None, None, 0),
        PhaseSpan(1, "<b>\x1b", wall_s / 2, wall_s, 0.5, None, None, 50),
    )
    lines = (
        Line("job_user", (0.9, 1.75, 1.8, 1.0)), Line("job_system", (0.5, 0.125, 0.125, 0.0625)),
        Line("machine_user", (1.0, 1.9, 1.9, 1.1)), Line("machine_steal", (0.0, 0.0, 0.0, 0.0)),
        Line("job_rss", (2e8, 3e8, 3.5e8, 3.5e8)),
        Line("read", (0.0, None, 1.5e6, 0.0)), Line("events", (0.0, 29.5, 31.25, 30.0)),
    )  # fmt: skip
    seen = (
        Line("vcpu_run", (0.75, 1.5, 1.5, 0.875)), Line("vcpu_wait", (0.0, 0.375, 0.25, 0.125)),
        Line("qemu_other", (0.0625, None, 0.0, 0.0)), Line("qemu_write", (0.0, 2.5e6, 1e6, 0.0)),
        Line("net_received", (0.0, 0.0, 0.0, 0.0)),
    )  # fmt: skip
    return Track(
        f"0000-b0-{arm}-my-job", arm, label, wall_s, 0.00042 if guest else None,
        tuple(wall_s * at / 4 for at in range(5)), (*lines, *(seen if guest else ())),
        (PhaseSpan(0, "init", 0.0, wall_s / 4, 0.25, 0.5, 0.5, 0), *loop, *again),
        5.34 if guest else None, 0.31 if guest else None, _host_phases(wall_s) if guest else (),
    )  # fmt: skip


def _host_phases(wall_s: float) -> tuple[HostPhase, ...]:
    """Return a phase of which all is told, and one that is shorter than the time between samples."""
    none = Growth(0.0, 0.0, 0.0)
    return (
        HostPhase(
            phase="init", seconds=wall_s / 4, vcpu_run_s=Growth(7.25, 7.0, 7.5),
            vcpu_wait_s=Growth(0.5, 0.25, 0.875), steal_s=0.51, other_s=Growth(0.125, 0.125, 0.125),
            read_bytes=Growth(3 << 20, 2 << 20, 4 << 20), write_bytes=none, received_bytes=None,
            sent_bytes=None,
            exits=(
                Named("exits", Growth(12000.0, 11000.0, 12500.0)),
                Named("io_exits", Growth(9000.0, 8500.0, 9100.0)),
                Named("hypercalls", none),
            ),
            events=(Named("thp_fault_alloc", Growth(45.0, 45.0, 45.0)), Named("numa_hint_faults", none)),
        ),
        HostPhase(
            phase="<i>event</i>", seconds=0.25, vcpu_run_s=Growth(None, 0.0, 0.5), vcpu_wait_s=None,
            steal_s=None, other_s=None, read_bytes=Growth(None, 0.0, 4096.0), write_bytes=none,
            received_bytes=None, sent_bytes=None, exits=(), events=(Named("thp_fault_alloc", none),),
        ),
    )  # fmt: skip


def scan_page() -> Page:
    """Return a scan of four event numbers whose treatment has a kink, and one without noise."""
    draw, page = random.Random(5), command_page()

    def points(times: Sequence[float], noise: float) -> list[Point]:
        sizes = (1, 300, 600, 2000)
        return [
            Point(block, n, seconds * math.exp(noise * draw.gauss(0, 1)))
            for block in range(8)
            for n, seconds in zip(sizes, times, strict=True)
        ]

    baseline = points((120.85, 375.0, 630.0, 1820.0), 0.006)
    kinked = scan(baseline, points((241.0, 505.0, 769.0, 2561.0), 0.006), margin=0.01)
    straight = scan(baseline, points((241.0, 505.0, 769.0, 2001.0), 0.02), margin=0.02)
    once = scan([point for point in baseline if point.events == 1], baseline)
    shown = (show_scan("<b>job", kinked), show_scan("plain", straight), show_scan("once", once))
    scans = tuple(_rounded(each) for each in shown)
    doubts = tuple(DoubtCount(doubt.code, doubt.sentence, 1) for doubt in map(worded, kinked.doubts))
    result = replace(page.result, id="20261121-130000-5ca7")
    return replace(page, result=result, scans=scans, doubts=doubts)


def _rounded(value: Any) -> Any:
    """Return a context with ten digits a number: the last ones differ from one processor to another."""
    if isinstance(value, float):
        return float(f"{value:.10g}")
    if isinstance(value, tuple):
        return tuple(map(_rounded, value))
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{item.name: _rounded(getattr(value, item.name)) for item in fields(value)})
    return value


def scaling_page() -> Page:
    """Return two scaling curves, one of both arms and one of a single block on one arm."""
    page = command_page()
    result = replace(page.result, id="20261121-130000-5ca1e")
    step = "Make the trials longer, so that the clock is compared over a longer time."
    doubts = (DoubtCount("clock-rate-unknown", "The clock may run off by more than 1 %.", 3, step),)
    return replace(page, result=result, scalings=SCALINGS, doubts=doubts)


def layouts_page() -> Page:
    """Return two maps of layouts, one whole and one of which nothing was measured."""
    page = command_page()
    result = replace(page.result, id="20261121-140000-1a10c")
    return replace(page, result=result, layouts=LAYOUTS, initializations=STARTS)


def landscapes_page() -> Page:
    """Return three landscapes: with holes, of sizes alone, and one that cannot be compared."""
    page = command_page()
    return replace(page, result=replace(page.result, id="20261121-140000-1a5d"), landscapes=LANDSCAPES)


def weights_page() -> Page:
    """Return guests of several sizes with what they weighed."""
    page = command_page()
    return replace(page, result=replace(page.result, id="20261121-140000-3e19"), weights=SIZES)


def published_page() -> Page:
    """Return published figures beside ours, with words that try to break out."""
    page = command_page()
    return replace(page, result=replace(page.result, id="20261121-150000-0b51"), published=PUBLISHED)


PAGES = {
    "quick": quick_page,
    "partial": partial_page,
    "command": command_page,
    "phases": phases_page,
    "scan": scan_page,
    "scaling": scaling_page,
    "layouts": layouts_page,
    "landscapes": landscapes_page,
    "weights": weights_page,
    "published": published_page,
}


def _rows(values: dict[Metric, Values]) -> tuple[Row, ...]:
    return tuple(_row(metric, blocks) for metric, blocks in values.items())


def _row(metric: Metric, values: Values) -> Row:
    workload, name, unit, direction = metric
    sign = 1 if direction is Direction.HIGHER else -1
    complete = [(host, guest) for host, _, guest in values if host is not None and guest is not None]
    pairs = [(host, again) for host, again, _ in values if host is not None and again is not None]
    loss = _interval([sign * math.log(host / guest) for host, guest in complete])
    floor = _interval([sign * math.log(host / again) for host, again in pairs])
    verdict = _verdict(loss)
    row = Row(
        workload, name, unit, direction, _mean([host for host, _ in complete]),
        _mean([guest for _, guest in complete]),
        loss.loss, loss.low, loss.high, 0.95, None if loss.loss is None else 1 / (1 - loss.loss), loss.blocks,
        verdict,
        7 if verdict is Verdict.INCONCLUSIVE and loss.low is not None else None,
        "t on log slowdowns of blocks",
        floor if pairs else None,
        tuple(BlockValues(at, tuple(v for v in value[:2] if v is not None), value[2]) for at,
        value in enumerate(values)),
        None,
    )  # fmt: skip
    return replace(row, matters=_matters(verdict, loss))


def _matters(verdict: Verdict, loss: Interval) -> Matters | None:
    if verdict is Verdict.EQUIVALENT:
        return Matters.NO
    if verdict not in {Verdict.LOSS, Verdict.GAIN} or loss.low is None or loss.high is None:
        return None
    least, most = sorted((abs(loss.low), abs(loss.high)))
    return Matters.NO if most <= 0.01 else Matters.YES if least > 0.01 else Matters.MAYBE


def _interval(logs: list[float]) -> Interval:
    if not logs:
        return Interval(None, None, None, 0)
    mean = fmean(logs)
    if len(logs) < 2:
        return Interval(1 - math.exp(-mean), None, None, 1)
    half = T_95[len(logs) - 1] * stdev(logs) / math.sqrt(len(logs))
    ends = [1 - math.exp(-log) for log in (mean, mean - half, mean + half)]
    return Interval(ends[0], ends[1], ends[2], len(logs))


def _verdict(loss: Interval) -> Verdict:
    if loss.loss is None:
        return Verdict.NOT_MEASURED
    if loss.low is None or loss.high is None:
        return Verdict.INCONCLUSIVE
    if loss.low > -0.01 and loss.high < 0.01:
        return Verdict.EQUIVALENT
    if loss.low > 0:
        return Verdict.LOSS
    return Verdict.GAIN if loss.high < 0 else Verdict.INCONCLUSIVE


def _mean(values: list[float]) -> float | None:
    return math.exp(fmean(math.log(value) for value in values)) if values else None


def _trials(values: dict[Metric, Values], cause: str = "") -> tuple[TrialPoint, ...]:
    workloads = list(dict.fromkeys(workload for workload, *_ in values))
    visits = [
        (block, place, (Arm.BASELINE, Arm.BASELINE, Arm.TREATMENT)[which], which == 1, which, workload)
        for block in range(max(len(blocks) for blocks in values.values()))
        for place, which in enumerate(sorted(range(3), key=ORDERS[block].__getitem__))
        for workload in workloads
    ]
    return tuple(_trial(index, visit, values, cause) for index, visit in enumerate(visits))


def _trial(
    index: int, visit: tuple[int, int, Arm, bool, int, str], values: dict[Metric, Values], cause: str
) -> TrialPoint:
    block, place, arm, again, which, workload = visit
    name = PlannedTrial(index, block, place, arm, int(again), workload).name
    metrics = tuple(
        Value(metric, unit, blocks[block][which])
        for (owner, metric, unit, _), blocks in values.items()
        if owner == workload
    )
    failed = all(value.value is None for value in metrics) and workload != "iperf3"
    wall = None if failed else 3.0 + index / 16
    return TrialPoint(
        index, name, block, place, arm, int(again), workload, State.FAILED if failed else State.ENDED,
        cause if failed else None, 137 if failed else 0, () if failed else metrics,
        wall, None if wall is None else wall * 0.75, None if wall is None else wall / 8,
        ("programs-differ",) if cause and arm is Arm.TREATMENT else (),
    )  # fmt: skip
