"""What was measured elsewhere: runs of arms in blocks, column by column."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from assay.model.figures.coded import Coded, distinct

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Places = NDArray[np.intp]
    Mask = NDArray[np.bool_]


class ValueKind(StrEnum):
    """What a measured value is: a time is better lower, a rate is better higher."""

    TIME = "time"
    RATE = "rate"


@dataclass(frozen=True, eq=False)
class Lines:
    """Where rows stand, for messages: ``runs.csv:7``, ``row 3``.

    Attributes:
        before: What is written before the number, ``runs.csv:``.
        numbers: From 1, shape (rows,).
    """

    before: str
    numbers: Places

    def __getitem__(self, row: int) -> str:
        """Return the place of one row."""
        return f"{self.before}{self.numbers[row]}"

    def of(self, rows: Places | Mask) -> Lines:
        """Return those of some rows."""
        return Lines(self.before, self.numbers[rows])


@dataclass(frozen=True, eq=False)
class Blocks:
    """Blocks, each once, in the natural order of machine, session and name; columns of one length.

    Attributes:
        machine: Hardware that carried it, for a guest its host; empty where the data do not tell machines.
        session: Day or time slot; empty where the data do not tell sessions apart.
        name: Unique within machine and session; losses are paired inside a block.
    """

    machine: Coded[str]
    session: Coded[str]
    name: Coded[str]

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.name.codes)

    def of(self, places: Places) -> Blocks:
        """Return some of them, whose places ascend."""
        return Blocks(self.machine.of(places), self.session.of(places), self.name.of(places))

    @property
    def sessions(self) -> Places:
        """A number for each block's machine and session together: what is larger comes later."""
        return self.machine.codes * len(self.session.values) + self.session.codes


def in_blocks(machine: Coded[str], session: Coded[str], name: Coded[str]) -> tuple[Blocks, Places]:
    """Return the blocks of rows, and the block of each row.

    Args:
        machine: Of each row, the names in their natural order, as of what follows.
        session: Likewise.
        name: Likewise.
    """
    import numpy as np

    sessions, names = len(session.values), len(name.values)
    # first these: a product of three numbers of names may be beyond 64 bits
    groups, group = distinct(machine.codes * sessions + session.codes, len(machine.values) * sessions)
    held, block = distinct(group * names + name.codes, len(groups) * names)
    of_group, of_name = np.divmod(held, names)
    of_machine, of_session = np.divmod(groups[of_group], sessions)
    return (
        Blocks(
            Coded(of_machine, machine.values), Coded(of_session, session.values), Coded(of_name, name.values)
        ),
        block,
    )


@dataclass(frozen=True, eq=False)
class MeasuredRuns:
    """Runs that were measured elsewhere; columns of one length, each row is a run.

    Attributes:
        blocks: The blocks that they are of; there may be more.
        block: Place of each run's block in ``blocks``, shape (runs,), as of all that follows.
        arm: What it ran on, ``host``, ``guest``; the names in their natural order.
        value: Seconds, or events or anything else a second; finite and > 0.
        events: Events that it worked through, whole, 0 to 10^15; NaN where the data do not tell.
        wall_s: Wall time of the run, seconds, beside its value; NaN is "not told", as of what follows.
        disk_rate: What the disk below it gives by itself, in the unit of the value.
        order: Its position in time among the runs of its machine: what is larger came later.
        file_bytes: Size of the file that it worked on; ``None`` is "not told".
        lines: Where it stands.
    """

    blocks: Blocks
    block: Places
    arm: Coded[str]
    value: Numbers
    events: Numbers
    wall_s: Numbers
    disk_rate: Numbers
    order: Numbers
    file_bytes: Coded[int | None]
    lines: Lines

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.value)

    def of(self, rows: Places | Mask) -> MeasuredRuns:
        """Return some of the runs; most blocks that none of them is of are left out."""
        import numpy as np

        blocks, block = self.blocks, self.block[rows]
        if len(blocks) > 2 * len(block):
            held, block = np.unique(block, return_inverse=True)
            blocks = blocks.of(held)
        return MeasuredRuns(
            blocks=blocks,
            block=block,
            arm=self.arm.of(rows),
            value=self.value[rows],
            events=self.events[rows],
            wall_s=self.wall_s[rows],
            disk_rate=self.disk_rate[rows],
            order=self.order[rows],
            file_bytes=self.file_bytes.of(rows),
            lines=self.lines.of(rows),
        )
