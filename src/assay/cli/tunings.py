"""A search for the settings that pay: shown, gone on with, measured again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.cli.output import answer, answer_json, home, say
from assay.cli.stores import open_store
from assay.model.errors import AssayError, Exit

if TYPE_CHECKING:
    from assay.pages.tuning import Tuning


def measured_again(name: str, *, as_json: bool) -> Exit:
    """Measure again what a search has confirmed, and show all that is known of it."""
    from assay.activities.tuning.kept import find_tuning
    from assay.activities.tuning.tuner import check_again, checked_sets, scene_of
    from assay.cli.progress import watcher

    tuning = find_tuning(name, home())
    checked_sets(tuning)
    with watcher() as shown:
        try:
            tuning = check_again(tuning, scene_of(tuning), home=home(), store=open_store(), watcher=shown)
        except (AssayError, KeyboardInterrupt) as error:
            say_on(find_tuning(tuning.id, home()))
            if isinstance(error, KeyboardInterrupt):
                return Exit.INTERRUPTED
            raise
    show_tuning(tuning, as_json=as_json)
    last = tuning.runs[-1].activity
    checks = [check for one in tuning.found for check in one.checks if check.activity == last]
    if not any(check.saved for check in checks):
        return Exit.NOTHING
    return Exit.PARTIAL if any(check.reason for check in checks) else Exit.DONE


def show_tuning(tuning: Tuning, *, as_json: bool) -> None:
    """Print all that is known of a search."""
    from assay.report.render.tuning import text_tuning

    if as_json:
        answer_json(tuning_json(tuning))
    else:
        answer(text_tuning(tuning))


def say_on(tuning: Tuning) -> None:
    """Say how to go on, where something is left to run."""
    if tuning.over:
        return
    say(f"what was measured is kept; to go on: assay tune resume {tuning.id}")


def tuning_json(tuning: Tuning) -> str:
    """Return a search as JSON."""
    from assay.pages.tuning import tuning_to_json

    return tuning_to_json(tuning).decode()
