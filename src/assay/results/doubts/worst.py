"""The worst of the trials that carry a doubt, and the median of all of them: by a figure that the doubt is
of.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from assay.model.doubt import Doubt
from assay.model.trial import Trial
from assay.model.units import format_bytes

Held = tuple[Trial, Doubt]
"""A trial and a doubt that it carries."""


@dataclass(frozen=True)
class _Figure:
    """What a doubt is of.

    Attributes:
        read: The figure of one trial, larger is worse; ``None`` where it is not told.
        spell: How it is written.
    """

    read: Callable[[Trial, Doubt], float | None]
    spell: Callable[[float], str]


def worst_of(held: Sequence[Held]) -> tuple[Held, str]:
    """Return the trial that speaks for all that carry a doubt, and what is said of them beside it.

    Args:
        held: The trials with the doubt, of one code, at least one.

    Returns:
        The worst one by the doubt's figure; of a doubt without a figure the first of those that say what most
        say. Beside it "the worst of 4, 6.8% in the median"; empty where there is one trial, no figure, or all
        have the same.
    """
    figure = FIGURES.get(held[0][1].code)
    known = [(value, one) for one in held if figure and (value := figure.read(*one)) is not None]
    if figure is None or len(known) < len(held):
        return _usual(held), ""
    values = [value for value, _ in known]
    worst, one = max(known, key=lambda pair: pair[0])
    middle = figure.spell(median(values))
    if len(known) == 1 or middle == figure.spell(worst) == figure.spell(min(values)):
        return one, ""
    return one, f"the worst of {len(known)}, {middle} in the median"


def _usual(held: Sequence[Held]) -> Held:
    most = Counter(doubt.sentence for _, doubt in held).most_common(1)[0][0]
    return next(one for one in held if one[1].sentence == most)


def _rate_error(trial: Trial, _: Doubt) -> float | None:
    return None if trial.clock is None else abs(trial.clock.rate - 1)


def _rate_limit(trial: Trial, _: Doubt) -> float | None:
    """Return how far a clock may be off at most."""
    return None if trial.clock is None else abs(trial.clock.rate - 1) + trial.clock.rate_uncertainty


def _off_state(trial: Trial, _: Doubt) -> float | None:
    """Return the share of the files' bytes that were not in the state asked for."""
    files = trial.cache.machine if trial.cache else None
    if trial.cache is None or files is None or not files.bytes:
        return None
    resident = files.resident_bytes / files.bytes
    return resident if trial.cache.state.starts_cold else 1 - resident


def _on_host(trial: Trial, _: Doubt) -> float | None:
    return trial.cache.host.resident_bytes if trial.cache and trial.cache.host else None


def _late(trial: Trial, _: Doubt) -> float | None:
    known = [one.started_s - one.asked_s for one in trial.members if one.started_s is not None]
    return max(known, default=None)


def _from_sentence(pattern: str, *, scale: float = 1.0) -> Callable[[Trial, Doubt], float | None]:
    """Return a reader of the figure that stands in a doubt's own sentence."""

    def read(_: Trial, doubt: Doubt) -> float | None:
        match = re.search(pattern, doubt.sentence)
        return None if match is None else scale * float(match[1])

    return read


def _share(share: float) -> str:
    return f"{share:.1%}"


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s"


_SECONDS = r"(\d+(?:\.\d+)?) s\b"
FIGURES: Mapping[str, _Figure] = {
    "cache-state": _Figure(_off_state, lambda share: f"{share:.1%} not so"),
    "clock-corrected": _Figure(_rate_error, lambda share: f"{share:.3%}"),
    "clock-rate": _Figure(_rate_error, lambda share: f"{share:.2%}"),
    "clock-rate-unknown": _Figure(_rate_limit, lambda share: f"{share:.2%}"),
    "container-cpu-count": _Figure(_from_sentence(_SECONDS), _seconds),
    "image-cache-state": _Figure(_on_host, lambda size: format_bytes(round(size))),
    "io-incomplete": _Figure(_from_sentence(_SECONDS), _seconds),
    "late-start": _Figure(_late, _seconds),
    "start-missed": _Figure(_from_sentence(_SECONDS), lambda seconds: f"{seconds:.3f} s"),
    "steal": _Figure(_from_sentence(r"(\d+(?:\.\d+)?) ?%", scale=0.01), _share),
    "totals-incomplete": _Figure(_from_sentence(_SECONDS), _seconds),
}
"""The figure that a trial's doubt is of, by code; doubts of a word or a name have none."""
