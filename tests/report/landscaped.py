"""Landscapes written by hand: a whole one with holes, one of sizes alone, one that cannot be
compared at all.
"""

from __future__ import annotations

import math

from assay.model.figures.estimate import Verdict
from assay.pages.families.landscapes import Landscape, LandscapeCell

KIB, MIB = 1024, 1024**2
CACHED = (
    "file of 64 MiB, as the scene says; bonnie++'s rule was not met, it asks for twice the memory (1 GiB)"
)


def cell(
    size: int,
    record: int | None,
    host: float | None,
    loss: float | None,
    *,
    half: float = 0.03,
    why: str | None = None,
) -> LandscapeCell:
    """Return a cell with an interval of so much on each side; ``why`` says why it cannot be compared."""
    ends = (None, None) if loss is None else (loss - half, loss + half)
    verdict = Verdict.NOT_MEASURED
    if loss is not None:
        sure = Verdict.LOSS if loss > 0 else Verdict.GAIN
        verdict = sure if abs(loss) > half else Verdict.INCONCLUSIVE
    guest = None if host is None or loss is None else host * (1 - loss)
    reason = "0 was measured: no slowdown can be formed with it" if loss is None else None
    name = f"iozone-s{size // MIB}m" + ("" if record is None else f"-r{record // KIB}k")
    return LandscapeCell(
        name, size, record, host, guest, loss, *ends, verdict, 0 if loss is None else 6, why, reason
    )


def _read() -> tuple[LandscapeCell, ...]:
    cells = []
    for size in (64, 256, 1024):
        for at, record in enumerate((4, 64, 1024, 16384)):
            if (size, record) == (64, 16384):
                continue  # it was not run
            host = 60.0 * 4**at / (1 + 0.1 * math.log2(size))
            loss = 0.72 - 0.25 * at + 0.02 * math.log2(size / 64)
            reported = None if (size, record) == (1024, 4) else loss
            cells.append(cell(size * MIB, record * KIB, host, reported))
    return tuple(cells)


LANDSCAPES = (
    Landscape("iozone", "read", "MB/s", None, _read()),
    Landscape(
        "<b>sizes</b>", "seq_write", "MB/s", "disk.cache unsafe",
        (cell(64 * MIB, None, 412.0, -0.31), cell(256 * MIB, None, 398.5, 0.01),
        cell(1024 * MIB, None, 127.3, 0.22)),
    ),
    Landscape(
        "bonnie++", "get_block", "MB/s", None,
        (cell(64 * MIB, 8 * KIB, 41207.25, 0.4, why=CACHED),
        cell(64 * MIB, 64 * KIB, 4230.0, 0.1, why=CACHED)),
    ),
)  # fmt: skip
