"""A map of layouts written by hand: four guests lose a step together, a stagger wins most of it back."""

# ruff: noqa: FBT003 - a table reads better without names

from __future__ import annotations

from assay.model.figures.estimate import Verdict
from assay.pages.families.initialization import CoresUsed, Initialization
from assay.pages.families.layouts import LayoutGain, LayoutKnee, LayoutMap, LayoutPoint

MIB = 1024**2


def _point(guests: int, stagger_s: float, preload: bool, loss: float | None) -> LayoutPoint:
    words = [f"{guests} guests" if guests > 1 else "1 guest"]
    words += [f"stagger {stagger_s:g} s"] if stagger_s else []
    words += ["preload"] if preload else []
    ends = (None, None) if loss is None else (loss - 0.008, loss + 0.009)
    verdict = Verdict.NOT_MEASURED if loss is None else Verdict.LOSS
    beside = None if loss is None else 61.0 * MIB * guests
    held = None if beside is None else beside + 480 * MIB
    return LayoutPoint(
        ", ".join(words),
        guests,
        stagger_s,
        preload,
        loss,
        *ends,
        verdict,
        0 if loss is None else 6,
        beside,
        held,
    )


LAYOUTS = (
    LayoutMap(
        "job", "init_time", "s", "",
        (
            _point(1, 0, False, 0.052), _point(1, 0, True, 0.031),
            _point(2, 0, False, 0.061), _point(2, 0, True, 0.034), _point(2, 5, False, 0.055),
            _point(2, 5, True, None),
            _point(4, 0, False, 0.203), _point(4, 0, True, 0.071), _point(4, 5, False, 0.0621),
            _point(4, 5, True, 0.041),
        ),
        (
            LayoutKnee(0, False, 4, 4, 0.151, 0.141, 0.162, known=True, blocks=6),
            LayoutKnee(0, True, 4, None, None, None, None, known=True),
            LayoutKnee(5, False, 4, None, None, None, None, known=True),
            LayoutKnee(5, True, 4, None, None, None, None),
        ),
        "1 guest, preload", ("2 guests, preload",),
        (
            LayoutGain("stagger 5 s", "4 guests, stagger 5 s", "4 guests", 0.1768, 0.161, 0.192, 6),
            LayoutGain("preload", "4 guests, preload", "4 guests", 0.1656, 0.150, 0.181, 6),
            LayoutGain("stagger 5 s", "4 guests, stagger 5 s, preload", "4 guests, preload", 0.0323, -0.004,
            0.069, 6),
        ),
    ),
    LayoutMap(
        "<b>alone</b>", "wall_time", "s", "disk.cache unsafe",
        (_point(1, 0, False, None), _point(2, 0, False, None)), (), None, (), (),
    ),
)  # fmt: skip
STARTS = (
    Initialization(
        "job", 0, (0.0, 2.0, 4.0, 6.0, 8.0, 10.0),
        (
            CoresUsed("1 guest", 1, 4, (2.5, 3.875, 4.0, 4.0, 3.9375), (1.75, 1.875, 2.0, 2.0)),
            CoresUsed("4 guests", 4, 4, (0.75, 0.5, None, 0.625, 3.5), (8.75, 8.875, 9.0, 9.0625)),
        ),
    ),
)  # fmt: skip
