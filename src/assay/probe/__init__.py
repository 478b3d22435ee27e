"""The native probe: ship it through a door, start jobs with it, follow them, bring their results home.

Here belongs the probe's protocol as seen from the controller. How a door reaches a machine belongs to
``machines``; what a result means for a trial belongs above.
"""

from assay.probe.binary import probe_binary, probe_sha256
from assay.probe.clock import StartTime, check_clock
from assay.probe.door import Channel, Door
from assay.probe.errors import LostJobError, OverdueError, ProbeError, ProgramMissingError, ResultError
from assay.probe.result import RunResult, parse_result
from assay.probe.session import Probe
from assay.probe.spec import Spec
from assay.probe.status import JobState, Space, Status

__all__ = [
    "Channel",
    "Door",
    "JobState",
    "LostJobError",
    "OverdueError",
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
    "parse_result",
    "probe_binary",
    "probe_sha256",
]
