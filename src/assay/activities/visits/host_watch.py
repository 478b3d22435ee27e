"""The host of a guest, watched over each trial by a probe of its own there; failing to watch never fails a
trial.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from assay.model.doubt import Raised, raised
from assay.model.errors import AssayError
from assay.model.trial import PlannedTrial
from assay.model.work.host_watch import GROUPS, HostWatch
from assay.probe import JobState, Probe, RunResult, Spec, keep_rows

PATIENCE_S = 10.0
"""A program that only waits ends at once when it is told to."""
_NOTHING_TOLD = ("pid", "groups", "stdout", "stderr")
"""Files of a run that say nothing of a program that only waits."""


@dataclass(frozen=True)
class HostPost:
    """From where a guest is watched on its host.

    Attributes:
        probe: A probe there that keeps off the measured processors.
        directory: Folder there for the activity.
        pid: The guest's QEMU process.
    """

    probe: Probe
    directory: str
    pid: int


@dataclass(frozen=True)
class Watched:
    """What came of watching.

    Attributes:
        watch: For the record; ``None`` where the host was not watched.
        doubts: Why it was not, or not all of it.
    """

    watch: HostWatch | None = None
    doubts: tuple[Raised, ...] = ()


def begin_watch(
    post: HostPost | None, planned: PlannedTrial, *, interval_s: float, limit_s: float
) -> str | None:
    """Begin to watch a guest's host; return why it cannot be watched, or ``None``.

    Args:
        post: From where; ``None`` where the guest is not seen on the controller's machine.
        planned: The trial.
        interval_s: Time between samples.
        limit_s: The watching ends by itself after this, and when the guest is gone.
    """
    if post is None:
        return "no QEMU process of it is seen on the controller's machine"
    spec = Spec(
        command=(post.probe.path, "hold", "--while", str(post.pid)),
        directory=f"{_place(post, planned)}.work",
        interval_s=interval_s,
        time_limit_s=limit_s,
        process_io=False,
        watch=GROUPS,
    )
    try:
        _stop(post, planned)
        post.probe.start(spec, _place(post, planned))
    except AssayError as error:
        return error.message
    return None


def end_watch(post: HostPost | None, planned: PlannedTrial, here: Path, *, unwatched: str | None) -> Watched:
    """End the watching and bring its files home.

    Args:
        post: From where the host was watched.
        planned: The trial.
        here: Folder for the files; it is not there yet.
        unwatched: Why it could not be watched, as ``begin_watch`` said.
    """
    if post is None or unwatched is not None:
        return _unwatched(unwatched or "the guest was taken over from another process")
    try:
        if post.probe.status(_place(post, planned)).state is JobState.RUNNING:
            post.probe.stop(_place(post, planned))
        post.probe.wait(_place(post, planned), limit_s=PATIENCE_S)
        result = post.probe.fetch(_place(post, planned), here)
        return _watched(result, post.pid, here)
    except (AssayError, OSError) as error:
        shutil.rmtree(here, ignore_errors=True)
        return _unwatched(error.message if isinstance(error, AssayError) else str(error))
    finally:
        drop_watch(post, planned)


def drop_watch(post: HostPost | None, planned: PlannedTrial) -> None:
    """End the watching of a trial whose record nobody will want; one that cannot be ended ends with its
    guest.
    """
    if post is not None:
        with suppress(AssayError):
            _stop(post, planned)


def _stop(post: HostPost, planned: PlannedTrial) -> None:
    into = _place(post, planned)
    if post.probe.status(into).state in {JobState.RUNNING, JobState.LOST}:
        post.probe.stop(into)
    if post.probe.status(into).state is JobState.RUNNING:
        post.probe.wait(into, limit_s=PATIENCE_S)
    post.probe.remove(f"{into}.work")
    post.probe.remove(into)


def _place(post: HostPost, planned: PlannedTrial) -> str:
    return f"{post.directory}/{planned.name}.host"


def _watched(result: RunResult, pid: int, here: Path) -> Watched:
    for name in _NOTHING_TOLD:
        (here / name).unlink(missing_ok=True)
    series = {one.group: one for one in result.series}
    watch = HostWatch(
        interval_s=result.spec.interval_s,
        pid=pid,
        cpus=result.limits.cpus,
        series=result.series,
        cost=result.cost,
    )
    guests = series.get("guests")
    absent = "the probe told nothing of it" if guests is None else guests.absent
    return Watched(watch, tuple(_doubts(here / "guests.csv", pid, absent)))


def _doubts(guests: Path, pid: int, absent: str | None) -> Iterator[Raised]:
    """Keep the rows of one guest alone; say so where there is none."""
    if absent is None:
        kept = keep_rows(guests.read_bytes(), "pid", str(pid))
        guests.write_bytes(kept)
        absent = None if kept.count(b"\n") > 1 else f"process {pid} was not found"
    if absent is not None:
        yield raised("guest-not-watched", reason=absent)


def _unwatched(reason: str) -> Watched:
    return Watched(None, (raised("host-not-watched", reason=reason),))
