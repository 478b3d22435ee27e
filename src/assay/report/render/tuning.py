"""A search for the settings that pay, as text."""

from __future__ import annotations

from collections.abc import Iterator

from assay.model.units import format_seconds
from assay.pages.numbers import interval_text
from assay.pages.tuning import ChangeSet, MixRow, Tuning, TuningRun
from assay.report.tables.tables import plain, table

OVER = {"current": "the guest as it is", "default": "the default of these factors", "safe": "the safe one"}
NAMES = {"safe": "The change-set that keeps data safe", "any": "The best change-set of all that was allowed"}
AS_FOUND = "as found"
WIDTH = 40
"""Columns of the longest bar of the way of a search."""


def text_tuning(tuning: Tuning) -> str:
    """Return what is known of a search: what was found, what became of it, the way there."""
    head = [
        f"Tuning {tuning.id}: {tuning.title}",
        f"scene {tuning.scene}, for {', '.join(tuning.workloads)}; {_state(tuning)}",
    ]
    parts = ["\n".join(map(plain, head))]
    parts += [text for one in tuning.found for text in _found(tuning, one)]
    if tuning.over and not any(one.changes for one in tuning.found):
        parts.append("Nothing pays: the guest is best as it is, as far as the search can tell.")
    parts += _way(tuning)
    parts += _kept(tuning)
    return "\n\n".join(parts) + "\n"


def text_space(tuning: Tuning) -> str:
    """Return what would be searched."""
    cells = [
        (
            one.name,
            _level(one.levels[0]),
            ", ".join(map(_level, one.levels[1:])),
            one.cost,
            _risks(one.hazards),
        )
        for one in tuning.factors
    ]
    rows = table(("factor", "as it is", "tried", "a change asks for", "may put at risk"), cells)
    budget = f"{tuning.evaluations} evaluations at most"
    if tuning.budget_s is not None:
        budget += f", in {format_seconds(tuning.budget_s)}"
    parts = [f"{budget}, for {', '.join(tuning.workloads)}", rows, *_left_out(tuning)]
    return "\n\n".join(plain_lines(part) for part in parts) + "\n"


def plain_lines(text: str) -> str:
    """Return lines that are safe to print."""
    return "\n".join(map(plain, text.splitlines()))


def _state(tuning: Tuning) -> str:
    done = sum(run.blocks * (1 + len(run.configs)) for run in tuning.runs if run.state == "ended")
    seconds = sum(run.seconds for run in tuning.runs)
    state = "complete" if tuning.over else "not complete"
    return f"{state}: {done} visits in {format_seconds(seconds)}, seed {tuning.seed}"


def _level(level: str) -> str:
    return level or AS_FOUND


def _risks(hazards: object) -> str:
    if not isinstance(hazards, dict) or not hazards:
        return "-"
    return "; ".join(f"{level}: {', '.join(risks)}" for level, risks in hazards.items())


def _found(tuning: Tuning, one: ChangeSet) -> Iterator[str]:
    if not one.changes:
        return
    yield plain(f"{NAMES[one.name]}: {_verdict(one)}")
    yield table(
        ("factor", "from", "to", "saves, by the search", "a change asks for"),
        [_change(tuning, one, name, level) for name, level in one.changes.items()],
    )
    together = [effect for effect in one.effects if len(effect.factors) > 1]
    if together:
        yield "\n".join(
            plain(
                f"together {' and '.join(effect.factors)} save "
                f"{interval_text(effect.effect, effect.low, effect.high)} beyond what each does"
            )
            for effect in together
        )
    if one.saved:
        cells = [
            (OVER[saved.over], interval_text(saved.gain, saved.low, saved.high), str(saved.blocks))
            for saved in one.saved
        ]
        yield table(("confirmed over", "time saved", "blocks"), cells, right={2})
    if one.mix:
        yield table(("workload", "metric", "loss over the guest as it is", "", ""), [*map(_mixed, one.mix)])


def _mixed(row: MixRow) -> tuple[str, ...]:
    size = interval_text(row.loss, row.low, row.high)
    tuned = "" if row.tuned else "not tuned for"
    return (row.workload, row.metric, size, "worse" if row.worse else "", tuned)


def _verdict(one: ChangeSet) -> str:
    risks = f" (may put at risk: {', '.join(one.hazards)})" if one.hazards else ""
    if one.recommended:
        return f"recommended{risks}"
    return f"not recommended: {one.reason}{risks}" if one.reason else f"not confirmed yet{risks}"


def _change(tuning: Tuning, one: ChangeSet, name: str, level: str) -> tuple[str, ...]:
    factor = next(factor for factor in tuning.factors if factor.name == name)
    effect = next((effect for effect in one.effects if effect.factors == (name,)), None)
    saves = "-" if effect is None else interval_text(effect.effect, effect.low, effect.high)
    return (name, _level(factor.levels[0]), _level(level), saves, factor.cost)


def _way(tuning: Tuning) -> Iterator[str]:
    """Yield what each step of the search found best, beside the guest as it is in the same block."""
    rows, best = [], 0.0
    for number, run in enumerate((run for run in tuning.runs if run.kind == "search"), 1):
        saved = _best(run)
        if saved is None:
            rows.append((str(number), str(1 + len(run.configs)), "-", ""))
            continue
        best = max(best, saved)
        bar = "#" * max(0, round(WIDTH * saved))
        rows.append((str(number), str(1 + len(run.configs)), f"{100 * saved:.1f} %", bar))
    if rows:
        head = "The way of the search: the best of each step, single runs beside the guest as it is"
        yield "\n".join([head, table(("step", "guests", "time saved", ""), rows, right={0, 1, 2})])


def _best(run: TuningRun) -> float | None:
    values = {one.number: one.value for one in run.values}
    now = values.pop(0, None)
    others = [value for value in values.values() if value is not None]
    return None if now is None or not others else 1 - min(others) / now


def _kept(tuning: Tuning) -> Iterator[str]:
    if tuning.over:
        changed = {name for one in tuning.found for name in one.changes}
        kept = [one.name for one in tuning.factors if one.name not in changed]
        if kept:
            yield plain(f"Stays as it is: {', '.join(kept)}")
    yield from _left_out(tuning)


def _left_out(tuning: Tuning) -> Iterator[str]:
    """Yield what is not tried; levels of a factor that have the same reason stand together."""
    lines: dict[tuple[str, str], list[str]] = {}
    for one in tuning.left_out:
        name, _, level = one.name.partition("=")
        lines.setdefault((name, one.reason), []).append(level)
    several = {name for name, _ in lines if sum(other == name for other, _ in lines) > 1}
    shown = [
        f"  {name}{'=' if levels[0] else ''}{', '.join(levels)}: {reason}"
        for (name, reason), levels in lines.items()
        if levels[0] or name not in several
    ]
    if shown:
        yield "\n".join(["Not tried", *map(plain, shown)])
