"""A machine is measured by one activity at a time, whoever conducts it."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.activities.machine_claim import claim_machine
from assay.activities.visits.visit import open_probe
from assay.model.files.native import PROBE
from assay.model.machines.machine import Machine
from assay.platforms.errors import ClaimedError


def held(by: Mapping[str, Any] | None) -> Any:
    return SimpleNamespace(claim=lambda ours: by and {**ours, **by})


def test_our_own_claim_is_shared_and_anothers_is_named(tmp_path: Path) -> None:
    claim_machine("node01", held(None), "0123abcd", tmp_path)
    claim_machine("node01", held({"pid": 1}), "0123abcd", tmp_path)
    for other in ({"activity": "89abcdef"}, {"home": "/other"}, {"controller": "elsewhere"}):
        with pytest.raises(ClaimedError, match="cannot start: node01 is measured by activity ") as caught:
            claim_machine("node01", held(other), "0123abcd", tmp_path)
        assert next(iter(other.values())) in caught.value.message
    nobody: Any = SimpleNamespace(claim=lambda _: {})
    with pytest.raises(ClaimedError, match=r"activity \(unknown\)"):
        claim_machine("n", nobody, "0123abcd", tmp_path)


@pytest.mark.live
def test_two_homes_do_not_measure_at_once(tmp_path: Path) -> None:
    with (
        open_probe(Machine("local"), tmp_path / "a") as (one, _),
        open_probe(Machine("local"), tmp_path / "b") as (two, _),
    ):
        assert one.claim({"activity": "a"}) is None
        assert one.claim({"activity": "a"}) is None
        assert two.claim({"activity": "b"}) == {"activity": "a"}
    with open_probe(Machine("local"), tmp_path / "b") as (two, _):
        assert two.claim({"activity": "b"}) is None


@contextmanager
def holder(home: Path, *questions: Mapping[str, Any]) -> Iterator[subprocess.Popen[str]]:
    """Start a probe that was asked for the claim of activity a, and more."""
    words = [PROBE.path(), "serve", "--home", home]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        claim = {"op": "claim", "by": {"activity": "a"}}
        for number, question in enumerate((claim, *questions)):
            process.stdin.write(json.dumps({"id": number, **question}) + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["ok"]
        yield process
        process.kill()


@pytest.mark.live
def test_a_claim_ends_with_its_holder_however_it_ends(tmp_path: Path) -> None:
    with holder(tmp_path) as process, open_probe(Machine("local"), tmp_path) as (other, _):
        assert other.claim({"activity": "b"}) == {"activity": "a"}
        process.kill()
        process.wait()
        assert other.claim({"activity": "b"}) is None
    if os.geteuid() == 0:
        assert Path("/run/assay/machine.lock").stat().st_mode & 0o777 == 0o600


@pytest.mark.live
def test_a_job_whose_conductor_was_killed_holds_the_claim_to_its_end(tmp_path: Path) -> None:
    into = str(tmp_path / "ours" / "trial")
    spec = {"protocol": [1, 4], "command": ["sleep", "30"], "directory": "/tmp"}
    with holder(tmp_path, {"op": "run", "spec": spec, "into": into}) as process:
        process.kill()
        process.wait()
    with open_probe(Machine("local"), tmp_path) as (other, _):
        assert other.claim({"activity": "b"}) == {"activity": "a"}
        other.stop(into)
        until = time.monotonic() + 20
        while other.claim({"activity": "b"}) is not None:
            assert time.monotonic() < until
            time.sleep(0.1)
