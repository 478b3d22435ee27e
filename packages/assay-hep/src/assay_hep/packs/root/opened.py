"""Files that were opened: which branches are read of them, how many bytes that asks for, what they should
hold.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import MISSING, PackError
from .columns import LEPTONS
from .make import TREE, TRUTH
from .packets import Packet, cut
from .sums import Sums

URL = "http://"
"""A file that an XRootD server gives by HTTP."""
REMOTE_S = 60.0
"""For one answer of a server."""
_PERCENT = re.compile(r"(\d{1,3}) ?%")
BRANCHES_EXPECTED = "all, few, or a share like 25%"


@dataclass(frozen=True)
class Opened:
    """A file with its tree.

    Attributes:
        path: Where it is.
        tree: uproot's tree.
        names: The branches to be read.
        baskets: By branch the first event of each basket, and behind the last; and the bytes of each in the
            file.
        packets: Its packets.
        truth: What it says is in it, of these branches; ``None`` where it does not tell.
    """

    path: str
    tree: Any
    names: tuple[str, ...]
    baskets: dict[str, tuple[tuple[int, ...], tuple[int, ...]]]
    packets: tuple[Packet, ...]
    truth: Sums | None

    def asked_bytes(self, packet: Packet) -> int:
        """Return the compressed bytes of all baskets that hold events of a packet: what the
        program asks for.
        """
        return sum(
            size
            for edges, sizes in self.baskets.values()
            for first, behind, size in zip(edges, edges[1:], sizes, strict=False)
            if first < packet.stop and behind > packet.start
        )


def open_file(path: str, number: int, *, branches: str, tree: str | None) -> Opened:
    """Open a file and look at its tree; nothing of its baskets is read.

    Args:
        path: Where it is: a path, or a URL of HTTP.
        number: Its number among those of the job.
        branches: ``all``, ``few`` or a share, ``25%``.
        tree: Name of the tree; ``None`` is ``events``, or the only one.

    Raises:
        PackError: it is no ROOT file, has no such tree, or no branch of numbers.
    """
    import uproot
    from uproot.source.http import HTTPSource

    remote = path.startswith(URL)
    if not remote:
        _look_at(path)
    try:
        # One plain reader: what is asked for is asked for when it is needed, by the worker itself.
        if remote:  # the ranges of all baskets of a packet in one request
            file = uproot.open(path, handler=HTTPSource, num_fallback_workers=1, timeout=REMOTE_S)
        else:
            file = uproot.open(path, handler=uproot.MultithreadedFileSource, num_workers=1)
    # the last: a form of ROOT's that uproot does not know
    except (ValueError, OSError, NotImplementedError) as error:
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
        msg = f"cannot read {path}: expected a ROOT file, got {reason:.80}"
        raise PackError(msg) from error
    ttree = file[_tree_name(path, file, tree)]
    every = _numeric(ttree)
    if not every:
        msg = f"cannot read {path}: expected branches of numbers in {ttree.name}, got none"
        raise PackError(msg)
    names = chosen(every, branches)
    edges = [int(edge) for edge in ttree.common_entry_offsets(filter_name=list(names))]
    size = int(file.file.source.num_bytes) if remote else Path(path).stat().st_size
    packets = tuple(cut(number, edges, size)) if ttree.num_entries else ()
    return Opened(
        path, ttree, names, {name: _baskets(ttree[name]) for name in names}, packets, _truth(file, names)
    )


def _look_at(path: str) -> None:
    """Refuse what is no ROOT file here; raises as ``open_file``."""
    if not Path(path).is_file():
        msg = f"cannot read {path}: no such file here"
        raise PackError(msg, hint=f"files by URL: {URL}… of an XRootD server; else mount them", code=MISSING)
    with Path(path).open("rb") as stream:
        if stream.read(4) != b"root":
            msg = f"cannot read {path}: expected a ROOT file, got one that does not begin with 'root'"
            raise PackError(msg)


def chosen(every: Sequence[str], branches: str) -> tuple[str, ...]:
    """Return which branches are read: all, few (the leptons; of other files a twentieth), or a share of them.

    Raises:
        PackError: another word.
    """
    core = list(LEPTONS) if set(LEPTONS) <= set(every) else list(every[: max(1, len(every) // 20)])
    if branches == "all":
        return tuple(every)
    if branches == "few":
        return tuple(core)
    if (percent := _PERCENT.fullmatch(branches)) is None or not 1 <= int(percent[1]) <= 100:
        msg = f"cannot choose branches: expected {BRANCHES_EXPECTED}, got '{branches}'"
        raise PackError(msg)
    wanted = math.ceil(len(every) * int(percent[1]) / 100)
    others = [name for name in every if name not in core]
    more = max(0, min(wanted - len(core), len(others)))
    picked = {others[index * len(others) // more] for index in range(more)} | set(core[:wanted])
    return tuple(name for name in every if name in picked)


def _tree_name(path: str, file: Any, tree: str | None) -> str:
    trees = sorted({key.split(";")[0] for key in file.keys(filter_classname="TTree")})
    name = tree or (TREE if TREE in trees else trees[0] if len(trees) == 1 else None)
    if name is None or name not in trees:
        expected = f"the tree {tree}" if tree else "one tree, or --tree"
        msg = f"cannot read {path}: expected {expected}, got {', '.join(trees) or 'none'}"
        raise PackError(msg)
    return name


def _numeric(tree: Any) -> list[str]:
    """Return the branches of numbers and of lists of numbers."""
    kinds = ("AsDtype", "AsJagged")
    return [
        branch.name
        for branch in tree.branches
        if type(branch.interpretation).__name__ in kinds
        and all(
            getattr(kind, "fields", None) is None
            for kind in [
                getattr(getattr(branch.interpretation, "content", branch.interpretation), "to_dtype", None)
            ]
        )
    ]


def _baskets(branch: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    count = branch.num_baskets
    sizes = branch.member("fBasketBytes")[:count]
    edges = branch.entry_offsets
    return tuple(int(edge) for edge in edges), tuple(int(size) for size in sizes)


def _truth(file: Any, names: Sequence[str]) -> Sums | None:
    if TRUTH not in {key.split(";")[0] for key in file}:
        return None
    try:
        stored = json.loads(str(file[TRUTH]))
        return Sums(stored["events"], stored["branches"], stored["mass"]).of(names)
    except (ValueError, KeyError, TypeError):
        return None  # somebody else's object of that name
