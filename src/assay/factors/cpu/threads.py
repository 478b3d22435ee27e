"""Threads of a QEMU process by what they do.

Source: QEMU names its threads under ``debug-threads=on``, which libvirt sets: ``CPU 0/TCG``, ``IO
    iothread1``,
``IO mon_iothread``; its pool's (``worker``) come and go and inherit their maker's processors.
"""

from __future__ import annotations

from assay.factors.base.evidence import Evidence, Host, Thread
from assay.factors.base.number_lists import read_numbers
from assay.factors.cpu.pin_sets import Mask, read_cpuset

_NODES = "/sys/devices/system/node"


def vcpu_threads(seen: Evidence) -> tuple[Thread, ...]:
    """Return the thread of each vCPU, by its number; one that serves all stands for each."""
    threads = {thread.id: thread for thread in seen.threads}
    vcpus = sorted(seen.ask("query-cpus-fast"), key=lambda vcpu: int(vcpu["cpu-index"]))
    return tuple(threads[int(vcpu["thread-id"])] for vcpu in vcpus)


def io_threads(seen: Evidence) -> tuple[Thread, ...]:
    """Return the threads that serve disks."""
    return tuple(thread for thread in seen.threads if thread.name.startswith("IO iothread"))


def emulator_threads(seen: Evidence) -> tuple[Thread, ...]:
    """Return QEMU's main thread and its monitor's."""
    main = int(seen.status["Pid"])
    return tuple(one for one in seen.threads if one.id == main or one.name.startswith("IO mon"))


def confinement(seen: Evidence) -> Mask:
    """Return the processors that a guest is confined to, those of its host where it is to none."""
    vcpu = seen.live.find("vcpu")
    text = None if vcpu is None else vcpu.get("cpuset")
    return read_cpuset(text) if text else seen.host.cpus


def node_processors(host: Host) -> dict[int, Mask]:
    """Return the processors of each node of a host, also of one without memory."""
    online = read_numbers(host.read(f"{_NODES}/online") or "") or host.nodes
    return {node: read_numbers(host.read(f"{_NODES}/node{node}/cpulist") or "") for node in online}
