"""Where the folders of activities lie in a home.

Layout of a home::

    activities/<id>/             an activity
    activities/<id>/lanes/<id>/  a lane of an activity on several machines: an activity of its own
"""

from __future__ import annotations

from pathlib import Path

FOLDER, LANES = "activities", "lanes"


def activity_folder(home: Path, activity: str) -> Path:
    """Return the folder of an activity or a lane, which need not be there.

    Args:
        home: Folder of all state.
        activity: Its id; what is no plain word is looked for among the activities alone.
    """
    whole = home / FOLDER / activity
    if whole.exists() or not activity.isalnum():
        return whole
    return next((home / FOLDER).glob(f"*/{LANES}/{activity}"), whole)


def activity_folders(home: Path) -> list[Path]:
    """Return the folders of all activities and lanes that are there, sorted."""
    every = home / FOLDER
    return sorted([*every.glob("*"), *every.glob(f"*/{LANES}/*")])


def fleet_of(home: Path, folder: Path) -> str | None:
    """Return the id of the activity that a lane's folder belongs to; ``None`` where it is no lane of this
    home.
    """
    lanes = folder.resolve().parent
    known = lanes.name == LANES and lanes.parent.parent == (home / FOLDER).resolve()
    return lanes.parent.name if known else None
