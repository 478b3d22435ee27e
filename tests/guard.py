"""No test starts a guest or libvirt unless it is marked ``live``: the others run beside each other and the
guests.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

STARTED = ("libvirtd", "virtlogd", "qemu-system-")
CREATES = {
    "virConnect": ("createXML", "createXMLWithFiles", "restore", "restoreFlags"),
    "virDomain": ("create", "createWithFlags", "createWithFiles"),
}

_LISTS = ("-device", "help")
"""By which QEMU lists its devices and ends; it makes no machine."""

_unmarked: list[str] = []
"""The test that runs now, where it is not marked; empty otherwise."""
_caught: list[str] = []


def install() -> None:
    """Watch all that this process starts, for its whole life."""
    sys.addaudithook(_audit)
    try:
        import libvirt
    except ImportError:  # without it no guest can be made by it
        return
    for kind, names in CREATES.items():
        for name in names:
            owner = getattr(libvirt, kind)
            setattr(owner, name, _watched(getattr(owner, name)))


def begin(item: pytest.Item) -> None:
    """Note the test that begins."""
    _unmarked[:] = [] if item.get_closest_marker("live") else [item.nodeid]
    _caught.clear()


def end() -> None:
    """Fail the test that ends where it started what it must not, whatever became of the error."""
    _unmarked.clear()
    if _caught:
        pytest.fail(_caught.pop())


def forbidden(event: str, arguments: tuple[Any, ...]) -> str | None:
    """Return what a process is about to start that only live tests may; ``None`` where it is
    nothing of that.
    """
    if event != "subprocess.Popen":
        return None
    words = arguments[1] if isinstance(arguments[1], (list, tuple)) else [arguments[1]]
    names = [Path(str(word)).name for word in (arguments[0], *words[1:8])]
    if "--version" in names or _LISTS in pairwise(names):
        return None
    return next((name for name in names if name.startswith(STARTED)), None)


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if _unmarked and (name := forbidden(event, arguments)):
        _refuse(name)


def _watched(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(of: Any, *arguments: Any) -> Any:
        connection = of.connect() if hasattr(of, "connect") else of
        if _unmarked and not connection.getURI().startswith("test:"):
            _refuse("a guest by libvirt")
        return function(of, *arguments)

    return call


def _refuse(what: str) -> None:
    message = f"{_unmarked[0]} starts {what} and is not marked live"
    _caught.append(message)
    raise RuntimeError(message)
