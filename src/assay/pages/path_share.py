"""How much of the bare network's rate a way to the data reaches, as data."""

from __future__ import annotations

from dataclasses import dataclass

from assay.pages.say import say


@dataclass(frozen=True)
class PathShare:
    """The rate at which an arm read its data, over that of the bare network in the same block."""

    workload: str = say("Workload that read the data.")
    metric: str = say("Metric of its rate.")
    label: str = say("Label of the arm.")
    access: str = say("Its level of `data.access`.")
    path: str = say("Workload that measured the bare network.")
    rate: float = say("Rate of the data, MB/s (1 MB = 1,000,000 B), mean over blocks.")
    path_rate: float = say("Rate of the bare network, MB/s, mean over blocks.")
    share: float = say("The first over the second in each block, mean over blocks.")
    low: float | None = say("Lower end of its interval; null below two blocks.")
    high: float | None = say("Upper end of its interval; null below two blocks.")
    blocks: int = say("Blocks that have both.")
