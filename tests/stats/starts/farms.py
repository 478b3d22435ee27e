"""Machines whose jobs' initialization is made up."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace

from assay.stats.starts.course import Start, Startup, course

LIMITED = Startup(60.0, fed=4.0, kept=0.3)


@dataclass(frozen=True)
class Batches:
    """What a farm is like.

    Attributes:
        machines: Machines.
        guests: Guests of each, of one core.
        batches: Times that jobs start at once on a machine, so far apart that nothing is in memory any more.
        again: Share of the jobs after which another starts in the same guest.
        noise: Of jobs, and of machines: standard deviations of the log.
    """

    machines: int = 10
    guests: int = 12
    batches: int = 4
    again: float = 0.3
    noise: tuple[float, float] = (0.1, 0.05)

    def starts(self, startup: Startup, seed: int) -> dict[str, list[Start]]:
        """Return the starts of all machines."""
        rng = random.Random(seed)
        return {f"m{at}": self._of_machine(f"m{at}", startup, rng) for at in range(self.machines)}

    def _of_machine(self, name: str, startup: Startup, rng: random.Random) -> list[Start]:
        starts = []
        for batch in range(self.batches):
            at = 20_000.0 * batch
            for guest in rng.sample(range(self.guests), rng.choice([1, 2, 4, 8, self.guests])):
                first = at + rng.uniform(0, 5)
                starts.append(Start(f"{name}g{guest}", first, first + 1500))
                if rng.random() < self.again:
                    starts.append(Start(f"{name}g{guest}", first + 1600, first + 3000))
        starts.sort(key=lambda one: one.at_s)
        own = replace(startup, alone_s=startup.alone_s * math.exp(rng.gauss(0, self.noise[1])))
        return [
            replace(start, init_s=seconds * math.exp(rng.gauss(0, self.noise[0])))
            for start, (seconds, _) in zip(starts, course(starts, own), strict=True)
        ]


def sizes(machines: dict[str, list[Start]]) -> dict[str, int | None]:
    """Return the cores of all guests: one."""
    return {start.guest: 1 for starts in machines.values() for start in starts}
