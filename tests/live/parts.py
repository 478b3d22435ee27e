"""The command line as a process of its own, on real parts, and what must be the same after it as before."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema

from assay.design import plan_trials
from assay.platforms.bench_network.network_owner import MARK
from assay.platforms.daemon.device import KVM, Ownership, ownership
from assay.platforms.daemon.state import state_file
from assay.platforms.leftovers.groups import group_processes, our_groups
from tests import command
from tests.command import Done

ROOT = Path(__file__).parents[2]
ASSAY = (sys.executable, "-c", "from assay.cli import main; main()")
LONG_S = 600.0
"""Nothing of these tests takes longer, also on a busy machine."""
ITSELF = """\
scene: itself
title: This machine against itself under a limit
baseline: {machine: local}
treatment: {machine: local, factors: {cpu.quota: 50 %}}
workloads: [{name: job, command: "sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done'"}]
design: {blocks: 3, shape: pairs}
"""
"""A scene without guests, of seconds."""
LIBVIRT = Path("/run/libvirt/libvirt-sock")
MEASURES = {
    "evaluate",
    "explain",
    "machine",
    ("activity", "resume"),
    ("activity", "extend"),
    ("tune", "resume"),
    ("platform", "image"),
    ("workload", "pack"),
}
"""Commands that move this process to other processors, reach machines or take minutes."""


def at_once(*arguments: str) -> tuple[str, ...]:
    """Return a command's words; an evaluation does not wait for the tests beside it to leave the machine
    alone.
    """
    if arguments[:1] != ("evaluate",) or "--wait-quiet" in arguments:
        return arguments
    return "evaluate", "--wait-quiet", "0 s", *arguments[1:]


def environment(home: Path, **changes: str) -> dict[str, str]:
    """Return the environment of a command whose state lies in ``home``."""
    return {**os.environ, "ASSAY_HOME": str(command.as_home(home)), **changes}


def run(
    *arguments: str,
    home: Path,
    wrap: Callable[[Sequence[str]], Sequence[str]] = list,
    variables: Mapping[str, str] | None = None,
    folder: Path | None = None,
    longest_s: float = LONG_S,
) -> Done:
    """Run the command to its end; ``wrap`` may put another command around it.

    One that neither measures nor is wrapped runs in this process: its start is the most of its time.
    """
    if wrap is list and arguments[:2] not in MEASURES and arguments[0] not in MEASURES:
        return command.run(*arguments, home=home, variables=variables, folder=folder)
    began = time.monotonic()
    done = subprocess.run(
        list(wrap([*ASSAY, *at_once(*arguments)])),
        env=environment(home, **(variables or {})),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=longest_s,
    )
    return Done(done.returncode, done.stdout, done.stderr, time.monotonic() - began)


class Running:
    """A command under way, in a session of its own as at a terminal of its own."""

    def __init__(self, process: subprocess.Popen[bytes], out: Path, err: Path) -> None:
        self._process, self._out, self._err = process, out, err
        self._began = time.monotonic()

    def send(self, number: signal.Signals) -> None:
        """Send a signal to it alone."""
        self._process.send_signal(number)

    def press_ctrl_c(self) -> None:
        """Do what a terminal does: all processes in its foreground get SIGINT."""
        os.killpg(self._process.pid, signal.SIGINT)

    def said(self, text: str) -> bool:
        """Tell whether it has said something on standard error yet."""
        return text in self._err.read_text()

    def wait_for(self, met: Callable[[], object], what: str) -> None:
        """Wait until something holds while the command runs."""
        deadline = time.monotonic() + LONG_S
        while not met():
            assert self._process.poll() is None, f"ended before {what}: {self._err.read_text()}"
            assert time.monotonic() < deadline, f"never: {what}: {self._err.read_text()}"
            time.sleep(0.02)

    def end(self) -> Done:
        """Wait for its end."""
        code = self._process.wait(LONG_S)
        return Done(code, self._out.read_text(), self._err.read_text(), time.monotonic() - self._began)


@contextmanager
def started(
    *arguments: str,
    home: Path,
    scratch: Path,
    wrap: Callable[[Sequence[str]], Sequence[str]] = list,
    variables: Mapping[str, str] | None = None,
) -> Iterator[Running]:
    """Start the command; at the end it is over, whatever the test did."""
    out, err = scratch / "stdout", scratch / "stderr"
    with out.open("wb") as for_out, err.open("wb") as for_err:
        process = subprocess.Popen(
            list(wrap([*ASSAY, *at_once(*arguments)])),
            env=environment(home, **(variables or {})),
            stdin=subprocess.DEVNULL,
            stdout=for_out,
            stderr=for_err,
            start_new_session=True,
        )
    with process:
        try:
            yield Running(process, out, err)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)


@dataclass(frozen=True)
class Activity:
    """An activity's folder as the tests read it."""

    folder: Path

    @property
    def id(self) -> str:
        """Return its name."""
        return self.folder.name

    @property
    def plan(self) -> Any:
        """Return what was planned."""
        return json.loads((self.folder / "activity.json").read_text())

    @property
    def records(self) -> list[Any]:
        """Return the records in the order of the plan."""
        return [json.loads(path.read_text()) for path in sorted(self.folder.glob("trials/[!.]*/trial.json"))]

    def domain(self, record: Any) -> str:
        """Return the domain of a record's guest, which lies beside it by its digest."""
        assert record["platform"]["domain_xml"] == ""
        return (self.folder / "objects" / record["platform"]["domain"]).read_text()

    @property
    def under_way(self) -> Any:
        """Return the trial that runs now, or ``None``."""
        try:
            return json.loads((self.folder / "inflight.json").read_text())
        except FileNotFoundError:
            return None

    def runs(self, index: int, at_least_s: float = 0.3) -> bool:
        """Tell whether the trial of that index is well under way."""
        now = self.under_way
        return bool(now and now["index"] == index and time.time_ns() - now["started_ns"] > at_least_s * 1e9)

    def files(self) -> dict[str, tuple[bytes, int]]:
        """Return content and time of change of all files of all whole records."""
        return self._read(*self.folder.glob("trials/[0-9]*"))

    def kept(self) -> dict[str, tuple[bytes, int]]:
        """Return the same with what is kept beside the records."""
        return {**self.files(), **self._read(self.folder / "rejected", self.folder / "facts")}

    def _read(self, *tops: Path) -> dict[str, tuple[bytes, int]]:
        found = [path for top in tops for path in top.rglob("[!.]*") if path.is_file()]
        return {
            str(path.relative_to(self.folder)): (path.read_bytes(), path.stat().st_mtime_ns) for path in found
        }


