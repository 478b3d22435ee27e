"""The observer effect: what is compared with what, and what is left behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.activities import probe_cost as room
from assay.activities.probe_cost import LIMIT_S, OFF_S, WORK_S, CostError, CostSpec, probe_cost
from assay.model.errors import AssayError
from assay.model.figures.estimate import Verdict
from assay.model.machines.machine import Machine
from assay.model.trial import State
from assay.model.work.observation import ProbeCost, Series
from assay.pages.context import Interval
from assay.probe import RunResult, Spec, parse_result
from assay.report.lists.cost import text_cost
from tests.builders import FACTS

RECORD = Path(__file__).parents[1] / "probe/records/1.0.json"


class Machinery:
    """A machine on which a unit of work takes a millisecond, and sampling makes it slower by 1 %."""

    def __init__(self) -> None:
        self.specs: dict[str, Spec] = {}
        self.removed: list[str] = []
        self.stopped: list[str] = []
        self.path, self.failing, self.interrupted = "/probe", False, False
        self.stubborn, self.silent = False, False
        self.waits: list[dict[str, float]] = []
        self.on_wait: Callable[[], None] = lambda: None

    def facts(self) -> Any:
        return replace(FACTS, cpus=(0, 1, 2, 3))

    def start(self, spec: Spec, into: str) -> None:
        self.specs[into] = spec

    def wait(self, into: str, **given: float) -> None:
        self.waits.append(given)
        self.on_wait()
        if self.interrupted and into not in self.stopped:
            raise KeyboardInterrupt

    def stop(self, into: str) -> None:
        self.stopped.append(into)
        if self.stubborn:
            msg = "no such job"
            raise AssayError(msg)

    def remove(self, path: str) -> None:
        self.removed.append(path)

    def fetch(self, into: str, here: Path) -> RunResult:
        del here
        spec = self.specs[into]
        amount = next(
            int(word) for text in spec.command for word in text.split() if word.isdigit() and word > "0"
        )
        wall_s = amount / 1000 * (1.0 if spec.interval_s == OFF_S else 1.01 + 1e-7 * len(self.specs))
        result = parse_result(RECORD.read_bytes(), origin=str(RECORD))
        assert result.usage is not None
        return replace(
            result,
            state=State.FAILED if self.failing else State.ENDED,
            cause="it said no" if self.failing else None,
            usage=replace(result.usage, wall_s=wall_s, user_s=wall_s, system_s=0.5),
            cost=ProbeCost(
                wall_s / 1000,
                2_000_000,
                4,
                None if self.silent else 1.5,
                None if self.silent else round(wall_s * 2),
            ),
            series=tuple(Series(group, None, 0, "no such file") for group in spec.watch),
        )


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> Machinery:
    """A machine behind the door."""
    machinery = Machinery()

    @contextmanager
    def opened(*_: object) -> Iterator[tuple[Machinery, SimpleNamespace]]:
        yield machinery, SimpleNamespace(folder="/there")

    monkeypatch.setattr(room, "open_probe", opened)
    return machinery


class Silent:
    """A watcher that keeps how far it was told that the work is."""

    def __init__(self) -> None:
        self.left: list[float] = []
        self.remaining: list[float] = []
        self.steps: list[str] = []

    def step(self, text: str, *, fraction: float | None = None) -> None:
        self.steps.append(text)

    def progress(self, *, done: int, total: int, remaining_s: float) -> None:
        self.left.append(total - done)
        self.remaining.append(remaining_s)

    trial_started = trial_over = warn = lambda *_: None


WANTED = CostSpec(0.5, ("pressure",), 4, 7)


def _measure(wanted: CostSpec = WANTED) -> Any:
    return probe_cost(Machine("local"), wanted, home=Path("/nowhere"), watcher=Silent())


def test_a_planted_slowdown_by_sampling_is_found(there: Machinery) -> None:
    page = _measure()
    wall = page.rows[0]
    assert (wall.work, wall.metric, wall.verdict) == ("arithmetic", "wall", Verdict.LOSS)
    assert wall.loss.loss == pytest.approx(1 - 1 / 1.01, abs=1e-4)
    assert wall.floor.loss == pytest.approx(0)
    assert wall.seconds == pytest.approx(WORK_S)
    assert [row.work for row in page.rows] == ["arithmetic", "arithmetic", "processes", "processes"]


def test_each_block_runs_the_same_work_twice_without_sampling_and_once_with(there: Machinery) -> None:
    _measure()
    runs = [spec for spec in there.specs.values() if spec.command[0] == "/bin/sh"]
    blocks = [runs[at : at + 3] for at in range(len(runs) - 12, len(runs), 3)]
    assert all(sorted(spec.interval_s for spec in block) == [0.5, OFF_S, OFF_S] for block in blocks)
    assert len({spec.command for block in blocks for spec in block}) == 1
    assert len({tuple(spec.interval_s for spec in block) for block in blocks}) > 1
    assert {(spec.interval_s, spec.watch) for spec in runs} == {(0.5, ("pressure",)), (OFF_S, ())}
    assert {spec.placement.copies for spec in runs} == {4}


def test_the_text_says_how_it_was_measured_and_what_the_machine_has_not_got(there: Machinery) -> None:
    text = text_cost(_measure())
    assert "sampling the core set, pressure every 0.5 s" in text
    assert "4 blocks, seed 7; the machine is full: 4 copies" in text
    assert "not here: pressure: no such file" in text
    assert "0.99 to 0.99 %" in text
    assert "0.1 %" in text
    assert "1.9 MiB" in text


def test_work_that_fails_is_told_with_its_cause_and_leaves_nothing(there: Machinery) -> None:
    there.failing = True
    with pytest.raises(CostError, match="local: arithmetic: it said no"):
        _measure()
    assert len(there.removed) == 1


def test_an_interruption_stops_the_work_and_leaves_nothing(there: Machinery) -> None:
    there.interrupted = True
    with pytest.raises(KeyboardInterrupt):
        _measure()
    assert there.stopped == list(there.specs)
    assert len(there.removed) == 1


def test_every_run_has_its_folder_its_time_and_the_pace_of_its_side(there: Machinery) -> None:
    _measure()
    for number, (into, spec) in enumerate(there.specs.items(), start=1):
        folder, _, name = into.rpartition("/")
        assert (name, spec.directory, spec.time_limit_s) == (str(number), f"{folder}/work", LIMIT_S)
        assert folder.startswith("/there/cost-")
    assert there.removed == [folder]
    assert there.waits == [{"limit_s": LIMIT_S + 30}] * len(there.specs)


def test_the_groups_are_asked_for_before_the_first_block(there: Machinery) -> None:
    _measure()
    first = next(iter(there.specs.values()))
    assert (first.interval_s, first.watch) == (0.5, ("pressure",))
    assert first.command == (
        "/probe", "kernel", "two-phase", "--init-bytes", "0", "--events", "400", "--every", "400",
    )  # fmt: skip


def test_the_amount_grows_until_it_takes_a_tenth_of_the_time_and_is_then_scaled(there: Machinery) -> None:
    """A unit takes a millisecond: 400 take 0.4 s; 100 take 0.1 s, which is too little, and 800 are taken."""
    _measure()
    counts = [spec.command for spec in there.specs.values()]
    assert [one[6] for one in counts[:2]] == ["400", "400"]
    shells = [one[2] for one in counts if one[0] == "/bin/sh"]
    assert [text.split("-lt ")[1].split(" ")[0] for text in shells[:3]] == ["100", "800", "3000"]


def test_the_page_says_what_the_probe_itself_took(there: Machinery) -> None:
    page = _measure()
    assert (page.machine, page.copies, page.interval_s, page.off_s) == ("local", 4, 0.5, OFF_S)
    assert (page.watch, page.absent, page.blocks, page.seed) == (
        ("pressure",), ("pressure: no such file",), 4, 7,
    )  # fmt: skip
    assert (page.confidence, page.margin) == (0.95, 0.005)
    own = page.own[0]
    assert (own.work, own.what) == (room.WORKS[0].name, room.WORKS[0].what)
    assert own.cpu_share == pytest.approx(0.001)
    assert (own.rss_bytes, own.largest_gap_s) == (2_000_000, 1.5)
    assert own.wake_ups_per_s == pytest.approx(2.0, rel=0.1)


def test_cpu_time_is_compared_beside_wall_time(there: Machinery) -> None:
    cpu = _measure().rows[1]
    assert (cpu.work, cpu.metric) == ("arithmetic", "cpu")
    assert cpu.seconds == pytest.approx(WORK_S + 0.5)
    slow = (WORK_S * 1.01 + 0.5) / (WORK_S + 0.5)
    assert cpu.loss.loss == pytest.approx(1 - 1 / slow, abs=1e-4)
    assert (cpu.loss.blocks, cpu.floor.blocks) == (4, 4)


def test_a_probe_that_tells_neither_gaps_nor_wake_ups_has_none(there: Machinery) -> None:
    there.silent = True
    own = _measure().own[0]
    assert (own.largest_gap_s, own.wake_ups_per_s) == (None, None)


def test_the_remaining_time_is_that_of_the_runs_so_far(
    there: Machinery, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(room, "time", SimpleNamespace(monotonic=lambda: now[0]))
    there.on_wait = lambda: now.__setitem__(0, now[0] + 2.0)
    watcher = Silent()
    probe_cost(Machine("local"), WANTED, home=Path("/nowhere"), watcher=watcher)
    assert watcher.left == list(range(24, 0, -1))
    assert watcher.remaining == pytest.approx(
        [24 * (WORK_S + 0.5), *(2.0 * left for left in range(23, 0, -1))]
    )
    assert watcher.steps[:2] == [
        "finding out how long arithmetic takes",
        "finding out how long processes takes",
    ]


def test_work_that_does_not_end_when_it_is_told_to_hides_nothing(there: Machinery) -> None:
    there.interrupted = there.stubborn = True
    with pytest.raises(KeyboardInterrupt):
        _measure()
    assert len(there.removed) == 1


def test_a_row_says_what_sampling_costs_and_what_is_found_between_two_runs_without_it(
    there: Machinery, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(logs: list[float], *, confidence: float, margin: float | None = None) -> Any:
        """Tell one answer of the comparison, which has a margin, and another of the floor."""
        assert (len(logs), confidence) == (4, room.CONFIDENCE)
        assert margin in {None, room.MARGIN}
        shift = 0.0 if margin is None else 0.5
        return SimpleNamespace(
            loss=shift + 0.01, low=shift, high=shift + 0.02, blocks=4, verdict=Verdict.LOSS, blocks_more=9
        )

    monkeypatch.setattr(room, "paired_loss", found)
    for row in _measure().rows:
        assert row.loss == Interval(0.51, 0.5, 0.52, 4)
        assert row.floor == Interval(0.01, 0.0, 0.02, 4)
        assert (row.verdict, row.blocks_more) == (Verdict.LOSS, 9)


@pytest.mark.live
@pytest.mark.long
def test_the_cost_of_the_real_probe_is_measured_on_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "WORK_S", 0.5)
    wanted = CostSpec(0.05, (), 3, 1)
    page = probe_cost(Machine("local"), wanted, home=tmp_path, watcher=Silent())
    assert [row.loss.blocks for row in page.rows] == [3, 3, 3, 3]
    assert all(row.loss.low is not None and row.seconds > 0 for row in page.rows)
    assert all(0 < own.cpu_share < 0.5 and own.wake_ups_per_s for own in page.own)
    assert [path.name for path in (tmp_path / "work").iterdir() if path.name.startswith("cost-")] == []
