"""ROOT files of a given size, the same for the same seed, that know their own sums."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..errors import PackError
from .columns import FEWEST, LEPTONS, bytes_an_event, draw
from .sums import Sums, sums_of

TREE, TRUTH = "events", "sums"
SMALLEST_BYTES = 1 << 20
_ROUND_BYTES = 24_576
"""Left for the file's own directory at the end, beside the sums."""
_FEWEST_EVENTS = 500
_SHARE = 0.85
"""Of what is left is filled at once: an event of a large basket can take more than one of a small."""


@dataclass(frozen=True)
class Shape:
    """How files are laid out.

    Attributes:
        branches: Branches of the tree, counters among them.
        basket_bytes: A basket of 4-byte scalars before compression; all branches are cut at the same events.
        compression: ``zstd`` or ``lz4``.
    """

    branches: int = 40
    basket_bytes: int = 32_000
    compression: str = "zstd"


def make_file(path: Path, size: int, *, seed: str, shape: Shape) -> Sums:
    """Write a file of exactly ``size`` bytes, zeros behind the end that ROOT knows, and return what is in it.

    Raises:
        PackError: it is too small for so many branches, or they are too few.
    """
    import uproot

    if size < SMALLEST_BYTES or shape.branches < FEWEST:
        msg = (
            f"cannot make {path}: expected at least {SMALLEST_BYTES:,} bytes and {FEWEST} branches, "
            f"got {size:,} and {shape.branches}"
        )
        raise PackError(msg)
    sums = Sums()
    path.unlink(missing_ok=True)
    compression = {"zstd": uproot.ZSTD, "lz4": uproot.LZ4}[shape.compression](1)
    with uproot.recreate(path, compression=compression) as file:
        _fill(file, path, size, seed=seed, shape=shape, sums=sums)
        file[TRUTH] = json.dumps(asdict(sums))
    _pad(path, size)
    return sums


def _fill(file: Any, path: Path, size: int, *, seed: str, shape: Shape, sums: Sums) -> None:
    events = max(1, shape.basket_bytes // 4)
    baskets = int(1.5 * size / (0.4 * bytes_an_event(shape.branches) * events)) + 8
    tree, written = None, 0
    room = size - _ROUND_BYTES - 300 * shape.branches
    rng = _generator(seed)
    while count := _next(written, room, sums.events, events):
        columns = draw(rng, count, first=sums.events, branches=shape.branches)
        if tree is None:
            types = {name: _type(values) for name, values in columns.items()}
            tree = file.mktree(TREE, types, initial_basket_capacity=baskets)
            room -= _size(file, path)
        before = _size(file, path)
        tree.extend(columns)
        sums.add(sums_of(_branches(columns), count))
        written += _size(file, path) - before


def _next(written: int, room: int, events: int, batch: int) -> int:
    """Return how many events the next batch has: fewer where only so many fit, 0 at the end."""
    if events == 0:
        return min(batch, _FEWEST_EVENTS)  # to learn how large they are
    fit = int(_SHARE * (room - written) / (written / events))
    return min(batch, fit) if fit >= min(batch, _FEWEST_EVENTS) else 0


def _generator(seed: str) -> Any:
    import numpy as np

    return np.random.default_rng(list(hashlib.sha256(seed.encode()).digest()))


def _type(values: Any) -> Any:
    import awkward as ak

    return ak.type(values).content if isinstance(values, ak.Array) else values.dtype


def _branches(columns: dict[str, Any]) -> dict[str, Any]:
    """Return columns as the branches that they become: members of groups, and counters."""
    import awkward as ak
    import numpy as np

    flat: dict[str, Any] = {}
    for name, values in columns.items():
        if not isinstance(values, ak.Array):
            flat[name] = values
            continue
        flat[f"n{name}"] = ak.to_numpy(ak.num(values)).astype(np.int32)
        flat |= {f"{name}_{member}": values[member] for member in values.fields}
    assert set(LEPTONS) <= set(flat)  # noqa: S101
    return flat


def _size(file: Any, path: Path) -> int:
    file.file.sink.flush()
    return path.stat().st_size


def _pad(path: Path, size: int) -> None:
    missing = size - path.stat().st_size
    if missing < 0:
        path.unlink()
        msg = (
            f"cannot make {path}: expected at most {size:,} bytes, and its branches alone take "
            f"{size - missing:,}"
        )
        raise PackError(msg, hint="larger files, or fewer branches")
    with path.open("ab") as stream:
        stream.write(bytes(missing))
