"""Whether trials that others disturbed were looked for, and what that led to, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from assay.design.rerun import MOST_SHARE, MOST_TRIES, RULES
from assay.pages.method.work import ControllerUse, Disturbances


def disturbance_sentences(wanted: Disturbances) -> Iterator[str]:
    """Say which causes were looked for, and what they led to."""
    if not wanted.are_read:
        yield (
            "Disturbances of a host were not looked for: the arms are two machines, and the same "
            f"reading of both is not to be had{'; no trial was run again' if wanted.rerun else ''}."
        )
        return
    rules = "; ".join(f"{cause}: {rule}" for cause, rule in RULES.items())
    yield (
        f"The host was read before and after each trial, on both arms alike; a trial is disturbed by {rules}."
    )
    if wanted.rerun:
        yield (
            f"A trial disturbed by {' or '.join(wanted.rerun)} was rejected and run again, at most "
            f"{MOST_SHARE:.0%} of the planned trials (at least one) and {MOST_TRIES} times the same one; "
            "no figure of a trial had a say in it."
        )


def controller_sentences(used: ControllerUse | None) -> Iterator[str]:
    """Say what assay itself took of the processors that it shared with the trials."""
    if used is not None:
        yield (
            f"The controller shared the measured processors: it took {used.share:.2%} of their time over all "
            f"trials, at most {used.most_share:.2%} of one."
        )
