"""The script that a command has an interpreter run: it is the program as much as the interpreter is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

_SHELL = ("c", ("-o", "+o", "-O", "+O"))
_PYTHON = ("cm", ("-W", "-X"))
_OPTIONS = {
    "sh": _SHELL,
    "bash": _SHELL,
    "dash": _SHELL,
    "ksh": _SHELL,
    "zsh": _SHELL,
    "python": _PYTHON,
    "pypy": _PYTHON,
    "perl": ("eE", ("-I",)),
    "ruby": ("e", ("-I", "-r")),
    "lua": ("e", ("-l",)),
    "Rscript": ("e", ()),
    "julia": ("eE", ()),
    "node": ("ep", ("-r",)),
    "php": ("r", ("-d", "-c")),
}
"""Of an interpreter: letters of the options after which no script is named, and the options that take a
value, in the same word or the next; their manual pages.
"""
_VERSION = re.compile(r"[\d.]+$")


def script_of(command: Sequence[str]) -> str | None:
    """Return the absolute path of an interpreter's script; ``None`` where there is none to be seen.

    The script is the first word that is no option: what follows is for the script, and may be a file that it
    writes. What a shell's own text starts (``sh -c 'python3 /x/job.py'``) is not seen, nor is a relative
    path: it leads to an input, of which the activity has a copy.

    Args:
        command: Program and arguments.
    """
    options = _OPTIONS.get(_VERSION.sub("", PurePosixPath(command[0]).name))
    if options is None:
        return None
    code, valued = options
    words = iter(command[1:])
    for word in words:
        if word in valued:
            next(words, None)
        elif not word.startswith(("-", "+")):
            return word if word.startswith("/") else None
        elif not word.startswith(("--", *valued)) and set(word[1:]) & set(code):
            return None
    return None
