"""Files are read ahead by a process of the job's, from its start until all are read or the job has ended."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.probe_native.driver import NO_GROUPS, start

SIZE = 4_000_000
FILES = 3


@pytest.fixture
def files() -> Iterator[list[str]]:
    """Files that are stored: what is in memory alone cannot be evicted."""
    folder = Path(tempfile.mkdtemp(prefix="assay-ahead-", dir="/var/tmp"))
    paths = [folder / f"file-{number}" for number in range(FILES)]
    for number, path in enumerate(paths):
        path.write_bytes(bytes([number]) * SIZE)
    yield [str(path) for path in paths]
    shutil.rmtree(folder)


def _codes(record: dict[str, Any]) -> list[str]:
    return [doubt["code"] for doubt in record["doubts"]]


@pytest.mark.parametrize("through", [(), NO_GROUPS], ids=["group", "tree"])
def test_all_is_read_while_the_job_runs_and_told_by_itself(
    tmp_path: Path, files: list[str], through: tuple[str, ...]
) -> None:
    job = start(tmp_path, "sleep", "1", cache={"state": "read-ahead", "paths": files}, through=through)
    record = job.record
    cache, usage = record["cache"], record["usage"]
    assert (record["state"], record["leftover_processes"]) == ("ended", 0)
    assert (cache["state"], cache["files"], cache["bytes"]) == ("read-ahead", FILES, FILES * SIZE)
    assert cache["resident_bytes"] == 0
    assert 0 < cache["ahead"]["whole_s"] <= usage["wall_s"]
    assert cache["ahead"]["cpu_s"] <= usage["user_s"] + usage["system_s"] + 0.02
    assert usage["logical_read_bytes"] >= FILES * SIZE
    assert [copy["exit_code"] for copy in record["copies"]] == [0]


def test_the_reader_of_a_job_that_has_ended_is_no_leftover_and_no_doubt(
    tmp_path: Path, files: list[str]
) -> None:
    many = {"state": "read-ahead", "paths": files * 300}
    record = start(tmp_path, "true", cache=many).record
    assert (record["state"], record["leftover_processes"], _codes(record)) == ("ended", 0, [])
    assert record["cache"]["ahead"]["whole_s"] is None


def test_a_reader_that_fails_is_a_doubt_and_the_job_is_not_touched(tmp_path: Path, files: list[str]) -> None:
    script = f"rm -r {Path(files[0]).parent}; sleep 0.3"
    wanted = {"state": "read-ahead", "paths": files * 300}
    run = start(tmp_path, "sh", "-c", script, cache=wanted)
    record = run.record
    Path(files[0]).parent.mkdir()
    assert record["state"] == "ended"
    assert _codes(record) == ["read-ahead-failed"]
    assert "cannot" in (run.folder / "ahead.stderr").read_text()


def test_other_states_have_no_reader(tmp_path: Path, files: list[str]) -> None:
    for state in ("cold", "warm"):
        record = start(tmp_path, "true", cache={"state": state, "paths": files}).record
        assert record["cache"]["ahead"] is None
