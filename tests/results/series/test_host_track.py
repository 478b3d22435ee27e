"""A guest seen from its host: on one clock with what it says itself, phase by phase, nothing invented."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.model.machines.clock import ClockCheck, ClockReading, Instant
from assay.model.platforms.platform import Platform
from assay.model.trial import Arm, CopyUsage, PlannedTrial, Trial
from assay.model.work.host_watch import HostWatch
from assay.model.work.phase import PhaseTime
from assay.pages.host_phase import HostPhase
from assay.probe import keep_rows
from assay.results.losses.spans import phase_spans, since_release
from assay.results.series.host_series import EXITS, HostSeries, Totals, guest_totals
from assay.results.series.host_track import (
    WHOLE,
    HostClock,
    _Reader,
    host_clock,
    host_lines,
    host_phases,
    vcpu_wait,
)
from tests.builders import record_of

TRIAL = PlannedTrial(1, 0, 1, Arm.TREATMENT, 0, "spin")
RATE = 1.002
RELEASED, HERE_NS = 7_000_000_000, 500_000_000_000
"""The release on the guest's clock, and on the host's."""
HEAD = (
    "mono_ns,real_ns,guest,pid,part,run_s,wait_s,rss_bytes,memory_bytes,overhead_bytes,read_bytes,write_bytes,"
    "received_bytes,received_packets_count,sent_bytes,sent_packets_count,"
    + ",".join(f"{name}_count" for name in EXITS)
)
KVM = Platform("libvirt", "kvm", "", "q35", "host", 2, 1 << 30, "raw", "none", "", "", "", (1,), "<domain/>")


def _rows(second: float, *, exits: bool) -> list[str]:
    """Return what a guest of two vCPUs had used: it ran 1.5 cores for 4 s, then wrote and waited."""
    at = f"{HERE_NS + round(second * 1e9)},0,reco,42"
    ran, waited = min(second + 1, 5.0) * 0.75, max(0.0, second - 4.0) * 0.25
    wrote = round(max(0.0, second - 4.0) * 1_000_000)
    reported = ["", "1000"] if not exits else [str(round(1000 * (second + 1))), "1000"]
    counts = reported[:1] + reported[1:] * (len(EXITS) - 1) if exits else [""] * len(EXITS)
    return [
        f"{at},guest,{round(2 * ran + 0.1 * (second + 1), 2)},,500,,,0,{wrote},,,,,{','.join(counts)}",
        *(f"{at},vcpu {cpu},{ran:.9f},{waited:.9f}{',' * (9 + len(EXITS))}" for cpu in (0, 1)),
        f"{at},net vnet0,,,,,,,,{round(100 * (second + 1))},1,5,1{',' * len(EXITS)}",
        f"{at[:-11]}9,0,reco,42,memory,,,500,400,100{',' * (6 + len(EXITS))}",
    ]


def _host(folder: Path, *, exits: bool = True, end: int = 7) -> HostSeries:
    folder.mkdir()
    rows = [row for second in range(-1, end) for row in _rows(second + 0.5, exits=exits)]
    (folder / "guests.csv").write_text("\n".join([HEAD, *rows]) + "\n")
    events = [f"{HERE_NS + round((s + 0.5) * 1e9)},0,{100 + 10 * s},7,5" for s in range(-1, end)]
    columns = "mono_ns,real_ns,thp_fault_alloc,cow_ksm,pgfault"
    (folder / "vmstat.csv").write_text("\n".join([columns, *events]) + "\n")
    return HostSeries(folder)


def _trial(*phases: tuple[str, float, float], platform: Platform | None = KVM) -> Trial:
    """Return a trial of 6 s of the controller's clock in a guest whose clock runs fast."""

    def there(second: float) -> Instant:
        return Instant(RELEASED + round(second * RATE * 1e9), 0)

    before = ClockReading(HERE_NS - 2_000_000_000, there(-2.0).mono_ns, 0.0, 0.0004)
    after = ClockReading(HERE_NS + 8_000_000_000, there(8.0).mono_ns, 0.0, 0.0006)
    copy = CopyUsage(0, (0, 1), (), there(0), there(6), 0, None, 6.0 * RATE, 8.0, 0.5, 1)
    usage = replace(record_of(TRIAL, 1.0).usage, wall_s=6.0 * RATE, steal_s=1.002)  # type: ignore[type-var]
    times = tuple(
        PhaseTime(0, name, there(start), there(end), (end - start) * RATE, 1.0, 0.5, 0, steal_s=0.501)
        for name, start, end in phases
    )
    watch = HostWatch(1.0, 42, (0,), (), None)
    record = record_of(TRIAL, 1.0, clock=ClockCheck(before, after, RATE, 0.0001), usage=usage, copies=(copy,))
    return replace(record, phases=times, platform=platform, host_watch=watch)