def activities(home: Path) -> list[Activity]:
    """Return the activities of a home."""
    return [Activity(path) for path in sorted((home / "activities").glob("*"))]


def newest(home: Path, before: Sequence[Activity] = ()) -> Activity | None:
    """Return the activity that was made since, once its plan is whole."""
    new = [one for one in activities(home) if one not in before and (one.folder / "activity.json").exists()]
    return new[0] if new else None


def seed_of(arms: str, *, blocks: int = 3) -> int:
    """Return a seed whose plan of one workload visits the arms in this order, ``b`` the baseline's visits."""
    for seed in itertools.count():
        plan = plan_trials(("one",), blocks=blocks, seed=seed)
        if "".join(trial.arm[0] for trial in plan).startswith(arms):
            return seed
    raise AssertionError


def fits(document: Any, contract: str) -> None:
    """Check a document against its contract."""
    schema = json.loads((ROOT / "contracts" / f"{contract}-v1.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(document)


def quiet(records: Sequence[Any], *, most: float = 0.1) -> bool:
    """Tell whether others left the measured processors alone: only then is a loss as large as it was planted.

    Args:
        records: All records of an activity.
        most: Share of the measured processors' time that others may have had in any trial.
    """
    hosts = [record["host"] for record in records if record["host"]]
    return undisturbed(left_alone=all((host["foreign_s"] or 0) <= most * host["seconds"] for host in hosts))


def undisturbed(*, left_alone: bool) -> bool:
    """Return the answer; where it is no, the summary of the run says that this test did not ask for sizes."""
    if not left_alone:
        warnings.warn("others disturbed the trials: a size was not asked for", stacklevel=3)
    return left_alone


@dataclass(frozen=True)
class World:
    """All that an evaluation may change on a machine and must put back."""

    domains: tuple[str, ...]
    namespaces: tuple[str, ...]
    links: tuple[str, ...]
    groups: tuple[str, ...]
    mounts: tuple[str, ...]
    processes: tuple[tuple[int, str], ...]
    device: Ownership | None


def world(home: Path) -> World:
    """Return what is there now of ours, of whatever home, and of processes that belong to this home."""
    return World(
        domains=domains(home),
        namespaces=_named("/run/netns"),
        links=_named("/sys/class/net"),
        groups=tuple(_groups()),
        mounts=tuple(line for line in _mounts() if str(home) in line),
        processes=tuple(_processes(home)),
        device=ownership(KVM) if KVM.exists() else None,
    )


def assert_same_world(home: Path, before: World) -> None:
    """Check that nothing was left behind; what is going gets a few seconds to be gone."""
    left = left_behind(home, before)
    assert left == {}, f"left behind: {left}"
    assert _files(home / "guests") == []
    assert _files(home / "work", leaving=("probe-", "chain-", "apt.bin", ".assay")) == []
    assert [path.name for path in (home / "run").glob("*.pid")] == []
    assert not state_file().exists()


def left_behind(home: Path, before: World) -> dict[str, object]:
    """Return what is there now and was not before; what is going, or a test beside this one has, gets 40 s to
    be gone.
    """
    deadline = time.monotonic() + 40
    while (left := _left(before, world(home))) and time.monotonic() < deadline:
        time.sleep(0.1)
    return left


def _left(before: World, now: World) -> dict[str, object]:
    """Return what is there now and was not before; a former state of the device counts as well."""
    new = {name: set(was) for name, was in vars(now).items() if isinstance(was, tuple)}
    left: dict[str, object] = {name: found - set(getattr(before, name)) for name, found in new.items()}
    if now.device != before.device:
        left["device"] = now.device
    return {name: found for name, found in left.items() if found}


def _files(folder: Path, *, leaving: tuple[str, ...] = ()) -> list[str]:
    return [str(path) for path in folder.rglob("*") if path.is_file() and not path.name.startswith(leaving)]


def domains(home: Path) -> tuple[str, ...]:
    """Return the names of the domains of a home, by their marks; none where no daemon runs."""
    names = _virsh("list", "--all", "--name").split()
    return tuple(name for name in names if f'home="{home}"' in _virsh("dumpxml", name).replace("'", '"'))


def _virsh(*arguments: str) -> str:
    words = ["virsh", "-c", "qemu:///system", *arguments]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout


def _named(folder: str) -> tuple[str, ...]:
    place = Path(folder)
    names = (path.name for path in place.iterdir()) if place.is_dir() else ()
    return tuple(sorted(name for name in names if name.startswith(MARK)))


def _groups() -> Iterator[str]:
    """Yield our empty control groups in all hierarchies whose probe is gone: in the others somebody's job
    runs.
    """
    for group in our_groups():
        maker, _, _ = group.name.partition("-")
        if maker.isdecimal() and not Path("/proc", maker).exists() and not group_processes(group):
            yield str(group)


def _mounts() -> list[str]:
    return Path("/proc/mounts").read_text().splitlines()


def _processes(home: Path) -> Iterator[tuple[int, str]]:
    """Yield daemons and guests of ours, and all processes whose command line or environment names
    the home.
    """
    for place in sorted(Path("/proc").glob("[0-9]*"), key=lambda path: int(path.name)):
        try:
            name = (place / "comm").read_text().strip()
            reported = (place / "cmdline").read_bytes() + (place / "environ").read_bytes()
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
        at_home = str(home).encode() in reported and int(place.name) != os.getpid()
        daemon = b"subreaper" in reported and b"libvirtd" in reported
        if at_home or daemon:
            yield int(place.name), name
