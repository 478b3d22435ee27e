"""Activities in folders, as a store keeps them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from assay.model.activity import ActivityPlan
from assay.model.trial import Trial
from assay.store.record import write_activity, write_trial


def kept(
    folder: Path, plan: ActivityPlan, records: Iterable[Trial], *, rejected: Iterable[Trial] = ()
) -> Path:
    """Write an activity with its records, and return its folder."""
    folder.mkdir(parents=True)
    write_activity(folder, plan)
    for kind, trials in (("trials", records), ("rejected", rejected)):
        for trial in trials:
            place = folder / kind / trial.planned.name
            place.mkdir(parents=True)
            write_trial(place, trial)
    return folder
