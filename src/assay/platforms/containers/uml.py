"""User-mode Linux: a Linux kernel as a process, with this machine's file system by hostfs.

Source: https://docs.kernel.org/virt/uml/user_mode_linux_howto_v2.html and ``linux.uml --help``.
Limits: it has one processor and no network; its memory is a file in ``/dev/shm``, which must have room for
    it.
Its ``/tmp`` is its own: a work folder that lies in the machine's is made there anew and mounted over.
What is said to its serial line before its kernel has opened it is lost: it greets first.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
from collections.abc import Sequence
from pathlib import Path

from assay.platforms.containers.spec import ContainerSpec
from assay.platforms.process import PATH, process_mark, stat_fields, stop_process

STATE = "/run/assay/uml"
"""Its pid and control socket, whose path must be short (``unix(7)``)."""
GREETING = b"assay: ready"
BOOT_S = 60.0
"""A boot takes two seconds, and far longer on a busy machine."""
_SERIAL = ("con=null", "con0=null,fd:2", "ssl=null", "ssl0=fd:0,fd:1")


def enclose(spec: ContainerSpec, argv: Sequence[str]) -> tuple[str, ...]:
    """Write a container's first program, and return what boots its kernel in the foreground."""
    Path(STATE).mkdir(parents=True, exist_ok=True)
    init = spec.folder / "init"
    init.write_text(init_script(spec, argv), encoding="utf-8")
    init.chmod(0o755)
    memory = f"mem={(spec.memory_bytes or 0) >> 10}K"
    root = ("root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro", f"init={init}", "quiet")
    place = (f"umid={spec.name}", f"uml_dir={STATE}/")
    cpus = ",".join(map(str, spec.cpus))
    program = shutil.which("linux.uml", path=PATH) or "linux.uml"
    return ("taskset", "--cpu-list", cpus, program, memory, *place, *_SERIAL, *root)


def init_script(spec: ContainerSpec, argv: Sequence[str]) -> str:
    """Return the first program: its mounts, its serial line made transparent, the program, the end."""
    work = shlex.quote(str(spec.work))
    return f"""#!/bin/sh
PATH={PATH}
mount -t proc proc /proc && mount -t sysfs sysfs /sys
mount -t tmpfs tmpfs /tmp && mount -t tmpfs tmpfs /run
mkdir -p /dev/shm && mount -t tmpfs tmpfs /dev/shm
mkdir -p {work}
mount -t hostfs hostfs {work} -o {work}
hostname {shlex.quote(spec.hostname)}
exec 3<>/dev/ttyS0
stty raw -echo <&3
echo {shlex.quote(GREETING.decode())} >&3
{shlex.join(argv)} <&3 >&3
echo o > /proc/sysrq-trigger
sleep 60
"""


def find_pid(name: str) -> int | None:
    """Return the process that is a kernel; ``None`` where there is none."""
    try:
        pid = int((Path(STATE) / name / "pid").read_text())
        command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (OSError, ValueError):
        return None
    return pid if f"umid={name}".encode() in command else None


def processes(pid: int) -> tuple[int, ...]:
    """Return a kernel's processes: those of its session, which is its own."""
    pids = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, IndexError):
            if int(stat_fields(file.read_text())[3]) == os.getsid(pid):
                pids.append(int(file.parent.name))
    return tuple(sorted(pids))


def cpu_s(pid: int) -> float:
    """Return the CPU seconds of a kernel's processes and of those that they waited for, in clock ticks."""
    ticks = 0
    for member in processes(pid):
        with contextlib.suppress(OSError):
            ticks += sum(map(int, stat_fields(Path(f"/proc/{member}/stat").read_text())[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def remove(name: str) -> None:
    """End a kernel with all its processes; one that is gone is no error."""
    pid = find_pid(name)
    if pid is not None and os.getsid(pid) != os.getsid(0):
        mark, members = process_mark(pid), processes(pid)
        for member in members:
            with contextlib.suppress(ProcessLookupError):
                os.kill(member, signal.SIGKILL)
        if mark is not None:
            stop_process(mark)
    shutil.rmtree(Path(STATE) / name, ignore_errors=True)
