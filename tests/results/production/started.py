"""prmon's files of a farm whose jobs' starts and initialization are made up."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from assay.stats.starts.course import Files, Start, Startup, course

LIMITED = Startup(60.0, fed=4.0, kept=0.3)
CLASS = "EPYC 7763"
INTERVAL_S, RUN_S, READ_BYTES = 2.0, 400.0, 600_000_000


@dataclass(frozen=True)
class Started:
    """What a farm is like: on each machine guests of one size, as many as fill twelve cores.

    Attributes:
        sizes: Cores of the guests of each machine; 0 is the physical machine itself.
        batches: Times that jobs start at once.
        startup: What initialization is like.
        waits: What jobs wait for that start at once: the ``disk``, or ``else``; ``None``: it is not told.
    """

    sizes: tuple[int, ...] = (1, 1, 1, 4, 4, 12)
    batches: int = 3
    startup: Startup = LIMITED
    seed: int = 1
    waits: str | None = "disk"

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Write the files and what the nodes are; return the folder of the one, and the file of the other."""
        rng, lines = random.Random(self.seed), ["node,kind,class,cores,on"]
        for machine, size in enumerate(self.sizes):
            name, guests = f"wn{machine}", 12 // size if size else 1
            names = [f"vm{machine}-{guest}" for guest in range(guests)] if size else [name]
            kind = f"virtual,{CLASS},{size},{name}" if size else f"physical,{CLASS},12,"
            lines.append(f"{','.join(names)},{kind}")
            starts = self._starts(names, rng)
            for job, (start, found) in enumerate(zip(starts, course(starts, self.startup), strict=True)):
                seconds = found[0] * rng.lognormvariate(0, 0.05)
                text = self._series(start, seconds, found[1])
                file = folder / "jobs" / start.guest / f"{job}.txt"
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
        (folder / "nodes.csv").write_text("\n".join(lines) + "\n")
        return folder / "jobs", folder / "nodes.csv"

    def _starts(self, names: list[str], rng: random.Random) -> list[Start]:
        starts = []
        for batch in range(self.batches):
            at = 1_790_000_000 + 20_000 * batch
            for guest in rng.sample(names, min(len(names), (12, 1, 6, 2)[batch % 4])):
                starts.append(Start(guest, at, at + 1000))
                starts.append(Start(guest, at + 1100, at + 2000))
        return sorted(starts, key=lambda one: one.at_s)

    def _series(self, start: Start, init_s: float, files: Files) -> str:
        iowait = "\tmachine_iowait_ms" if self.waits else ""
        rows, wall = [f"Time\twtime\tutime_ms\tstime_ms\tread_bytes{iowait}"], 0.0
        while wall < init_s + RUN_S:
            wall += INTERVAL_S
            begun = min(wall / init_s, 1)
            worked = max(0.0, wall - init_s) + 0.1 * min(wall, init_s)
            read = begun * READ_BYTES if files is Files.DISK else 0
            row = f"{start.at_s + wall:.0f}\t{wall:.0f}\t{1000 * worked:.0f}\t0\t{read:.0f}"
            waited = 0.0 if files is Files.MEMORY else begun * self._waited_s(init_s)
            rows.append(f"{row}\t{1000 * waited:.0f}" if self.waits else row)
        return "\n".join(rows) + "\n"

    def _waited_s(self, init_s: float) -> float:
        """Return the I/O wait of an initialization: half of it alone, and all that the disk adds."""
        added = max(0.0, init_s - self.startup.alone_s) if self.waits == "disk" else 0.0
        return min(init_s, self.startup.alone_s) / 2 + added
