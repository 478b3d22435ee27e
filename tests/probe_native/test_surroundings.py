"""A job finds the same surroundings on every machine, whoever started the probe."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.probe_native.driver import PROBE, Run

PYTHON = str(Path(sys.executable).resolve())
NOBODY = 65534
LOOK = """
import json, os, resource
names = [name for name in dir(resource) if name.startswith("RLIMIT_") and name != "RLIMIT_OFILE"]
mask = os.umask(0)
print(json.dumps({
    "nice": os.getpriority(os.PRIO_PROCESS, 0),
    "policy": os.sched_getscheduler(0),
    "umask": mask,
    "limits": {name: resource.getrlimit(getattr(resource, name)) for name in names},
}))
"""


def odd() -> None:
    """What a starter may have set, other than usual in every respect."""
    os.umask(0o077)
    for name, soft in (
        ("NOFILE", 4000),
        ("CORE", resource.RLIM_INFINITY),
        ("STACK", 1 << 20),
        ("NPROC", 4000),
    ):
        limit = getattr(resource, f"RLIMIT_{name}")
        _, hard = resource.getrlimit(limit)
        resource.setrlimit(limit, (soft, hard))
    os.nice(5)
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def started(
    folder: Path,
    *command: str,
    before: Callable[[], object] = odd,
    become: tuple[str, ...] = (),
    **fields: Any,
) -> Run:
    spec = {"protocol": [1, 1], "command": list(command), "directory": str(folder / "work"), **fields}
    (folder / "spec.json").write_text(json.dumps(spec))
    surroundings = {
        "PATH": "/none:/bin",
        "HOME": "/none",
        "LANG": "de_DE",
        "TZ": "Asia/Tokyo",
        "OMP_NUM_THREADS": "9",
    }
    probe = shutil.copy(PROBE, folder / "assay-probe")
    argv = [*become, probe, "run", folder / "spec.json", "--into", folder / "run"]
    subprocess.run(argv, check=True, preexec_fn=before, env=surroundings, capture_output=True)
    return Run(folder / "run")


def test_the_environment_is_exactly_ours_and_what_the_spec_adds(tmp_path: Path) -> None:
    run = started(tmp_path, "env", environment={"SEED": "7", "LANG": "C"})
    assert run.record["state"] == "ended"
    assert sorted(run.stdout.splitlines()) == [
        f"HOME={tmp_path}/work",
        "LANG=C",
        "LC_ALL=C.UTF-8",
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "SEED=7",
    ]


def test_limits_mask_and_priority_are_not_the_starters(tmp_path: Path) -> None:
    run = started(tmp_path, PYTHON, "-c", LOOK)
    record, seen = run.record, json.loads(run.stdout)
    assert (record["state"], record["doubts"]) == ("ended", [])
    assert (seen["nice"], seen["policy"], seen["umask"]) == (0, os.SCHED_OTHER, 0o022)
    limits = seen["limits"]
    unlimited = resource.RLIM_INFINITY
    for name, most in (("RLIMIT_NOFILE", 1024), ("RLIMIT_STACK", 8 << 20), ("RLIMIT_CORE", 0)):
        soft, hard = limits.pop(name)
        assert soft == (most if hard == unlimited else min(most, hard)), name
    assert all(soft == hard for soft, hard in limits.values()), limits


@pytest.mark.parametrize("mask", [0o000, 0o077])
def test_the_probes_own_files_are_for_its_user_alone_and_the_jobs_as_ever(tmp_path: Path, mask: int) -> None:
    write = "open('made', 'w').write('x'); import os; os.mkdir('folder')"
    run = started(tmp_path, PYTHON, "-c", write, before=lambda: os.umask(mask), placement={"copies": 2})
    assert run.record["state"] == "ended"
    modes = {path.name: path.stat().st_mode & 0o777 for path in run.folder.rglob("*") if path.is_file()}
    assert {"probe.json", "spec.json", "stdout", "stdout.1", "samples.csv"} <= modes.keys()
    assert set(modes.values()) == {0o600}
    copy = tmp_path / "work" / "copy-1"
    assert [path.stat().st_mode & 0o777 for path in (run.folder, copy.parent, copy)] == [0o700] * 3
    assert [(copy / name).stat().st_mode & 0o777 for name in ("made", "folder")] == [0o644, 0o755]


@pytest.fixture
def theirs() -> Iterator[Path]:
    """A folder of a user who may not raise a priority."""
    folder = Path(tempfile.mkdtemp(prefix="assay-test-"))
    os.chown(folder, NOBODY, NOBODY)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.live
def test_a_priority_that_cannot_be_raised_is_a_doubt_with_its_value(theirs: Path) -> None:
    become = ("/usr/bin/setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
    run = started(theirs, "true", before=lambda: os.nice(5), become=become)
    doubt = {"code": "nice", "sentence": "The job ran at nice 5 instead of 0."}
    assert run.record["state"] == "ended"
    assert run.record["doubts"] == [doubt]
