"""What a job writes has a limit, and the disk that it writes to is not filled: the job is ended with that
cause.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.in_gate import in_gate
from tests.probe_native.driver import NO_GROUPS, probe, start
from tests.small_disk import small_disk

MIB = 1 << 20
POUR = "cat /dev/zero"
SCOPES = pytest.mark.parametrize("through", [(), NO_GROUPS], ids=["group", "tree"])


def over(record: dict[str, Any]) -> dict[str, int]:
    """Return the streams that held too much, with what they held."""
    return {one["stream"]: one["bytes"] for one in record["output"]["over"]}


@SCOPES
@pytest.mark.parametrize(("stream", "script"), in_gate([("stdout", POUR), ("stderr", f"{POUR} >&2")], 1))
def test_a_job_that_prints_without_end_is_ended_and_its_stream_kept_to_the_limit(
    tmp_path: Path, through: tuple[str, ...], stream: str, script: str
) -> None:
    run = start(tmp_path, "sh", "-c", script, through=through, output_limit_bytes=MIB)
    record = run.record
    assert (record["state"], record["cause_kind"]) == ("failed", "output-limit")
    assert record["cause"] == f"'sh' wrote more than its limit of {MIB} bytes to {stream} and was stopped"
    assert record["output"]["limit_bytes"] == MIB < over(record)[stream]
    assert (run.folder / stream).stat().st_size == MIB


def test_every_copy_is_held_to_the_limit_for_itself(tmp_path: Path) -> None:
    script = f"echo {{copy}}; [ {{copy}} = 0 ] || {POUR}"
    run = start(tmp_path, "sh", "-c", script, output_limit_bytes=4096, placement={"copies": 3})
    record = run.record
    assert set(over(record)) == {"stdout.1", "stdout.2"}
    assert record["cause"] == "'sh' wrote more than its limit of 4096 bytes to stdout.1 and was stopped"
    sizes = [(run.folder / name).stat().st_size for name in ("stdout", "stdout.1", "stdout.2")]
    assert sizes == [2, 4096, 4096]


def test_a_job_that_prints_on_after_its_limit_takes_no_more_of_the_disk(tmp_path: Path) -> None:
    script = f"trap '' TERM; sh -c '{POUR}'"
    run = start(tmp_path, "sh", "-c", script, output_limit_bytes=4096, grace_s=1)
    assert run.record["exit_code"] == 137
    assert run.record["usage"]["wall_s"] >= 1
    file = (run.folder / "stdout").stat()
    assert (file.st_size, file.st_blocks * 512 <= MIB) == (4096, True)


def test_what_outlives_a_job_is_held_to_the_limit_too(tmp_path: Path) -> None:
    run = start(tmp_path, "sh", "-c", f"{POUR} & exit 0", output_limit_bytes=4096)
    assert (run.record["cause_kind"], (run.folder / "stdout").stat().st_size) == ("output-limit", 4096)


def test_a_job_within_its_limit_is_left_alone_and_asked_for_nothing(tmp_path: Path) -> None:
    run = start(tmp_path, "sh", "-c", "head -c 4096 /dev/zero; exit 0", output_limit_bytes=4096)
    assert (run.record["state"], over(run.record)) == ("ended", {})
    assert run.record["room"]["keep_free_bytes"] == 64 * MIB < run.record["room"]["least_free_bytes"]


def test_a_job_that_prints_little_is_looked_at_with_its_samples_alone(tmp_path: Path) -> None:
    record = start(tmp_path, "sleep", "2.5", interval_s=1).record
    assert record["cost"]["wake_ups"] <= 5


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """Yield a file system of 64 MiB."""
    with small_disk(tmp_path / "small", "size=64m") as place:
        yield place


@pytest.mark.parametrize("place", ["stdout", "own"])
def test_a_job_that_fills_the_disk_is_ended_before_it_is_full(small: Path, place: str) -> None:
    into = "" if place == "stdout" else ">>own"
    script = f"while :; do head -c 100000 /dev/zero {into}; done"
    run = start(small, "sh", "-c", script, keep_free_bytes=32 * MIB)
    record = run.record
    assert (record["cause_kind"], record["state"]) == ("no-room", "failed")
    free = record["room"]["least_free_bytes"]
    assert 0 < free < 32 * MIB
    kept = f"the disk of {run.folder} had {free} bytes free and {32 * MIB} are kept"
    assert record["cause"] == f"{kept}: 'sh' was stopped"
    assert shutil.disk_usage(small).free > 0


def test_no_job_is_started_on_a_disk_that_is_nearly_full(small: Path) -> None:
    record = start(small, "touch", "ran").record
    assert (record["cause_kind"], record["usage"], record["copies"]) == ("no-room", None, [])
    assert record["cause"].endswith(f"and {64 * MIB} are kept: 'touch' was not started")


def test_a_full_disk_is_named_by_the_question_that_met_it(small: Path) -> None:
    subprocess.run(["dd", "if=/dev/zero", f"of={small}/f", "bs=1M"], capture_output=True, check=False)
    (small.parent / "spec.json").write_text(
        f'{{"protocol": [1, 4], "command": ["true"], "directory": "{small.parent}"}}'
    )
    done = probe("run", small.parent / "spec.json", "--into", small / "run")
    assert done.returncode == 1
    assert done.stderr == f"cannot write {small}/run/spec.json: no space left on device\n"
