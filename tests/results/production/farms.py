"""A farm whose jobs are made up: what its virtual nodes lose is known."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from assay.exchange.jobs.nodes import NodeLine
from assay.results.production.nodes import FarmNodes
from tests.exchange.jobs.told import HEADING, line

CLASS = "EPYC 7763"


@dataclass(frozen=True)
class Farm:
    """What a farm is like.

    Attributes:
        nodes: Physical and virtual nodes.
        jobs: Jobs on each node.
        slowdown: Times the wall time on virtual nodes.
        efficiency: CPU efficiency on either kind.
        spread: Of nodes of one kind, and of jobs of one node: standard deviations of log wall time.
    """

    nodes: tuple[int, int] = (8, 6)
    jobs: int = 20
    slowdown: float = 1.1
    efficiency: tuple[float, float] = (0.9, 0.9)
    spread: tuple[float, float] = (0.02, 0.05)
    seed: int = 1

    def text(self, **cells: object) -> str:
        """Return what sacct would tell of it."""
        rng, lines = random.Random(self.seed), [HEADING]
        for virtual, count in enumerate(self.nodes):
            for node in range(count):
                own = rng.gauss(0, self.spread[0])
                for _ in range(self.jobs):
                    wall = 5000 * 2.718281828 ** (own + rng.gauss(0, self.spread[1]))
                    wall = round(wall * (self.slowdown if virtual else 1))
                    cpu = wall * 8 * self.efficiency[virtual] * 2.718281828 ** (own / 4)
                    minutes, seconds = divmod(cpu, 60)
                    usual = {
                        "JobName": f"reco-{rng.randrange(1000)}",
                        "NodeList": f"{'wv'[virtual]}{node}",
                        "ElapsedRaw": wall,
                        "TotalCPU": f"{int(minutes) // 60}:{int(minutes) % 60}:{seconds:.3f}",
                    }
                    lines.append(line(**(usual | cells)))
        return "".join(lines)

    def file(self, folder: Path, name: str = "sacct.txt", **cells: object) -> Path:
        """Write what sacct would tell of it."""
        (folder / name).write_text(self.text(**cells))
        return folder / name


def said() -> FarmNodes:
    """Return what is known of the nodes of any farm."""
    lines = (
        NodeLine("nodes.csv:2", "w[0-99]", virtual=False, of_class=CLASS),
        NodeLine("nodes.csv:3", "v[0-99]", virtual=True, of_class=CLASS),
    )
    return FarmNodes(lines, dict)
