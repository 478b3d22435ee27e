"""CPU time of a sample in place of prmon: of one busy process each second, by the probe, prmon and psutil."""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.costs import Case, interleaved, psutil_ms
from bench.jobs import BUSY
from bench.ours import PROBE
from bench.rows import Row, ratios, row

SETTLE_S, SAMPLES = 2.5, 10
GOAL = 0.6
"""Share of prmon's."""
NS_PER_MS = 1e6
PRMON = "prmon"


def rows(rounds: int) -> list[Row]:
    """A row each; prmon only where it is installed, and its share then is the goal."""
    theirs = shutil.which(PRMON)
    words = ("--every", "1", "--io", "--pss")
    cases = {
        "assay-probe prmon": Case(lambda: _of_monitor((str(PROBE), "prmon"))),
        "psutil, the same": Case(lambda: psutil_ms(BUSY, SAMPLES, *words)),
    }
    if theirs is not None:
        cases[PRMON] = Case(lambda: _of_monitor((theirs,)))
    found = interleaved(cases, rounds)
    told = []
    for name, values in found.items():
        one = row(f"{BUSY.name}, a second apart: {name}", "ms", values)
        beside = PRMON if theirs else "psutil, the same"
        told.append(one if name == beside else ratios(one, values, found[beside], beside))
    if theirs is not None:
        share = [one / other for one, other in zip(found["assay-probe prmon"], found[PRMON], strict=True)]
        told.append(row("assay-probe prmon, over prmon", "ratio", share, goal=GOAL))
    return told


def _of_monitor(monitor: tuple[str, ...]) -> float:
    """CPU time of a sample of a monitor that has prmon's options, ms."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-prmon-") as folder:
        words = (*monitor, "-s", "-i", "1", "--", *BUSY.command)
        with _running(words, Path(folder)) as pid:
            time.sleep(SETTLE_S)
            before = _cpu_ns(pid)
            time.sleep(SAMPLES)
            after = _cpu_ns(pid)
        return (after - before) / SAMPLES / NS_PER_MS


@contextmanager
def _running(words: tuple[str, ...], folder: Path) -> Iterator[int]:
    with subprocess.Popen(words, cwd=folder, start_new_session=True, stdout=subprocess.DEVNULL) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        try:
            yield process.pid
        finally:
            for pid in children.read_text().split():
                subprocess.run(
                    ["kill", f"-{signal.SIGKILL.value}", pid], check=True
                )  # the monitor ends with it


def _cpu_ns(pid: int) -> int:
    threads = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads)
