"""What a scene says that its machine must have, against what the machine has."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from assay.factors.base.evidence import Host
from assay.model.errors import MissingError
from assay.model.machines.machine import Facts
from assay.model.units import format_bytes
from assay.model.work.needs import Needs
from assay.scenes import Scene


def check_needs(scene: Scene, here: Facts, *, on: Host, home: Path | None) -> None:
    """Refuse a scene whose machine lacks something that it needs.

    Args:
        scene: What is asked for, at its scale.
        here: Facts of the baseline's machine.
        on: The same machine, as factors see it.
        home: Folder of all state, whose disk must have room; ``None`` does not look.

    Raises:
        MissingError: The machine lacks something; all that it lacks is said.
    """
    lacks = [*lacks_of(scene.needs, here, on, home)]
    if not lacks:
        return
    label = scene.name if scene.scale is None else f"{scene.name} at the scale {scene.scale}"
    msg = f"cannot evaluate {label} on {here.hostname}: {'; '.join(lacks)}"
    hint = f"assay scene show {scene.name}: its other scales, and what each needs"
    if scene.scale is None and not scene.scales:
        hint = f"assay scene show {scene.name}: what it needs"
    raise MissingError(msg, hint=hint)


def lacks_of(needs: Needs, here: Facts, on: Host, home: Path | None) -> Iterator[str]:
    """Yield what a machine lacks, a clause each; arguments as of ``check_needs``."""
    cores = len(here.siblings or here.cpus)
    if needs.cores is not None and cores < needs.cores:
        yield f"it needs {needs.cores} cores, there {'is' if cores == 1 else 'are'} {cores}"
    if needs.memory_bytes is not None and here.memory_bytes < needs.memory_bytes:
        has = format_bytes(here.memory_bytes)
        yield f"it needs {format_bytes(needs.memory_bytes)} of memory, there are {has}"
    if needs.nodes is not None and len(on.nodes) < needs.nodes:
        has_nodes = len(on.nodes)
        are = "is" if has_nodes == 1 else "are"
        yield f"it needs {needs.nodes} memory nodes, there {are} {has_nodes}"
    if needs.kvm and on.accelerator != "kvm":
        yield "it needs KVM, which does not run guests there"
    for tool in needs.tools:
        if not on.has(tool):
            yield f"it needs {tool}, which is not on the path"
    if needs.disk_bytes is not None and home is not None:
        free = shutil.disk_usage(_there(home)).free
        if free < needs.disk_bytes:
            wanted = format_bytes(needs.disk_bytes)
            yield f"it needs {wanted} of free disk under {home}, there are {format_bytes(free)}"


def _there(folder: Path) -> Path:
    """Return the nearest folder above that is there."""
    return next(path for path in (folder, *folder.parents) if path.is_dir())
