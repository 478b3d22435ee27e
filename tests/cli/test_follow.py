"""``assay activity follow`` of an activity that nobody conducts any more: how it stands, once."""

from __future__ import annotations

from pathlib import Path

from tests.command import run
from tests.results.test_outcome import PLAN


def test_each_metric_has_its_loss_in_rows_and_in_json(measured: Path) -> None:
    (lane,) = run("activity", "follow", PLAN.id, "--json", home=measured).page["lanes"]
    losses = lane["losses"]
    assert losses
    assert {*losses[0]} == {"workload", "metric", "treatment", "blocks", "loss", "low", "high"}
    lines = run("activity", "follow", PLAN.id, home=measured).out.splitlines()
    header = next(
        at for at, line in enumerate(lines) if line.split() == ["workload", "metric", "blocks", "loss"]
    )
    assert len(lines) - header - 1 == len(losses)
    for line, one in zip(lines[header + 1 :], losses, strict=True):
        assert line.split()[:3] == [one["workload"], one["metric"], str(one["blocks"])]
