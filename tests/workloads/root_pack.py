"""The pack ``root`` out of the tests' own environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import assay_hep
from assay_hep.packs.root.command import run
from tests.command import called

_PACK = (sys.executable, "-m", "assay_hep.packs.root")
_SOURCES = str(Path(assay_hep.__file__).parent.parent)


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        assert self.code == 0, self.err
        document: dict[str, Any] = json.loads(self.out)
        return document


def pack(*words: object, folder: Path | None = None) -> Done:
    """Run the pack to its end in the process of the tests; several workers are processes of their own."""
    done = called(lambda: sys.exit(run([*map(str, words)], started=_PACK)), folder=folder)
    return Done(done.code, done.out, done.err)


def started(
    *words: object, copy: int = 0, copies: int = 1, folder: Path | None = None
) -> subprocess.Popen[str]:
    """Start the pack, as one of several copies where told."""
    command = (*_PACK, *map(str, words))
    paths = os.pathsep.join(filter(None, (_SOURCES, os.environ.get("PYTHONPATH"))))
    reported = {"ASSAY_COPY": str(copy), "ASSAY_COPIES": str(copies)} if copies > 1 else {}
    environment = {**os.environ, "PYTHONPATH": paths, **reported}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=folder
    )


def ended(process: subprocess.Popen[str]) -> Done:
    """Wait for a started pack."""
    out, err = process.communicate(timeout=120)
    return Done(process.returncode, out, err)
