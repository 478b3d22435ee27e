"""Cold and warm for real: the probe's word against the system's own tools, on this machine and in a guest."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.activities.trials.page_cache import Prepared, cache_check, cache_doubts, prepare_cache
from assay.activities.visits.visit import Visit, guest_visit, open_probe
from assay.model.machines.machine import Machine
from assay.model.work.page_cache import CacheSpec, CacheState
from assay.model.work.workload import Workload
from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.guests.guest import start_guest
from assay.probe import RunResult, Spec
from assay.workloads import command_workload
from tests.live.parts import newest, run
from tests.platforms.guest_parts import PROBE, fresh_home, program, real_image, spec_of, ssh

pytestmark = pytest.mark.live

BYTES = 32_000_000
COMMAND = ("dd", "if=data", "of=/dev/null", "bs=1M")
SCENE = f"""\
scene: reading
title: A job that reads a file, cold and warm
baseline: {{machine: local}}
treatment: {{machine: local}}
workloads:
  - {{name: cold, command: "{" ".join(COMMAND)}", inputs: [data], cache: cold}}
  - {{name: warm, command: "{" ".join(COMMAND)}", inputs: [data], cache: warm}}
"""


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with fresh_home() as folder:
        (folder / "data").write_bytes(b"x" * BYTES)
        (folder / "scene.yaml").write_text(SCENE)
        yield folder


@pytest.fixture(scope="module")
def guest(home: Path) -> Iterator[tuple[Visit, Any]]:
    """Yield a guest whose writes go through the host's page cache, for a visit."""
    with libvirt_connection(home, subreaper=PROBE) as connection:
        spec = replace(spec_of(home, real_image()), disk_cache="writeback")
        started = start_guest(connection, spec)
        try:
            with (
                guest_visit(started, "guest", "test", home=home) as visit,
                open_probe(Machine("local"), home) as (host, _),
            ):
                visit.host = host
                yield visit, started
        finally:
            started.destroy()


def on_host(*paths: Path) -> int:
    """Return what is in memory of files by util-linux, in bytes."""
    said = subprocess.run(
        [program("fincore"), "-b", "-n", "-o", "RES", *paths], capture_output=True, text=True, check=True
    )
    return sum(map(int, said.stdout.split()))


@pytest.mark.long
def test_a_scenes_cold_trials_read_from_storage_and_its_warm_ones_do_not(home: Path) -> None:
    done = run("evaluate", "scene.yaml", "--json", home=home, folder=home)
    assert done.code == 0, done.err
    activity = newest(home)
    assert activity is not None
    for record in activity.records:
        cold = record["planned"]["workload"] == "cold"
        found, read = record["cache"], record["usage"]["read_bytes"]
        assert (found["state"], found["host"]) == ("cold" if cold else "warm", None)
        assert BYTES <= found["machine"]["bytes"] < BYTES + (8 << 20)
        assert found["machine"]["resident_bytes"] == (0 if cold else found["machine"]["bytes"])
        assert read >= BYTES if cold else read < BYTES / 10
        assert not [doubt for doubt in record["doubts"] if "cache" in doubt["code"]]


def start(visit: Visit, state: CacheState, home: Path) -> tuple[Prepared, RunResult]:
    """Do what a trial does, and run the job."""
    workload: Workload = replace(command_workload("read", COMMAND, inputs=["data"]), cache=CacheSpec(state))
    into = f"{visit.directory}/job"
    prepared = prepare_cache(visit, workload, into=into, program=None)
    assert prepared is not None
    spec = Spec(command=COMMAND, directory=f"{into}.work", cache=prepared.order)
    visit.probe.start(spec, into)
    visit.probe.wait(into, limit_s=120)
    result = visit.probe.fetch(into, home / f"record-{state}")
    visit.probe.remove(into)
    return prepared, result


@pytest.mark.long
def test_a_cold_guest_is_cold_in_it_and_on_its_host(guest: tuple[Visit, Any], home: Path) -> None:
    visit, started = guest
    visit.probe.make(visit.directory)
    visit.put(home / "data", f"{visit.directory}/job.work/data")
    warm, _ = start(visit, CacheState.WARM, home)
    assert on_host(*started.spec.image_files) > BYTES  # what it wrote is in the host's memory, too
    assert warm.host is not None
    assert warm.host.resident_bytes > BYTES
    cold, result = start(visit, CacheState.COLD, home)
    check = cache_check(cold, result)
    assert check is not None
    assert check.machine is not None
    assert check.host is not None
    assert (check.machine.bytes, check.machine.resident_bytes) == (BYTES, 0)
    assert check.host.resident_bytes <= 1 << 20
    assert list(cache_doubts(check)) == []
    assert result.usage is not None
    assert (result.usage.read_bytes or 0) >= BYTES
    assert on_host(*started.spec.image_files) >= BYTES  # the job read it through the host's page cache


@pytest.mark.long
def test_the_guests_own_tool_agrees_with_the_probe_in_it(guest: tuple[Visit, Any], home: Path) -> None:
    visit, started = guest
    file = f"{visit.directory}/job.work/data"
    for act in ("evict", "preload"):
        found = visit.probe.cache(act, [file])  # type: ignore[arg-type] # the acts are literals
        said = ssh(started, "fincore", "-b", "-n", "-o", "RES", file)
        pages = -(-found.resident_bytes // 4096) * 4096
        assert int(said.stdout) == pages == (0 if act == "evict" else -(-BYTES // 4096) * 4096)
