"""Guests of a plain user, by the user's own libvirt: nobody, with a home of its own, on this machine."""

import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from assay.model.errors import Exit
from tests.live.parts import Done, run, started
from tests.plain_user import PlainUser, give_image, plain_user, processes
from tests.platforms.guest_parts import real_image

pytestmark = pytest.mark.live

SCENE = """\
scene: plain
title: A small guest of a plain user
baseline: {machine: local}
treatment: {platform: guest, factors: {memory.size: 1 GiB}}
workloads: [{name: job, command: sysbench cpu --events=100 --time=0 run}, iperf3]
design: {seed: 7}
"""


@pytest.fixture(scope="module")
def user() -> Iterator[PlainUser]:
    with plain_user() as made:
        (made.folder / "plain.yaml").write_text(SCENE)
        give_image(made, real_image().folder)
        yield made


def call(user: PlainUser, *arguments: str) -> Done:
    return run(*arguments, home=user.home, wrap=user.wrap)


def guests(user: PlainUser) -> list[bytes]:
    """Return the command lines of the user's guests; libvirtd starts QEMU without one to see what
    it can do.
    """
    lines = []
    for pid in processes(user.folder):
        with suppress(OSError):
            lines.append(Path(f"/proc/{pid}/cmdline").read_bytes())
    return [line for line in lines if b"guest=assay-" in line]


def test_the_settings_that_a_plain_user_cannot_have_are_said_with_the_reason(user: PlainUser) -> None:
    done = call(user, "platform", "factors", "--json")
    shown = {row["name"]: row for row in done.page["factors"]}
    assert "control group" in shown["cpu.shares"]["refused"]
    assert "root" in shown["host.swappiness"]["refused"]
    assert shown["disk.cache"]["usable"]
    assert {c["level"] for c in shown["net.backend"]["choices"] if c["usable"]} == {"user"}


def test_levels_take_on_a_users_own_hypervisor_and_those_of_groups_are_refused(user: PlainUser) -> None:
    levels = ("disk.cache=writeback", "disk.bus=scsi", "cpu.vcpupin=1:1", "memory.nosharepages=on")
    taken = call(user, "platform", "try", *levels, "net.backend=user", "--json")
    assert taken.code == Exit.DONE, taken.err
    assert [row["ok"] for row in taken.page["factors"]] == [True] * 5
    asked = call(user, "platform", "try", "cpu.quota=50 %")
    assert asked.code == Exit.MISSING
    assert "refused: cpu.quota: a guest of qemu:///session has no control group" in asked.err
    assert not processes(user.folder)


def test_a_plain_user_is_told_how_roots_image_becomes_his(user: PlainUser) -> None:
    done = call(user, "platform", "image", "build", "--package", "nano")
    assert done.code == Exit.MISSING
    assert "cannot build a guest image: it takes root, this is user 65534" in done.err
    assert "hint: sudo assay platform image build --package nano; mkdir -p" in done.err


@pytest.mark.long
def test_a_plain_user_measures_a_guest_and_the_limits_are_said(user: PlainUser) -> None:
    done = call(user, "evaluate", str(user.folder / "plain.yaml"), "--json")
    assert done.code == Exit.DONE, done.err
    doubts = {doubt["code"]: doubt["sentence"] for doubt in done.page["doubts"]}
    assert "no control group" in doubts["users-own-libvirt"]
    assert doubts["network-left-out"].startswith("iperf3 left out: only root")
    assert {"no-cgroup", "memory-limit-not-applied"} <= doubts.keys()
    assert any("(qemu:///session)" in line for line in done.page["method"])
    assert "guests are made by qemu:///session" in done.err
    assert not processes(user.folder)
    assert list((user.home / "guests").iterdir()) == []


def test_what_a_killed_process_left_is_removed_the_users_libvirt_too(user: PlainUser, tmp_path: Path) -> None:
    scene = str(user.folder / "plain.yaml")
    with started("evaluate", scene, home=user.home, scratch=tmp_path, wrap=user.wrap) as running:
        running.wait_for(lambda: guests(user), "the guest runs")
        running.send(signal.SIGKILL)
    assert len(guests(user)) == 1
    done = call(user, "platform", "clean", "--json")
    kinds = {row["kind"] for row in done.page["leftovers"] if row["removed"]}
    assert {"guest", "daemon"} <= kinds
    assert not processes(user.folder)
    assert list((user.home / "guests").iterdir()) == []
