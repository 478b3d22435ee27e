"""A conversation with `serve`: one line each way."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.model.files.marker import is_marked, make_marked
from tests.probe_native.driver import PROBE, Run, conforms, reported


class Serving:
    """A probe that serves."""

    def __init__(self, home: Path) -> None:
        arguments = [PROBE, "serve", "--home", home]
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.count = 0

    def say(self, text: str) -> None:
        """Write it at once."""
        assert self.process.stdin
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        assert self.process.stdout
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        conforms(answer, "answer")
        return answer

    def raw(self, line: str) -> dict[str, Any]:
        self.say(line + "\n")
        return self.hear()

    def ask(self, op: str, **fields: Any) -> dict[str, Any]:
        self.count += 1
        answer = self.raw(json.dumps({"id": self.count, "op": op, **fields}))
        assert answer["id"] == self.count
        return answer

    def good(self, op: str, **fields: Any) -> dict[str, Any]:
        answer = self.ask(op, **fields)
        assert answer["ok"], answer
        result: dict[str, Any] = answer["result"]
        return result

    def end(self) -> int:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        code = self.process.wait(10)
        self.process.stdout.close()
        return code


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def serving(home: Path) -> Iterator[Serving]:
    serving = Serving(home)
    yield serving
    assert serving.end() == 0


def test_a_run_by_conversation(serving: Serving, home: Path) -> None:
    into = str(home / "trial")
    assert serving.good("status", into=into)["state"] == "absent"
    spec = {"protocol": [1, 1], "command": ["sleep", "60"], "directory": str(home / "work")}
    pid = serving.good("run", spec=spec, into=into)["pid"]
    status = serving.good("status", into=into)
    conforms(status, "status")
    assert (status["state"], status["pid"]) == ("running", pid)
    serving.good("stop", into=into)
    assert Run(home / "trial").record["cause"] == "'sleep' was stopped on request"


SOON_S = 20.0
"""Well below the times for which the probe is asked to wait here."""
CLOCK = '{"id":"clock","op":"clock"}\n'


@pytest.fixture
def into(serving: Serving, home: Path) -> Iterator[str]:
    """A job that runs as long as the test."""
    into = str(home / "trial")
    spec = {"protocol": [1, 1], "command": ["sleep", "600"], "directory": str(home / "work")}
    serving.good("run", spec=spec, into=into)
    yield into
    reported("stop", into)


def wait_line(into: str, limit_s: float = 600) -> str:
    return json.dumps({"id": "wait", "op": "wait", "into": into, "limit_s": limit_s}) + "\n"


def state(answer: dict[str, Any]) -> str:
    """State in the answer to ``wait_line``."""
    assert (answer["id"], answer["ok"]) == ("wait", True)
    conforms(answer["result"], "status")
    return str(answer["result"]["state"])


@pytest.mark.parametrize(
    "limit", [{}, *({"limit_s": wrong} for wrong in (None, -1, -1e-9, "1", True, [1], 1e300))]
)
def test_a_wait_without_a_time_is_refused(serving: Serving, into: str, limit: dict[str, Any]) -> None:
    answer = serving.ask("wait", into=into, **limit)
    assert (answer["ok"], answer["missing"]) == (False, False)
    assert answer["error"] == "cannot perform the request: expected a number 'limit_s', 0 or more"
    assert serving.ask("wait", limit_s=1)["error"] == "cannot perform the request: expected a text 'into'"


def test_a_wait_ends_with_its_job(serving: Serving, home: Path) -> None:
    into, before = str(home / "trial"), time.monotonic()
    spec = {"protocol": [1, 1], "command": ["sleep", "0.3"], "directory": str(home / "work")}
    serving.good("run", spec=spec, into=into)
    for _ in range(2):
        assert state(serving.raw(wait_line(into).strip())) == "ended"
    assert time.monotonic() - before < SOON_S


def test_a_wait_for_no_job_is_over_at_once(serving: Serving, home: Path) -> None:
    before = time.monotonic()
    assert state(serving.raw(wait_line(str(home / "none")).strip())) == "absent"
    assert time.monotonic() - before < SOON_S


@pytest.mark.parametrize("limit_s", [0, 0.2])
def test_a_wait_is_over_after_its_time(serving: Serving, into: str, limit_s: float) -> None:
    before = time.monotonic()
    assert state(serving.raw(wait_line(into, limit_s).strip())) == "running"
    assert limit_s <= time.monotonic() - before < SOON_S


def test_the_next_request_ends_a_wait_and_both_are_answered_in_order(serving: Serving, into: str) -> None:
    before = time.monotonic()
    for pause_s in (0.2, 0.0):
        serving.say(wait_line(into))
        time.sleep(pause_s)
        serving.say(CLOCK)
        assert state(serving.hear()) == "running"
        assert serving.hear()["id"] == "clock"
    assert time.monotonic() - before < SOON_S


@pytest.mark.parametrize("count", [1, 100])
def test_requests_that_come_at_once_are_answered_in_order_without_waiting(
    serving: Serving, into: str, count: int
) -> None:
    before = time.monotonic()
    serving.say((wait_line(into) + CLOCK) * count)
    for _ in range(count):
        assert state(serving.hear()) == "running"
        assert serving.hear()["id"] == "clock"
    assert time.monotonic() - before < SOON_S


def test_half_a_request_ends_a_wait_too(serving: Serving, into: str) -> None:
    before = time.monotonic()
    for lines in ((wait_line(into), CLOCK[:9]), (wait_line(into) + CLOCK[:9],)):
        for line in lines:
            serving.say(line)
        assert state(serving.hear()) == "running"
        serving.say(CLOCK[9:])
        assert serving.hear()["id"] == "clock"
    assert time.monotonic() - before < SOON_S


def test_a_wait_ends_with_the_input(serving: Serving, into: str) -> None:
    serving.say(wait_line(into))
    assert serving.end() == 0


def test_a_stop_ends_a_wait_and_the_job(serving: Serving, into: str) -> None:
    before = time.monotonic()
    serving.say(
        wait_line(into) + json.dumps({"id": "stop", "op": "stop", "into": into}) + "\n" + wait_line(into)
    )
    assert state(serving.hear()) == "running"
    assert serving.hear()["id"] == "stop"
    assert state(serving.hear()) == "ended"
    assert time.monotonic() - before < SOON_S


def test_a_supervisor_that_is_killed_ends_a_wait(serving: Serving, into: str) -> None:
    pid, before = serving.good("status", into=into)["pid"], time.monotonic()
    serving.say(wait_line(into))
    time.sleep(0.2)
    os.kill(pid, 9)
    assert state(serving.hear()) == "lost"
    assert state(serving.raw(wait_line(into).strip())) == "lost"
    assert time.monotonic() - before < SOON_S


def test_jobs_go_on_when_the_input_ends(home: Path) -> None:
    serving = Serving(home)
    spec = {"protocol": [1, 1], "command": ["sleep", "0.5"], "directory": str(home)}
    serving.good("run", spec=spec, into=str(home / "trial"))
    assert serving.end() == 0
    assert Run(home / "trial").record["state"] == "ended"


def test_the_clock_is_read_when_the_request_is_handled(serving: Serving) -> None:
    before = time.monotonic_ns()
    clock = serving.good("clock")
    conforms(clock, "moment")
    assert before <= clock["mono_ns"] <= time.monotonic_ns()


def test_facts_digest_and_version_answer(serving: Serving) -> None:
    conforms(serving.good("facts"), "facts")
    conforms(serving.good("digest", program="sh"), "digest")
    assert serving.good("find", program="sh") == {
        "path": serving.good("digest", program="sh")["executable"]["path"]
    }
    version = serving.good("version")
    assert (version["version"], version["protocol"]) == ("0.1.0", [1, 4])
    assert "pressure" in version["watch"]
    assert "cycles" in version["counters"]


def test_a_script_counts_as_a_library_and_is_read_again_once_it_changed(serving: Serving, home: Path) -> None:
    script = home / "job.py"
    script.write_text("print(1)")
    alone = serving.good("digest", program="sh")
    first = serving.good("digest", program="sh", script=str(script))
    conforms(first, "digest")
    assert first["libraries"][:-1] == alone["libraries"]
    assert (first["libraries"][-1]["name"], first["libraries"][-1]["path"]) == ("job.py", str(script))
    script.write_text("print(22)")
    second = serving.good("digest", program="sh", script=str(script))
    assert second["libraries"][-1]["sha256"] != first["libraries"][-1]["sha256"]
    for no_file in (home, home / "gone"):
        assert serving.good("digest", program="sh", script=str(no_file)) == alone


def test_files_that_are_known_by_identity_are_not_hashed_again(serving: Serving, home: Path) -> None:
    script = home / "job.py"
    script.write_text("print(1)")
    question = {"program": "sh", "script": str(script)}
    first = serving.good("digest", **question)["libraries"][-1]
    for known in ([{**first, "sha256": "0" * 64}], [7, {}, {"path": 1}], "none"):
        assert (
            serving.good("digest", known=known, **question)["libraries"][-1] == first
        )  # its own reading counts
    script.write_text("print(22)")
    changed = serving.good("digest", known=[first], **question)["libraries"][-1]
    assert (changed["sha256"], changed["identity"]) != (first["sha256"], first["identity"])
    false = {**changed, "sha256": "0" * 64}
    another = Serving(
        home
    )  # what it has not read itself is as it is told, but only while it is the same file
    try:
        assert another.good("digest", known=[false], **question)["libraries"][-1] == false
        script.write_text("print(333)")
        found = another.good("digest", known=[false], **question)["libraries"][-1]
        assert found["sha256"] == hashlib.sha256(b"print(333)").hexdigest()
    finally:
        assert another.end() == 0


def test_a_script_is_found_where_what_runs_it_is_there_too(serving: Serving, tmp_path: Path) -> None:
    for line, missing in (
        ("#!/bin/sh", None),
        ("#!/usr/bin/env -S sh -e", None),
        ("#!/no/such/program", "/no/such/program"),
        ("#!/usr/bin/env no-such-program", "no-such-program"),
    ):
        script = tmp_path / "job"
        script.write_text(f"{line}\n")
        script.chmod(0o755)
        answer = serving.ask("find", program=str(script))
        if missing is None:
            assert answer["result"] == {"path": str(script)}
        else:
            assert answer["missing"] is True
            assert f"cannot find program '{missing}'" in answer["error"]


def test_what_is_missing_is_told_apart_from_what_is_wrong(serving: Serving, home: Path) -> None:
    for op in ("digest", "find"):
        assert serving.ask(op, program="no-such-program")["missing"] is True
    assert serving.ask("stop", into=str(home / "none"))["missing"] is True
    wrong = serving.ask("facst")
    assert wrong["missing"] is False
    assert wrong["error"] == "cannot perform 'facst': unknown op, nearest is 'facts'"
    assert serving.ask("digest")["error"] == "cannot perform the request: expected a text 'program'"


def test_a_broken_line_is_refused_and_the_next_one_answered(serving: Serving) -> None:
    for line in ("{", "[]", "", "7", '"\\ud800"'):
        assert serving.raw(line)["ok"] is False
    assert serving.raw('{"id":"x","op":"version"}')["id"] == "x"


def test_a_wrong_spec_is_refused_before_anything_is_made(serving: Serving, home: Path) -> None:
    answer = serving.ask("run", spec={"protocol": [1, 1], "command": []}, into=str(home / "trial"))
    assert answer["ok"] is False
    assert not (home / "trial").exists()


def test_folders_are_made_with_parents(serving: Serving, home: Path) -> None:
    serving.good("make", path=str(home / "a/b/c"))
    serving.good("make", path=str(home / "a/b/c"))
    assert (home / "a/b/c").stat().st_mode & 0o777 == 0o700
    assert is_marked(home / "a")
    assert not is_marked(home / "a/b")
    space = serving.good("space", path=str(home))
    stat = os.statvfs(home)
    assert space["total_bytes"] == stat.f_blocks * stat.f_frsize
    assert 0 < space["free_bytes"] <= space["total_bytes"]


def test_only_what_lies_below_home_is_removed(serving: Serving, home: Path) -> None:
    outside = home.parent / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    make_marked(home / "ours")
    (home / "ours/link").symlink_to(outside)
    refused = (
        home,
        home.parent,
        outside,
        home / "..",
        home / "../outside",
        home / "ours/link/kept",
        "relative",
        "/",
    )
    for path in refused:
        assert serving.ask("remove", path=str(path))["ok"] is False, path
    serving.good("remove", path=str(home / "ours/link"))
    assert (outside / "kept").exists()
    assert not (home / "ours/link").is_symlink()


def test_only_what_a_marker_names_is_removed(serving: Serving, home: Path) -> None:
    make_marked(home / "ours")
    (home / "mine").mkdir()
    (home / "copy").mkdir()
    (home / "mine/thesis.tex").touch()
    (home / "copy/.assay").write_bytes((home / "ours/.assay").read_bytes())
    (home / "link").symlink_to(home / "ours")
    (home / "file").touch()
    serving.good("make", path=str(home / "mine/deep"))
    for name in ("mine", "mine/deep", "mine/thesis.tex", "copy", "link", "file"):
        said = serving.ask("remove", path=str(home / name))
        assert said["error"] == f"cannot remove {home / name}: no marker of assay names its folder"
        assert (home / name).exists()


def test_a_job_and_a_recording_mark_the_folder_that_they_lie_in(serving: Serving, home: Path) -> None:
    (home / "empty").mkdir()
    for name in ("job", "empty"):
        spec = {"protocol": [1, 1], "command": ["/bin/true"], "directory": str(home / name / "work")}
        serving.good("run", spec=spec, into=str(home / name / "trial"))
        assert is_marked(home / name)
    serving.good("record", into=str(home / "recorded/machine"))
    assert is_marked(home / "recorded")
    assert not (home / "recorded/machine/.assay").exists()


def test_removing_takes_folders_files_and_what_is_gone(serving: Serving, home: Path) -> None:
    serving.good("make", path=str(home / "a/b"))
    (home / "a/b/out").symlink_to("/etc")
    (home / "a/file").touch()
    for name in ("a/b", "a/file", "a", "never-there"):
        serving.good("remove", path=str(home / name))
        assert not (home / name).exists()
    assert Path("/etc/passwd").exists()


def test_a_removal_that_is_cut_off_can_be_gone_on_with(serving: Serving, home: Path) -> None:
    serving.good("make", path=str(home / "a"))
    for name in ("b", "y", "z"):
        (home / "a" / name).touch()
    subprocess.run(["chattr", "+i", home / "a/y"], check=True)
    try:
        assert serving.ask("remove", path=str(home / "a"))["ok"] is False
        assert is_marked(home / "a")
    finally:
        subprocess.run(["chattr", "-i", home / "a/y"], check=True)
    serving.good("remove", path=str(home / "a"))
    assert not (home / "a").exists()


def test_a_folder_whose_marking_was_cut_off_is_marked_or_removed(serving: Serving, home: Path) -> None:
    for name in ("again", "gone"):
        (home / name).mkdir()
        (home / name / ".assay.4711.new").touch()
    serving.good("make", path=str(home / "again/deep"))
    assert is_marked(home / "again")
    serving.good("remove", path=str(home / "gone"))
    assert not (home / "gone").exists()


@pytest.mark.live
def test_a_mount_is_never_removed(serving: Serving, home: Path) -> None:
    serving.good("make", path=str(home / "a/mnt"))
    subprocess.run(["mount", "-t", "tmpfs", "none", home / "a/mnt"], check=True)
    try:
        (home / "a/mnt/kept").touch()
        answer = serving.ask("remove", path=str(home / "a"))
        assert "is mounted" in answer["error"]
        assert (home / "a/mnt/kept").exists()
    finally:
        subprocess.run(["umount", home / "a/mnt"], check=True)
    serving.good("remove", path=str(home / "a"))
