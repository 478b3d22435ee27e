"""Doubts that come from laying two arms, or two results, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from assay.pages.names import some
from assay.report.doubts.wording import Wording, Wordings

LINK = (
    "Name a workload that shows nothing but the hardware in the scene, design: {reference: "
    "flops}: each loss is then also shown corrected by it."
)


def _machine_changed(arm: str, fact: str, values: Sequence[str]) -> Wording:
    return Wording(
        f"The {arm}'s machine changed during the activity: {fact} was {' and then '.join(values)}."
    )


def _two_machines(what: str, here: object, there: object, correctable: bool) -> Wording:
    sentence = (
        f"The {what} differ ({here} and {there}): the loss is between these two machines, not of a platform."
    )
    return Wording(sentence, LINK if correctable else None)


def _programs_differ(differing: Sequence[tuple[str, Sequence[str]]]) -> Wording:
    reported = "; ".join(f"{workload} ({some(names)})" for workload, names in differing)
    return Wording(f"Not the same files on both arms, by digest: {reported}.")


def _sizes_differ(reasons: Sequence[tuple[str, str]]) -> Wording:
    return Wording(f"{'; '.join(f'{name}: {reason}' for name, reason in reasons)}.")


def _two_results(what: str) -> Wording:
    return Wording(f"The {what} differ: the losses answer different questions.")


def _accelerators_differ(a: str | None, b: str | None) -> Wording:
    return Wording(f"The accelerators differ: {a} and {b}.")


def _same_result() -> Wording:
    return Wording("A and B are the same result: they cannot differ.")


WORDINGS: Wordings = {
    "accelerators-differ": _accelerators_differ,
    "caches-differ": partial(_two_machines, "caches"),
    "clock-sources-differ": partial(_two_machines, "clock sources"),
    "confidence-differs": partial(_two_results, "levels of confidence"),
    "frequency-governors-differ": partial(_two_machines, "frequency governors"),
    "hosts-differ": partial(_two_results, "baseline machines"),
    "kernels-differ": partial(_two_machines, "kernels"),
    "limits-differ": partial(_two_results, "cores or memory of the baseline"),
    "machine-changed": _machine_changed,
    "processors-differ": partial(_two_machines, "processors"),
    "programs-differ": _programs_differ,
    "same-result": _same_result,
    "scenes-differ": partial(_two_results, "scenes or commands"),
    "sizes-differ": _sizes_differ,
    "thp-modes-differ": partial(_two_machines, "THP modes"),
    "treatments-differ": partial(_two_results, "treatments"),
}
