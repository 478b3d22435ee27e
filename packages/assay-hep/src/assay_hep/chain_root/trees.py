"""The chain's files as ROOT trees, one a step, written by uproot."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from assay.exchange.chain.events import LAYOUTS, Columns, parse_events
from assay.exchange.chain.file import ChainFile, open_chain, read_events
from assay.exchange.chain.frame import ChainFileError, Hash, Kind
from assay.model.errors import AssayError, Exit, MissingError
from assay_hep.chain_root.branches import branches_of, names_of, types_of

RUN_BYTES = 32 << 20
"""Events are brought into memory and written by about so many bytes; each run is a basket a branch."""


@dataclass(frozen=True)
class Tree:
    """What was written.

    Attributes:
        name: Of the tree.
        source: File or folder that it comes from.
        entries: Its events.
        branches: Names of its branches.
    """

    name: str
    source: str
    entries: int
    branches: tuple[str, ...]


class OutputFileError(AssayError):
    """The ROOT file cannot be written."""

    exit_code = Exit.INPUT


def convert(sources: Sequence[Path], output: Path, *, force: bool = False) -> tuple[Tree, ...]:
    """Write files of the chain as trees of one ROOT file, which appears whole or not at all.

    Args:
        sources: Files ``NAME.chain`` or folders of ``*.part``; the tree is called NAME.
        output: The ROOT file.
        force: Replace it where it is there.

    Raises:
        ChainFileError: A source cannot be read; no output is left.
        OutputFileError: The output is there already, or cannot be written.
        MissingError: uproot is not installed.
    """
    uproot, hash64 = _uproot(), _xxh64()
    _check_output(output, force=force)
    chains = _opened(sources, hash64)
    partial = output.with_name(f".{output.name}.new")
    try:
        with uproot.recreate(partial) as file:
            trees = tuple(
                _write(file, chain, str(source), hash64)
                for chain, source in zip(chains, sources, strict=True)
            )
        os.replace(partial, output)
    except OSError as error:
        msg = f"cannot write {output}: {(error.strerror or str(error)).lower()}"
        raise OutputFileError(msg) from error
    finally:
        partial.unlink(missing_ok=True)
    return trees


def _check_output(output: Path, *, force: bool) -> None:
    if not output.parent.is_dir():
        msg = f"cannot write {output}: there is no folder {output.parent}"
        raise OutputFileError(msg)
    if output.exists() and not force:
        msg = f"cannot write {output}: it is there already"
        raise OutputFileError(msg, hint="--force replaces it")


def _uproot() -> ModuleType:
    try:
        import awkward  # noqa: F401 - uproot asks for it only when it writes rows
        import uproot
    except ImportError as error:
        msg = f"cannot write ROOT files: the Python package {error.name or 'uproot'} is not installed"
        raise MissingError(msg, hint="pip install 'assay-hep[root]'") from error
    return uproot  # type: ignore[no-any-return]


def _xxh64() -> Hash:
    try:
        from xxhash import xxh64_intdigest
    except ImportError as error:
        msg = "cannot check the chain's files: the Python package xxhash is not installed"
        raise MissingError(msg, hint="pip install 'assay-hep[root]'") from error
    return lambda data, seed: int(xxh64_intdigest(data, seed=seed))


def _opened(sources: Sequence[Path], hash64: Hash) -> list[ChainFile]:
    chains = [open_chain(source, hash64=hash64) for source in sources]
    names = [chain.name for chain in chains]
    for source, chain in zip(sources, chains, strict=True):
        if chain.header.kind is Kind.TABLES:
            raise ChainFileError(str(source), "it holds tables, which are no events")
        if names.count(chain.name) > 1:
            raise ChainFileError(str(source), f"another file gives a tree '{chain.name}', too")
    return chains


def _write(file: Any, chain: ChainFile, source: str, hash64: Hash) -> Tree:
    layout, header = LAYOUTS[chain.header.kind], chain.header
    tree, entries = None, 0
    for columns in _runs(chain, hash64):
        branches = branches_of(columns, layout.rows)
        if tree is None:
            file.mktree(chain.name, types_of(branches), title=layout.title)
            tree = file[chain.name]
        if len(columns.flat["event"]):
            tree.extend(branches)
        entries += len(columns.flat["event"])
    about = {
        "step": chain.name,
        "events": header.events,
        "seed": header.seed,
        "detector": f"{header.detector:016x}",
        "pmts": header.pmts,
        "samples": header.samples,
    }
    file[f"{chain.name}_about"] = json.dumps(about)
    return Tree(chain.name, source, entries, tuple(names_of(branches)))


def _runs(chain: ChainFile, hash64: Hash) -> Iterator[Columns]:
    """Yield all events, a run at a time; a file without events gives one empty run."""
    waiting: list[bytes] = []
    first = held = 0
    path = str(chain.parts[0])
    for content in read_events(chain, hash64=hash64):
        waiting.append(content)
        held += len(content)
        if held >= RUN_BYTES:
            yield parse_events(chain.header, waiting, first=first, path=path)
            first, held, waiting = first + len(waiting), 0, []
    if waiting or first == 0:
        yield parse_events(chain.header, waiting, first=first, path=path)
