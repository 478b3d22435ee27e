"""The native probe: ship it through a door, start jobs with it, follow them, bring their results home.

Here belongs the probe's protocol as seen from the controller. How a door reaches a machine belongs to
``machines``; what a result means for a trial belongs above.
"""

from assay.probe.clock import StartTime, check_clock
from assay.probe.door import Channel, Door
from assay.probe.errors import LostJobError, OverdueError, ProbeError, ProgramMissingError, ResultError
from assay.probe.folded import count_samples, merge_folded
from assay.probe.result import RunResult, parse_result
from assay.probe.series import (
    PhaseEvent,
    keep_rows,
    parse_cells,
    parse_phase_events,
    parse_series,
    read_series,
)
from assay.probe.session import Probe
from assay.probe.spec import KEEP_FREE_BYTES, Spec
from assay.probe.status import HashedFile, JobState, Space, Status

__all__ = [
    "KEEP_FREE_BYTES",
    "Channel",
    "Door",
    "HashedFile",
    "JobState",
    "LostJobError",
    "OverdueError",
    "PhaseEvent",
    "Probe",
    "ProbeError",
    "ProgramMissingError",
    "ResultError",
    "RunResult",
    "Space",
    "Spec",
    "StartTime",
    "Status",
    "check_clock",
    "count_samples",
    "keep_rows",
    "merge_folded",
    "parse_cells",
    "parse_phase_events",
    "parse_result",
    "parse_series",
    "read_series",
]
