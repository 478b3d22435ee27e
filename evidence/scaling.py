"""Scaling curves: straight lines, knees and laws without one are told apart, each with its parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp

import numpy as np

from assay.explain.scaling import Followed, Form, Knee, ScalePoint, followed_by, knee_of
from assay.explain.scaling.cells import Cell, cells_of
from assay.explain.scaling.choice import Between
from assay.explain.scaling.hinge import fit_hinge
from assay.explain.scaling.laws import fit_law, fit_line
from evidence.page import Figures, Page

SEED = 34
CAMPAIGNS, LEFT_OUT = 400, 50
EQUAL = 1e-4
"""Squares that differ by no more than this share are as small: what separates laws is 5e-3 and more."""
BLOCKS, NOISE, BETWEEN, ROUGH = 5, 0.02, 0.01, 0.01
FEW, COUNTS, ALL = (1, 2, 4, 8, 12), (1, 2, 3, 4, 6, 8, 10, 12), tuple(range(1, 13))
WITHIN = (0.92, 0.985)
Told = tuple[Followed, Knee | None]


@dataclass(frozen=True)
class Curve:
    """A true curve.

    Attributes:
        name: What it is called.
        form: The law that it follows.
        rate: Of so many workers.
        knee: Where it breaks.
        serial: Its serial share or contention.
        coherency: Its coherency.
    """

    name: str
    form: Form
    rate: Callable[[int], float]
    knee: float | None = None
    serial: float | None = None
    coherency: float | None = None


def _broken(name: str, knee: float, slope: float) -> Curve:
    return Curve(name, Form.HINGE, lambda n: min(n, knee) * max(1.0, n / knee) ** slope, knee=knee)


def _law(name: str, s: float, k: float = 0.0) -> Curve:
    form = Form.USL if k else Form.AMDAHL
    return Curve(name, form, lambda n: n / (1 + s * (n - 1) + k * n * (n - 1)), None, s, k or None)


CURVES = (
    Curve("straight line", Form.LINEAR, float),
    _broken("plateau at 6", 6, 0.0),
    _broken("knee at 6, slope 0.3", 6, 0.3),
    _broken("knee at 6, slope −0.3", 6, -0.3),
    _law("Amdahl, s 2 %", 0.02),
    _law("Amdahl, s 5 %", 0.05),
    _law("Amdahl, s 20 %", 0.20),
    _law("universal, s 2 %, k 0.1 %", 0.02, 0.001),
    _law("universal, s 5 %, k 1 %", 0.05, 0.01),
)


def page() -> Page:
    """All curves, measured at eight worker counts, at twelve, and at five; at eight, also where
    these depart.
    """
    rows = [_row(curve, counts) for counts in (COUNTS, ALL, FEW) for curve in CURVES]
    rows += [_row(curve, COUNTS, ROUGH) for curve in CURVES]
    many = [row for row in rows if row["counts"] >= len(COUNTS) and not row["rough"]]
    knees, laws = ([row for row in rows if row["form"] in forms] for forms in (("hinge",), ("amdahl", "usl")))
    held = {
        "a straight line never gets a knee": all(
            row["hinge"] == 0 for row in rows if row["form"] == "linear"
        ),
        "a broken line keeps its knee in at least 90 %, and is told as a law in at most 1 %, always": all(
            row["hinge"] >= 0.90 and row["amdahl"] + row["usl"] <= 0.01 for row in knees
        ),
        (
            "a law is told as a knee in at most 5 % from eight counts on, and in at most 10 % with "
            "five or where counts depart"
        ): all(row["hinge"] <= (0.05 if row in many else 0.10) for row in laws),
        "from a serial share of 5 % on its own law is told in at least 90 %, where counts do not depart": all(
            row[row["form"]] >= 0.90 for row in laws if row["serial"] > 0.02 and not row["rough"]
        ),
        f"the interval of a knee that is told holds it in a share within [{WITHIN[0]}, {WITHIN[1]}]": all(
            WITHIN[0] <= row["knee_held"] <= WITHIN[1] for row in knees if not row["rough"]
        ),
        (
            "those of the serial share and of the coherency of a law that is told in a share of at "
            f"least {WITHIN[0]}"
        ): all(
            row[held] is None or row[held] >= WITHIN[0]
            for row in laws
            for held in ("serial_held", "coherency_held")
            if not row["rough"]
        ),
    }
    return Page("scaling", "Scaling curves", TEXT, rows, SHOWN, held)


TEXT = f"""
{CAMPAIGNS} campaigns a row, seed {SEED}: {BLOCKS} blocks, {NOISE * 100:g} % noise of each rate and {BETWEEN * 100:g} % between blocks. The worker
counts are {", ".join(map(str, COUNTS))} (eight), 1 to 12 (twelve), or {", ".join(map(str, FEW))} (five). *Departs*: what makes
each count depart from its law alike in all blocks (standard deviation), as real machines do; no interval knows of it.
*Told as* is the share of campaigns in which that law was told: by AICc, which must be lower by 5.9 (Akaike weights of 95 % and
5 %) for a broken line to be told from both laws, or the other way round; *not told* is neither. *Held* is the share of
intervals that hold the truth, of those campaigns in which the curve's own law was told. *Right when left out* is another criterion, on
the first {LEFT_OUT} campaigns: the law that predicts best the mean of each count from all others, of equals the simplest; it
always tells one.
"""  # noqa: E501

SHOWN = {
    "curve": ("true curve", ""),
    "counts": ("counts", "d"),
    "rough": ("departs", ".0%"),
    "linear": ("told as straight", ".1%"),
    "hinge": ("knee", ".1%"),
    "amdahl": ("Amdahl's law", ".1%"),
    "usl": ("universal law", ".1%"),
    "untold": ("not told", ".1%"),
    "knee_held": ("knee held", ".3f"),
    "serial_held": ("s held", ".3f"),
    "coherency_held": ("k held", ".3f"),
    "left_out": ("right when left out", ".0%"),
}


def _row(curve: Curve, counts: Sequence[int], rough: float = 0.0) -> Figures:
    drawn = _campaigns(curve, counts, rough)
    told = [_told(points) for points in drawn]
    own = [one for one in told if one[0].form is curve.form]
    shares = {str(form): _share([one.form is form for one, _ in told]) for form in Form}
    tried = drawn[:LEFT_OUT] if tuple(counts) == COUNTS and not rough else []
    left_out = [_left_out(cells_of(points)) is curve.form for points in tried]
    return {
        "curve": curve.name,
        "counts": len(counts),
        "rough": rough,
        "form": str(curve.form),
        "serial": curve.serial,
        **shares,
        "untold": _share([one.form is None for one, _ in told]),
        "knee_held": _holding([_between(knee) for _, knee in own], curve.knee),
        "serial_held": _holding([one.serial for one, _ in own], curve.serial),
        "coherency_held": _holding([one.coherency for one, _ in own], curve.coherency),
        "left_out": _share(left_out) if left_out else None,
    }


def _campaigns(curve: Curve, counts: Sequence[int], rough: float) -> list[list[ScalePoint]]:
    draw = np.random.default_rng([SEED, CURVES.index(curve), len(counts)])
    whole = draw.normal(0, BETWEEN, (CAMPAIGNS, BLOCKS, 1))
    noise = whole + draw.normal(0, NOISE, (CAMPAIGNS, BLOCKS, len(counts)))
    noise += draw.normal(0, rough, (CAMPAIGNS, 1, len(counts)))
    return [
        [
            ScalePoint(n, block, curve.rate(n) * exp(one))
            for block, row in enumerate(campaign)
            for n, one in zip(counts, row.tolist(), strict=True)
        ]
        for campaign in noise
    ]


def _told(points: Sequence[ScalePoint]) -> Told:
    knee = knee_of(points)
    return followed_by(points, knee), knee


def _left_out(cells: Sequence[Cell]) -> Form:
    """Return the law that predicts best the rate of each count from those of all others; of equals, the
    simplest.

    A universal law without coherency is Amdahl's: the two then differ by what the solver's rounding leaves
    (1e-7).
    """
    fits: tuple[tuple[Form, Callable[[Sequence[Cell]], Callable[[float], float]]], ...] = (
        (Form.LINEAR, fit_line),
        (Form.HINGE, fit_hinge),
        (Form.HINGE, lambda some: fit_hinge(some, behind=2)),
        (Form.AMDAHL, lambda some: fit_law(some, coherent=False)),
        (Form.USL, lambda some: fit_law(some, coherent=True)),
    )
    missed = [
        sum((fit([*cells[:at], *cells[at + 1 :]])(cell.x) - cell.y) ** 2 for at, cell in enumerate(cells))
        for _, fit in fits
    ]
    equal = (1 + EQUAL) * min(missed)
    return next(form for (form, _), one in zip(fits, missed, strict=True) if one <= equal)


def _between(knee: Knee | None) -> Between | None:
    return None if knee is None else Between(knee.workers, knee.low, knee.high)


def _holding(found: Sequence[Between | None], truth: float | None) -> float | None:
    if truth is None:
        return None
    return _share([one is not None and (one.low or 0) <= truth <= (one.high or 0) for one in found])


def _share(so: Sequence[bool]) -> float:
    return float(np.mean(so)) if so else 0.0
