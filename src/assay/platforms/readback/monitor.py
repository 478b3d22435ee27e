"""QEMU's own word on a running guest, through libvirt's passage to its monitor.

Source: QEMU QMP reference: ``query-cpus-fast``, ``query-block``, ``query-version``, ``query-machines``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from assay.platforms.errors import PlatformError

if TYPE_CHECKING:
    from libvirt import virDomain

_CACHE_MODES = {
    # (write cache, direct, no flush), from QEMU's manual, -drive cache=
    (True, True, False): "none",
    (True, False, False): "writeback",
    (False, False, False): "writethrough",
    (False, True, False): "directsync",
    (True, False, True): "unsafe",
}
_FILTERS = ("copy-on-read", "throttle")
"""Nodes that libvirt may put between the device and the disk's format; they have no cache of their own."""


def ask(domain: virDomain, command: str, **arguments: Any) -> Any:
    """Return QEMU's answer to a command of QMP.

    Raises:
        PlatformError: the guest does not run, or QEMU refuses.
    """
    request = {"execute": command, "arguments": arguments} if arguments else {"execute": command}
    answer = json.loads(_send(domain, command, json.dumps(request), human=False))
    if "return" not in answer:
        msg = f"cannot ask QEMU for {command}: {domain.name()}, {answer.get('error')}"
        raise PlatformError(msg)
    return answer["return"]


def lend_file(domain: virDomain, name: str, handle: int) -> None:
    """Give QEMU a copy of an open file under a name (``getfd``); ours stays open; raises as ``ask``.

    Limits: libvirt passes files from 8.2 on, and only to a daemon on this machine.
    """
    import libvirt
    import libvirt_qemu

    request = json.dumps({"execute": "getfd", "arguments": {"fdname": name}})
    try:
        libvirt_qemu.qemuMonitorCommandWithFiles(domain, request, [handle], 0)
    except (libvirt.libvirtError, AttributeError) as error:  # the latter where it was built for an older one
        msg = f"cannot lend QEMU a file: {domain.name()}, {error}"
        raise PlatformError(msg, hint="it takes libvirt 8.2 or newer on this machine") from error


def tell(domain: virDomain, line: str) -> str:
    """Return what QEMU's human monitor prints on a line; raises as ``ask``."""
    return _send(domain, line, line, human=True)


def _send(domain: virDomain, what: str, text: str, *, human: bool) -> str:
    import libvirt
    import libvirt_qemu

    flags = libvirt_qemu.VIR_DOMAIN_QEMU_MONITOR_COMMAND_HMP if human else 0
    try:
        return str(libvirt_qemu.qemuMonitorCommand(domain, text, flags))
    except libvirt.libvirtError as error:
        msg = f"cannot ask QEMU for {what}: {domain.name()}, {error}"
        raise PlatformError(msg, hint="assay platform clean") from error


def parse_vcpu_threads(answer: Any) -> frozenset[int]:
    """Return the thread ids in an answer to ``query-cpus-fast``; fewer than vCPUs if they share one."""
    return frozenset(int(cpu["thread-id"]) for cpu in answer)


def parse_cache_mode(answer: Any, nodes: Any = ()) -> str:
    """Return the cache mode in force of the first disk in an answer to ``query-block``.

    Args:
        answer: Of ``query-block``.
        nodes: Answer to ``query-named-block-nodes``: tells what is below a filter such as copy on read.

    Raises:
        PlatformError: there is no disk, or its flags are those of no mode.
    """
    caches = [block["inserted"]["cache"] for block in answer if "inserted" in block]
    if not caches:
        msg = "cannot read the disk's cache mode: QEMU shows no disk"
        raise PlatformError(msg)
    below = [node["cache"] for node in nodes if node["drv"] not in _FILTERS] or caches
    flags = (bool(caches[0]["writeback"]), bool(below[0]["direct"]), bool(below[0]["no-flush"]))
    if flags not in _CACHE_MODES:
        msg = f"cannot name the disk's cache mode: write cache, direct, no flush are {flags}"
        raise PlatformError(msg)
    return _CACHE_MODES[flags]


def parse_version(answer: Any) -> str:
    """Return ``QEMU 7.2.22`` of an answer to ``query-version``."""
    number = answer["qemu"]
    return f"QEMU {number['major']}.{number['minor']}.{number['micro']}"
