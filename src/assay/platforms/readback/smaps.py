"""The guest's memory in ``/proc/PID/smaps`` of QEMU.

Source: ``man 5 proc``, ``smaps``: a line for each mapping (addresses, permissions, offset, device, inode,
    what is
mapped), and below it a line for each field.
Limits: found by size, so two mappings of that size that are not executable could be taken for each other;
    none
was seen: QEMU puts a guard page after each, and its other mappings are smaller.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_HEAD = re.compile(r"([0-9a-f]+)-[0-9a-f]+ (\S+) \S+ \S+ \S+ *(.*)")


def parse_ram(text: str, sizes: Sequence[int]) -> dict[str, str]:
    """Return the fields of the mappings that hold a guest's memory, as those of one.

    Args:
        text: All of ``smaps``.
        sizes: Bytes of each of the guest's memory devices (one for each of its NUMA cells).

    Returns:
        Fields by name, with ``address`` (where each begins, hexadecimal, blanks between), ``permissions`` and
        ``name`` (what is mapped; empty for anonymous memory) beside. Counts in kB are added up, of other
        fields different values stand side by side. Empty where not all of the memory is found.
    """
    missing = list(sizes)
    mappings: list[dict[str, str]] = []
    for fields in _mappings(text):
        size = int(fields.get("Size", "0 kB").split()[0]) * 1024
        # TCG's own code may be as large
        if size in missing and "x" not in fields["permissions"]:
            missing.remove(size)
            mappings.append(fields)
    return {} if missing or not mappings else {name: _together(name, mappings) for name in mappings[0]}


def _mappings(text: str) -> Iterator[dict[str, str]]:
    fields: dict[str, str] = {}
    for line in text.splitlines():
        if head := _HEAD.fullmatch(line):
            if fields:
                yield fields
            fields = {"address": head[1], "permissions": head[2], "name": head[3].strip()}
        else:
            name, _, value = line.partition(":")
            fields[name] = value.strip()
    if fields:
        yield fields


def _together(name: str, mappings: Sequence[dict[str, str]]) -> str:
    values = [fields.get(name, "") for fields in mappings]
    counted = all(value.endswith(" kB") for value in values) and not name.endswith("PageSize")
    if counted:
        return f"{sum(int(value.split()[0]) for value in values)} kB"
    return " ".join(values if name == "address" else dict.fromkeys(values))
