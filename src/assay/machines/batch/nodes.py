"""Nodes of a batch system as machines of the inventory."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from assay.machines.address import AddressError, check_name
from assay.machines.batch.engine import Node, Options, check_options
from assay.machines.batch.engines import engine_named
from assay.machines.inventory_file import is_word, to_groups, to_tags
from assay.machines.who import expanded, words_of
from assay.model.errors import AssayError, UnknownNameError
from assay.model.machines.inventory import Entry
from assay.model.machines.machine import Machine


def nodes_of(name: str, who: str | None, options: Options) -> tuple[Entry, ...]:
    """Return the nodes that some words name; partitions are groups and features tags where they can be.

    Where no partition is asked for, the job of a node that was named by its partition asks for that one, and
    that of any other node that is not in the default partition asks for those that the node is in.

    Args:
        name: The batch system's name, ``slurm``.
        who: Words with commas between: nodes, also with ranges (``wn[01-50]``), partitions, ``@feature``;
            ``None`` is every node.
        options: What their jobs are asked for.

    Raises:
        UnknownNameError: There is no such batch system, option, node, partition or feature.
        EngineError: The batch system does not answer.
    """
    reach, engine = engine_named(name)
    check_options(engine, options)
    nodes = engine.nodes()
    if not nodes:
        msg = f"cannot take nodes of {engine.name}: it has none"
        raise AssayError(msg)
    wanted = {node.name: set[str]() for node in nodes} if who is None else _wanted(who, nodes)
    return tuple(
        Entry(
            Machine(
                check_name(node.name.lower()), reach, node.name, job=_job(node, wanted[node.name], options)
            ),
            groups=to_groups(word for word in node.partitions if is_word(word) and word != node.name),
            tags=to_tags(word for word in node.features if is_word(word)),
        )
        for node in nodes
        if node.name in wanted
    )


def _job(node: Node, named_by: Collection[str], options: Options) -> tuple[tuple[str, str], ...]:
    """Return what the job of a node is asked for; of several partitions Slurm takes what begins first."""
    partitions = sorted(named_by) or (() if node.by_default else node.partitions)
    own = {"partition": ",".join(partitions)} if partitions else {}
    return tuple(sorted({**own, **options}.items()))


def _wanted(who: str, nodes: Sequence[Node]) -> Mapping[str, set[str]]:
    """Return the nodes that are named, with the partitions that name them."""
    found: dict[str, set[str]] = {}
    for word in words_of(who):
        for node, partition in _named(word, nodes):
            found.setdefault(node, set()).update(() if partition is None else (partition,))
    return found


def _named(word: str, nodes: Sequence[Node]) -> Iterator[tuple[str, str | None]]:
    """Yield the nodes that a word names, each with the partition where the word is one."""
    if word.startswith("@"):
        found = [node.name for node in nodes if word[1:] in node.features]
        if not found:
            known = {f"@{feature}" for node in nodes for feature in node.features}
            raise UnknownNameError(kind="feature", name=word, known=known)
        yield from ((node, None) for node in found)
        return
    names = {node.name for node in nodes}
    for name in expanded(word):
        if name in names:
            yield name, None
        elif found := [node.name for node in nodes if name in node.partitions]:
            yield from ((node, name) for node in found)
        else:
            known = names | {partition for node in nodes for partition in node.partitions}
            raise UnknownNameError(kind="node or partition", name=name, known=known)


def read_options(words: Sequence[str]) -> dict[str, str]:
    """Return what jobs are asked for of words ``name=value``.

    Raises:
        AddressError: One is none.
    """
    for word in words:
        if not re.fullmatch(r"[a-z-]+=.+", word):
            msg = f"cannot ask for '{word}': expected NAME=VALUE"
            raise AddressError(msg, hint="--job partition=main --job time=4:00:00")
    return dict(word.partition("=")[::2] for word in words)
