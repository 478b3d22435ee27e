"""The probe needs nothing around it: an empty root, with and without ``/proc``."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.probe_native.driver import PROBE, Run

pytestmark = pytest.mark.live

PROC = 'mkdir "$0/proc"; mount -t proc proc "$0/proc"; exec chroot "$0" "$@"'
NO_PROC = 'exec chroot "$0" "$@"'


def bare(tmp_path: Path, script: str, *command: str, **fields: Any) -> dict[str, Any]:
    """The record of a job in a root where nothing is but the probe."""
    root = tmp_path / "root"
    root.mkdir()
    shutil.copy(PROBE, root / "assay-probe")
    spec = {"protocol": [1, 1], "command": list(command), "directory": "/", **fields}
    (root / "spec.json").write_text(json.dumps(spec))
    words = ("unshare", "--mount", "sh", "-c", script, root)
    done = subprocess.run(
        [*words, "/assay-probe", "run", "/spec.json", "--into", "/run"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Run(root / "run").record


def test_an_empty_root_with_proc_measures_all_of_the_core_set(tmp_path: Path) -> None:
    record = bare(tmp_path, PROC, "/assay-probe", "kernel", "flops", "--seconds", "0.3")
    assert (record["state"], record["scope"]) == ("ended", "tree")
    usage = record["usage"]
    assert 0.01 < usage["user_s"] + usage["system_s"] <= usage["wall_s"] + 0.05
    assert usage["logical_write_bytes"] > 0
    assert None not in record["machine"].values()


def test_without_proc_what_is_not_known_is_null(tmp_path: Path) -> None:
    record = bare(tmp_path, NO_PROC, "/assay-probe", "kernel", "flops", "--seconds", "0.3", interval_s=0.1)
    assert (record["state"], record["scope"]) == ("ended", "tree")
    usage = record["usage"]
    # The kernel's account of reaped children needs no file.
    assert 0.01 < usage["user_s"] + usage["system_s"] <= usage["wall_s"] + 0.05
    assert usage["read_bytes"] is None
    assert usage["logical_write_bytes"] is None
    assert set(record["machine"].values()) == {None}
    samples = Run(tmp_path / "root/run").samples()
    for name in ("job_user_s", "job_rss_bytes", "job_processes", "job_read_bytes", "machine_idle_s"):
        assert {sample[name] for sample in samples} == {None}, name


def test_a_job_without_proc_is_ended_at_its_time_limit(tmp_path: Path) -> None:
    record = bare(tmp_path, NO_PROC, "/assay-probe", "kernel", "flops", "--seconds", "30", time_limit_s=0.2)
    assert (record["cause_kind"], record["exit_code"]) == ("time-limit", 143)


def test_a_program_that_is_not_there_ends_as_in_a_shell(tmp_path: Path) -> None:
    record = bare(tmp_path, PROC, "/bin/true")
    assert (record["exit_code"], record["cause_kind"]) == (127, "start")
