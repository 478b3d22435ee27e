"""The facts that the probe tells, also those of a recorded machine."""

from __future__ import annotations

import math
import subprocess
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.model.files.native import PROBE
from assay.model.files.program import run_program
from assay.model.machines.machine import Facts, Fingerprint
from assay.probe.decode import decode
from assay.probe.errors import ProbeError

RECORDED_S = 30.0
"""Reading a recorded machine takes milliseconds."""


@dataclass(frozen=True)
class _Grouped:
    groups: dict[str, dict[str, Any]]


@dataclass(frozen=True)
class _Node:
    cpus: tuple[int, ...] | None = None


@dataclass(frozen=True)
class _Hardware:
    nodes: dict[int, _Node] | None = None


@dataclass(frozen=True)
class _ToldGroups:
    hardware: _Hardware = _Hardware()


@dataclass(frozen=True)
class _Told:
    groups: _ToldGroups = _ToldGroups()


def read_fingerprint(answer: object, *, machine: str) -> Fingerprint:
    """Return the probe's answer as values, taken now.

    Raises:
        ProbeError: It does not fit; the message names the field.
    """

    def error(message: str) -> ProbeError:
        return ProbeError(message, machine=machine)

    what = f"the facts of {machine}"
    facts = decode(Facts, answer, what=what, error=error)
    told = decode(_Told, answer, what=what, error=error)
    groups = decode(_Grouped, answer, what=what, error=error).groups
    return Fingerprint(_node_by_node(facts, told.groups.hardware.nodes or {}), groups, time.time_ns())


def _node_by_node(facts: Facts, nodes: dict[int, _Node]) -> Facts:
    """Return facts whose cores come memory node by memory node, so that the first of them are neighbours.

    Some firmware numbers processors by turns over the nodes.
    """
    node_of = {cpu: number for number, node in nodes.items() for cpu in node.cpus or ()}

    def place(core: tuple[int, ...]) -> tuple[float, int]:
        return node_of.get(core[0], math.inf), core[0]

    return replace(facts, siblings=tuple(sorted(filter(None, facts.siblings), key=place)))


def recorded_fingerprint(folder: Path) -> Fingerprint:
    """Return what the probe sees of a recorded machine.

    Raises:
        ProbeError: It is no recorded machine.
        MissingError: There is no probe here.
    """
    argv = [str(PROBE.path()), "facts", "--root", str(folder.absolute())]
    try:
        ended = run_program(argv, timeout_s=RECORDED_S)
    except subprocess.TimeoutExpired as error:
        msg = f"cannot read the recorded machine {folder}: the probe has not ended after {RECORDED_S:g} s"
        raise ProbeError(msg, machine=str(folder)) from error
    if ended.code:
        raise ProbeError(ended.stderr.strip(), machine=str(folder))
    return read_fingerprint(ended.stdout, machine=str(folder))
