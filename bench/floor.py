"""CPU time of what no sampler can spare, by a program in C (``floor.c``)."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".c")
CONTROL = Path("/sys/fs/cgroup")
ONE = ("cpuacct.usage", "cpuacct.usage_user", "cpuacct.usage_sys", "memory.stat")
"""What the probe reads of a control group of version 1."""
TWO = ("cpu.stat", "memory.stat")
NS_PER_MS = 1e6


def floor_ms(samples: int, every_s: float) -> float:
    """CPU time, ms, of a sample that sleeps and reads what the probe reads of one process, and no more."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-floor-") as folder:
        program = Path(folder) / "floor"
        subprocess.run(["cc", "-O2", "-o", program, SOURCE], check=True)
        words = [str(program), str(samples), str(every_s), *files()]
        done = subprocess.run(words, capture_output=True, check=True)
    return int(done.stdout) / NS_PER_MS


def files() -> tuple[str, ...]:
    """Files that hold what a sample of one process holds, of this process's own control groups."""
    own = Path("/proc/self/cgroup").read_text().splitlines()
    return ("/proc/stat", "/proc/loadavg", "/proc/self/io", *map(str, _of_groups(own)))


def _of_groups(lines: list[str]) -> Iterator[Path]:
    for line in lines:
        _, controllers, place = line.split(":", 2)
        folders = [CONTROL / name / place.lstrip("/") for name in controllers.split(",") if name]
        names = ONE if folders else TWO
        for folder in folders[:1] if folders else [CONTROL / place.lstrip("/")]:
            yield from (folder / name for name in names if (folder / name).is_file())
