"""What was changed for good, and what it was before: written before anything is."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from assay.factors.base.factor import Act
from assay.factors.catalogue import FACTORS
from assay.platforms.durable import read_json, write_json
from assay.platforms.errors import PlatformError

FILE = "applied.json"
BY_HAND = "put back by hand what it names, then remove it"
BEGUN, APPLIED, BACK = "begun", "applied", "rolled back"


@dataclass(frozen=True)
class HostFile:
    """A file of the host's kernel.

    Attributes:
        factor: The factor that it is of.
        path: The file.
        before: What it said.
        ours: What it was made to say.
        undo: Writes that take it back, in this order.
    """

    factor: str
    path: str
    before: str
    ours: str
    undo: tuple[Act, ...]


@dataclass(frozen=True)
class Applied:
    """A change-set in a domain and on the host.

    Attributes:
        state: ``begun``, ``applied`` or ``rolled back``.
        settings: The levels that were put in.
        left: What was not put in, and why.
        domain: Name of the domain; ``None`` where only the host was changed.
        before: Its definition before; empty without a domain.
        after: The same afterwards, as libvirt gives it back; empty while it is not known.
        files: Files of the host, in the order in which they were written.
    """

    state: str
    settings: dict[str, str]
    left: dict[str, str]
    domain: str | None
    before: str
    after: str
    files: tuple[HostFile, ...]

    @property
    def told(self) -> dict[str, Any]:
        """What may be shown of it: all but definitions, which may hold passwords."""
        return {key: value for key, value in asdict(self).items() if key not in {"before", "after"}}

    def at(self, state: str, *, after: str | None = None) -> Applied:
        """Return it in another state."""
        return replace(self, state=state, after=self.after if after is None else after)


def write_applied(folder: Path, applied: Applied) -> None:
    """Write the journal, whole or not at all; others cannot read it: a definition may hold passwords."""
    write_json(folder / FILE, asdict(applied))


def read_applied(folder: Path) -> Applied | None:
    """Return the journal; ``None`` where nothing was applied.

    Raises:
        PlatformError: It is damaged, or names files that its factors do not write.
    """
    file = folder / FILE
    if not file.exists():
        return None
    found = read_json(file, "state", "settings", "left", "domain", "before", "after", "files")
    try:
        if found is None:
            raise TypeError
        applied = _applied(found)
    except (TypeError, ValueError, KeyError, AttributeError):
        msg = f"cannot read {file}: it is damaged"
        raise PlatformError(msg, hint=BY_HAND) from None
    for one in applied.files:
        paths = {one.path, *(act.path for act in one.undo)}
        if one.factor not in FACTORS or not all(FACTORS[one.factor].writes(path) for path in paths):
            msg = f"cannot use {file}: it names a file that {one.factor} does not write: {one.path}"
            raise PlatformError(msg, hint=BY_HAND)
    return applied


def _applied(found: dict[str, Any]) -> Applied:
    files = tuple(
        HostFile(
            str(one["factor"]),
            str(one["path"]),
            str(one["before"]),
            str(one["ours"]),
            tuple(Act(str(act["path"]), str(act["value"])) for act in one["undo"]),
        )
        for one in found["files"]
    )
    domain = None if found["domain"] is None else str(found["domain"])
    texts = {str(key): str(value) for key, value in found["settings"].items()}
    left = {str(key): str(value) for key, value in found["left"].items()}
    return Applied(str(found["state"]), texts, left, domain, str(found["before"]), str(found["after"]), files)
