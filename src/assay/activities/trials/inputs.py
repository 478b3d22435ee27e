"""What a workload finds in its scratch folder: files of the controller, and what its preparation made.

Each trial gets a copy of what was made, or hard links where the workload never writes to it; all of it is
written out before the trial starts.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from assay.activities.plan.packs import bring_pack
from assay.activities.plan.variables import check_variables
from assay.activities.trials.job import copy_folder
from assay.activities.trials.preparation import Kept, bring, prepared, put_inputs
from assay.activities.visits.visit import Visit
from assay.model.work.workload import Workload


def lay_out(visit: Visit, workload: Workload, into: str, *, on_tick: Callable[[], None]) -> None:
    """Make the folder of each copy and bring its files: what it writes to them is its own.

    Raises:
        UnpreparedError: A command of its preparation failed.
    """
    check_variables(visit, workload)
    kept = _ready(visit, workload, on_tick)
    for copy in range(workload.placement.copies):
        folder = copy_folder(workload, into, copy)
        visit.probe.make(folder)
        if kept is None:
            put_inputs(visit, workload, folder)
        else:
            linked = workload.keeps_inputs and visit.jobs is None  # no link leads to another file system
            bring(visit, kept, folder, linked=linked)


def _ready(visit: Visit, workload: Workload, on_tick: Callable[[], None]) -> Kept | None:
    """Have there what trials share, and add the time that it took to the visit's."""
    began = time.monotonic()
    try:
        bring_pack(visit, workload)
        return prepared(visit, workload, on_tick) if workload.prepare else None
    finally:
        visit.preparing_s += time.monotonic() - began
