"""A guest that ends under its trial: the trial has failed, that is written down, and the others go on."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.design.remaining import GIVE_UP_AFTER
from tests.live.parts import World, assert_same_world, newest, run, seed_of, started

pytestmark = [pytest.mark.live, pytest.mark.long]

GUEST_FIRST = str(seed_of("tb"))
BOOT = Path("/proc/sys/kernel/random/boot_id")
PANIC = """\
#!/bin/sh
sleep 0.3
# never on the machine that this was written on
boot=$(cat /proc/sys/kernel/random/boot_id) || exit 9
[ -n "$boot" ] && [ "$boot" != "{ours}" ] && echo c > /proc/sysrq-trigger
sleep 0.3
"""


def qemu_of(home: Path) -> Iterator[int]:
    """Yield the QEMU processes whose files lie in a home."""
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if words.startswith(b"/usr/bin/qemu-system") and str(home).encode() in words:
            yield int(place.name)


def test_a_panic_in_every_trial_leaves_failed_records_and_no_figure(
    home: Path, before: World, tmp_path: Path
) -> None:
    job = tmp_path / "job"
    job.write_text(PANIC.format(ours=BOOT.read_text().strip()))
    job.chmod(0o755)
    words = ("evaluate", "--command", "./job", "--input", str(job), "--seed", GUEST_FIRST)
    done = run(*words, home=home, longest_s=600)
    assert done.code == 6, done.err
    activity = newest(home)
    assert activity is not None
    states = {record["planned"]["arm"]: record["state"] for record in activity.records}
    assert states == {"baseline": "ended", "treatment": "failed"}
    failed = [record for record in activity.records if record["state"] == "failed"]
    assert len(failed) == GIVE_UP_AFTER, done.err
    causes = {record["cause"] for record in activity.records if record["state"] == "failed"}
    assert all(cause.startswith("its guest ended under it: ") for cause in causes), causes
    assert any("panic" in cause.lower() for cause in causes), causes
    assert all(
        record["usage"] is None for record in activity.records if record["planned"]["arm"] == "treatment"
    )
    assert_same_world(home, before)


def test_a_qemu_that_is_killed_costs_one_trial(home: Path, before: World, tmp_path: Path) -> None:
    old = newest(home)
    known = [] if old is None else [old]
    words = ("evaluate", "--command", "sleep 2", "--seed", GUEST_FIRST)
    with started(*words, home=home, scratch=tmp_path) as running:
        running.wait_for(lambda: (one := newest(home, known)) and one.runs(0), "the guest's first trial")
        (pid,) = qemu_of(home)
        os.kill(pid, signal.SIGKILL)
        done = running.end()
    assert done.code in {5, 6}, done.err
    activity = newest(home, known)
    assert activity is not None
    states = [record["state"] for record in activity.records]
    assert states.count("failed") == 1
    assert states[0] == "failed"
    assert activity.records[0]["cause"].startswith("its guest ended under it: ")
    assert_same_world(home, before)
