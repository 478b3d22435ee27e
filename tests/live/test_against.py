"""``--against`` another machine: a real sshd in a network namespace, reached from the client's."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.hosts import SshHost, ssh_host
from tests.live.parts import Done, World, activities, assert_same_world, fits, newest, run, started
from tests.platforms.guest_parts import program

pytestmark = [pytest.mark.live, pytest.mark.long]

Call = Callable[..., Done]
SCENE = """\
scene: two-machines
title: Another machine against this one
baseline: {machine: local}
treatment: {platform: guest}
workloads:
  - {use: sysbench-cpu, parameters: {runtime: 1 s}}
  - iperf3
"""


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshHost]:
    with ssh_host(tmp_path_factory.mktemp("host")) as made:
        yield made


@pytest.fixture(scope="module")
def call(host: SshHost, home: Path) -> Call:
    """Return what runs the command where the machine is reached, as a user who knows it."""

    def call(*arguments: str, user: Path = host.home, **variables: str) -> Done:
        return run(*arguments, home=home, wrap=host.inside, variables={"HOME": str(user), **variables})

    added = call("machine", "add", "bench", "--ssh", f"{host.user}@{host.address}:{host.port}")
    assert added.code == 0, added.err
    return call


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("scene") / "two-machines.yaml"
    file.write_text(SCENE)
    return file


@pytest.fixture(scope="module")
def compared(call: Call, scene: Path, before: World) -> Done:
    """Evaluate the other machine against this one."""
    return call("evaluate", str(scene), "--against", "bench", "--json")


def test_another_machine_is_measured_like_a_guest(compared: Done) -> None:
    assert compared.code == 0, compared.err
    fits(compared.page, "report")
    assert (compared.page["result"]["treatment"], compared.page["result"]["accelerator"]) == ("bench", None)
    (row,) = compared.page["estimates"]
    assert (row["workload"], row["blocks"]) == ("sysbench-cpu", 3)


def test_the_network_workloads_are_left_out_and_that_is_said(compared: Done) -> None:
    (said,) = [doubt for doubt in compared.page["doubts"] if doubt["code"] == "network-left-out"]
    assert said["sentence"].startswith("iperf3 left out")


def test_the_records_of_the_other_machine_have_its_facts_and_its_clock(compared: Done, home: Path) -> None:
    activity = newest(home)
    assert activity is not None
    there = [record for record in activity.records if record["planned"]["arm"] == "treatment"]
    assert {record["machine"] for record in there} == {"bench"}
    for record in there:
        fits(record, "record")
        assert record["clock"]["rate"] == pytest.approx(1, abs=0.01)
        assert record["platform"] is None


def test_nothing_but_the_probe_stays_on_either_machine(compared: Done, home: Path, before: World) -> None:
    assert_same_world(home, before)
    others = ("probe-", "test-")  # the second are folders of tests beside this one
    for place in (home / "work", Path(f"/var/tmp/assay-{os.environ.get('USER', 'root')}")):
        assert {path.name for path in place.iterdir() if not path.name.startswith(others)} <= {".assay"}


def uploads(there: Path) -> set[str]:
    """Return what is being uploaded to a machine; folders of other tests there come and go."""
    return {
        f"{folder}/{name}"
        for folder, _, names in os.walk(there)
        for name in names
        if name.startswith(".large.")
    }


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_during_an_upload_is_answered_in_words(
    call: Call, host: SshHost, home: Path, tmp_path: Path, number: signal.Signals
) -> None:
    job, large = tmp_path / "job", tmp_path / "large"
    job.write_text("#!/bin/sh\nsleep 0.2\n")
    job.chmod(0o755)
    large.touch()
    os.truncate(large, 512 << 20)
    words = (
        "evaluate",
        "--command",
        "./job",
        "--input",
        str(job),
        "--input",
        str(large),
        "--against",
        "bench",
    )
    there = Path(f"/var/tmp/assay-{host.user}")
    before = uploads(there)
    with started(
        *words, home=home, scratch=tmp_path, wrap=host.inside, variables={"HOME": str(host.home)}
    ) as running:
        running.wait_for(lambda: uploads(there) - before, "the upload")
        running.send(number)
        done = running.end()
    assert done.code == 130, done.err
    assert "Traceback" not in done.err
    assert "exception" not in done.err


def test_a_machine_that_has_all_is_checked_to_be_good(call: Call) -> None:
    done = call("machine", "check", "bench", "--json")
    assert done.code == 0, done.out + done.err
    (checked,) = done.page["machines"]
    assert {check["name"] for check in checked["checks"]} >= {"probe", "fio", "sysbench", "iperf3"}


def test_an_unknown_host_key_is_refused_in_one_line_with_its_fingerprint(
    call: Call, host: SshHost, scene: Path, home: Path, tmp_path: Path
) -> None:
    stranger = tmp_path / "stranger"
    (stranger / ".ssh").mkdir(parents=True, mode=0o700)
    shutil.copy2(host.identity, stranger / ".ssh")
    old = activities(home)
    done = call("evaluate", str(scene), "--against", "bench", user=stranger)
    assert done.code == 7, done.err
    first, *_ = done.err.splitlines()
    assert first.startswith("error: cannot trust bench")
    assert "SHA256:" in first
    assert "Traceback" not in done.err
    assert (done.out, activities(home)) == ("", old)


def test_a_machine_that_is_not_there_is_unreachable(call: Call, scene: Path) -> None:
    assert call("machine", "add", "nobody", "--ssh", "root@198.18.1.1:1").code == 7
    done = call("evaluate", str(scene), "--against", "nobody")
    assert done.code == 7, done.err
    assert done.err.startswith("error: cannot reach nobody (root@198.18.1.1:1)")


def test_a_machine_that_lacks_a_tool_is_refused_with_the_tool_and_its_package(
    call: Call, host: SshHost, scene: Path, home: Path
) -> None:
    # sshd runs in a mount namespace of its own: there alone the tool is covered, and all is gone with it
    cover = ["mount", "--bind", "/dev/null", program("sysbench")]
    subprocess.run(["nsenter", "--mount", f"--target={host.process.pid}", *cover], check=True)
    old = activities(home)
    done = call("evaluate", str(scene), "--against", "bench")
    assert done.code == 4, done.err
    first, *rest = done.err.splitlines()
    assert first.startswith("error: ")
    assert "sysbench" in first
    assert "bench" in first.replace("sysbench", "")
    assert "apt install sysbench" in "\n".join(rest)
    assert (done.out, activities(home)) == ("", old)
    checked = call("machine", "check", "bench")
    assert checked.code == 4
    assert "missing  sysbench" in checked.out
