"""Large results: series of three hours, and a thousand blocks; what their commands take."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from assay.activities.pages import write_page
from assay.activities.summaries import keep_summary
from assay.design import plan_trials
from assay.model.activity import ActivityPlan
from assay.model.files.home import mark_home
from assay.model.metric import Direction, Measurement, Metric
from assay.model.trial import Arm, PlannedTrial, Trial
from assay.store.record import write_activity, write_trial
from assay.store.store import Store
from bench.commands import taken
from bench.rows import Row, row
from tests.builders import WORKLOAD, plan_of, record_of

SAMPLES, SERIES_BLOCKS = 108_000, 6
"""Three hours at 10 Hz in each of 18 trials."""
BLOCKS, METRICS = 1_000, 11
COLUMNS = (
    "mono_ns", "real_ns", "job_user_s", "job_system_s", "job_rss_bytes", "job_processes", "job_read_bytes",
    "job_write_bytes", "job_logical_read_bytes", "job_logical_write_bytes", "machine_user_s",
    "machine_system_s", "machine_iowait_s", "machine_steal_s", "machine_idle_s",
)  # fmt: skip
METERED = tuple(Metric(f"metric-{at}", "events/s", Direction.HIGHER) for at in range(METRICS))
FIRST, SECOND = "0123abcd", "4567abcd"


def rows(rounds: int) -> list[Row]:
    """Time of each command, and memory of that of the series."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-size-", dir="/var/tmp") as folder:
        return [*_of_series(Path(folder) / "series", rounds), *_of_blocks(Path(folder) / "blocks", rounds)]


def _of_series(home: Path, rounds: int) -> Iterator[Row]:
    with_series(home)
    words = ("report", FIRST, "--output", str(home / "out.html"))
    each = [taken(home, words) for _ in range(rounds)]
    what = f"assay report, 18 trials of {SAMPLES} samples"
    yield row(what, "s", [one.seconds for one in each], goal=5)
    yield row(what, "MiB", [one.mib for one in each], goal=200)
    keep_page(home, FIRST)
    compare = ("result", "compare", FIRST, FIRST)
    each = [taken(home, compare) for _ in range(rounds)]
    what = f"assay result compare, twice 18 trials of {SAMPLES} samples, page kept"
    yield row(what, "s", [one.seconds for one in each], goal=1)


def _of_blocks(home: Path, rounds: int) -> Iterator[Row]:
    with_blocks(home)
    show = ("result", "show", FIRST)
    yield _seconds(home, "result show, no page kept", show, rounds)
    report = ("report", FIRST, "--output", str(home / "out.html"))
    yield _seconds(home, "report", report, rounds, goal=5)
    compare = ("result", "compare", FIRST, SECOND)
    yield _seconds(home, "result compare, no pages kept", compare, rounds)
    for name in (FIRST, SECOND):
        keep_page(home, name)
    yield _seconds(home, "result compare, pages kept", compare, rounds, goal=1)
    yield _seconds(home, "result show, page kept", show, rounds, goal=1)


def _seconds(home: Path, name: str, words: tuple[str, ...], rounds: int, *, goal: float | None = None) -> Row:
    what = f"assay {name}, {BLOCKS} blocks of {METRICS} metrics"
    return row(what, "s", [taken(home, words).seconds for _ in range(rounds)], goal=goal)


def with_series(home: Path) -> None:
    """Fill a home with a result of long series."""
    trials = plan_trials(("spin",), blocks=SERIES_BLOCKS, seed=1)
    folder = _keep(home, plan_of(trials), [record_of(trial, _value(trial)) for trial in trials])
    mark_home(home)
    text = "".join([",".join(COLUMNS), "\n", *map(_sample, range(SAMPLES))])
    for place in (folder / "trials").iterdir():
        (place / "samples.csv").write_text(text)


def _sample(at: int) -> str:
    moment = at * 100_000_000
    job = f"{at / 10:.2f},{at / 100:.6f},{1_000_000 + at % 4096},2,{at * 4096},{at * 1024},0,0"
    machine = f"{at / 10:.2f},{at / 50:.2f},0.0,,{at / 20:.2f}"
    return f"{100_000_000_000 + moment},{1_700_000_000_000_000_000 + moment},{job},{machine}\n"


def with_blocks(home: Path) -> None:
    """Fill a home with two results of many blocks."""
    trials = plan_trials(("spin",), blocks=BLOCKS, seed=1)
    for name in (FIRST, SECOND):
        plan = plan_of(trials, id=name, workloads=(replace(WORKLOAD, metrics=METERED),))
        chance = random.Random(name)  # noqa: S311 - figures, no secrets
        _keep(home, plan, [_measured(trial, name, chance) for trial in trials])
    mark_home(home)


def _measured(trial: PlannedTrial, activity: str, chance: random.Random) -> Trial:
    measured = tuple(Measurement(metric, _value(trial) * (1 + chance.random() / 50)) for metric in METERED)
    return record_of(trial, None, measurements=measured, activity=activity)


def _value(trial: PlannedTrial) -> float:
    return 50.0 + trial.block / 10 if trial.arm is Arm.TREATMENT else 100.0 + trial.replicate


def _keep(home: Path, plan: ActivityPlan, records: list[Trial]) -> Path:
    folder = home / "activities" / plan.id
    for record in records:
        place = folder / "trials" / record.planned.name
        place.mkdir(parents=True)
        write_trial(place, record)
    write_activity(folder, plan)
    store = Store(home)
    store.import_folder(folder)
    store.close()
    return folder


def keep_page(home: Path, activity: str) -> None:
    """Keep the page of a result, as its activity does at its end."""
    folder, store = home / "activities" / activity, Store(home)
    keep_summary(store, write_page(folder), written=folder)
    store.close()
