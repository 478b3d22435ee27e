import os
import threading
from pathlib import Path

import pytest

from assay.platforms.errors import PlatformError
from assay.platforms.readback.cpu import (
    confined_to,
    hypervisor_cpu,
    parse_cpu_list,
    parse_cpu_ticks,
    parse_migrations,
    parse_status,
    process_of_thread,
    threads_cpus,
)

STAT = "7 (CPU 0/TCG) S 1 7 7 0 -1 4194304 0 0 0 0 {user} {system} 0 0 20 0 3 0 5000 0 0"


def fake_process(proc: Path, *, total: tuple[int, int], threads: dict[int, tuple[int, int]]) -> None:
    for thread, (user, system) in threads.items():
        folder = proc / "7" / "task" / str(thread)
        folder.mkdir(parents=True)
        (folder / "stat").write_text(STAT.format(user=user, system=system))
    (proc / "7" / "stat").write_text(STAT.format(user=total[0], system=total[1]))


@pytest.mark.parametrize(
    ("text", "cpus"), [("0-2,5\n", (0, 1, 2, 5)), ("1", (1,)), ("", ()), ("0-1,4-5", (0, 1, 4, 5))]
)
def test_a_kernel_list_of_processors_is_read(text: str, cpus: tuple[int, ...]) -> None:
    assert parse_cpu_list(text) == cpus


def test_a_status_is_read_by_names() -> None:
    assert parse_status("Name:\tCPU 0/TCG\nTgid:\t12\n")["Tgid"] == "12"


def test_user_and_system_ticks_are_added() -> None:
    assert parse_cpu_ticks(STAT.format(user=3, system=4)) == 7


def test_threads_that_ended_count_as_other(tmp_path: Path) -> None:
    tick_s = 1 / os.sysconf("SC_CLK_TCK")
    fake_process(tmp_path, total=(100, 20), threads={7: (5, 5), 8: (70, 10)})
    used = hypervisor_cpu(7, frozenset({8}), proc=tmp_path)
    assert used.vcpu_s == pytest.approx(80 * tick_s)
    assert used.other_s == pytest.approx(40 * tick_s)


SCHED = """CPU 0/TCG (8, #threads: 3)
-------------------------------------------------------------------
se.sum_exec_runtime                          :             1.000000
se.nr_migrations                             :                   {moved}
nr_switches                                  :                    5
"""


def test_migrations_are_those_of_each_vcpu_thread_by_its_number(tmp_path: Path) -> None:
    fake_process(tmp_path, total=(100, 20), threads={7: (5, 5), 8: (70, 10), 9: (1, 1)})
    for thread, moved in ((7, 99), (8, 12), (9, 0)):
        (tmp_path / "7" / "task" / str(thread) / "sched").write_text(SCHED.format(moved=moved))
    assert hypervisor_cpu(7, frozenset({9, 8}), proc=tmp_path).vcpu_migrations == (12, 0)


def test_migrations_that_a_kernel_does_not_tell_of_each_vcpu_are_none_and_not_zero(tmp_path: Path) -> None:
    fake_process(tmp_path, total=(100, 20), threads={7: (5, 5), 8: (70, 10), 9: (1, 1)})
    (tmp_path / "7" / "task" / "8" / "sched").write_text(SCHED.format(moved=12))
    assert hypervisor_cpu(7, frozenset({8, 9}), proc=tmp_path).vcpu_migrations is None
    assert hypervisor_cpu(7, frozenset(), proc=tmp_path).vcpu_migrations is None


@pytest.mark.parametrize(
    "text", ["", "nr_switches : 5\n", SCHED.format(moved="x"), SCHED.format(moved="9" * 21)]
)
def test_a_file_without_the_number_tells_no_migrations(text: str) -> None:
    assert parse_migrations(text) is None


def test_the_migrations_of_a_real_thread_are_read() -> None:
    used = hypervisor_cpu(os.getpid(), frozenset({os.getpid()}))
    there = Path("/proc/thread-self/sched").exists()
    assert (used.vcpu_migrations is not None) == there


def test_a_process_that_is_gone_is_an_error_and_not_zero(tmp_path: Path) -> None:
    with pytest.raises(PlatformError, match="gone"):
        hypervisor_cpu(7, frozenset(), proc=tmp_path)
    with pytest.raises(PlatformError, match="gone"):
        process_of_thread(7, proc=tmp_path)


def test_a_thread_outside_the_given_processors_is_refused_by_name() -> None:
    with pytest.raises(PlatformError, match=r"thread 12 .*\[0, 1\].*expected \[1\]"):
        confined_to({11: (1,), 12: (0, 1)}, (1,))
    assert confined_to({11: (1,), 12: (2,)}, (1, 2, 3)) == (1, 2)
    with pytest.raises(PlatformError, match="gone"):
        confined_to({}, (1,))


def test_every_thread_of_a_real_process_is_seen() -> None:
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    try:
        seen = threads_cpus(os.getpid())
        assert thread.native_id in seen
        assert process_of_thread(thread.native_id) == os.getpid()
    finally:
        end.set()
        thread.join()
