"""The inventory as a YAML file, to be written by hand or by a site's own tools, and back."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from assay.machines.address import Address, AddressError, check_name, parse_address
from assay.machines.batch.engine import check_options
from assay.machines.batch.engines import ENGINES
from assay.model.errors import AssayError, UnknownNameError
from assay.model.machines.inventory import Entry, Role
from assay.model.machines.machine import Machine, Reach
from assay.scenes.text.errors import Problem, SceneError
from assay.scenes.text.tree import Path, Tree, read_tree

WORDS = ("name", "ssh", *map(str, ENGINES), "job", "identity", "guest-of", "groups", "tags", "role", "notes")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_EXPECTED_WORD = "a word of letters, digits, dots, hyphens and underscores"
LARGEST_BYTES = 4 << 20


class InventoryError(SceneError):
    """An inventory file that cannot be used; the message has one line a problem."""


def check_word(kind: str, word: str) -> str:
    """Return the name of a group, or the key of a tag, if it may be one.

    Raises:
        AddressError: It is not.
    """
    if not is_word(word):
        msg = f"cannot use '{word}' as {kind}: expected {_EXPECTED_WORD}"
        raise AddressError(msg)
    return word


def is_word(text: str) -> bool:
    """Tell whether a text may be the name of a group, or the key of a tag."""
    return _WORD.fullmatch(text) is not None


def to_groups(words: Iterable[str]) -> tuple[str, ...]:
    """Return the groups that words name, sorted, each once; empty ones name none.

    Raises:
        AddressError: One cannot be the name of a group.
    """
    return tuple(sorted({check_word("a group", word) for word in words if word}))


def to_tags(words: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the tags of words, ``key`` or ``key=value``, by key; of a key the last counts.

    Raises:
        AddressError: A key cannot be one.
    """
    pairs = dict(word.partition("=")[::2] for word in words if word)
    return tuple(sorted((check_word("a tag", key), value) for key, value in pairs.items()))


def check_node(name: str) -> str:
    """Return the name of a node, as its batch system has it, if it may be one.

    Raises:
        AddressError: It is not.
    """
    if not is_word(name):
        msg = f"cannot use '{name}' as a node: expected {_EXPECTED_WORD}"
        raise AddressError(msg)
    return name


def check_groups(entries: Iterable[Entry]) -> None:
    """Refuse a group that is called as a machine is: a name must mean one of the two.

    Raises:
        AddressError: There is one.
    """
    every = [*entries]
    taken = {entry.name for entry in every} & {group for entry in every for group in entry.groups}
    if taken:
        name = min(taken)
        msg = f"cannot use '{name}' as a group: a machine is called so"
        raise AddressError(msg, hint="choose another name for the group")


def load_inventory(file: FilePath) -> tuple[Entry, ...]:
    """Return the machines that a file describes.

    Raises:
        InventoryError: It cannot be read, or something in it is wrong.
    """
    try:
        with file.open("rb") as stream:
            content = stream.read(LARGEST_BYTES + 1)
        if len(content) > LARGEST_BYTES:
            raise InventoryError(str(file), [Problem(1, 1, "expected an inventory of at most 4 MiB")])
        return read_inventory(content.decode("utf-8-sig"), str(file))
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise InventoryError(str(file), [Problem(1, 1, f"expected an inventory, got: {reason}")]) from error


def read_inventory(text: str, file: str) -> tuple[Entry, ...]:
    """Return the machines that a file describes, in its order.

    Args:
        text: Its content.
        file: Its name, for messages.

    Raises:
        InventoryError: What is wrong, each with its line and column.
    """
    try:
        tree = read_tree(text, file)
    except SceneError as error:
        raise InventoryError(file, error.problems) from error
    reader = _Reader(tree)
    entries = tuple(reader.entries())
    if reader.problems:
        raise InventoryError(file, reader.problems)
    return entries


