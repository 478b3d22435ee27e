"""Totals are the kernel's with a control group and without."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.probe_native.driver import NO_GROUPS, Run, is_counted, start

PYTHON = str(Path(sys.executable).resolve())
SCOPES = pytest.mark.parametrize("through", [(), NO_GROUPS], ids=["group", "tree"])


def burn(tmp_path: Path, spin: str, through: tuple[str, ...], script: str) -> Run:
    """Runs a script each of whose processes prints at its end what it used."""
    environment = {"PYTHONPATH": spin}
    words = (PYTHON, "-c", f"from burn import *\n{script}")
    return start(tmp_path, *words, through=through, environment=environment, interval_s=0.05)


def cpu_s(run: Run) -> float:
    usage = run.record["usage"]
    return float(usage["user_s"] + usage["system_s"])


def told_s(run: Run) -> float:
    """What the processes said themselves."""
    return sum(map(float, run.stdout.split()))


def is_exact(run: Run) -> bool:
    return is_counted(cpu_s(run), told_s=told_s(run))


def codes(run: Run) -> list[str]:
    return [doubt["code"] for doubt in run.record["doubts"]]


@SCOPES
def test_the_scope_says_what_the_totals_are_taken_over(tmp_path: Path, through: tuple[str, ...]) -> None:
    record = start(tmp_path, "true", through=through).record
    assert record["scope"].startswith("tree" if through else "cgroup")
    assert record["doubts"] == []


@SCOPES
def test_children_that_were_waited_for_are_counted_exactly(
    tmp_path: Path, spin: str, through: tuple[str, ...]
) -> None:
    script = """
for _ in range(2):
    if not os.fork(): spin(0.1); done()
    os.wait()
done()
"""
    run = burn(tmp_path, spin, through, script)
    assert is_exact(run), (cpu_s(run), told_s(run))


@SCOPES
def test_children_of_a_thread_are_counted_exactly(
    tmp_path: Path, spin: str, through: tuple[str, ...]
) -> None:
    script = """
import threading
def work():
    if not os.fork(): spin(0.2); done()
    os.wait()
thread = threading.Thread(target=work); thread.start(); thread.join()
done()
"""
    run = burn(tmp_path, spin, through, script)
    assert is_exact(run), (cpu_s(run), told_s(run))


DAEMON = """
ready, end = os.pipe()
def daemon(depth):
    if os.fork(): return
    os.setsid()
    if os.fork(): done()
    if depth: daemon(depth - 1)
    spin(0.1); os.write(end, b"x"); done()
daemon(DEPTH)
os.wait()
for _ in range(DEPTH + 1): os.read(ready, 1)
time.sleep(0.05)
done()
"""


@SCOPES
@pytest.mark.parametrize("depth", [0, 1], ids=["daemon", "daemon of a daemon"])
def test_daemons_are_counted_exactly(tmp_path: Path, spin: str, through: tuple[str, ...], depth: int) -> None:
    run = burn(tmp_path, spin, through, DAEMON.replace("DEPTH", str(depth)))
    assert is_exact(run), (cpu_s(run), told_s(run))
    assert run.record["leftover_processes"] == 0


@SCOPES
def test_children_that_nobody_waits_for_are_counted_or_the_total_is_doubted(
    tmp_path: Path, spin: str, through: tuple[str, ...]
) -> None:
    script = """
import signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
if not os.fork(): spin(0.3); done()
try: os.wait()
except ChildProcessError: pass
done()
"""
    run = burn(tmp_path, spin, through, script)
    exact = is_exact(run)
    assert exact or "totals-incomplete" in codes(run)
    assert exact or through
    assert cpu_s(run) >= told_s(run) - 0.15


@SCOPES
def test_names_with_blanks_and_brackets_are_counted_exactly(
    tmp_path: Path, spin: str, through: tuple[str, ...]
) -> None:
    program = tmp_path / "my ) spin ("
    program.write_bytes(Path(PYTHON).read_bytes())
    program.chmod(0o755)
    environment = {"PYTHONPATH": spin, "PYTHONHOME": sys.base_prefix}
    words = (str(program), "-c", "from burn import *\nspin(0.3); done()")
    run = start(tmp_path, *words, through=through, environment=environment, interval_s=0.05)
    assert is_exact(run), (cpu_s(run), told_s(run))
    assert {sample["job_processes"] for sample in run.samples()[:-1]} == {1}


@SCOPES
def test_a_thousand_short_children_are_counted_exactly(
    tmp_path: Path, spin: str, through: tuple[str, ...]
) -> None:
    script = """
import resource
for _ in range(1000): os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)
children = resource.getrusage(resource.RUSAGE_CHILDREN)
os.write(1, f"{children.ru_utime + children.ru_stime}\\n".encode())
done()
"""
    run = burn(tmp_path, spin, through, script)
    assert is_exact(run), (cpu_s(run), told_s(run))
    # without a group, what a hypervisor took unseen looks like children that nobody waited for
    assert set(codes(run)) <= ({"totals-incomplete"} if through else set())


@SCOPES
def test_bytes_of_children_that_were_waited_for_are_counted(tmp_path: Path, through: tuple[str, ...]) -> None:
    script = "for i in 1 2 3; do dd if=/dev/zero of=f$i bs=1M count=4 conv=fsync 2>/dev/null; done"
    usage = start(tmp_path, "sh", "-c", script, through=through).record["usage"]
    assert 12 << 20 <= usage["write_bytes"] < 13 << 20
    assert 12 << 20 <= usage["logical_write_bytes"] < 13 << 20
    assert 12 << 20 <= usage["logical_read_bytes"] < 13 << 20
