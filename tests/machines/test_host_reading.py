"""What this machine's kernel counts beside a trial, from text and from trees that look like a machine."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from assay.machines.host.counters import below_base, parse_cpu_ticks, parse_swap_pages, sum_throttles
from assay.machines.host.reading import HostReading, host_over, own_cpu_s, read_host

STAT = """\
cpu  646306 213719 223666 1425464 18768 0 5920 1740 0 0
cpu0 246865 99624 99047 813487 4998 0 1589 885 0 0
cpu1 399440 114095 124619 611977 13770 0 4331 855 0 0
intr 12088375 0 0
ctxt 26706614
"""
FIRST = HostReading(100.0, 1.7e9, 50.0, 1.0, 3, below_base=False, swap_pages=10)


def test_busy_is_user_nice_and_system_of_the_processors_alone() -> None:
    assert parse_cpu_ticks(STAT, (1,)) == (399440 + 114095 + 124619, 855)
    assert parse_cpu_ticks(STAT, (0, 1)) == (246865 + 99624 + 99047 + 399440 + 114095 + 124619, 885 + 855)


def test_a_processor_that_is_not_there_or_an_old_kernel_tells_nothing() -> None:
    assert parse_cpu_ticks(STAT, (1, 2)) is None
    assert parse_cpu_ticks("cpu0 1 2 3 4\n", (0,)) is None
    assert parse_cpu_ticks("", (0,)) is None


def test_swapped_pages_are_summed_and_absent_where_there_is_no_swap() -> None:
    assert parse_swap_pages("nr_free_pages 5\npswpin 3\npswpout 4\n") == 7
    assert parse_swap_pages("nr_free_pages 5\n") is None


def test_throttling_is_summed_and_absent_where_nothing_counts_it() -> None:
    assert sum_throttles({"core": "2\n", "package": "5\n"}) == 7
    assert sum_throttles({}) is None
    assert sum_throttles({"core": "1\x1f"}) is None


def test_only_a_limit_below_the_base_frequency_is_told() -> None:
    assert below_base(["2400000\n"], ["2000000\n"]) is True
    assert below_base(["2400000\n", "2400000\n"], ["3500000\n", "2400000\n"]) is False
    assert below_base([], ["3500000\n"]) is None


def test_a_tree_is_read_like_the_machine(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/stat").write_text(STAT)
    (tmp_path / "proc/vmstat").write_text("pswpin 1\npswpout 1\n")
    cpu = tmp_path / "sys/devices/system/cpu/cpu1"
    for name, text in {
        "thermal_throttle/core_throttle_count": "4\n",
        "thermal_throttle/core_throttle_total_time_ms": "9\n",
        "cpufreq/base_frequency": "2400000\n",
        "cpufreq/scaling_max_freq": "1200000\n",
    }.items():
        (cpu / name).parent.mkdir(parents=True, exist_ok=True)
        (cpu / name).write_text(text)
    reading = read_host((1,), root=tmp_path)
    tick_s = 1 / os.sysconf("SC_CLK_TCK")
    assert reading.busy_s == pytest.approx((399440 + 114095 + 124619) * tick_s)
    assert reading.steal_s == pytest.approx(855 * tick_s)
    assert (reading.throttle_count, reading.below_base, reading.swap_pages) == (4, True, 2)


def test_a_machine_that_tells_nothing_has_its_clocks_alone(tmp_path: Path) -> None:
    reading = read_host((1,), root=tmp_path)
    assert replace(reading, mono_s=0.0, wall_lead_s=0.0, own_s=None) == HostReading(
        0.0, 0.0, None, None, None, below_base=None, swap_pages=None
    )


def test_this_machine_can_be_read() -> None:
    cpu = min(os.sched_getaffinity(0))
    over = host_over(read_host((cpu,)), read_host((cpu,)), cpus=(cpu,), used_s=0.0)
    assert over.seconds > 0
    assert over.foreign_s is not None
    assert over.clock_step_s == pytest.approx(0, abs=0.01)


def test_what_others_had_is_what_was_busy_without_the_job() -> None:
    after = replace(FIRST, mono_s=110.0, busy_s=59.5, steal_s=1.25, throttle_count=5, swap_pages=12)
    over = host_over(FIRST, after, cpus=(1,), used_s=9.0)
    assert (over.seconds, over.foreign_s, over.steal_s) == (10.0, 0.5, 0.25)
    assert (over.throttle_count, over.below_base, over.swap_pages, over.clock_step_s) == (2, False, 2, 0.0)


def test_a_job_that_had_more_than_the_kernel_counted_leaves_others_nothing() -> None:
    assert host_over(FIRST, replace(FIRST, busy_s=51.0), cpus=(1,), used_s=1.5).foreign_s == 0.0


def test_what_one_reading_lacks_is_not_told() -> None:
    assert host_over(FIRST, replace(FIRST, busy_s=None), cpus=(1,), used_s=1.0).foreign_s is None
    assert host_over(FIRST, FIRST, cpus=(1,), used_s=None).foreign_s is None
    lost = host_over(FIRST, replace(FIRST, throttle_count=None, swap_pages=None), cpus=(1,), used_s=None)
    assert (lost.throttle_count, lost.swap_pages) == (None, None)


def test_the_controllers_time_is_its_own_that_of_what_it_waited_for_and_of_what_still_runs() -> None:
    before = own_cpu_s()
    busy = [sys.executable, "-c", "import time\nwhile time.process_time() < 0.3: pass\ninput()"]
    with subprocess.Popen(busy, stdin=subprocess.PIPE) as running:
        until = time.monotonic() + 30
        while own_cpu_s() - before < 0.25 and time.monotonic() < until:
            time.sleep(0.02)
        assert own_cpu_s() - before >= 0.25
        running.communicate(b"\n")
    assert own_cpu_s() - before >= 0.25


def test_what_the_controller_took_is_not_the_share_of_others_where_it_shares() -> None:
    first = replace(FIRST, own_s=2.0)
    after = replace(first, mono_s=110.0, busy_s=59.5, own_s=2.25)
    shared = host_over(first, after, cpus=(1,), used_s=9.0, shared=True)
    assert (shared.foreign_s, shared.controller_s) == (0.25, 0.25)
    assert host_over(first, after, cpus=(1,), used_s=9.0).foreign_s == 0.5
    unknown = host_over(replace(first, own_s=None), after, cpus=(1,), used_s=9.0, shared=True)
    assert (unknown.foreign_s, unknown.controller_s) == (None, None)
