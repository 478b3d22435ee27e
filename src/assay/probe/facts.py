"""The facts that the probe tells, also those of a recorded machine."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.model.files.native import PROBE
from assay.model.machines.machine import Facts, Fingerprint
from assay.probe.decode import decode
from assay.probe.errors import ProbeError

RECORDED_S = 30.0
"""Reading a recorded machine takes milliseconds."""


@dataclass(frozen=True)
class _Grouped:
    groups: dict[str, dict[str, Any]]


def read_fingerprint(answer: object, *, machine: str) -> Fingerprint:
    """Return the probe's answer as values, taken now.

    Raises:
        ProbeError: It does not fit; the message names the field.
    """

    def error(message: str) -> ProbeError:
        return ProbeError(message, machine=machine)

    what = f"the facts of {machine}"
    facts = decode(Facts, answer, what=what, error=error)
    return Fingerprint(facts, decode(_Grouped, answer, what=what, error=error).groups, time.time_ns())


def recorded_fingerprint(folder: Path) -> Fingerprint:
    """Return what the probe sees of a recorded machine.

    Raises:
        ProbeError: It is no recorded machine.
        MissingError: There is no probe here.
    """
    argv = [str(PROBE.path()), "facts", "--root", str(folder.absolute())]
    done = subprocess.run(argv, capture_output=True, check=False, timeout=RECORDED_S)
    if done.returncode != 0:
        raise ProbeError(done.stderr.decode(errors="replace").strip(), machine=str(folder))
    return read_fingerprint(done.stdout, machine=str(folder))
