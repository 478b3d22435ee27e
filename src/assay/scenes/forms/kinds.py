"""Names and words in a scene file: what is written -> what is meant, or what was expected instead."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

from assay.places.catalogue import BROUGHT_BY, OWN, PLACES
from assay.scenes.values.expected import ExpectedError, nearest, one_level, text
from assay.workloads import WORKLOADS, measured_by

NAME = r"^[a-z][a-z0-9-]{0,62}$"
MACHINE = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$"
PACKAGE = r"^[a-z0-9][a-z0-9+.-]*[a-z0-9+.]$"
"""Source: Debian policy 5.6.1; to APT, a final "-" means "remove"."""
PHASE = r"^[A-Za-z0-9_-]{1,64}$"
RELEASE = r"^[a-z]{2,30}$"
_FOREIGN = re.compile(r"\(\?<?[=!]|(?<!\\)(?:\\\\)*\\[1-9]|\(\?P=")
_SHELL = frozenset({"|", "||", "&", "&&", ";", "<", ">", ">>", "2>", "2>&1", "&>"})


def name(value: object) -> str:
    """Return a name of a scene or a workload."""
    return _matching(value, NAME, "a name of lower-case letters, digits and hyphens, a letter first")


def machine(value: object) -> str:
    """Return a machine's name."""
    return _matching(value, MACHINE, "a machine's name (letters, digits, '.', '_', '-')")


def line(value: object) -> str:
    """Return a text of one line that is not empty."""
    expected = "one line of text"
    if not (words := text(value, expected).strip()) or "\n" in words:
        raise ExpectedError(expected)
    return words


def path(value: object) -> str:
    """Return a path that is not empty."""
    expected = "the path of a file or folder"
    if not (words := text(value, expected)) or "\0" in words:
        raise ExpectedError(expected)
    return words


def truth(value: object) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        expected = "true or false"
        raise ExpectedError(expected)
    return value


def word(*known: str) -> Callable[[object], str]:
    """Return a kind: one of the known words."""

    def read(value: object) -> str:
        expected = f"one of {', '.join(known)}" if len(known) > 1 else f"'{known[0]}'"
        one_level(value, expected)
        if value not in known:
            raise ExpectedError(expected, nearest=nearest(str(value), known))
        return str(value)

    return read


def platform(value: object) -> str:
    """Return a platform's word, of the package or of a plug-in."""
    if value in OWN:
        return word(*OWN)(value)
    if isinstance(value, str) and value in BROUGHT_BY and value not in PLACES:
        expected = f"one of {', '.join((*OWN, *PLACES))}"
        hint = f"'{value}' comes with a package of its own: pip install {BROUGHT_BY[value]}"
        raise ExpectedError(expected, hint=hint)
    return word(*OWN, *PLACES)(value)


def ready_workload(value: object) -> str:
    """Return the name of a ready workload, of the package or of a plug-in."""
    if isinstance(value, str) and measured_by(value) is not None:
        return value
    return word(*WORKLOADS)(value)


def package(value: object) -> str:
    """Return the name of a Debian package."""
    return _matching(value, PACKAGE, "the name of a Debian package, like glusterfs-client")


def release(value: object) -> str:
    """Return the codename of a release of Debian."""
    return _matching(value, RELEASE, "the codename of a release, like trixie")


def phase(value: object) -> str:
    """Return a phase's name."""
    return _matching(value, PHASE, "a phase's name of letters, digits, '-' and '_'")


def pattern(value: object) -> str:
    """Return a regular expression that the probe's engine and Python's both know (regex-lite's
    documentation).
    """
    expected = "a regular expression"
    words = text(value, expected)
    try:
        re.compile(words)
    except (re.error, RecursionError, OverflowError) as error:
        expected = f"{expected}: {error}"
        raise ExpectedError(expected) from error
    if match := _FOREIGN.search(words):
        expected = f"a regular expression without '{match[0]}'"
        raise ExpectedError(expected, hint="the probe knows neither look-around nor back-references")
    return words


def command(value: object) -> tuple[str, ...]:
    """Return the words of a command line, split as a shell would and never given to one."""
    expected = "a program and its arguments"
    words = text(value, expected)
    try:
        raw, argv = shlex.split(words, posix=False), shlex.split(words)
    except ValueError as error:
        expected = f"{expected} with closed quotes"
        raise ExpectedError(expected) from error
    if not argv or not argv[0] or "\0" in words:
        raise ExpectedError(expected)
    _refuse_shell(raw, words)
    return tuple(argv)


def preparation(value: object) -> tuple[tuple[str, ...], ...]:
    """Return the commands of a preparation: one, or a list of them in their order."""
    if isinstance(value, list):
        if not value:
            expected = "a command, or a list of commands"
            raise ExpectedError(expected)
        return tuple(command(one) for one in value)
    return (command(value),)


def _matching(value: object, pattern: str, expected: str) -> str:
    if re.fullmatch(pattern, words := text(value, expected)) is None:
        raise ExpectedError(expected)
    return words


def _refuse_shell(raw: list[str], words: str) -> None:
    operator = next((word for word in raw if word in _SHELL), None)
    if operator is not None:
        expected = f"a program and its arguments without the shell's '{operator}'"
        raise ExpectedError(expected, hint=f"let a shell run it: sh -c {shlex.quote(words)}")
