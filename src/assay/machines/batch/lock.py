"""Locks among processes of one home, which are files that stay: the lock of one that is gone holds nobody."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import TextIO

_TRIES_S = (0.02, 0.02, 0.0)
"""Whoever only looks whether a file is locked has it for a moment."""


def open_lock(place: Path) -> TextIO:
    """Open a lock's file, which is made where it is not there; nobody has it yet."""
    place.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.fdopen(os.open(place, flags, 0o600), "r+")


def take_lock(file: TextIO) -> bool:
    """Lock a file for this process alone, until it is closed; tell whether nobody else has it."""
    for wait_s in _TRIES_S:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(wait_s)
        else:
            return True
    return False


def share_lock(file: TextIO) -> None:
    """Lock a file together with others, once nobody has it alone."""
    fcntl.flock(file, fcntl.LOCK_SH)


def is_locked(file: TextIO) -> bool:
    """Tell whether others have locked a file; nobody is kept from it for longer than a moment."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(file, fcntl.LOCK_UN)
    return False
