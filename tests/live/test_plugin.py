"""The example of a plug-in, installed beside assay: its tool is measured, its factor put in force, its place
opened, its format written.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

pytestmark = [pytest.mark.live, pytest.mark.long]

T = TypeVar("T")
ROOT = Path(__file__).parents[2]
SCENE = """
scene: hashes
title: Hashes under a quota of CPU time
baseline: {machine: local}
treatment: {machine: local, factors: {cpu.quota: 50 %}}
workloads:
  - {use: openssl-sha256, parameters: {runtime: 1 s}}
  - name: mine
    command: sh -c 'openssl speed -mr -bytes 16384 -seconds 1 -evp sha256 2>/dev/null > rate.txt'
    parser: openssl
    metrics: {rate: {figure: sha256, file: rate.txt, unit: B/s, direction: higher}}
design: {blocks: 3, wait-quiet: 0 s}
"""


class Installed:
    """Assay with the plug-in beside it, in a home of its own."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder, self.home = folder, home
        command = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps"]
        command += ["--no-build-isolation"]  # else pip fetches setuptools, which tools/locks/build.txt has
        place = ["--target", str(folder / "site"), str(ROOT / "examples" / "plugin")]
        done = subprocess.run([*command, *place], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command of assay."""
        process = self.start(*words)
        out, err = process.communicate()
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start a command of assay."""
        paths = os.pathsep.join((str(self.folder / "site"), *filter(None, [os.environ.get("PYTHONPATH")])))
        own = {"PYTHONPATH": paths, "ASSAY_HOME": str(self.home)}
        code = "import sys; from assay.cli.entry import main; sys.exit(main(sys.argv[1:]))"
        command = [sys.executable, "-c", code, *words]
        env, pipe = {**os.environ, **own}, subprocess.PIPE
        return subprocess.Popen(command, env=env, cwd=self.folder, stdout=pipe, stderr=pipe, text=True)


@pytest.fixture(scope="module")
def assay(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("plugin"), home)


@pytest.fixture(scope="module")
def evaluated(assay: Installed) -> Installed:
    """Return it with a result of the plug-in's workload and of a program whose output its reader reads."""
    (assay.folder / "hashes.yaml").write_text(SCENE)
    done = assay.run("evaluate", "hashes.yaml")
    assert done.returncode == 0, done.stderr
    return assay


def test_its_workload_and_reader_are_listed_beside_those_of_assay(assay: Installed) -> None:
    page = json.loads(assay.run("workload", "list", "--json").stdout)
    assert page["workloads"][-1]["name"] == "openssl-sha256"
    assert {"fio", "openssl"} <= {one["name"] for one in page["tools"]}


def test_its_figures_are_measured_and_read(evaluated: Installed) -> None:
    page = json.loads(evaluated.run("result", "show", "last", "--json").stdout)
    losses = {(row["workload"], row["metric"]): row["loss"] for row in page["estimates"]}
    assert {("openssl-sha256", "hashed"), ("mine", "rate")} <= losses.keys()
    assert all(loss is not None for loss in losses.values())


def test_its_format_has_a_line_for_each_metric(evaluated: Installed) -> None:
    head, *lines = evaluated.run("report", "last", "--format", "losses-csv").stdout.splitlines()
    assert head == "workload,metric,unit,loss"
    assert {line.rsplit(",", 1)[0] for line in lines} >= {"openssl-sha256,hashed,B/s", "mine,rate,B/s"}


def test_without_it_its_results_are_shown_as_they_were(evaluated: Installed) -> None:
    command = [sys.executable, "-c", "from assay.cli.entry import main; raise SystemExit(main())"]
    own = {**os.environ, "ASSAY_HOME": str(evaluated.home)}
    done = subprocess.run([*command, "report", "last"], env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "| openssl-sha256 |" in done.stdout


def test_its_factor_is_seen_in_force(assay: Installed) -> None:
    done = assay.run("platform", "try", "device.rng=virtio", "--json")
    assert done.returncode == 0, done.stderr
    assert "device.rng" in done.stdout


PLACE = """
scene: namespaces
title: Namespaces of their own
baseline: {machine: local}
treatment: {platform: namespaces, factors: {unshare.net: [host, own]}}
workloads: [{name: waits, command: sleep 0.5}]
design: {blocks: 3, wait-quiet: 0 s}
"""


@pytest.mark.long
def test_its_kind_of_place_is_opened_seen_and_removed(assay: Installed) -> None:
    (assay.folder / "namespaces.yaml").write_text(PLACE)
    done = assay.run("evaluate", "namespaces.yaml")
    assert done.returncode == 0, done.stderr
    method = json.loads(assay.run("result", "show", "last", "--json").stdout)["method"]
    for level in ("host", "own"):
        (sentence,) = (one for one in method if one.startswith(f"namespaces, unshare.net {level}: "))
        assert f"seen in force: unshare.net {level}," in sentence
    assert list((assay.home / "places").iterdir()) == []


@pytest.mark.long
def test_a_place_that_a_killed_evaluation_left_is_ended_and_the_rest_is_measured(assay: Installed) -> None:
    (assay.folder / "long.yaml").write_text(PLACE.replace("sleep 0.5", "sleep 1"))
    places = assay.home / "places"
    with assay.start("evaluate", "long.yaml") as started:
        try:
            (left,) = wait_for(lambda: [*places.glob("assay-*")], started)
            wait_for(lambda: running(left.name), started)
        finally:
            started.kill()
    other = [sys.executable, "-c", "import sys; sys.stdin.read()", f"PLACE={left.name}"]
    with subprocess.Popen(other, stdin=subprocess.PIPE) as asking:
        _clean_and_resume(assay, left)
        assert asking.poll() is None, "ended, though it only has the place's word among its arguments"


def _clean_and_resume(assay: Installed, left: Path) -> None:
    listed = json.loads(assay.run("platform", "clean", "--json").stdout)
    assert [one["name"] for one in listed["leftovers"] if one["kind"] == "place"] == [left.name]
    assert running(left.name) == []
    assert list(left.parent.iterdir()) == []
    done = assay.run("activity", "resume", left.name.split("-")[1])
    assert done.returncode == 0, done.stderr


def running(place: str) -> list[str]:
    """Return the processes that run a place."""
    ended = subprocess.run(
        ["pgrep", "--full", f"^unshare .*PLACE={place}"], capture_output=True, text=True, check=False
    )
    return ended.stdout.split()


def wait_for(found: Callable[[], list[T]], command: subprocess.Popen[str]) -> list[T]:
    """Return what is found of a command under way, once something is, within a minute and a half (others
    may be measured meanwhile).
    """
    until = time.monotonic() + 90
    while not (answer := found()):
        assert command.poll() is None, command.communicate()
        assert time.monotonic() < until
        time.sleep(0.02)
    return answer
