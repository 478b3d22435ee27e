"""Containers by an OCI runtime: runc, and gVisor's ``runsc``.

Source: ``runc(8)``, https://gvisor.dev/docs/user_guide/quick_start/oci/ and ``runsc help``.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence

from assay.model.platforms.container import Runtime
from assay.platforms.containers.ask import ask
from assay.platforms.containers.bundle import make_bundle, oci_config, top_folders
from assay.platforms.containers.spec import ContainerSpec
from assay.platforms.process import PATH

STATE = "/run/assay"
"""Each runtime keeps the state of its containers in a folder of ours there, gone with a boot as they are."""


def enclose(spec: ContainerSpec, argv: Sequence[str]) -> tuple[str, ...]:
    """Write a container's bundle for a program, and return what runs it in the foreground."""
    folders, links = top_folders()
    config = oci_config(spec, argv, folders=folders, read_only=_read_only(spec.runtime))
    bundle = make_bundle(spec, config, links)
    return (*_program(spec.runtime), *_flags(spec), "run", "--bundle", str(bundle), spec.name)


def find_pid(runtime: Runtime, name: str) -> int | None:
    """Return the first process of a container, of gVisor that of its kernel; ``None`` where there is none."""
    reported = ask((*_program(runtime), "state", name))
    return None if reported is None else int(json.loads(reported)["pid"]) or None


def remove(runtime: Runtime, name: str) -> None:
    """End a container and forget it; one that is gone is no error."""
    if shutil.which(str(runtime), path=PATH) is not None:
        ask((*_program(runtime), "delete", "--force", name))


def _program(runtime: Runtime) -> tuple[str, ...]:
    return shutil.which(str(runtime), path=PATH) or str(runtime), "--root", f"{STATE}/{runtime}"


def _flags(spec: ContainerSpec) -> tuple[str, ...]:
    """Say what gVisor is asked for: a network of its own would take the addresses off the one
    that it joins.
    """
    if spec.runtime is not Runtime.RUNSC:
        return ()
    return ("--network", "host", *(("--platform", spec.platform) if spec.platform else ()))


def _read_only(runtime: Runtime) -> str:
    """Return the runtime's word: gVisor forbids writing for the whole tree, runc since 1.1 if asked so."""
    return "rro" if runtime is Runtime.RUNC else "ro"
