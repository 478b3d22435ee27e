"""A search for the settings that pay in words and cells: text and HTML say the same."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from assay.factors.catalogue import FACTORS
from assay.model.units import format_bytes, format_seconds
from assay.pages.numbers import interval_text
from assay.pages.tuning import ChangeSet, Check, Killed, LeftOut, MixRow, Saved, Tuning, TuningRun
from assay.scenes.find import ready_names

OVER = {"current": "the guest as it is", "default": "the default of these factors", "safe": "the safe one"}
NAMES = {"safe": "The change-set that keeps data safe", "any": "The best change-set of all that was allowed"}
AS_FOUND = "as found"
NOTHING = "Nothing pays: the guest is best as it is, as far as the search can tell."
CHANGES = ("factor", "from", "to", "saves, by the search", "a change asks for", "may put at risk")
EFFECTS_HEAD = "What each change saves, with its interval"
BROUGHT_HEAD = "What it brought: time for the same work, the guest as it is = 100 %"
SAVED = ("confirmed over", "time saved", "blocks")
GUESTS = {"current": "as it is", "safe": "safe", "any": "any"}
KILLED = ("guest", "kills counted", "acknowledged", "lost", "of that damaged", "not counted")
KILLED_HEAD = (
    "Acknowledged writes: QEMU killed while the guest writes, the guest started again on the same disk"
)
NO_POWER_CUT = (
    "QEMU alone was killed: the host went on, with all that QEMU had handed to the host's kernel. A power "
    "cut of the host was not tried. It also loses what the host has not written to its disk: with "
    "disk.cache=unsafe everything since the host's last write-back, acknowledged or not."
)
MIX = ("workload", "metric", "loss over the guest as it is", "", "")
WAY = ("step", "guests", "best of the step", "time saved")
WAY_HEAD = "The way of the search: the best of each step, single runs beside the guest as it is"
REBOOT_HEAD = "Takes a reboot of the host, which is yours to make: with this on its kernel's command line"
SPACE = ("factor", "as it is", "tried", "a change asks for", "may put at risk")


def state_text(tuning: Tuning) -> str:
    """Return how far a search is."""
    done = sum(run.blocks * (1 + len(run.configs)) for run in tuning.runs if run.state == "ended")
    seconds = sum(run.seconds for run in tuning.runs)
    state = "complete" if tuning.over else "not complete"
    return f"{state}: {done} visits in {format_seconds(seconds)}, seed {tuning.seed}"


def budget_text(tuning: Tuning) -> str:
    """Return what a search may take."""
    short = "" if tuning.short is None else f", the first of them of {tuning.short:g} of the work"
    budget = f"{tuning.evaluations} evaluations at most{short}"
    return budget if tuning.budget_s is None else f"{budget}, in {format_seconds(tuning.budget_s)}"


def level_text(level: str) -> str:
    """Return a level; one that is not set is as it was found."""
    return level or AS_FOUND


def verdict_text(one: ChangeSet) -> str:
    """Return what became of a change-set, and what it may put at risk."""
    risks = f" (may put at risk: {', '.join(one.hazards)})" if one.hazards else ""
    if one.recommended:
        return f"recommended: confirmed, mix clean{risks}"
    if one.undecided:
        return f"confirmed, mix undecided: {one.reason}{risks}"
    return f"not recommended: {one.reason}{risks}" if one.reason else f"not confirmed yet{risks}"


def most_text(one: ChangeSet | Check) -> str:
    """Return what the mix may lose at most, by the interval that reaches furthest; empty where none loses, or
    none is known.
    """
    known = [(row.high, row) for row in one.mix if row.high is not None]
    high, row = max(known, key=lambda pair: pair[0], default=(0.0, None))
    if row is None or high <= 0:
        return ""
    return f"by its interval {row.workload} {row.metric} may lose {100 * high:.3g} %, most of the mix"


def extended_text(tuning: Tuning) -> str:
    """Return by how many blocks the confirmation was extended; empty where it was not."""
    run = next((run for run in tuning.runs if run.extended), None)
    if run is None:
        return ""
    planned = run.blocks - run.extended
    return (
        f"after {planned} blocks the mix was undecided, and the confirmation was extended by {run.extended}: "
        "what the mix loses is judged by confidence sequences, which may be looked at again and again"
    )


def lost_text(tuning: Tuning, one: ChangeSet) -> str:
    """Return what a change-set's guest lost where QEMU was killed; empty where that was not looked at."""
    killed = next((killed for killed in tuning.killed if killed.name == one.name), None)
    if killed is None:
        return ""
    if killed.lost_bytes is None or killed.acknowledged_bytes is None:
        return f"lost writes were not counted: {_uncounted(killed)}"
    times = sum(kill.counted for kill in killed.kills)
    lost = format_bytes(killed.lost_bytes) if killed.lost_bytes else "nothing"
    often = {1: "once", 2: "twice"}.get(times, f"{times} times")
    acknowledged = format_bytes(killed.acknowledged_bytes)
    told = f"QEMU killed {often} while the guest wrote: {lost} lost of {acknowledged} acknowledged"
    return told if times == len(killed.kills) else f"{told}; not counted of {len(killed.kills) - times} more"


