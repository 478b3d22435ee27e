"""The script that a command has an interpreter run: it is the program as much as the interpreter is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

_SHELL = "c"
_CODE = {
    "sh": _SHELL,
    "bash": _SHELL,
    "dash": _SHELL,
    "ksh": _SHELL,
    "zsh": _SHELL,
    "python": "cm",
    "pypy": "cm",
    "perl": "eE",
    "ruby": "e",
    "lua": "e",
    "Rscript": "e",
    "julia": "eE",
    "node": "ep",
    "php": "r",
}
"""Letters of an interpreter's options after which no script is named; their manual pages."""
_VALUED = ("-W", "-X")
"""Options of Python with a value in the same word, in which any letter may stand."""
_VERSION = re.compile(r"[\d.]+$")


def script_of(command: Sequence[str]) -> str | None:
    """Return the absolute path that an interpreter gets first; ``None`` where there is none to be seen.

    What a shell's own text starts (``sh -c 'python3 /x/job.py'``) is not seen, nor is a relative path: it leads to an
    input, of which the activity has a copy.

    Args:
        command: Program and arguments.
    """
    code = _CODE.get(_VERSION.sub("", PurePosixPath(command[0]).name))
    if code is None:
        return None
    for word in command[1:]:
        if word.startswith("/"):
            return word
        if word.startswith("-") and not word.startswith(("--", *_VALUED)) and set(word[1:]) & set(code):
            return None
    return None
