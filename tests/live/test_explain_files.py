"""What a job asks of its files, traced on this machine and in a real guest; killed in the trace, and gone on
with.
"""

from __future__ import annotations

import json
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.contracts import fits
from tests.live.parts import Done, World, activities, assert_same_world, run, started

pytestmark = [pytest.mark.live, pytest.mark.long]

JOB = """\
set -e
for folder in a b c; do cat /nowhere/$folder/lib.so 2>/dev/null || true; done
dd if=input of=copy bs=4096 count=64 status=none
dd if=/dev/zero of=out bs=1024 count=8 oflag=dsync status=none
dd if=copy of=/dev/null bs=65536 status=none
sync -d out
"""
SCENE = """\
scene: asks
title: A job that asks for much
baseline: {machine: local}
treatment: {platform: guest, factors: {memory.size: 512 MiB}}
workloads:
  - {name: job, command: "sh job.sh", inputs: [job.sh, input]}
design: {blocks: 3, wait-quiet: 0 s}
"""


@dataclass(frozen=True)
class Story:
    """All that happened, in its order."""

    home: Path
    before: dict[str, tuple[bytes, int]]
    traced: Done
    again: Done


@pytest.fixture(scope="module")
def story(home: Path, before: World, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """Evaluate, kill the trace after its first trial, trace, and ask once more."""
    scratch = tmp_path_factory.mktemp("asks")
    (scratch / "job.sh").write_text(JOB)
    (scratch / "input").write_bytes(b"x" * 4096 * 64)
    (scratch / "asks.yaml").write_text(SCENE)
    done = run("evaluate", str(scratch / "asks.yaml"), home=home, longest_s=900.0)
    assert done.code == 0, done.err
    (result,) = activities(home)
    with started("explain", result.id, "--files", home=home, scratch=scratch) as running:
        running.wait_for(
            lambda: (
                len(activities(home)) == 2
                and any(one.records for one in activities(home) if one.id != result.id)
            ),
            "a trial is traced",
        )
        running.send(signal.SIGKILL)
        running.end()
    (trace,) = [one for one in activities(home) if one.id != result.id]
    before_files = trace.files()
    traced = run("explain", result.id, "--files", "--json", home=home, longest_s=900.0)
    again = run("explain", result.id, "--files", "--json", home=home)
    return Story(home, before_files, traced, again)


def rows(story: Story) -> dict[str, Any]:
    """Return the files of the job by their path."""
    (workload,) = story.traced.page["workloads"]
    assert workload["reason"] is None
    (phase,) = workload["phases"]
    return {one["path"]: one for one in phase["files"]}


def test_each_file_is_told_with_what_is_asked_of_it_on_both_arms(story: Story) -> None:
    assert story.traced.code == 0, story.traced.err
    fits(story.traced.page, "files-v1")
    found = rows(story)
    for arm in ("baseline", "treatment"):
        copied, out = found["./copy"][arm], found["./out"][arm]
        assert (copied["writes"], copied["write_bytes"]) == (64, 64 * 4096)
        assert copied["writes_on"] >= 63
        assert copied["read_bytes"] == 64 * 4096
        assert copied["reads"] <= 6
        assert (out["writes"], out["write_bytes"]) == (8, 8 * 1024)
        assert out["syncs"] == 1
        assert found["./input"][arm]["reads"] >= 64


def test_names_that_are_looked_for_in_vain_are_counted(story: Story) -> None:
    (workload,) = story.traced.page["workloads"]
    (phase,) = workload["phases"]
    for arm in ("baseline", "treatment"):
        assert phase[arm]["missing"] >= 3


def test_what_tracing_cost_stands_beside_it(story: Story) -> None:
    (workload,) = story.traced.page["workloads"]
    for arm in ("baseline_cost", "treatment_cost"):
        assert workload[arm]["traced_s"] > 0
        assert workload[arm]["untraced_s"] > 0


def test_a_trace_that_was_killed_is_gone_on_with_and_made_once(story: Story) -> None:
    known = activities(story.home)
    assert len(known) == 2
    (trace,) = [one for one in known if one.id == story.traced.page["traced"]]
    now = trace.files()
    assert {name: now[name] for name in story.before} == story.before
    assert json.loads(json.dumps(story.again.page)) == story.traced.page


def test_nothing_is_left_behind(story: Story, before: World) -> None:
    assert_same_world(story.home, before)