def killed_cells(tuning: Tuning) -> list[tuple[str, ...]]:
    """Return a row for each guest whose QEMU was killed, or could not be."""
    return [_killed(one) for one in tuning.killed]


def _killed(one: Killed) -> tuple[str, ...]:
    counted = sum(kill.counted for kill in one.kills)
    sizes = (one.acknowledged_bytes, one.lost_bytes, one.damaged_bytes)
    return (
        GUESTS.get(one.name, one.name),
        f"{counted} of {len(one.kills)}",
        *("-" if size is None else format_bytes(size) for size in sizes),
        _uncounted(one),
    )


def _uncounted(killed: Killed) -> str:
    """Return why kills of a guest were not counted; empty where all were."""
    reasons = [killed.reason, *(kill.reason for kill in killed.kills)]
    return "; ".join(dict.fromkeys(filter(None, reasons)))


def change_cells(tuning: Tuning, one: ChangeSet) -> list[tuple[str, ...]]:
    """Return a row for each change."""
    return [_change(tuning, one, name, level) for name, level in one.changes.items()]


def _change(tuning: Tuning, one: ChangeSet, name: str, level: str) -> tuple[str, ...]:
    factor = next(factor for factor in tuning.factors if factor.name == name)
    effect = next((effect for effect in one.effects if effect.factors == (name,)), None)
    saves = "-" if effect is None else interval_text(effect.effect, effect.low, effect.high)
    risks = ", ".join(factor.hazards.get(level, ())) or "-"
    return (name, level_text(factor.levels[0]), level_text(level), saves, factor.cost, risks)


def effect_rows(one: ChangeSet) -> list[tuple[str, float, float | None, float | None]]:
    """Return what each change saves by the search, and all of them as confirmed: value, low, high."""
    effects = [(" and ".join(e.factors), e.effect, e.low, e.high) for e in one.effects]
    return effects + [(f"all, confirmed over {s.over}", s.gain, s.low, s.high) for s in one.saved]


def brought_rows(one: ChangeSet) -> list[tuple[str, float, float | None, float | None]]:
    """Return the time of the guest as it is, 1, and beside it that of a change-set, confirmed and each time
    that it was measured again: value, low, high; empty where it was not confirmed yet.
    """
    measured = [("as confirmed", one.saved)]
    measured += [(f"on {c.machine}" if c.machine else f"again, {c.checked}", c.saved) for c in one.checks]
    rows = [(name, *_time_of(row)) for name, saved in measured for row in saved if row.over == "current"]
    return [("the guest as it is", 1.0, None, None), *rows] if rows else []


def figures_text(value: float, low: float | None, high: float | None) -> str:
    """Return a figure with its interval; what has none is told alone."""
    return interval_text(value, low, high).removesuffix(" [-, -]")


def _time_of(saved: Saved) -> tuple[float, float | None, float | None]:
    low = None if saved.high is None else 1 - saved.high
    return 1 - saved.gain, low, None if saved.low is None else 1 - saved.low


def together_lines(one: ChangeSet) -> list[str]:
    """Return what changes do together beyond what each does, a line a pair."""
    return [
        f"together {' and '.join(effect.factors)} save "
        f"{interval_text(effect.effect, effect.low, effect.high)} beyond what each does"
        for effect in one.effects
        if len(effect.factors) > 1
    ]


def saved_cells(rows: Sequence[Saved]) -> list[tuple[str, ...]]:
    """Return a row for each that a change-set is confirmed over."""
    return [
        (OVER[saved.over], interval_text(saved.gain, saved.low, saved.high), str(saved.blocks))
        for saved in rows
    ]


def check_text(check: Check) -> str:
    """Return where and when a change-set was checked, and what came of it."""
    what = f"Checked on {check.machine}" if check.machine else "Measured again"
    against = "; ".join(filter(None, (check.reason, check.undecided)))
    return f"{what}, {check.checked}: {against or 'it saves time, and nothing of the mix is worse'}"


def mix_cells(rows: Sequence[MixRow]) -> list[tuple[str, ...]]:
    """Return a row for each metric of the mix."""
    return [
        (
            row.workload,
            row.metric,
            interval_text(row.loss, row.low, row.high),
            "worse" if row.worse else "undecided" if row.undecided else "",
            "" if row.tuned else "not tuned for",
        )
        for row in rows
    ]


def way_cells(tuning: Tuning) -> list[tuple[str, ...]]:
    """Return a row for each step of the search."""
    return [
        (_step_text(number, run), str(1 + len(run.configs)), *_best_cells(tuning, run))
        for number, run in enumerate(searched(tuning), 1)
    ]