@dataclass
class _Reader:
    tree: Tree
    problems: list[Problem] = field(default_factory=list)

    def entries(self) -> Iterator[Entry]:
        value = self.tree.value
        if not isinstance(value, dict) or [*value] != ["machines"] or not isinstance(value["machines"], list):
            sentence = f"expected 'machines:' and a list, got {self.tree.got(())}"
            self.problems.append(
                self.tree.problem((), sentence, hint="machines: [{name: n01, ssh: root@10.0.0.2}]")
            )
            return
        seen: dict[str, int] = {}
        for index, one in enumerate(value["machines"]):
            at: Path = ("machines", index)
            if not isinstance(one, dict):
                self._wrong(at, f"expected a mapping of {', '.join(WORDS)}, got {self.tree.got(at)}")
                continue
            entry = self._entry(one, at)
            if entry is None:
                continue
            if entry.name in seen:
                line = self.tree.places["machines", seen[entry.name]][0]
                sentence = f"expected each machine once, got '{entry.name}' again (first in line {line})"
                self._wrong((*at, "name"), sentence)
            seen.setdefault(entry.name, index)
            yield entry

    def _entry(self, one: Mapping[str, Any], at: Path) -> Entry | None:
        before = len(self.problems)
        for word in one.keys() - set(WORDS):
            near = difflib.get_close_matches(word, WORDS, 1)
            nearest = f"; nearest: '{near[0]}'" if near else ""
            sentence = f"expected one of {', '.join(WORDS)}, got '{word}'{nearest}"
            self.problems.append(self.tree.problem((*at, word), sentence, key=True))
        if "name" not in one:
            self._wrong(at, f"expected a name, got {self.tree.got(at)}")
        name = self._read(one, at, "name", check_name)
        address = self._read(one, at, "ssh", parse_address) or (Address(name) if name else None)
        carrier = self._read(one, at, "guest-of", str)
        role = self._read(one, at, "role", to_role)
        identity = self._read(one, at, "identity", str)
        groups, tags = self._groups(one, at), self._pairs(one, at, "tags")
        nodes = {reach: self._read(one, at, str(reach), check_node) for reach in ENGINES if str(reach) in one}
        if len(nodes) > 1:
            self._wrong(at, f"expected one of {', '.join(ENGINES)}, got {' and '.join(nodes)}")
        job = self._job(one, at)
        notes = self._read(one, at, "notes", str) or ""
        if len(self.problems) > before or name is None or address is None:
            return None
        machine = Machine(name, Reach.SSH, address.host, address.user, address.port, identity=identity)
        for reach, node in nodes.items():
            machine = Machine(name, reach, node, job=job)
        return Entry(machine, groups, tags, role, notes, carrier)

    def _read(self, one: Mapping[str, Any], at: Path, word: str, read: Callable[[str], Any]) -> Any:
        """Return what a text means; ``None`` where it is absent, or wrong, which is noted."""
        place, value = (*at, word), one.get(word)
        if word not in one:
            return None
        if not isinstance(value, str | int):
            self._wrong(place, f"expected a text, got {self.tree.got(place)}")
            return None
        try:
            return read(str(value))
        except (AddressError, UnknownNameError) as error:
            self._wrong(place, error.message)
            return None

    def _groups(self, one: Mapping[str, Any], at: Path) -> tuple[str, ...]:
        listed, place = one.get("groups", []), (*at, "groups")
        if not isinstance(listed, list):
            self._wrong(place, f"expected a list of names, got {self.tree.got(place)}")
            return ()
        words = [self._word((*place, index), group) for index, group in enumerate(listed)]
        return tuple(sorted({word for word in words if word is not None}))

    def _pairs(self, one: Mapping[str, Any], at: Path, word: str) -> tuple[tuple[str, str], ...]:
        tags, place = one.get(word, {}), (*at, word)
        if not isinstance(tags, dict):
            self._wrong(place, f"expected a mapping of keys and values, got {self.tree.got(place)}")
            return ()
        found = []
        for key, value in tags.items():
            if self._word((*place, key), key) is None:
                continue
            if isinstance(value, str | int | None):
                found.append((key, "" if value is None else str(value)))
            else:
                self._wrong((*place, key), f"expected a text, got {self.tree.got((*place, key))}")
        return tuple(sorted(found))

    def _job(self, one: Mapping[str, Any], at: Path) -> tuple[tuple[str, str], ...]:
        """Return what the job of a node is asked for, which its batch system must know."""
        job = self._pairs(one, at, "job")
        engine = next((engine for reach, engine in ENGINES.items() if str(reach) in one), None)
        if engine is None:
            if job:
                self._wrong((*at, "job"), f"expected {' or '.join(ENGINES)} beside what its job is asked for")
            return ()
        for name, value in job:
            try:
                check_options(engine, {name: value})
            except AssayError as error:
                self._wrong((*at, "job", name), error.message)
        return job

    def _word(self, place: Path, word: object) -> str | None:
        if isinstance(word, str | int) and _WORD.fullmatch(str(word)):
            return str(word)
        self._wrong(place, f"expected {_EXPECTED_WORD}, got {self.tree.got(place)}")
        return None

    def _wrong(self, place: Path, sentence: str) -> None:
        self.problems.append(self.tree.problem(place, sentence))


def to_role(word: str) -> Role:
    """Return a role by its name.

    Raises:
        UnknownNameError: There is none of that name.
    """
    if word not in list(Role):
        raise UnknownNameError(kind="role", name=word, known=list(Role))
    return Role(word)


def inventory_words(entries: Iterable[Entry]) -> list[dict[str, object]]:
    """Return what a file says of machines; this one, which every home has, is left out."""
    return [_said(entry) for entry in entries if entry.machine.host]


def write_inventory(entries: Iterable[Entry]) -> str:
    """Return the text of a file that describes machines, by ``inventory_words``."""
    lines = [json.dumps(words, ensure_ascii=False) for words in inventory_words(entries)]
    return "\n".join(["machines:", *(f"  - {line}" for line in lines)]) + "\n" if lines else "machines: []\n"


def _reached(machine: Machine) -> dict[str, object]:
    if machine.reach is Reach.SSH:
        return {"ssh": str(Address(machine.host or "", machine.user, machine.port))}
    return {str(machine.reach): machine.host, "job": dict(machine.job)}


def _said(entry: Entry) -> dict[str, object]:
    machine = entry.machine
    said: dict[str, object] = {
        "name": machine.name,
        **_reached(machine),
        "identity": machine.identity,
        "guest-of": entry.guest_of,
        "groups": list(entry.groups),
        "tags": dict(entry.tags),
        "role": entry.role,
        "notes": entry.notes,
    }
    return {word: value for word, value in said.items() if value}
