"""Doubts about what a trial was to tell and did not: series, counters, a profile, figures of a
tool's output.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.report.doubts.wording import Wording, Wordings


def _series_absent(absent: Sequence[tuple[str, str]]) -> Wording:
    return Wording(f"Not on this machine: {_with_reasons(absent)}.")


def _counters_absent(absent: Sequence[tuple[str, str | None]]) -> Wording:
    return Wording(f"Not counted on this machine: {_with_reasons(absent)}.")


def _with_reasons(absent: Sequence[tuple[str, str | None]]) -> str:
    return ", ".join(f"{name} ({reason})" for name, reason in absent)


def _counters_unreported(names: Sequence[str]) -> Wording:
    return Wording(f"The probe told nothing of {', '.join(names)}.")


def _profile_absent(reason: str) -> Wording:
    return Wording(f"No profile on this machine: {reason}.")


def _profile_unreported() -> Wording:
    return Wording("The probe told nothing of the profile that was asked for.")


def _no_figure(tool: str, metric: str, reason: str) -> Wording:
    return Wording(f"{tool} printed no number for {metric}: {_sentence(reason)}")


def _not_comparable(metric: str, reason: str) -> Wording:
    return Wording(f"{metric} is not to be compared: {_sentence(reason)}")


def _unknown_line(tool: str, line: str, lines: int) -> Wording:
    more = f", and {lines - 1} more" if lines > 1 else ""
    return Wording(f"{tool} printed a line that is not known: {line}{more}.")


def _sentence(reason: str) -> str:
    return f"{reason.rstrip('.')}."


WORDINGS: Wordings = {
    "counters-absent": _counters_absent,
    "counters-not-told": _counters_unreported,
    "no-figure": _no_figure,
    "not-comparable": _not_comparable,
    "profile-absent": _profile_absent,
    "profile-not-told": _profile_unreported,
    "series-absent": _series_absent,
    "unknown-line": _unknown_line,
}
