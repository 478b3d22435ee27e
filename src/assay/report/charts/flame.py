"""Pictures of folded stacks, drawn by the second native binary, ``assay-flame`` (``docs/profiles.md``)."""

from __future__ import annotations

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from assay.model.errors import AssayError
from assay.model.files.native import FLAME
from assay.model.files.program import run_program

LONGEST_S = 600.0
"""A profile of a million stacks is drawn in seconds."""


class FoldedError(AssayError):
    """Folded stacks that cannot be drawn: none at all, a line that is no stack and count, or too many."""


def flame_svg(folded: bytes, title: str) -> str:
    """Return a flame graph as one SVG document that needs nothing else.

    Args:
        folded: Lines of ``outermost;…;innermost count``; names of C++ and Rust may be mangled.
        title: Plain text above the picture.

    Raises:
        FoldedError: There is no sample, or a line is no stack and count.
        MissingError: The binary has not been built.
    """
    return _run("draw", {"profile.folded": folded}, "--title", title)


def difference_svg(baseline: bytes, treatment: bytes, title: str) -> str:
    """Return what a treatment does more (red) and less (blue) than its baseline, as an SVG document.

    Both are drawn as if they had equally many samples. What only the baseline did has no width; its share is
    told below the title.

    Args:
        baseline: Folded stacks, as of the host.
        treatment: Folded stacks, as of a guest.
        title: Plain text above the picture; it should name both.

    Raises:
        FoldedError: One of the two has no sample, or a line is no stack and count.
        MissingError: The binary has not been built.
    """
    files = {"baseline.folded": baseline, "treatment.folded": treatment}
    return _run("diff", files, "--title", title)


def speedscope(folded: bytes, name: str) -> str:
    """Return a profile as a JSON document that https://www.speedscope.app opens.

    Args:
        folded: As in ``flame_svg``.
        name: Plain text by which speedscope shows it.

    Raises:
        FoldedError: There is no sample, or a line is no stack and count.
        MissingError: The binary has not been built.
    """
    return _run("speedscope", {"profile.folded": folded}, "--name", name)


def _run(command: str, files: dict[str, bytes], option: str, text: str) -> str:
    program = FLAME.path()
    with TemporaryDirectory(prefix="assay-flame-") as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        words = [str(program), command, *files, option, text]
        try:
            ended = run_program(words, timeout_s=LONGEST_S, folder=Path(folder))
        except subprocess.TimeoutExpired as error:
            msg = f"cannot draw the profile: {program.name} has not ended after {LONGEST_S:g} s"
            raise FoldedError(msg) from error
    if ended.code:
        raise FoldedError(ended.stderr.strip())
    return ended.stdout.decode()
