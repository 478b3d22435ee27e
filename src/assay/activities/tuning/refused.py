"""What of a step cannot be planned is left out of a search, with the reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from assay.activities.tuning.scenes import changes_in
from assay.pages.tuning import LeftOut, Tuning, TuningRun

Refusal = Callable[[Tuning, TuningRun, tuple[int, ...]], str | None]


def without_refused(tuning: Tuning, run: TuningRun, refusal: Refusal) -> Tuning:
    """Return a search without what of a step cannot be planned: levels that cannot be had alone, else the
    whole configuration; as it was where that is not the levels' fault.

    Args:
        tuning: The search.
        run: The step.
        refusal: Returns why a configuration of it cannot be planned; ``None`` where it can.
    """
    nothing = (0,) * len(tuning.factors)
    if refusal(tuning, run, nothing) is not None:
        return tuning
    found: dict[tuple[int, ...], str] = {}
    for config in run.configs:
        reason = refusal(tuning, run, config)
        if reason is not None:
            alone = [(*nothing[:at], level, *nothing[at + 1 :]) for at, level in enumerate(config) if level]
            reasons = {one: refusal(tuning, run, one) for one in alone if one not in found}
            own = {one: why for one, why in reasons.items() if why is not None}
            found |= own if own or len(reasons) < len(alone) else {config: reason}
    changes = [(changes_in(tuning, config), reason) for config, reason in found.items()]
    left = (LeftOut(" ".join(map("=".join, levels.items())), reason) for levels, reason in changes)
    parts = (levels for levels, _ in changes)
    return replace(tuning, exclude=(*tuning.exclude, *parts), left_out=(*tuning.left_out, *left))
