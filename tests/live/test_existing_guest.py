"""A guest that somebody else made as treatment: measured as it is, and the same afterwards."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.guests.keys import login_of
from tests.live.conftest import Make
from tests.live.foreign import foreign_guest, paused_domain
from tests.live.parts import Activity, Done, activities, fits, newest, run
from tests.live.test_wrong_inputs import refused
from tests.platforms.guest_parts import PROBE, real_image, spec_of

pytestmark = [pytest.mark.live, pytest.mark.long]

NAME, OTHER = f"web-{os.getpid()}", f"wiki-{os.getpid()}"
SCENE = """\
scene: existing
title: A guest of ours that is there already
baseline: {{machine: local}}
treatment: {{machine: vm, domain: {domain}, hypervisor: '{hypervisor}'}}
workloads: [{{name: job, command: sysbench cpu --events=300 --time=0 run}}]
"""
Call = Callable[..., Done]


@pytest.fixture(scope="module")
def connection(home: Path) -> Iterator[Any]:
    with libvirt_connection(home, subreaper=PROBE) as opened:
        yield opened


@pytest.fixture(scope="module")
def spec(make_home: Make) -> Any:
    return replace(spec_of(make_home("owner", images=False), real_image()), memory_bytes=1 << 30)


@pytest.fixture(scope="module")
def domain(connection: Any, spec: Any) -> Iterator[Any]:
    with foreign_guest(connection, spec, NAME) as made:
        yield made


@pytest.fixture(scope="module")
def call(domain: Any, spec: Any, home: Path, tmp_path_factory: pytest.TempPathFactory) -> Call:
    """Return what evaluates a domain, as a user who knows the machine's host key."""
    user = tmp_path_factory.mktemp("user")
    (user / ".ssh").mkdir(mode=0o700)
    login = login_of(spec.image, spec.folder)
    (user / ".ssh" / "known_hosts").write_text(f"[127.0.0.1]:{spec.port} {login.host_key}\n")

    def call(domain: str, *options: str, hypervisor: str = "qemu:///system") -> Done:
        (user / "existing.yaml").write_text(SCENE.format(domain=domain, hypervisor=hypervisor))
        file = str(user / "existing.yaml")
        return run("evaluate", file, *options, home=home, variables={"HOME": str(user)})

    where = f"{login.user}@127.0.0.1:{spec.port}"
    words = ("machine", "add", "vm", "--ssh", where, "--identity", str(login.identity))
    added = run(*words, home=home, variables={"HOME": str(user)})
    assert added.code == 0, added.err
    return call


@pytest.fixture(scope="module")
def before(domain: Any) -> tuple[str, int, list[str]]:
    """Return the domain as it was found."""
    return state(domain)


def state(domain: Any) -> tuple[str, int, list[str]]:
    """Return a domain's XML, its number (another after a restart), and what libvirt marked it with."""
    return domain.XMLDesc(0), domain.ID(), domain.messages(0)


@pytest.fixture(scope="module")
def evaluated(call: Call, before: Any, home: Path) -> tuple[Done, Activity]:
    done = call(NAME, "--json")
    activity = newest(home)
    assert activity is not None, done.err
    return done, activity


def test_it_is_measured_against_its_host_with_as_many_processors_and_its_memory(
    evaluated: tuple[Done, Activity],
) -> None:
    done, activity = evaluated
    assert done.code == 0, done.err
    fits(done.page, "report")
    fits(activity.plan, "activity")
    assert done.page["result"]["treatment"] == f"vm, domain {NAME}"
    baseline = activity.plan["baseline"]["limits"]
    assert (len(baseline["cpus"]), baseline["memory_bytes"]) == (1, 1 << 30)
    assert {row["metric"]: row["blocks"] for row in done.page["estimates"]} == {"wall_time": 3, "cpu_time": 3}


def test_its_records_say_what_it_was_and_none_where_that_is_not_told(
    evaluated: tuple[Done, Activity], domain: Any
) -> None:
    records = [one for one in evaluated[1].records if one["planned"]["arm"] == "treatment"]
    for record in records:
        fits(record, "record")
        platform = record["platform"]
        assert evaluated[1].domain(record) == domain.XMLDesc(0)
        assert (platform["accelerator"], platform["image"], platform["vcpus"]) == ("tcg", None, 1)
        assert record["hypervisor_cpu"]["vcpu_s"] > 0
        assert record["weight"]["memory_bytes"] == 1 << 30
        assert record["below"] == "qemu-tcg"
        assert record["host_watch"]["series"][0]["file"] == "guests.csv"
        assert record["host_watch"] is not None


def test_the_result_says_that_it_was_used_as_it_is(evaluated: tuple[Done, Activity]) -> None:
    page = evaluated[0].page
    assert {"domain-as-found", "domain-disk", "emulated"} <= {doubt["code"] for doubt in page["doubts"]}
    assert any("used as it is and left so" in sentence for sentence in page["method"])


def test_it_is_the_same_afterwards_and_cleaning_up_does_not_see_it(
    evaluated: tuple[Done, Activity], domain: Any, before: Any, home: Path
) -> None:
    cleaned = run("platform", "clean", "--json", home=home)
    assert cleaned.code == 0, cleaned.err
    assert NAME not in cleaned.out
    assert domain.isActive()
    assert state(domain) == before


def test_a_name_that_is_not_there_is_refused_with_the_nearest(call: Call, home: Path) -> None:
    old = activities(home)
    assert f"nearest: '{NAME}'" in refused(call(f"{NAME}x"), 3)
    assert activities(home) == old


def test_a_domain_that_does_not_run_is_refused_and_not_started(call: Call, connection: Any) -> None:
    with paused_domain(connection, OTHER, running=False) as stopped:
        done = call(OTHER)
        assert "does not run" in refused(done, 4)
        assert f"virsh -c qemu:///system start {OTHER}" in done.err
        assert not stopped.isActive()


def test_a_machine_that_is_another_domain_is_refused(call: Call, connection: Any) -> None:
    with paused_domain(connection, OTHER):
        assert f"machine vm is not domain {OTHER}: its UUID is " in refused(call(OTHER), 3)


def test_a_guest_of_ours_is_refused(call: Call, connection: Any, home: Path) -> None:
    with paused_domain(connection, OTHER, mark=("0000abcd", home)):
        assert "guest of activity 0000abcd" in refused(call(OTHER), 4)


def test_a_hypervisor_that_is_not_there_is_told(call: Call) -> None:
    done = call(NAME, hypervisor="qemu+ssh://root@127.0.0.1:1/system")
    assert "cannot reach the hypervisor qemu+ssh://root@127.0.0.1:1/system: " in refused(done, 7)
    assert "Connection refused" in done.err
