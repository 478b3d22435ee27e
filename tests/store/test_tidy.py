"""Old series are thinned, and nothing that a figure comes from is touched."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.activities.pages import explained_page, page_of
from assay.store.tidy import BUCKETS, is_tidied, thinned, tidy_activity
from tests.cli.conftest import home_with_result
from tests.command import run
from tests.results.test_outcome import PLAN

NAMES = "mono_ns,real_ns,job_user_s,job_rss_bytes"


def series(values: Sequence[Sequence[object]], names: str = NAMES) -> bytes:
    return "\n".join([names, *(",".join(str(cell) for cell in row) for row in values), ""]).encode()


def rows(data: bytes) -> list[list[float]]:
    return [[float(cell or "nan") for cell in line.split(",")] for line in data.decode().splitlines()[1:]]


def long(count: int = 20_000) -> list[list[object]]:
    """Return moments of a job that grows evenly but for a step; its memory has a spike and a dip."""
    cpu = [i * 0.1 + (50 if i > 7_777 else 0) for i in range(count)]
    memory = [1000 + (i % 7) + (9_000 if i == 12_345 else -900 if i == 3_210 else 0) for i in range(count)]
    return [[i * 100, 10**9 + i, cpu[i], memory[i]] for i in range(count)]


def test_spikes_dips_steps_and_ends_are_kept() -> None:
    data = series(long())
    thin = rows(thinned(data))
    assert len(thin) < 20 * BUCKETS
    whole = {row[0]: row for row in rows(data)}
    assert all(whole[row[0]] == row for row in thin), "every moment that is left is as it was measured"
    moments = {row[0] for row in thin}
    assert {0, 1_999_900, 1_234_500, 321_000, 777_700, 777_800} <= moments


def test_moments_next_to_phases_are_kept() -> None:
    thin = {row[0] for row in rows(thinned(series(long()), [500_050, 500_100]))}
    assert {500_000, 500_100, 500_200} <= thin


def test_all_lines_of_a_moment_stay_or_go_together() -> None:
    cells = [[i, i, f"sd{disk}", i * disk] for i in range(3_000) for disk in range(3)]
    data = series(cells, "mono_ns,real_ns,disk,read")
    lines = thinned(data).decode().splitlines()[1:]
    assert len(lines) < 3 * 3_000
    moments = [line.split(",")[0] for line in lines]
    assert {moments.count(one) for one in moments} == {3}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no,moments\n1,2\n",
        series([[i, i, i, i] for i in range(2 * BUCKETS)]),
        series([[5_000 - i, i, i, i] for i in range(2_000)]),
        series([[i, i, i, i] for i in range(2_000)]) + b"1,2\n",
        series([["x", i, i, i] for i in range(2_000)]),
    ],
    ids=["empty", "no moments", "short", "backwards", "cut off", "no numbers"],
)
def test_what_is_no_long_series_stays_as_it_is(data: bytes) -> None:
    assert thinned(data) == data


@given(st.integers(0, 2**32), st.floats(0, 0.3))
def test_extremes_of_every_column_survive(seed: int, missing: float) -> None:
    draw = random.Random(seed)
    total, values = 0.0, list[list[object]]()
    for i in range(2_500):
        total += draw.expovariate(1)
        gauge = "" if draw.random() < missing else draw.gauss(0, 1)
        values.append([i, i, total, gauge])
    before, after = rows(series(values)), rows(thinned(series(values)))
    assert after[0] == before[0] or math.isnan(before[0][3])
    assert after[-1][:3] == before[-1][:3]
    for extreme in (min, max):
        known = [[row[3] for row in some if not math.isnan(row[3])] for some in (before, after)]
        assert extreme(known[0]) == extreme(known[1])
    assert len(after) < len(before)


@pytest.fixture
def measured(tmp_path: Path) -> Path:
    return home_with_result(tmp_path / "home")


def lengthen(folder: Path) -> None:
    """Give each trial of an activity a long series."""
    for trial in (folder / "trials").iterdir():
        (trial / "samples.csv").write_bytes(series(long()))
        (trial / "files" / "copy-0").mkdir(parents=True)
        (trial / "files" / "copy-0" / "own.csv").write_bytes(series(long()))


def test_losses_of_a_tidied_result_are_the_same(measured: Path) -> None:
    folder = measured / "activities" / PLAN.id
    lengthen(folder)
    before = page_of(folder).estimates
    records = {file: file.read_bytes() for file in folder.glob("trials/*/trial.json")}
    would = run("store", "tidy", "--keep", "0 s", "--dry-run", "--json", home=measured).page
    assert not is_tidied(folder)
    done = run("store", "tidy", "--keep", "0 s", "--json", home=measured)
    assert done.code == 0, done.err
    assert done.page | {"schema": "", "version": ""} == would | {"schema": "", "version": ""}
    assert (done.page["results"], done.page["files"], done.page["failed"]) == (1, len(PLAN.trials), [])
    assert done.page["freed_bytes"] > 0.7 * len(series(long())) * len(PLAN.trials)
    assert is_tidied(folder)
    assert {file: file.read_bytes() for file in records} == records
    assert page_of(folder).estimates == before
    assert explained_page(folder).estimates == before
    own = folder / "trials" / PLAN.trials[0].name / "files" / "copy-0" / "own.csv"
    assert own.read_bytes() == series(long()), "a file of a job is no series"
    assert tidy_activity(folder).files == 0
    assert json.loads((folder / "tidied.json").read_text())["buckets"] == BUCKETS


def test_results_that_are_young_enough_stay(measured: Path) -> None:
    folder = measured / "activities" / PLAN.id
    lengthen(folder)
    done = run("store", "tidy", "--keep", "36500 d", "--json", home=measured)
    assert (done.code, done.page["results"], done.page["files"]) == (0, 0, 0)
    assert run("store", "tidy", home=measured).code == 2
