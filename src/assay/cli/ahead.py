"""``python -m assay.cli.ahead``: a command whose words come later, by standard input, as one line of JSON.

What planning takes is read meanwhile, which is most of its time. Without a line it ends.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys

from assay.cli.entry import COLLECT, main

READ = (
    "assay.cli.commands.evaluate",
    "assay.activities.evaluate",
    "assay.activities.plan.goal_ahead",
    "assay.cli.plan_text",
    "assay.cli.progress",
    "assay.scenes.forms.form",
    "sqlalchemy.dialects.sqlite",
)


def _wait() -> None:
    gc.set_threshold(*COLLECT)
    for name in READ:
        importlib.import_module(name)
    line = sys.stdin.buffer.readline()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    if line:
        main(json.loads(line))


if __name__ == "__main__":
    _wait()
