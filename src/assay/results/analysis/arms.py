"""Which arm of foreign data is the baseline, and whether arms may be compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.model.errors import AssayError, UnknownNameError
from assay.model.figures.measured import MeasuredRuns

BASELINES = ("baseline", "host", "physical", "pm", "bare-metal")
"""Names by which a baseline is known where none was named, the surest first."""
DIFFERENT_MACHINES = (
    "the column machine names the hardware, for a guest that of its host; two machines are compared only by "
    "a reference workload on both"
)


class AnalysisError(AssayError, ValueError):
    """The data can be read, but not what was asked of them; in Python also a ``ValueError``."""


def choose_baseline(arms: Sequence[str], named: str | None, source: str) -> tuple[str, tuple[str, ...]]:
    """Return the baseline, and a note where it was taken by its name.

    Args:
        arms: All arms, at least one.
        named: The arm that was asked for; ``None`` takes one of ``BASELINES``.
        source: Name of the data, for messages.

    Raises:
        UnknownNameError: No arm is called so.
        AnalysisError: None was asked for and none has such a name, or there is no other arm.
    """
    if named is not None:
        if named not in arms:
            raise UnknownNameError(kind="arm", name=named, known=arms)
        return _with_treatment(named, arms, source), ()
    candidates = [arm for word in BASELINES for arm in arms if _plain(arm) == word]
    if not candidates:
        msg = f"cannot analyse {source}: expected a baseline, got the arms {', '.join(arms)}"
        raise AnalysisError(msg, hint=f"name it: --baseline '{arms[0]}'")
    return _with_treatment(candidates[0], arms, source), (f"the baseline is '{candidates[0]}', by its name",)


def _plain(arm: str) -> str:
    return arm.casefold().replace(" ", "-").replace("_", "-")


def _with_treatment(baseline: str, arms: Sequence[str], source: str) -> str:
    if len(arms) < 2:
        msg = f"cannot analyse {source}: expected two arms or more, got '{baseline}' alone"
        raise AnalysisError(msg, hint="a loss is that of one arm over another")
    return baseline


def check_machines(runs: MeasuredRuns, baseline: str, treatments: Iterable[str]) -> None:
    """Refuse a treatment of which no machine also carried the baseline.

    Raises:
        AnalysisError: There is one.
    """
    machines = _machines(runs)
    for arm in treatments:
        if not machines[arm] & machines[baseline]:
            where = f"'{baseline}' ran on {_named(machines[baseline])}, '{arm}' on {_named(machines[arm])}"
            msg = f"cannot compare '{arm}' with '{baseline}': no machine carried both ({where})"
            raise AnalysisError(msg, hint=DIFFERENT_MACHINES)


def _machines(runs: MeasuredRuns) -> dict[str, set[str]]:
    """Return the machines that each arm ran on."""
    import numpy as np

    names = runs.blocks.machine
    held: dict[str, set[str]] = {}
    both = runs.arm.codes * len(names.values) + names.codes[runs.block]
    for arm, machine in zip(*np.divmod(np.unique(both), len(names.values)), strict=True):
        held.setdefault(runs.arm.values[arm], set()).add(names.values[machine])
    return held


def _named(machines: Iterable[str]) -> str:
    names = sorted(machines)
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
