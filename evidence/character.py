"""How the reference chain's steps use a machine: processor, bytes, initialization, memory, measured on this
one.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import platform
import subprocess
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.model.files.native import CHAIN
from evidence.page import Figures, Page

EVENTS, FAST_EVENTS, RUNS, TABLES = 300, 30_000, 3, "500M"
TABLES_MIB, MOST_BESIDE_MIB = 500, 16
STEPS: dict[str, tuple[str, ...]] = {
    "phygen": ("phygen", "--events", str(EVENTS)),
    "detsim": ("detsim",),
    "elecsim": ("elecsim",),
    "elecsim --no-output": ("elecsim", "--no-output"),
    "pmtrec": ("pmtrec",),
    "evtrec": ("evtrec",),
    "fastsim": ("fastsim", "--events", str(FAST_EVENTS)),
    "analysis": ("analysis",),
}
"""In the order in which each has its input; ``fastsim`` makes that of the analysis and has no row."""
LEAST_SHARE, MOST_TIMES = 0.9, 5


@dataclass(frozen=True)
class Run:
    """One step's run.

    Attributes:
        report: What it told at its end.
        wall_s: From its start to its end.
        cpu_s: User and system time.
        waited_s: Of the wall time, ready and without a processor (``/proc/PID/schedstat``).
        rss_bytes: Its largest resident memory.
    """

    report: dict[str, Any]
    wall_s: float
    cpu_s: float
    waited_s: float
    rss_bytes: int

    @property
    def share(self) -> float:
        """Return the CPU time by the wall time in which it was not kept waiting by others."""
        return self.cpu_s / (self.wall_s - self.waited_s)

    @property
    def init_share(self) -> float:
        """Return the part of its time that was initialization."""
        seconds = self.report["seconds"]
        return float(seconds["init"] / (seconds["init"] + seconds["event_loop"]))


def page() -> Page:
    """All steps."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _chain(folder, "tables", "--tables", TABLES)
        found = [{step: _alone(words, folder) for step, words in STEPS.items()} for _ in range(RUNS)]
    rows = [_row(step, [each[step] for each in found]) for step in STEPS if step != "fastsim"]
    by_step = {row["step"]: row for row in rows}
    most = by_step["elecsim"]["written"]
    held = {
        "all runs of a step computed the same": all(row["same"] for row in rows),
        f"simulation takes the processor for at least {100 * LEAST_SHARE:.0f} % of its time": (
            by_step["detsim"]["share_low"] >= LEAST_SHARE
        ),
        f"elecsim writes at least {MOST_TIMES} times what any other step does": all(
            MOST_TIMES * row["written"] <= most for row in rows if row["step"] != "elecsim"
        ),
        f"resident memory is that of the tables and at most {MOST_BESIDE_MIB} MiB": all(
            TABLES_MIB <= row["rss_mib"] <= TABLES_MIB + MOST_BESIDE_MIB for row in rows
        ),
    }
    text = f"""
{EVENTS} positrons ({FAST_EVENTS:,} events of `fastsim` for the analysis), {TABLES_MIB} MiB of tables, one thread, every file evicted from
the page cache before each step (`posix_fadvise`), {RUNS} runs of each: lowest to highest. CPU share is CPU time by wall time without
the time in the run queue (`/proc/PID/schedstat`). Bytes are those asked for, from the chain's report; CPU time holds the
initialization, whose share is of the step's own two times. Measured on {os.cpu_count()} processors ({_processor()}), Linux {platform.release()}, load
{os.getloadavg()[0]:.1f} from others: processor and times depend on the machine, bytes and memory do not.
[What this stands for](../chain.md#its-character).
"""  # noqa: E501
    shown = {
        "step": ("step", ""),
        "share_low": ("CPU share", ".0%"),
        "share_high": ("to", ".0%"),
        "cpu_ms_low": ("CPU time per event, ms", ".3g"),
        "cpu_ms_high": ("to", ".3g"),
        "init_low": ("initialization", ".0%"),
        "init_high": ("to", ".0%"),
        "read": ("read per event, bytes", ",d"),
        "written": ("written per event, bytes", ",d"),
        "rss_mib": ("resident memory, MiB", ".0f"),
    }
    return Page("character", "Character of the reference chain", text, rows, shown, held)


def _alone(words: Sequence[str], folder: Path) -> Run:
    """Run a step from a new process: the kernel counts what the one that starts it is resident as the step's
    own.
    """
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as new:
        return new.submit(run, words, folder).result()


def run(words: Sequence[str], folder: Path) -> Run:
    """Run a step with cold files, one thread, to its end."""
    _evict(folder)
    with (folder / "told").open("w+b") as told:
        began = time.monotonic()
        process = subprocess.Popen(_command(folder, words), stdout=told)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # still there to be looked at
        wall_s = time.monotonic() - began
        waited_ns = int(Path(f"/proc/{process.pid}/schedstat").read_text().split()[1])
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        told.seek(0)
        lines = told.read().splitlines()
    if process.returncode != 0:
        msg = f"{' '.join(words)} ended with {process.returncode}"
        raise RuntimeError(msg)
    cpu_s = usage.ru_utime + usage.ru_stime
    return Run(json.loads(lines[-1]), wall_s, cpu_s, waited_ns / 1e9, 1024 * usage.ru_maxrss)


def _row(step: str, runs: Sequence[Run]) -> Figures:
    events = runs[0].report["events"]
    shares, inits = [one.share for one in runs], [one.init_share for one in runs]
    times = [1000 * one.cpu_s / events for one in runs]
    moved = runs[0].report["bytes"]
    return {
        "step": step,
        "share_low": min(shares),
        "share_high": max(shares),
        "cpu_ms_low": min(times),
        "cpu_ms_high": max(times),
        "init_low": min(inits),
        "init_high": max(inits),
        "read": round(moved["read"] / events),
        "written": round(moved["written"] / events),
        "rss_mib": max(one.rss_bytes for one in runs) / 2**20,
        "same": len({one.report["digest"] for one in runs}) == 1,
    }


def _evict(folder: Path) -> None:
    for path in folder.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _chain(folder: Path, *words: str) -> None:
    subprocess.run(_command(folder, words), stdout=subprocess.DEVNULL, check=True)


def _command(folder: Path, words: Sequence[str]) -> tuple[str, ...]:
    threads = () if words[0] == "tables" else ("--threads", "1")
    return (str(CHAIN.path()), *words, "--directory", str(folder), *threads)


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