def _step_text(number: int, run: TuningRun) -> str:
    return str(number) if run.share == 1 else f"{number}, {run.share:g} of the work"


def searched(tuning: Tuning) -> list[TuningRun]:
    """Return the steps of the search that have ended."""
    return [run for run in tuning.runs if run.kind == "search" and run.state == "ended"]


def saved_in(run: TuningRun) -> dict[int, float]:
    """Return the share of the time that each configuration of a step saves over the guest as it is beside it;
    empty where that failed.
    """
    values = {one.number: one.value for one in run.values}
    now = values.pop(0, None)
    if not now:
        return {}
    return {number: 1 - value / now for number, value in values.items() if value is not None}


def _best_cells(tuning: Tuning, run: TuningRun) -> tuple[str, str]:
    saved = saved_in(run)
    if not saved:
        return ("-", "-")
    best = max(saved, key=saved.__getitem__)
    return (config_text(tuning, run.configs[best - 1]), f"{100 * saved[best]:.1f} %")


def config_text(tuning: Tuning, config: tuple[int, ...]) -> str:
    """Return what a configuration changes, ``disk.cache=none disk.bus=scsi``."""
    pairs = zip(tuning.factors, config, strict=True)
    changed = [f"{one.name}={level_text(one.levels[at])}" for one, at in pairs if at]
    return " ".join(changed) or "as it is"


def kept_text(tuning: Tuning) -> str:
    """Return which factors stay as they are; empty where none does, or it is not known yet."""
    changed = {name for one in tuning.found for name in one.changes}
    kept = [one.name for one in tuning.factors if one.name not in changed] if tuning.over else []
    return f"Stays as it is: {', '.join(kept)}" if kept else ""


def left_out_lines(tuning: Tuning) -> list[str]:
    """Return what is not tried; levels of a factor that have the same reason stand together."""
    lines: dict[tuple[str, str], list[str]] = {}
    for one in tuning.left_out:
        name, _, level = one.name.partition("=")
        lines.setdefault((name, one.reason), []).append(level)
    several = {name for name, _ in lines if sum(other == name for other, _ in lines) > 1}
    return [
        f"{name}{'=' if levels[0] else ''}{', '.join(levels)}: {reason}"
        for (name, reason), levels in lines.items()
        if levels[0] or name not in several
    ]


def reboot_lines(tuning: Tuning) -> list[str]:
    """Return what of the host takes a reboot, with what to boot it with and what to run then; empty where
    nothing of it was asked for.
    """
    asked = [one for one in tuning.left_out if one.boots]
    if not asked:
        return []
    names = ",".join([*(factor.name for factor in tuning.factors), *(one.name for one in asked)])
    budget = f"{tuning.budget_s:.0f}s" if tuning.budget_s else str(tuning.evaluations)
    again = f"assay tune {_what(tuning)} --factors {names} --budget {budget}"
    return [*map(_boot_line, asked), f"after the reboot: {' '.join([again, *_asked_too(tuning)])}"]


def _asked_too(tuning: Tuning) -> Iterator[str]:
    """Yield the other options that a search was begun with; levels of its own (``--set``) are not told."""
    if tuning.allowed:
        yield f"--allow {','.join(tuning.allowed)}"
    if tuning.command is None:
        yield from (f"--workload {shlex.quote(name)}" for name in tuning.workloads)
    options = {"--scale": tuning.scale, "--also": tuning.also, "--short": tuning.short}
    yield from (f"{name} {shlex.quote(str(value))}" for name, value in options.items() if value is not None)


def _boot_line(one: LeftOut) -> str:
    risks = ", ".join(map(str, FACTORS[one.name].hazards)) if one.name in FACTORS else ""
    return f"{one.name}: {' or '.join(one.boots)}" + (f" (may put at risk: {risks})" if risks else "")


def _what(tuning: Tuning) -> str:
    """Return what was tuned, as a command names it."""
    if tuning.command is not None:
        return f"--command {shlex.quote(tuning.command)}"
    own = tuning.scene not in ready_names() or PurePath(tuning.scene_file).parent.name != "library"
    return shlex.quote(tuning.scene_file) if own else tuning.scene


def space_cells(tuning: Tuning) -> list[tuple[str, ...]]:
    """Return a row for each factor that may be changed."""
    return [
        (
            one.name,
            level_text(one.levels[0]),
            ", ".join(map(level_text, one.levels[1:])),
            one.cost,
            _risks(one.hazards),
        )
        for one in tuning.factors
    ]


def _risks(hazards: Mapping[str, tuple[str, ...]]) -> str:
    return "; ".join(f"{level}: {', '.join(risks)}" for level, risks in hazards.items()) or "-"


def found_sets(tuning: Tuning) -> Iterator[ChangeSet]:
    """Yield the change-sets that change something."""
    return (one for one in tuning.found if one.changes)
