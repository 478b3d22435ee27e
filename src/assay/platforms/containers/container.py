"""A container of ours: started by talking with a program in it, looked at from outside, removed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.model.files.marker import make_marked
from assay.model.platforms.container import Container, Runtime
from assay.platforms.containers import oci, podman, uml
from assay.platforms.containers.ask import ask
from assay.platforms.containers.kernel_view import KernelView, remove_groups
from assay.platforms.containers.spec import ContainerSpec, write_note
from assay.platforms.errors import PlatformError
from assay.platforms.filesystems.host_filesystem import remove_folder

START_S = 20.0
"""A container starts in half a second; one that has no process by then never will."""
_KERNELS = {Runtime.RUNSC: "gVisor", Runtime.UML: "Linux"}
_VERSION = {Runtime.UML: "linux.uml"}


@dataclass(frozen=True)
class RunningContainer:
    """A container that a program runs in; made by ``container_of``.

    Attributes:
        spec: What it was asked to be.
        view: The kernel's files.
    """

    spec: ContainerSpec
    view: KernelView = field(default=KernelView())

    def enclose(self, argv: Sequence[str]) -> tuple[str, ...]:
        """Return what runs a program as the container's own, once; the container ends with it."""
        if self.spec.runtime is Runtime.PODMAN:
            return podman.enclose(self.spec, argv)
        if self.spec.runtime is Runtime.UML:
            return uml.enclose(self.spec, argv)
        return oci.enclose(self.spec, argv)

    def look(self) -> Container:
        """Return what it is by what the kernel shows.

        Raises:
            PlatformError: It has no process, or a thread of it may run elsewhere than it was asked to.
        """
        pid = self._pid()
        pids, spec, view = self._processes(pid), self.spec, self.view
        if set(cpus := view.cpus(pids)) != set(spec.cpus):
            msg = (
                f"cannot measure in {spec.name}: it may run on processors {list(cpus)}, asked were "
                f"{list(spec.cpus)}"
            )
            raise PlatformError(msg)
        own = self._group(pid)
        return Container(
            runtime=spec.runtime,
            version=version(spec.runtime),
            kernel=_KERNELS.get(spec.runtime, "host"),
            platform=self._platform(pid, pids) if spec.runtime is Runtime.RUNSC else None,
            isolated=view.namespaces(pid),
            cpus=cpus,
            memory_bytes=view.memory_limit(pid) if own else None,
            cpu_quota=view.cpu_quota(pid, len(spec.cpus)) if own else None,
            group=own.name if own else None,
            writable=None if spec.runtime in _KERNELS else self._writable(pid),
        )

    def cpu_s(self) -> float | None:
        """Return the CPU seconds that all of it has had so far; ``None`` where that is not counted."""
        pid = self._pid()
        if self.spec.runtime is Runtime.UML:
            return uml.cpu_s(pid)
        group = self.view.group(pid, "cpuacct")
        return self.view.cpu_s(group) if group else None

    def remove(self) -> None:
        """End it and take away all that was made for it; one that is gone is no error."""
        remove(self.spec.runtime, self.spec.name, self.spec.folder)

    def _pid(self) -> int:
        deadline = time.monotonic() + START_S
        while (pid := find_pid(self.spec.runtime, self.spec.name, self.spec.folder)) is None:
            if time.monotonic() > deadline:
                msg = f"cannot look at {self.spec.name}: {self.spec.runtime} has no process of it"
                raise PlatformError(msg)
            time.sleep(0.05)
        return pid

    def _processes(self, pid: int) -> tuple[int, ...]:
        group = self._group(pid)
        if self.spec.runtime is Runtime.UML or group is None:
            return uml.processes(pid) if self.spec.runtime is Runtime.UML else (pid,)
        return self.view.processes(group)

    def _group(self, pid: int) -> Path | None:
        """Return the group that confines it, if it is one that was made for it."""
        group = self.view.group(pid, "cpuset")
        return group if group is not None and self.spec.name in group.parts else None

    def _platform(self, pid: int, pids: tuple[int, ...]) -> str:
        """Tell how gVisor catches system calls: by KVM, by a tracer, or (systrap) by neither."""
        if self.view.opened(pid, "kvm-vm"):
            return "kvm"
        return "ptrace" if self.view.traced(pids) else "systrap"

    def _writable(self, pid: int) -> tuple[str, ...]:
        own = str(self.spec.folder)
        return tuple(point for point in self.view.writable(pid) if not point.startswith(own))


def container_of(spec: ContainerSpec) -> RunningContainer:
    """Return a container to be started; its folder is there and says whose it is."""
    make_marked(spec.folder)
    spec.work.mkdir(mode=0o700, exist_ok=True)
    write_note(spec)
    return RunningContainer(spec)


def version(runtime: Runtime) -> str:
    """Return a runtime's own word of its version."""
    output = ask((_VERSION.get(runtime, str(runtime)), "--version")) or "unknown"
    first = output.strip().splitlines()[0]
    return f"linux.uml {first}" if runtime is Runtime.UML else first


def find_pid(runtime: Runtime, name: str, folder: Path) -> int | None:
    """Return the first process of a container; ``None`` where there is none."""
    if runtime is Runtime.UML:
        return uml.find_pid(name)
    return podman.find_pid(folder, name) if runtime is Runtime.PODMAN else oci.find_pid(runtime, name)


def remove(runtime: Runtime, name: str, folder: Path) -> None:
    """End a container and take away what was made for it, last its folder, which says whose it was."""
    if runtime is Runtime.UML:
        uml.remove(name)
    elif runtime is Runtime.PODMAN:
        podman.remove(folder, name)
    else:
        oci.remove(runtime, name)
    remove_groups(KernelView().groups, name)
    remove_folder(folder)
