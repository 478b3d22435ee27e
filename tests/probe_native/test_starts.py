"""A job starts at the time asked for, or says by how much it did not."""

from __future__ import annotations

import time
from pathlib import Path

from tests.probe_native.driver import reported, start, wait_for


def codes(record: dict[str, list[dict[str, str]]]) -> list[str]:
    return [doubt["code"] for doubt in record["doubts"]]


def test_a_job_is_released_at_the_time_asked_for_and_never_before(tmp_path: Path) -> None:
    at = time.monotonic_ns() + 500_000_000
    run = start(tmp_path, "cat", "/proc/uptime", start={"at_mono_ns": at}, placement={"copies": 2})
    record = run.record
    for copy in record["copies"]:
        late_ns = copy["started"]["mono_ns"] - at
        assert late_ns >= 0
        assert late_ns < 5_000_000 or "start-missed" in codes(record)
    assert record["started"] == record["copies"][0]["started"]


def test_a_start_that_has_passed_is_a_doubt_with_the_delay(tmp_path: Path) -> None:
    at = time.monotonic_ns() - 2_000_000_000
    record = start(tmp_path, "true", start={"at_mono_ns": at}).record
    assert record["state"] == "ended"
    assert codes(record) == ["start-missed"]
    assert "2." in record["doubts"][0]["sentence"]


def test_a_stop_before_the_start_ends_it_and_nothing_ran(tmp_path: Path) -> None:
    at = time.monotonic_ns() + 60_000_000_000
    run = start(tmp_path, "touch", "ran", start={"at_mono_ns": at}, placement={"copies": 2})
    assert run.state == "running"
    reported("stop", run.folder)
    record = run.record
    assert (record["state"], record["usage"], record["copies"]) == ("failed", None, [])
    assert record["cause"] == "'touch' was stopped before its start"
    assert not list(tmp_path.rglob("ran"))
    assert not any(map(Path.exists, map(Path, (run.folder / "groups").read_text().splitlines())))


def test_a_stop_between_staggered_copies_starts_no_more(tmp_path: Path) -> None:
    script = "echo begun; exec sleep 600"
    run = start(tmp_path, "sh", "-c", script, placement={"copies": 2}, start={"stagger_s": 600})
    wait_for((run.folder / "stdout").exists)
    wait_for(lambda: run.stdout)
    reported("stop", run.folder)
    first, second = run.record["copies"]
    assert first["signal"] == 15
    assert second["started"] is None
