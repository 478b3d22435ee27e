"""A search of short trials, whose change-set is checked on a second machine and measured again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.hosts import SshHost
from tests.live.bench import Call, bench, caller
from tests.live.parts import activities

pytestmark = [pytest.mark.live, pytest.mark.long]

# the translated code does not fit into 8 MiB: each program that starts is translated anew
SCENE = """\
scene: starts
title: A guest whose programs are translated again and again
baseline: {machine: local}
treatment: {platform: guest, factors: {memory.size: 512 MiB, tcg.tb-cache: 8 MiB}}
workloads:
  - name: start
    command: "sh -c 'i=0; while [ $i -lt {events} ]; do ls -l /usr/bin >/dev/null; i=$((i+1)); done'"
    events: 12
design: {blocks: 3, margin: 10 %, wait-quiet: 0 s}
"""
SHORT = 0.5


@pytest.fixture(scope="module")
def host(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshHost]:
    assert home.exists()  # the machine is looked at before the hypervisor starts and after it has ended
    with bench(tmp_path_factory.mktemp("hypervisor")) as made:
        yield made


@pytest.fixture(scope="module")
def call(host: SshHost, home: Path) -> Call:
    return caller(host, home, longest_s=1500.0)


@pytest.fixture(scope="module")
def found(call: Call, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Search, and return what came of it."""
    scene = tmp_path_factory.mktemp("scene") / "starts.yaml"
    scene.write_text(SCENE)
    asked = ("--set", "tcg.tb-cache=64 MiB", "--factors", "disk.discard", "--allow", "memory")
    words = (
        "tune",
        str(scene),
        *asked,
        "--short",
        str(SHORT),
        "--also",
        "bench",
        "--budget",
        "28",
        "--seed",
        "1",
    )
    done = call(*words, "--json")
    assert done.code == 0, done.err
    return done.page


def test_the_search_began_with_short_trials_and_was_confirmed_by_whole_ones(found: Any, home: Path) -> None:
    shares = [one["share"] for one in found["runs"] if one["kind"] == "search"]
    assert shares[0] == SHORT
    assert shares == sorted(shares)
    assert {one["share"] for one in found["runs"] if one["kind"] != "search"} == {1.0}
    plans = {one.id: one.plan for one in activities(home)}
    asked = [json.dumps(plans[one["activity"]]["workloads"]) for one in found["runs"]]
    short = [text for text, one in zip(asked, found["runs"], strict=True) if one["share"] == SHORT]
    assert short
    assert all("-lt 6 " in text for text in short)
    assert "-lt 12 " in asked[-1]


def test_what_pays_here_was_checked_on_the_second_machine(found: Any) -> None:
    kinds = Counter(one["machine"] for one in found["runs"])
    assert set(kinds) == {"", "bench"}
    (changes,) = found["found"]
    assert changes["changes"] == {"tcg.tb-cache": "64 MiB"}
    assert changes["recommended"], changes["reason"]
    (check,) = (one for one in changes["checks"] if one["machine"] == "bench")
    assert check["holds"], check["reason"]
    current = next(one for one in check["saved"] if one["over"] == "current")
    assert current["gain"] > 0.1
    assert {row["workload"] for row in check["mix"]} == {"start"}


def test_it_is_measured_again(found: Any, call: Call) -> None:
    done = call("tune", "verify", found["id"], "--measure", "--json")
    assert done.code == 0, done.err
    shown = call("tune", "show", found["id"], "--json").page
    (changes,) = shown["found"]
    (again,) = (one for one in changes["checks"] if one["machine"] == "")
    assert again["holds"], again["reason"]
    current = next(one for one in again["saved"] if one["over"] == "current")
    assert current["low"] is not None
    assert current["low"] > 0
    known = {one["activity"] for one in found["runs"]}
    assert len({one["activity"] for one in shown["runs"]} - known) == 1
