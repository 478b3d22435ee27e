"""A database made anew from the records of 100,000 trials: ``assay store rebuild``."""

from __future__ import annotations

import tempfile
from pathlib import Path

from assay.design import plan_trials
from assay.model.files.home import mark_home
from assay.model.metric import Measurement
from assay.store.record import write_activity, write_trial
from assay.store.revision import FILE
from bench.commands import taken
from bench.rows import Row, row
from bench.size import METERED
from tests.builders import plan_of, record_of

RESULTS, BLOCKS = 1_850, 18
"""Results, and the blocks of each: three trials a block."""


def rows(rounds: int) -> list[Row]:
    """Time and memory of a rebuild; each round begins without a database."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-rebuild-", dir="/var/tmp") as folder:
        home = Path(folder)
        trials = fill(home)
        each = [_anew(home) for _ in range(rounds)]
    what = f"assay store rebuild, {RESULTS} results, {trials} trials"
    return [
        row(what, "s", [seconds for seconds, _ in each]),
        row(what, "MiB", [mib for _, mib in each]),
    ]


def _anew(home: Path) -> tuple[float, float]:
    for file in home.glob(f"{FILE}*"):
        file.unlink()
    return taken(home, ("store", "rebuild"))


def fill(home: Path) -> int:
    """Fill a home with the folders of results, a plan and small records each; return how many trials."""
    trials = plan_trials(("spin",), blocks=BLOCKS, seed=1)
    plan, first = plan_of(trials), home / "first"
    first.mkdir()
    for trial in trials:
        place = first / "trials" / trial.name
        place.mkdir(parents=True)
        measured = tuple(Measurement(metric, 100.0 + trial.replicate) for metric in METERED)
        write_trial(place, record_of(trial, None, measurements=measured))
    write_activity(first, plan)
    texts = {file.relative_to(first): file.read_text() for file in first.rglob("*.json")}
    for number in range(RESULTS):
        activity = f"{number:08x}"
        for place, text in texts.items():
            file = home / "activities" / activity / place
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text.replace(plan.id, activity))
    mark_home(home)
    return RESULTS * len(trials)
