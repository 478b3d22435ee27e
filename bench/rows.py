"""Figures of repeated rounds as rows of a table."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from statistics import median


@dataclass(frozen=True)
class Row:
    """One figure: the median of its rounds, their range, what it is held to, and a ratio to
    something else.
    """

    what: str
    unit: str
    median: float
    lowest: float
    highest: float
    goal: float | None = None
    ratio: float | None = None
    ratio_to: str | None = None

    @property
    def held(self) -> bool | None:
        """Whether the goal is kept; none where there is none."""
        return None if self.goal is None else self.median <= self.goal


def row(what: str, unit: str, values: list[float], *, goal: float | None = None) -> Row:
    """A row of one figure a round."""
    return Row(what, unit, median(values), min(values), max(values), goal)


def ratios(of: Row, values: list[float], others: list[float], name: str) -> Row:
    """The same row with the median of its rounds' ratios to those of another."""
    ratio = median(value / other for value, other in zip(values, others, strict=True))
    return Row(of.what, of.unit, of.median, of.lowest, of.highest, of.goal, ratio, name)


def table(rows: list[Row]) -> str:
    """Rows as text."""
    lines = [f"{'':64} {'median':>10} {'lowest':>10} {'highest':>10} {'goal':>8}       ratio"]
    for one in rows:
        goal = "" if one.goal is None else f"{one.goal:g}"
        held = {True: "kept", False: "MISSED", None: ""}[one.held]
        ratio = "" if one.ratio is None else f"{one.ratio:.4g} x {one.ratio_to}"
        figures = " ".join(f"{value:10.4g}" for value in (one.median, one.lowest, one.highest))
        lines.append(f"{one.what + ', ' + one.unit:64} {figures} {goal:>8} {held:6} {ratio}".rstrip())
    return "\n".join(lines)


def goals(first: list[Row], second: list[Row]) -> str:
    """Rows that have a goal as a table in Markdown: measured twice, and reached where both times kept it."""
    lines = [
        "| what | goal | first | second | beside a peer | reached |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for one, again in zip(first, second, strict=True):
        if one.goal is None:
            continue
        both = (one.ratio, again.ratio)
        ratio = "" if None in both else f"{both[0]:.3g}, {both[1]:.3g} x {again.ratio_to}"
        reached = "yes" if one.held and again.held else "no"
        figures = (f"{one.goal:g}", f"{one.median:.3g}", f"{again.median:.3g}", ratio, reached)
        lines.append(f"| {one.what}, {one.unit} | {' | '.join(figures)} |")
    return "\n".join(lines)


def plain(rows: list[Row]) -> list[dict[str, object]]:
    """Rows for a program."""
    return [{**asdict(one), "held": one.held} for one in rows]
