"""The pack's own command line: ``make`` files, ``analyse`` them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..errors import ended

_MOST = 4096
"""Workers, users and files."""


def run(words: Sequence[str], *, started: Sequence[str]) -> int:
    """Run a command, print its one JSON object and return the exit code.

    Args:
        words: The arguments.
        started: The command by which this program was started, for its workers.
    """
    given = _parser().parse_args(words)
    return ended("root", lambda: print(json.dumps(given.does(given, started))))  # noqa: T201 - a program of its own


def _make(given: argparse.Namespace, started: Sequence[str]) -> dict[str, Any]:
    from .make import Shape, make_file

    del started
    shape = Shape(given.branches, given.basket, given.compression)
    if given.file:
        sums = make_file(Path(given.folder), given.size, seed=given.seed, shape=shape)
        return {"file": given.folder, "digest": sums.digest, **asdict(shape)}
    folder = Path(given.folder)
    folder.mkdir(parents=True, exist_ok=True)
    digests = {}
    for number in range(given.files):
        name = f"f{number:04d}.root"
        sums = make_file(folder / name, given.size, seed=f"{given.seed}/{name}", shape=shape)
        digests[name] = sums.digest
    return {"folder": given.folder, "bytes": given.size * given.files, **asdict(shape), "files": digests}


def _analyse(given: argparse.Namespace, started: Sequence[str]) -> dict[str, Any]:
    from .analyse import Job, analyse

    job = Job(tuple(given.files), given.branches, given.tree, given.workers, given.users, given.weights)
    return analyse(job, started)


def _work(given: argparse.Namespace, started: Sequence[str]) -> dict[str, Any]:
    from .work import Part, work

    del started
    worker, workers, user, users = map(int, given.part.split(","))
    part = Part(worker, workers, user, users, Path(given.claims))
    return work(given.files, part, branches=given.branches, tree=given.tree)


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= _MOST:
        msg = f"expected a whole number from 1 to {_MOST}, got '{text}'"
        raise argparse.ArgumentTypeError(msg)
    return int(text)


def _weights(text: str) -> tuple[int, ...]:
    return tuple(map(_count, text.split(",")))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="root-pack", description="ROOT files, made and analysed.")
    commands = parser.add_subparsers(required=True, metavar="make|analyse")
    make = commands.add_parser("make", help="make ROOT files, the same for the same seed")
    make.set_defaults(does=_make)
    make.add_argument("folder")
    make.add_argument("--file", action="store_true", help="FOLDER is the one file itself")
    make.add_argument("--files", type=_count, default=1)
    make.add_argument("--size", type=int, required=True, help="bytes of each")
    make.add_argument("--branches", type=int, default=40)
    make.add_argument("--basket", type=int, default=32_000, help="bytes of a basket before compression")
    make.add_argument("--compression", choices=("zstd", "lz4"), default="zstd")
    make.add_argument("--seed", default="0")
    _reader(commands, "analyse", _analyse, workers=True)
    one = _reader(commands, "work", _work, workers=False)
    one.add_argument("--part", required=True, help="worker,workers,user,users")
    one.add_argument("--claims", required=True)
    return parser


def _reader(commands: Any, name: str, does: Any, *, workers: bool) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name)
    parser.set_defaults(does=does)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--branches", default="all", help="all, few, or a share like 25%%")
    parser.add_argument("--tree", default=None)
    if workers:
        parser.add_argument("--workers", type=_count, default=1)
        users = parser.add_mutually_exclusive_group()
        users.add_argument("--users", type=_count, default=1, help="each with as many workers")
        users.add_argument("--weights", type=_weights, default=(), help="of users who share workers: 2,1")
    return parser