def _found(trial: Trial, host: HostSeries) -> tuple[HostPhase, ...]:
    since = since_release(trial, RELEASED)
    clock = host_clock(trial, since)
    assert clock is not None
    return host_phases(trial, host, clock, spans=phase_spans(trial), since=since)


def test_moments_of_host_and_guest_meet_on_the_controller_s_clock(tmp_path: Path) -> None:
    trial = _trial()
    clock = host_clock(trial, since_release(trial, RELEASED))
    assert clock is not None
    assert clock.zero_ns == pytest.approx(HERE_NS, abs=1000)
    assert clock.known_s == 0.0006
    lines = {
        line.quantity: line.values for line in host_lines(_host(tmp_path / "host"), clock, np.arange(7.0))
    }
    assert lines["vcpu_run"][:3] == pytest.approx((1.5, 1.5, 1.5))
    assert lines["vcpu_wait"][-1] == pytest.approx(0.5)
    assert lines["qemu_other"][1] == pytest.approx(0.1, abs=0.02)
    assert lines["qemu_write"][-1] == pytest.approx(1e6)
    assert lines["net_received"][0] == pytest.approx(100.0)


def test_each_phase_has_the_host_s_count_with_bounds_of_an_interval_at_each_end(tmp_path: Path) -> None:
    init, loop = _found(_trial(("init", 0, 4), ("event-loop", 4, 6)), _host(tmp_path / "host"))
    assert (init.phase, init.seconds) == ("init", pytest.approx(4.0))
    assert init.vcpu_run_s is not None
    assert init.vcpu_run_s.value == pytest.approx(5.625)  # it stopped between two samples: 6.0
    assert (init.vcpu_run_s.low, init.vcpu_run_s.high) == (pytest.approx(4.5), pytest.approx(6.75))
    assert init.steal_s == loop.steal_s == pytest.approx(0.5)
    assert loop.vcpu_wait_s is not None
    assert loop.vcpu_wait_s.value == pytest.approx(0.875, abs=0.13)
    assert loop.vcpu_wait_s.low <= 1.0 <= loop.vcpu_wait_s.high
    assert loop.write_bytes is not None
    assert loop.write_bytes.low <= 2e6 <= loop.write_bytes.high
    assert {one.name: one.amount.value for one in init.exits}["exits"] == pytest.approx(4000)
    assert [(one.name, one.amount.value) for one in init.events] == [
        ("thp_fault_alloc", pytest.approx(40)),
        ("cow_ksm", 0.0),
    ]


def test_a_trial_without_phases_has_one_row(tmp_path: Path) -> None:
    (whole,) = _found(_trial(), _host(tmp_path / "host"))
    assert (whole.phase, whole.seconds) == (WHOLE, pytest.approx(6.0))
    assert whole.steal_s == pytest.approx(1.0)
    assert whole.received_bytes is not None
    assert whole.received_bytes.value == pytest.approx(600)


def test_stays_of_one_phase_are_added(tmp_path: Path) -> None:
    spans = ("loop", 0, 1.5), ("write", 1.5, 3), ("loop", 3, 4.5)
    loop, _ = _found(_trial(*spans), _host(tmp_path / "host"))
    assert loop.seconds == pytest.approx(3.0)
    assert loop.vcpu_run_s is not None
    assert loop.vcpu_run_s.value == pytest.approx(3.75)


def test_each_stay_of_a_phase_adds_the_ticks_of_its_own_ends(tmp_path: Path) -> None:
    reader = _Reader(HostSeries(tmp_path), HostClock(0.0, 0.0), 1.0)
    still = Totals(np.arange(9) * 1e9, {"other_s": np.ones(9)})
    found = [
        reader.amount(still, "other_s", [(1.0, 2.0), (4.0, 5.0), (7.0, 8.0)][:stays]) for stays in (1, 3)
    ]
    assert [one and one.high for one in found] == pytest.approx([0.02, 0.06])


def test_a_phase_shorter_than_an_interval_has_bounds_and_no_figure(tmp_path: Path) -> None:
    short, _ = _found(_trial(("short", 0, 0.2), ("rest", 0.2, 6)), _host(tmp_path / "host"))
    assert short.vcpu_run_s is not None
    assert short.vcpu_run_s.value is None
    assert short.vcpu_run_s.low == 0.0
    assert short.vcpu_run_s.high == pytest.approx(1.5)


def test_nobody_tells_exits_or_steal_under_tcg(tmp_path: Path) -> None:
    trial = _trial(platform=replace(KVM, accelerator="tcg"))
    (whole,) = _found(trial, _host(tmp_path / "host", exits=False))
    assert (whole.steal_s, whole.exits) == (None, ())
    assert whole.vcpu_wait_s is not None
    assert vcpu_wait(trial, HostSeries(tmp_path / "host")) is None


