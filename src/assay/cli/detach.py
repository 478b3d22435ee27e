"""``--detach``: the command returns, and its activity goes on in a process of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from assay.cli.output import answer_line, home, print_json, say
from assay.model.errors import Exit

detach_option = click.option(
    "--detach",
    "detached",
    is_flag=True,
    help="Return once it runs; it goes on in a process of its own (assay activity follow).",
)


def go_on_detached(words: Sequence[str], activity: str, folder: Path, *, as_json: bool) -> int:
    """Let another process go on with an activity that nobody holds; print its id and return the exit code.

    Args:
        words: The command that goes on with it.
        activity: Its id.
        folder: Its folder.
        as_json: As JSON.
    """
    from assay.activities.detached import LOG, detach

    ended = detach(words, activity=activity, folder=folder, home=home())
    if ended is not None:
        say(ended.said.rstrip("\n") or f"error: assay {' '.join(words)} ended without a word")
        return ended.code
    if as_json:
        print_json("activity-detached", activity=activity)
    else:
        answer_line(activity)
        say(f"it goes on by itself: assay activity follow {activity}; what it says: {folder / LOG}")
    return int(Exit.DONE)


def resume_detached(activity: str, folder: Path, *, as_json: bool) -> int:
    """Let another process run an activity that this one has created and holds; as ``go_on_detached``."""
    from assay.platforms.claims import release

    release(home(), activity)
    words = ("activity", "resume", activity, "--wait")  # meanwhile another may have come first
    return go_on_detached(words, activity, folder, as_json=as_json)
