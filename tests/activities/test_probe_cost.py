"""The observer effect: what is compared with what, and what is left behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.activities import probe_cost as room
from assay.activities.probe_cost import OFF_S, WORK_S, CostError, Wish, probe_cost
from assay.model.estimate import Verdict
from assay.model.machine import Machine
from assay.model.observation import ProbeCost, Series
from assay.model.trial import State
from assay.probe import RunResult, Spec, parse_result
from assay.report.cost import text_cost
from tests.builders import FACTS

RECORD = Path(__file__).parents[1] / "probe/records/1.0.json"


class Machinery:
    """A machine on which a unit of work takes a millisecond, and sampling makes it slower by 1 %."""

    def __init__(self) -> None:
        self.specs: dict[str, Spec] = {}
        self.removed: list[str] = []
        self.stopped: list[str] = []
        self.path, self.failing, self.interrupted = "/probe", False, False

    def facts(self) -> Any:
        return replace(FACTS, cpus=(0, 1, 2, 3))

    def start(self, spec: Spec, into: str) -> None:
        self.specs[into] = spec

    def wait(self, into: str, **_: float) -> None:
        if self.interrupted and into not in self.stopped:
            raise KeyboardInterrupt

    def stop(self, into: str) -> None:
        self.stopped.append(into)

    def remove(self, path: str) -> None:
        self.removed.append(path)

    def fetch(self, into: str, here: Path) -> RunResult:
        del here
        spec = self.specs[into]
        amount = next(
            int(word) for text in spec.command for word in text.split() if word.isdigit() and word > "0"
        )
        wall_s = amount / 1000 * (1.0 if spec.interval_s == OFF_S else 1.01)
        result = parse_result(RECORD.read_bytes(), origin=str(RECORD))
        assert result.usage is not None
        return replace(
            result,
            state=State.FAILED if self.failing else State.ENDED,
            cause="it said no" if self.failing else None,
            usage=replace(result.usage, wall_s=wall_s, user_s=wall_s, system_s=0.5),
            cost=ProbeCost(wall_s / 1000, 2_000_000, 4, 1.5, round(wall_s * 2)),
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

    def step(self, text: str, *, fraction: float | None = None) -> None: ...

    def progress(self, *, done: int, total: int, remaining_s: float) -> None:
        self.left.append(total - done)

    trial_started = trial_over = warn = lambda *_: None


WISH = Wish(0.5, ("pressure",), 4, 7)


def _measure(wish: Wish = WISH) -> Any:
    return probe_cost(Machine("local"), wish, home=Path("/nowhere"), watcher=Silent())


def test_a_planted_slowdown_by_sampling_is_found(there: Machinery) -> None:
    page = _measure()
    wall = page.rows[0]
    assert (wall.work, wall.metric, wall.verdict) == ("arithmetic", "wall", Verdict.LOSS)
    assert wall.loss.loss == pytest.approx(1 - 1 / 1.01)
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
    assert "0.99 % [0.99, 0.99]" in text
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


@pytest.mark.live
@pytest.mark.long
def test_the_cost_of_the_real_probe_is_measured_on_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "WORK_S", 0.5)
    wish = Wish(0.05, (), 3, 1)
    page = probe_cost(Machine("local"), wish, home=tmp_path, watcher=Silent())
    assert [row.loss.blocks for row in page.rows] == [3, 3, 3, 3]
    assert all(row.loss.low is not None and row.seconds > 0 for row in page.rows)
    assert all(0 < own.cpu_share < 0.5 and own.wake_ups_per_s for own in page.own)
    assert [path.name for path in (tmp_path / "work").iterdir() if path.name.startswith("cost-")] == []
