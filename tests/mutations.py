"""Contents that were damaged on their way, by a seed: hundreds are made in the time in which one is drawn
piece by piece.

A seed that broke something is enough to see it again: ``damaged(content, seed)``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import fields, is_dataclass
from random import Random
from typing import Any

from hypothesis import Phase, settings
from hypothesis import strategies as st

from assay.cli.output import spelled
from assay.model.errors import AssayError, Exit

SEEDS = st.integers(0, 2**48 - 1)
seeded = settings(phases=[Phase.explicit, Phase.generate])
"""A smaller seed is no simpler input: none is looked for."""
NUMBERS = (
    *(b"0", b"-0", b"-1", b"7", b"0.0000001", b"1e999", b"-1e999", b"1e-999", b"NaN", b"Infinity", b"-inf"),
    *(b"9" * 400, b"-" + b"9" * 400, b"9" * 5000, b"0." + b"3" * 5000, b"1" + b"0" * 308, b"0x10", b"1_000"),
    *(b"9223372036854775807", b"9223372036854775808", b"18446744073709551616", "\u0663".encode(), b""),
)
"""In the place of a number."""
PIECES = (
    *(
        b"\x00",
        b"\x1b[2J",
        b"\x9b31m",
        b"\r",
        b"\x7f",
        b"\xff",
        b"\xed\xa0\x80",
        "\u202e".encode(),
        b"\xef\xbb\xbf",
    ),
    *(
        b"\n",
        b"\n\n",
        b"\t",
        b" ",
        b",",
        b";",
        b":",
        b"=",
        b"%",
        b"+",
        b"-",
        b"/",
        b"..",
        b"~",
        b"'",
        b'"',
        b"\\",
    ),
    *(b"{", b"}", b"[", b"]", b"[" * 2000, b"null", b"true", b"&a ", b"*a", b"!!", b"warning: something\n"),
)
"""Between what is there."""
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.5, 2**63, 2**64, -(2**70), 10**400, math.nan, math.inf, -math.inf),
    *("", "..", "/etc/passwd", "../../x", "\x1b[2J", "a\nb", "a\0b", "\ud800", "x" * 5000, "9" * 5000),
    *([], {}, [None], [[]], {"": None}, [0] * 50),
)
"""In the place of a value of JSON."""
_NUMBER = re.compile(rb"\d+(?:\.\d+)?")


def damaged(content: bytes, seed: int) -> bytes:
    """Return a content with one to four damages: bytes, numbers and lines."""
    random = Random(seed)
    for _ in range(random.choice((1, 1, 2, 4))):
        content = random.choice(_ACTS)(random, content)
    return content


def damaged_json(content: bytes, seed: int) -> bytes:
    """Return JSON with one or two values or names changed, or damaged as any content."""
    random = Random(seed)
    if random.random() < 0.3:
        return damaged(content, seed)
    value = json.loads(content)
    for _ in range(random.choice((1, 1, 2))):
        _change(random, value)
    return json.dumps(value).encode()


def _change(random: Random, value: Any) -> None:
    inside = [one for one in _containers(value) if one]
    if not inside:
        return
    chosen = random.choice(inside)
    key = random.choice(list(chosen)) if isinstance(chosen, dict) else random.randrange(len(chosen))
    act = random.random()
    if act < 0.15:
        del chosen[key]
    elif act < 0.25 and isinstance(chosen, dict):
        chosen[random.choice(("", "of a later day", "\x1b[2J", key * 2))] = chosen.pop(key)
    elif act < 0.35 and isinstance(chosen, list):
        chosen.insert(key, chosen[key])
    else:
        chosen[key] = deepcopy(random.choice(VALUES))


def _containers(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield value
        for one in value.values() if isinstance(value, dict) else value:
            yield from _containers(one)


def _put(random: Random, content: bytes) -> bytes:
    at = random.randint(0, len(content))
    return content[:at] + random.choice(PIECES) + content[at + random.choice((0, 0, 1, 2, 40)) :]


def _flip(random: Random, content: bytes) -> bytes:
    if not content:
        return b"\xff"
    at = random.randrange(len(content))
    return content[:at] + bytes((content[at] ^ 1 << random.randrange(8),)) + content[at + 1 :]


def _drop(random: Random, content: bytes) -> bytes:
    at = random.randint(0, len(content))
    return content[:at] + content[at + random.choice((1, 1, 2, 5, 40, 400)) :]


def _repeat(random: Random, content: bytes) -> bytes:
    at, size = random.randint(0, len(content)), random.choice((1, 5, 40, 400))
    return content[:at] + content[at : at + size] * random.choice((2, 2, 3, 50)) + content[at + size :]


def _cut(random: Random, content: bytes) -> bytes:
    return content[: random.randint(0, len(content))]


def _number(random: Random, content: bytes) -> bytes:
    found = [match.span() for match in _NUMBER.finditer(content)]
    if not found:
        return random.choice(NUMBERS)
    start, end = random.choice(found)
    return content[:start] + random.choice(NUMBERS) + content[end:]


def _lines(random: Random, content: bytes) -> bytes:
    lines = content.splitlines(keepends=True)
    if random.random() < 0.2:
        random.shuffle(lines)
    elif lines:
        taken = lines.pop(random.randrange(len(lines)))
        for _ in range(random.choice((0, 1, 2))):
            lines.insert(random.randint(0, len(lines)), taken)
    return b"".join(lines)


_ACTS: tuple[Callable[[Random, bytes], bytes], ...] = (
    *(_put, _flip, _drop, _repeat, _cut, _number, _number, _lines),
)


def check_refusal(error: AssayError) -> None:
    """Check that an error is one for people: with an exit code, a reason, and nothing that steers
    a terminal.
    """
    assert error.exit_code in set(Exit)
    assert error.exit_code is not Exit.DONE
    assert error.message.strip()
    for line in spelled(f"{error.message}\n{error.hint or ''}").splitlines():
        assert line.replace("\t", "").isprintable(), line


def check_values(value: object) -> None:
    """Check that all numbers in a value are finite, and whole ones of at most 64 bits."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, float):
            assert math.isfinite(one)
        elif isinstance(one, int):
            assert -(2**64) <= one <= 2**64
        elif is_dataclass(one):
            waiting += [getattr(one, field.name) for field in fields(one)]
        elif isinstance(one, dict):
            waiting += [*one, *one.values()]
        elif isinstance(one, list | tuple | set | frozenset):
            waiting += one
