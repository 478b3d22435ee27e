"""Several guests at once, so many at a time: all of them usable, or none of them left."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from assay.platforms.errors import PlatformError
from assay.platforms.guests.guest import Guest, start_guest
from assay.platforms.guests.spec import GuestSpec
from assay.platforms.saved_states.restore import restore_guest
from assay.platforms.saved_states.resume_setup import Talk
from assay.platforms.saved_states.saved_store import SavedState

if TYPE_CHECKING:
    from libvirt import virConnect


class _GivenUpError(Exception):
    """Another guest has failed, or a signal came: this one is not waited for."""


def start_guests(
    connection: virConnect, specs: Sequence[GuestSpec], *, at_once: int, timeout_s: float = 120.0
) -> tuple[Guest, ...]:
    """Boot several guests and wait until all are usable; if one fails, all are removed.

    Args:
        connection: libvirt's system daemon; it serves all threads.
        specs: What they shall be; no two share a name, port or tap.
        at_once: How many boot at a time, at least 1. Each that boots beside others takes longer for it.
        timeout_s: Seconds within which each must be usable, from its own start.

    Returns:
        The guests, in the order of their specs.

    Raises:
        PlatformError, GuestBootError, MissingError: as ``start_guest``, of the first that failed.
    """
    stop = threading.Event()

    def make(spec: GuestSpec) -> Guest:
        return start_guest(connection, spec, timeout_s=timeout_s, on_wait=lambda _: _go_on(stop))

    return _make_all(specs, make, at_once=at_once, stop=stop)


def restore_guests(
    connection: virConnect, saved: SavedState, specs: Sequence[GuestSpec], *, at_once: int, talk: Talk
) -> tuple[Guest, ...]:
    """Restore several guests from one saved state; if one fails, all are removed. Raises as
    ``restore_guest``.
    """
    return _make_all(
        specs,
        lambda spec: restore_guest(connection, saved, spec, talk=talk),
        at_once=at_once,
        stop=threading.Event(),
    )


def _make_all(
    specs: Sequence[GuestSpec], make: Callable[[GuestSpec], Guest], *, at_once: int, stop: threading.Event
) -> tuple[Guest, ...]:
    _refuse_twins(specs)

    def turn(spec: GuestSpec) -> Guest:
        _go_on(stop)
        try:
            return make(spec)
        except BaseException:
            stop.set()  # here, where it is known first: no further one is begun
            raise

    with ThreadPoolExecutor(max_workers=at_once, thread_name_prefix="guest") as pool:
        futures = [pool.submit(turn, spec) for spec in specs]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
            failed = [future for future in futures if future.done() and future.exception()]
            if failed:
                raise _first(failed)
            return tuple(future.result() for future in futures)
        except BaseException:  # a signal, too: the pool is left only when all threads have ended
            stop.set()
            _remove_all(futures)
            raise


def _go_on(stop: threading.Event) -> None:
    if stop.is_set():
        raise _GivenUpError


def _first(failed: Sequence[Future[Guest]]) -> BaseException:
    errors = [error for future in failed if (error := future.exception()) is not None]
    return next((error for error in errors if not isinstance(error, _GivenUpError)), errors[0])


def _remove_all(futures: Sequence[Future[Guest]]) -> None:
    for future in futures:
        future.cancel()
    wait([future for future in futures if not future.cancelled()])
    for future in futures:
        if not future.cancelled() and future.exception() is None:
            future.result().destroy()


def _refuse_twins(specs: Sequence[GuestSpec]) -> None:
    for what, values in (
        ("name", [spec.name for spec in specs]),
        ("port", [str(spec.port) for spec in specs]),
        ("tap", [spec.tap for spec in specs if spec.tap is not None]),
    ):
        twins = [value for value, count in Counter(values).items() if count > 1]
        if twins:
            msg = f"cannot start guests side by side: two of them have {what} {twins[0]}"
            raise PlatformError(msg)
