"""What a workload finds in its scratch folder: files of the controller, and what its preparation made.

Each trial gets a copy of what was made, or hard links where the workload never writes to it; all of it is
written out before the trial starts.
"""

from __future__ import annotations

from collections.abc import Callable

from assay.activities.job import copy_folder
from assay.activities.packs import bring_pack
from assay.activities.preparation import bring, prepared, put_inputs
from assay.activities.stage import Stage
from assay.activities.variables import check_variables
from assay.model.workload import Workload


def lay_out(stage: Stage, workload: Workload, into: str, *, on_tick: Callable[[], None]) -> None:
    """Make the folder of each copy and bring its files: what it writes to them is its own.

    Raises:
        UnpreparedError: A command of its preparation failed.
    """
    check_variables(stage, workload)
    bring_pack(stage, workload)
    kept = prepared(stage, workload, on_tick) if workload.prepare else None
    for copy in range(workload.placement.copies):
        folder = copy_folder(workload, into, copy)
        stage.probe.make(folder)
        if kept is None:
            put_inputs(stage, workload, folder)
        else:
            bring(stage, kept, folder, linked=workload.keeps_inputs)
