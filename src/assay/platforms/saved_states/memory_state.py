"""The memory and the devices of a halted guest, to a file and back: QEMU's own migration stream.

libvirt's ``save`` keeps name, UUID and with them one guest at a time: its restore refuses another name. QEMU
itself knows neither, so a domain of any name that is otherwise the same can take the state in.

Source: QEMU QMP reference: ``migrate``, ``migrate-incoming``, ``query-migrate``, ``getfd``;
``docs/devel/migration.rst`` (``fd:``).
Limits: the stream goes through a pipe, as a confined QEMU (AppArmor) may not read a file that is not its own.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from assay.platforms.errors import PlatformError
from assay.platforms.readback.monitor import ask, lend_file

if TYPE_CHECKING:
    from libvirt import virDomain

INCOMING = ("-incoming", "defer")
"""Words for QEMU that make it wait for a state before its processors may run."""
_NAME = "assay-state"
_READS, _WRITES = 0, 1
_PIECE = 1 << 20
_LAST_WORDS_S = 0.5
_POLL_S = 0.01
_NO_LIMIT = 1 << 40
"""Bytes per second; QEMU's own limit of 128 MiB/s is for networks."""


def save_memory(domain: virDomain, path: Path, *, timeout_s: float) -> None:
    """Write the state of a halted guest into a new file; the guest cannot go on from here.

    Raises:
        PlatformError: QEMU cannot save it (a device that is passed through, a full disk) or is not done in
            time.
    """
    path.touch(mode=0o600, exist_ok=False)
    with _pumping(_lend_pipe(domain, theirs=_WRITES), path.open("wb")):
        ask(domain, "migrate-set-parameters", **{"max-bandwidth": _NO_LIMIT})
        ask(domain, "migrate", uri=f"fd:{_NAME}")
        _wait(domain, "save", timeout_s)


def load_memory(domain: virDomain, path: Path, *, timeout_s: float) -> None:
    """Give a guest that was started halted, with ``INCOMING``, the state in a file; it stays halted.

    Raises:
        PlatformError: QEMU refuses the state: it is another guest's or cut off, or it is not done in time.
    """
    with _pumping(path.open("rb"), _lend_pipe(domain, theirs=_READS)):
        ask(domain, "migrate-incoming", uri=f"fd:{_NAME}")
        _wait(domain, "restore", timeout_s)


def _lend_pipe(domain: virDomain, *, theirs: int) -> IO[bytes]:
    """Lend QEMU one end of a new pipe and return the other, open."""
    ends = os.pipe()
    try:
        lend_file(domain, _NAME, ends[theirs])
    except BaseException:
        os.close(ends[1 - theirs])
        raise
    finally:
        os.close(ends[theirs])
    return os.fdopen(ends[1 - theirs], "wb" if theirs == _READS else "rb", buffering=0)


@contextlib.contextmanager
def _pumping(source: IO[bytes], sink: IO[bytes]) -> Iterator[None]:
    """Copy all of a file into another one meanwhile, and close both; ends when QEMU closes its
    end or dies.
    """
    failed: list[OSError] = []
    thread = threading.Thread(
        target=_pump, args=(source, sink, failed.append), name="guest state", daemon=True
    )
    thread.start()
    try:
        yield
    except PlatformError as error:
        thread.join(_LAST_WORDS_S)  # a full disk is the better reason than the pipe that broke for it
        raise (_explain(failed[0]) if failed else error) from error.__cause__
    thread.join()
    if failed:
        raise _explain(failed[0])


def _pump(source: IO[bytes], sink: IO[bytes], tell: Callable[[OSError], None]) -> None:
    try:
        with source, sink:
            shutil.copyfileobj(source, sink, _PIECE)
    except BrokenPipeError:
        return  # QEMU, who reads no more, tells why itself
    except OSError as error:
        tell(error)


def _explain(error: OSError) -> PlatformError:
    msg = f"cannot move the guest's state: {error.strerror}"
    return PlatformError(msg, hint="is there space on the disk?")


def _wait(domain: virDomain, what: str, timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    while (answer := ask(domain, "query-migrate")).get("status") != "completed":
        if answer.get("status") in {"failed", "cancelled"}:
            why = answer.get("error-desc", "QEMU does not say why")
        elif time.monotonic() > deadline:
            why = f"not done within {timeout_s:.0f} s"
        else:
            time.sleep(_POLL_S)
            continue
        msg = f"cannot {what} the guest's state: {domain.name()}, {why}"
        raise PlatformError(msg, hint=f"tail /var/log/libvirt/qemu/{domain.name()}.log")
