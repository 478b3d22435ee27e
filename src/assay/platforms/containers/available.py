"""Whether a container platform can be used here, asked before anything else is done."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

from assay.model.errors import MissingError
from assay.model.files.packages import install_command
from assay.model.platforms.container import Runtime
from assay.platforms.containers.container import container_of
from assay.platforms.containers.spec import ContainerSpec
from assay.platforms.process import PATH

PROGRAMS = {
    Runtime.RUNC: {"runc": "runc"},
    Runtime.PODMAN: {"podman": "podman", "runc": "runc"},
    Runtime.RUNSC: {"runsc": "runsc"},
    Runtime.UML: {"linux.uml": "user-mode-linux", "taskset": "util-linux"},
}
"""The programs that each needs, with Debian's package; gVisor's own is at
https://gvisor.dev/docs/user_guide/install.
"""
TRY_S = 20.0
"""``true`` runs within a second, two of them for a kernel's boot; what hangs (gVisor's kvm without vmx) hangs
for ever.
"""


def require_runtime(runtime: Runtime) -> None:
    """Make sure that a runtime is installed and that this user may make containers by it; starts nothing.

    Raises:
        MissingError: It is not, with what to install, or may not.
    """
    packages = PROGRAMS[runtime]
    missing = [name for name in packages if shutil.which(name, path=PATH) is None]
    if missing:
        msg = f"cannot use platform {runtime}: not installed: {', '.join(missing)}"
        raise MissingError(msg, hint=install_command(*(packages[name] for name in missing)))
    if os.geteuid() != 0:
        msg = f"cannot use platform {runtime}: control groups and namespaces of the machine need root"
        raise MissingError(msg, hint="run assay as root")


def _tried(spec: ContainerSpec) -> tuple[int | None, list[str]]:
    """Run ``true`` in such a container; return its exit code (``None``: it did not end) and what it said."""
    container = container_of(spec)
    log = spec.folder / "log"
    try:
        with log.open("wb") as file:
            code = _run(container.enclose(("/bin/true",)), file.fileno())
        return code, log.read_text(errors="replace").strip().splitlines()
    finally:
        container.remove()


def try_runtime(spec: ContainerSpec) -> None:
    """Run ``true`` in such a container and remove it.

    Raises:
        MissingError: It does not run here, with the runtime's own last word.
    """
    require_runtime(spec.runtime)
    code, lines = _tried(spec)
    if code is not None and code < 0:  # under load user-mode Linux may be aborted as it powers down
        code, lines = _tried(spec)
    if code != 0:
        asked = f" --platform {spec.platform}" if spec.platform else ""
        why = f"no end within {TRY_S:g} s" if code is None else f"exit code {code}"
        msg = f"cannot use platform {spec.runtime}{asked}: a container that runs 'true' does not: {why}"
        raise MissingError(msg + (f": {lines[-1]}" if lines else ""), hint=_hint(spec))


def _run(argv: tuple[str, ...], log: int) -> int | None:
    """Return the exit code of a program; ``None`` where it had to be killed."""
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    try:
        return process.wait(TRY_S)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, 9)
        process.wait()


def _hint(spec: ContainerSpec) -> str | None:
    """Return what to try next: of gVisor the way that needs least of the machine."""
    if spec.runtime is not Runtime.RUNSC or spec.platform == "ptrace":
        return None
    return "runsc.platform: ptrace runs wherever a process may be traced"


def try_name() -> str:
    """Return a name for a try that no other process takes."""
    return f"assay-try{os.getpid()}-b0"


def try_folder(home: Path) -> Path:
    """Return where a try's files lie."""
    return home / "containers" / try_name()
