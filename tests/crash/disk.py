"""A disk that records what is done to a folder, and what a power cut at each moment may leave of it.

The acts are seen where Python hands them to the system (``os.fsync``, ``os.rename`` …), so that no code can
write past the record. A file's content is safe once the file was synced, a name once its folder was; of what
is not safe a power cut leaves anything: nothing, all of it, names without content, a half of a file, and the
names of one folder but not of another.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

Id = tuple[int, int]
"""A file or folder for good: its inode, and how often that was used anew."""
Tree = dict[str, "Tree | bytes"]
Nodes = dict[Id, "dict[str, Id] | bytes"]
_ACTS = ("rename", "replace", "unlink", "remove", "mkdir", "rmdir")


@dataclass(frozen=True)
class Moment:
    """The disk at one moment.

    Attributes:
        act: What was done last.
        root: The folder.
        now: All that is there, as programs see it.
        safe: What is on the disk for certain.
        outside: What else there was at that moment, as ``Disk.beside`` told it.
    """

    act: str
    root: Id
    now: Nodes
    safe: Nodes
    outside: Any = None

    def images(self) -> Iterator[Tree]:
        """Yield what a power cut may leave; no two are the same."""
        known: list[Tree] = []
        for image in self._images():
            if image not in known:
                known.append(image)
                yield image

    def _images(self) -> Iterator[Tree]:
        unsafe = [
            one for one, names in self.now.items() if isinstance(names, dict) and names != self.safe[one]
        ]
        for content in (self._now, self._half, self._old):
            yield self._tree(self.root, self._new_names, content)
            yield self._tree(self.root, self._old_names, content)
        for odd in unsafe if len(unsafe) > 1 else ():
            yield self._tree(self.root, lambda one, odd=odd: self._names(one, new=one == odd), self._now)
            yield self._tree(self.root, lambda one, odd=odd: self._names(one, new=one != odd), self._now)

    def _tree(self, folder: Id, names: Callable[[Id], dict[str, Id]], content: Callable[[Id], bytes]) -> Tree:
        return {
            name: self._tree(one, names, content) if self._is_folder(one) else content(one)
            for name, one in names(folder).items()
        }

    def _is_folder(self, one: Id) -> bool:
        return isinstance(self.now.get(one, self.safe.get(one)), dict)

    def _names(self, one: Id, *, new: bool) -> dict[str, Id]:
        found = self.now.get(one, self.safe[one]) if new else self.safe[one]
        assert isinstance(found, dict)
        return found

    def _new_names(self, one: Id) -> dict[str, Id]:
        return self._names(one, new=True)

    def _old_names(self, one: Id) -> dict[str, Id]:
        return self._names(one, new=False)

    def _now(self, one: Id) -> bytes:
        found = self.now.get(one, self.safe[one])
        assert isinstance(found, bytes)
        return found

    def _old(self, one: Id) -> bytes:
        found = self.safe[one]
        assert isinstance(found, bytes)
        return found

    def _half(self, one: Id) -> bytes:
        now = self._now(one)
        return now if now == self._old(one) else now[: len(now) // 2]


@dataclass
class Disk:
    """A folder whose acts are recorded; all that is there at first is safe.

    Attributes:
        root: The folder.
        beside: Told at each moment what else there is.
        moments: What was recorded so far.
    """

    root: Path
    beside: Callable[[], Any] = lambda: None
    moments: list[Moment] = field(default_factory=list)
    _safe: Nodes = field(default_factory=dict)
    _used: dict[int, int] = field(default_factory=dict)
    _seen: set[Id] = field(default_factory=set)

    def record(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Record from now on, until the patch is undone; nothing is really synced meanwhile."""
        self._safe = self._look()
        for name in _ACTS:
            monkeypatch.setattr(os, name, self._watched(name, getattr(os, name)))
        monkeypatch.setattr(os, "fsync", self._sync)

    def tell(self, act: str) -> None:
        """Record a moment."""
        now = self._look()
        self.moments.append(Moment(act, self._id(os.stat(self.root)), now, dict(self._safe), self.beside()))

    def _watched(self, name: str, act: Callable[..., Any]) -> Callable[..., Any]:
        def done(*given: Any, **named: Any) -> Any:
            self.tell(f"before {name} {given[0]}")
            result = act(*given, **named)
            self.tell(f"{name} {given[0]}")
            return result

        return done

    def _sync(self, descriptor: int) -> None:
        path = os.readlink(f"/proc/self/fd/{descriptor}")
        self.tell(f"before fsync {path}")
        one = self._id(os.fstat(descriptor))
        if (found := self._look().get(one)) is not None:
            self._safe[one] = found
        self.tell(f"fsync {path}")

    def _look(self) -> Nodes:
        """Return all that is there now; what was never synced counts as an empty file or folder
        on the disk.
        """
        nodes: Nodes = {}
        self._walk(self.root, nodes)
        for inode, _ in self._seen - set(nodes):
            self._used[inode] = self._used.get(inode, 0) + 1  # the next with this number is another
        self._seen = set(nodes)
        for one, found in nodes.items():
            self._safe.setdefault(one, {} if isinstance(found, dict) else b"")
        return nodes

    def _walk(self, folder: Path, nodes: Nodes) -> None:
        names: dict[str, Id] = {}
        nodes[self._id(os.stat(folder))] = names
        with os.scandir(folder) as entries:
            for entry in entries:
                one = names[entry.name] = self._id(entry.stat())
                if entry.is_dir():
                    self._walk(Path(entry.path), nodes)
                else:
                    nodes[one] = Path(entry.path).read_bytes()

    def _id(self, found: os.stat_result) -> Id:
        return found.st_ino, self._used.get(found.st_ino, 0)


def lay(image: Tree, folder: Path) -> None:
    """Write what a power cut left into a new folder."""
    folder.mkdir(parents=True)
    for name, found in image.items():
        if isinstance(found, bytes):
            (folder / name).write_bytes(found)
        else:
            lay(found, folder / name)


def content(folder: Path) -> Tree:
    """Return a folder as a tree."""
    return {
        path.name: content(path) if path.is_dir() else path.read_bytes() for path in sorted(folder.iterdir())
    }


def at(image: Tree, *names: str) -> Tree | bytes | None:
    """Return what lies at a path of an image; ``None`` where nothing does."""
    found: Tree | bytes | None = image
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found