def test_what_lies_outside_of_the_watch_is_not_told(tmp_path: Path) -> None:
    (whole,) = _found(_trial(), _host(tmp_path / "host", end=4))
    assert (whole.vcpu_run_s, whole.write_bytes, whole.events) == (None, None, ())
    nothing = HostSeries(tmp_path / "nowhere")
    assert _found(_trial(), nothing) == ()
    assert (guest_totals(b""), guest_totals(f"{HEAD}\n".encode())) == (None, None)


def test_under_kvm_the_wait_outside_is_told_to_be_held_against_the_steal_inside(tmp_path: Path) -> None:
    found = vcpu_wait(_trial(), _host(tmp_path / "host"))
    assert found is not None
    low, high = found
    assert low <= 1.0 <= high


def _told(*samples: tuple[str, ...]) -> Totals:
    """Return the totals of samples, each the CPU time of the process and of its vCPUs, s."""
    parts = (("guest", *(f"vcpu {cpu}" for cpu in range(len(sample) - 1))) for sample in samples)
    rows = [
        f"{number},{part},{run_s},"
        for number, (names, sample) in enumerate(zip(parts, samples, strict=True))
        for part, run_s in zip(names, sample, strict=True)
    ]
    totals = guest_totals("\n".join(["mono_ns,part,run_s,wait_s", *rows, ""]).encode())
    assert totals is not None
    return totals


def test_what_a_sample_does_not_tell_stays_untold_and_the_rest_never_falls() -> None:
    other_s = _told(("1", "0"), ("", "0"), ("3", "1"), ("3", "1.005"), ("", "2")).columns["other_s"]
    assert other_s.tolist() == pytest.approx([1.0, math.nan, 2.0, 2.0, math.nan], nan_ok=True)


def test_a_sample_of_other_vcpus_than_the_others_is_no_total() -> None:
    totals = _told(("3", "1", "1"), ("5", "3"), ("6", "2", "3"), ("8",), ("9", "3", "4")).columns
    assert totals["vcpu_run_s"].tolist() == pytest.approx([2, math.nan, 5, math.nan, 7], nan_ok=True)
    assert totals["other_s"].tolist() == pytest.approx([1, math.nan, 1, math.nan, 2], nan_ok=True)


def test_rows_of_other_guests_are_left_out() -> None:
    data = b"mono_ns,pid,part\n1,42,guest\n1,43,guest\n2,42,guest\n2,4"
    assert keep_rows(data, "pid", "42") == b"mono_ns,pid,part\n1,42,guest\n2,42,guest\n"
    with pytest.raises(ValueError, match="not in list"):
        keep_rows(b"a,b\n", "pid", "42")


def test_a_real_guest_on_a_busy_host_ran_less_than_it_waited_and_sent_what_its_tap_had() -> None:
    """Two seconds of iperf3 in a guest under TCG whose processor others wanted too; QEMU was read before and
    after.
    """
    before = ClockReading(39_663_468_198_745, 79_109_124_238, -0.749787195, 0.0074608515)
    after = ClockReading(39_672_781_279_077, 88_409_925_795, -0.762064647, 0.020636833)
    clock = ClockCheck(before, after, 0.9986815559876779, 0.0030170130073350256)
    copy = CopyUsage(
        0, (0,), (), Instant(80_203_851_841, 0), Instant(85_575_275_519, 0), 0, None, 5.371, 0.76, 1.95, 1
    )
    usage = replace(record_of(TRIAL, 1.0).usage, wall_s=5.371423678, steal_s=0.0)  # type: ignore[type-var]
    watch = HostWatch(0.2, 4268, (0,), (), None)
    record = record_of(TRIAL, 1.0, clock=clock, usage=usage, copies=(copy,))
    trial = replace(record, platform=replace(KVM, accelerator="tcg"), host_watch=watch)
    host, since = (
        HostSeries(Path(__file__).parents[1] / "series" / "host"),
        since_release(trial, 80_203_851_841),
    )
    at = host_clock(trial, since)
    assert at is not None
    (whole,) = host_phases(trial, host, at, spans=(), since=since)
    reported = {name: getattr(whole, name) for name in ("vcpu_run_s", "vcpu_wait_s", "other_s", "sent_bytes")}
    assert {name: round(one.value, 2) for name, one in reported.items() if name.endswith("_s")} == {
        "vcpu_run_s": 0.57,
        "vcpu_wait_s": 4.61,
        "other_s": 0.11,
    }
    assert (
        reported["vcpu_run_s"].high <= 0.73 + 0.01
    )  # what QEMU was read to have used around the trial, in ticks
    assert reported["vcpu_run_s"].value + reported["vcpu_wait_s"].value <= whole.seconds
    assert reported["sent_bytes"].low == reported["sent_bytes"].high == 2_916_311
    assert (whole.steal_s, whole.exits) == (None, ())
    assert {one.name: one.amount.value for one in whole.events}["thp_fault_alloc"] == 5
    assert "ksm_pages_sharing" in {one.name for one in whole.events}
