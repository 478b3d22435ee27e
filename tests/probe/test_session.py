"""A probe at work on a machine, through both makes of a door, with jobs that really run."""

from __future__ import annotations

import ctypes
import hashlib
import mmap
import os
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from assay.machines import UnreachableError, open_door
from assay.machines.ssh.door import SshDoor
from assay.model.errors import Exit, MissingError
from assay.model.files.native import PROBE
from assay.model.machines.machine import Limits, Machine
from assay.model.trial import State
from assay.model.work.page_cache import CacheOrder, CacheState, Residency
from assay.probe import (
    HashedFile,
    JobState,
    LostJobError,
    OverdueError,
    Probe,
    ProbeError,
    ProgramMissingError,
    Spec,
    check_clock,
    session,
)
from tests.hosts import SshHost
from tests.probe.conftest import AnyDoor


def _job(work: str, *command: str, **changes: object) -> Spec:
    return Spec(command=command, directory=f"{work}/scratch", **changes)  # type: ignore[arg-type]


@pytest.fixture
def on_disk() -> Iterator[Path]:
    """Yield a file where no file system in memory is expected."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        file = Path(folder, "data")
        file.write_bytes(b"x" * 3_000_000)
        yield file


def _resident(file: Path) -> int:
    """Return the pages of a file in memory, by mincore(2)."""
    size = file.stat().st_size
    pages = -(-size // mmap.PAGESIZE)
    libc = ctypes.CDLL(None, use_errno=True)
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), size, mmap.MAP_PRIVATE) as mapped:
        view = ctypes.c_char.from_buffer(mapped)
        found = (ctypes.c_ubyte * pages)()
        done = libc.mincore(ctypes.c_void_p(ctypes.addressof(view)), ctypes.c_size_t(size), found)
        del view
    assert done == 0
    return sum(page & 1 for page in found)


class TestShipping:
    def test_it_is_shipped_once_under_the_name_of_its_content(self, door: AnyDoor) -> None:
        first = Probe.attach(door)
        before = os.stat(first.path)
        second = Probe.attach(door)
        after = os.stat(second.path)
        assert first.path == second.path == f"{door.folder}/probe-{PROBE.sha256()[:16]}"
        assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
        assert stat.S_IMODE(after.st_mode) == 0o755
        assert Path(first.path).read_bytes() == PROBE.path().read_bytes()
        first.close()
        second.close()

    def test_a_part_of_one_is_replaced(self, door: AnyDoor) -> None:
        probe = Probe.attach(door)
        probe.close()
        place = Path(probe.path)
        place.unlink()
        place.write_bytes(PROBE.path().read_bytes()[:1000])
        again = Probe.attach(door)
        assert again.facts().architecture == "x86_64"
        again.close()

    @pytest.mark.parametrize("mode", [0o755, 0o777, 0o775])
    def test_another_program_of_the_same_size_and_name_is_never_started(
        self, door: AnyDoor, tmp_path: Path, mode: int
    ) -> None:
        place = Path(door.folder) / f"probe-{PROBE.sha256()[:16]}"
        script = f"#!/bin/sh\ntouch {tmp_path}/ran\n".encode()
        place.unlink(missing_ok=True)
        place.write_bytes(script.ljust(PROBE.path().stat().st_size, b"\n"))
        place.chmod(mode)
        Probe.attach(door).close()
        assert not (tmp_path / "ran").exists()
        assert place.read_bytes() == PROBE.path().read_bytes()

    def test_one_that_others_may_write_to_or_a_link_to_it_is_replaced(self, door: AnyDoor) -> None:
        place = Path(Probe.attach(door).path)
        place.chmod(0o777)
        Probe.attach(door).close()
        assert stat.S_IMODE(place.lstat().st_mode) == 0o755
        moved = place.rename(place.with_name("elsewhere"))
        place.symlink_to(moved)
        Probe.attach(door).close()
        assert not place.is_symlink()

    def test_what_is_carried_is_looked_at_in_each_session(self, door: AnyDoor, tmp_path: Path) -> None:
        (tmp_path / "tool").write_bytes(b"good")
        sha256 = hashlib.sha256(b"good").hexdigest()
        for _ in range(2):
            probe = Probe.attach(door)
            place = Path(probe.carry(tmp_path / "tool", sha256=sha256))
            assert place == Path(door.folder) / f"tool-{sha256[:16]}"
            assert place.read_bytes() == b"good"
            place.write_bytes(b"evil")
            probe.close()
        place.unlink()

    def test_nothing_of_the_shipping_stays_beside_it(self, door: AnyDoor, probe: Probe) -> None:
        assert not [name for name in os.listdir(door.folder) if name.endswith(".part")]


class TestQuestions:
    def test_the_facts_are_those_of_the_machine(self, probe: Probe) -> None:
        facts = probe.facts()
        assert facts.hostname == os.uname().nodename
        assert facts.kernel == os.uname().release
        assert facts.cpus
        assert facts.memory_bytes > 1 << 28

    def test_a_program_is_known_by_its_content(self, probe: Probe) -> None:
        program = probe.digest("ls")
        place = Path(program.executable.path)
        said = subprocess.run(["sha256sum", place.resolve()], capture_output=True, check=True, text=True)
        assert program.executable.sha256 == said.stdout.split()[0]
        assert any(library.name.startswith("libc.so") for library in program.libraries)
        assert probe.find("ls") == program.executable.path

    def test_files_of_the_same_disk_are_known_by_their_identity(self, probe: Probe) -> None:
        known: dict[str, HashedFile] = {}
        first = probe.digest("ls", None, known)
        files = (first.executable, *first.libraries)
        assert {file.path: file.sha256 for file in known.values()} == {
            file.path: file.sha256 for file in files
        }
        assert probe.digest("ls", None, known) == first

    @pytest.mark.parametrize("ask", [Probe.digest, Probe.find])
    def test_a_program_that_is_not_there_is_missing_by_name(
        self, probe: Probe, door: AnyDoor, ask: Callable[[Probe, str], object]
    ) -> None:
        with pytest.raises(ProgramMissingError) as caught:
            ask(probe, "no-such-program")
        assert caught.value.exit_code is Exit.MISSING
        assert (caught.value.program, caught.value.machine) == ("no-such-program", door.name)
        assert "no-such-program" in caught.value.message
        assert door.name in caught.value.message

    def test_the_session_goes_on_after_a_refusal(self, probe: Probe) -> None:
        with pytest.raises((ProbeError, MissingError)):
            probe.stop("/nowhere/at/all")
        assert probe.clock().round_trip_ns > 0

    def test_its_clock_is_compared_with_ours(self, probe: Probe) -> None:
        before = probe.compare_clock()
        time.sleep(0.5)
        after = probe.compare_clock(exchanges=4)
        assert abs(before.offset_s) <= before.uncertainty_s + 0.005  # it is this very machine
        assert 0 < before.uncertainty_s < 5
        check = check_clock(before, after)
        assert abs(check.rate - 1.0) <= check.rate_uncertainty

    def test_files_are_evicted_and_loaded_and_the_system_agrees(self, probe: Probe, on_disk: Path) -> None:
        cold = probe.cache("evict", [str(on_disk)])
        assert (cold, _resident(on_disk)) == (Residency(1, 3_000_000, 0), 0)
        warm = probe.cache("preload", [str(on_disk.parent)])
        assert (warm, _resident(on_disk)) == (Residency(1, 3_000_000, 3_000_000), 733)
        assert probe.cache("residency", [str(on_disk)]) == warm

    def test_a_file_that_is_not_there_cannot_be_evicted(self, probe: Probe) -> None:
        with pytest.raises(MissingError, match="cannot read /no/such"):
            probe.cache("evict", ["/no/such"])

    def test_folders_are_made_measured_and_removed(self, probe: Probe, work: str) -> None:
        probe.make(f"{work}/a/b")
        assert Path(work, "a/b").is_dir()
        space = probe.space(f"{work}/a")
        assert 0 < space.free_bytes <= space.total_bytes
        probe.remove(work)
        assert not Path(work).exists()

    def test_nothing_outside_our_folder_is_removed(self, probe: Probe, tmp_path: Path) -> None:
        (tmp_path / "precious").write_text("x")
        for path in (str(tmp_path / "precious"), "/", probe.path.rpartition("/")[0]):
            with pytest.raises(ProbeError, match="cannot remove"):
                probe.remove(path)
        assert (tmp_path / "precious").exists()
        assert Path(probe.path).exists()


class TestJobs:
    def test_a_job_runs_to_its_end_and_its_result_comes_home(
        self, probe: Probe, work: str, tmp_path: Path
    ) -> None:
        into = f"{work}/job"
        command = ("sh", "-c", 'echo "out $GREETING"; echo err >&2; pwd > here; sleep 0.3')
        probe.start(_job(work, *command, environment={"GREETING": "hello"}), into)
        probe.wait(into, limit_s=60)
        assert probe.status(into).state is JobState.ENDED
        result = probe.fetch(into, tmp_path / "record")
        assert (result.state, result.exit_code, result.cause) == (State.ENDED, 0, None)
        assert result.command == command
        assert result.usage is not None
        assert 0.3 <= result.usage.wall_s < 30
        assert result.ended.mono_ns - result.started.mono_ns >= 0.3e9
        assert result.cost is not None
        assert (tmp_path / "record/stdout").read_text() == "out hello\n"
        assert (tmp_path / "record/stderr").read_text() == "err\n"
        assert (tmp_path / "record/samples.csv").read_text().startswith("mono_ns,real_ns,job_user_s")
        assert Path(work, "scratch/here").read_text() == f"{work}/scratch\n"

    @pytest.mark.parametrize("state", list(CacheState))
    def test_a_job_finds_its_files_as_they_were_ordered(
        self, probe: Probe, work: str, tmp_path: Path, on_disk: Path, state: CacheState
    ) -> None:
        order = CacheOrder(state, (str(on_disk),))
        probe.start(_job(work, "cat", str(on_disk), cache=order), f"{work}/job")
        probe.wait(f"{work}/job", limit_s=60)
        result = probe.fetch(f"{work}/job", tmp_path / "record")
        assert result.spec.cache == order
        assert result.cache
        resident = 0 if state.starts_cold else 3_000_000
        assert (result.cache.state, result.cache.resident_bytes) == (state, resident)
        assert "cache-state" not in {doubt.code for doubt in result.doubts}

    def test_a_job_keeps_within_its_limits(self, probe: Probe, work: str, tmp_path: Path) -> None:
        cpu = probe.facts().cpus[-1]
        spec = _job(work, "sh", "-c", "grep Cpus_allowed_list /proc/self/status", limits=Limits(cpus=(cpu,)))
        probe.start(spec, f"{work}/job")
        probe.wait(f"{work}/job", limit_s=60)
        result = probe.fetch(f"{work}/job", tmp_path / "record")
        assert result.limits.cpus == (cpu,)
        assert (tmp_path / "record/stdout").read_text().split() == ["Cpus_allowed_list:", str(cpu)]

    @pytest.mark.parametrize(
        ("script", "code"), [("exit 7", 7), ("kill -9 $$", 137)], ids=["exits", "is killed"]
    )
    def test_a_job_that_fails_says_so(
        self, probe: Probe, work: str, tmp_path: Path, script: str, code: int
    ) -> None:
        probe.start(_job(work, "sh", "-c", script), f"{work}/job")
        probe.wait(f"{work}/job", limit_s=60)
        result = probe.fetch(f"{work}/job", tmp_path / "record")
        assert (result.state, result.exit_code) == (State.FAILED, code)
        assert result.cause

    def test_a_job_that_cannot_be_started_says_so(self, probe: Probe, work: str, tmp_path: Path) -> None:
        probe.start(_job(work, "no-such-program"), f"{work}/job")
        probe.wait(f"{work}/job", limit_s=60)
        result = probe.fetch(f"{work}/job", tmp_path / "record")
        assert (result.state, result.exit_code) == (State.FAILED, 127)

    def test_a_job_that_is_stopped_leaves_a_result(self, probe: Probe, work: str, tmp_path: Path) -> None:
        into = f"{work}/job"
        probe.start(_job(work, "sleep", "60", grace_s=1.0), into)
        status = probe.status(into)
        assert status.state is JobState.RUNNING
        assert status.pid
        with pytest.raises(LostJobError, match=r"no probe\.json"):
            probe.fetch(into, tmp_path / "early")
        probe.stop(into)
        probe.wait(into, limit_s=30)
        result = probe.fetch(into, tmp_path / "record")
        assert (result.state, result.signal) == (State.FAILED, 15)

    def test_a_job_that_takes_too_long_is_left_running(self, probe: Probe, work: str) -> None:
        into = f"{work}/job"
        ticks: list[float] = []
        probe.start(_job(work, "sleep", "60"), into)
        before = time.monotonic()
        with pytest.raises(OverdueError, match="still runs after 1 s"):
            probe.wait(into, limit_s=1.0, on_tick=lambda: ticks.append(time.monotonic()))
        assert 1.0 <= time.monotonic() - before < 20
        assert len(ticks) >= 2
        assert probe.status(into).state is JobState.RUNNING
        probe.stop(into)
        probe.wait(into, limit_s=30)

    def test_a_job_that_never_was_is_absent(self, probe: Probe, work: str) -> None:
        assert probe.status(f"{work}/none").state is JobState.ABSENT
        with pytest.raises(LostJobError, match="the job is absent"):
            probe.wait(f"{work}/none", limit_s=5)

    def test_a_job_whose_supervisor_is_killed_is_lost(self, probe: Probe, work: str) -> None:
        into = f"{work}/job"
        probe.start(_job(work, "sleep", "3"), into)
        pid = probe.status(into).pid
        assert pid
        os.kill(pid, 9)
        with pytest.raises(LostJobError, match="the job is lost"):
            probe.wait(into, limit_s=20)
        probe.stop(into)  # takes away its control group, which nobody else would

    @pytest.mark.parametrize("script", ["printf '\\377'", "head -c 5000000 /dev/zero"])
    def test_a_record_that_is_no_text_or_large_comes_home_as_it_is(
        self, script: str, probe: Probe, work: str, tmp_path: Path
    ) -> None:
        into = f"{work}/job"
        probe.start(_job(work, "sh", "-c", script), into)
        probe.wait(into, limit_s=60)
        assert probe.fetch(into, tmp_path / "record").state is State.ENDED
        there = {path.name: path.read_bytes() for path in Path(into).iterdir() if path.is_file()}
        assert {path.name: path.read_bytes() for path in (tmp_path / "record").iterdir()} == there

    def test_a_job_outlives_its_channel_and_its_door(
        self, machine: Machine, work: str, tmp_path: Path
    ) -> None:
        into, go = f"{work}/job", tmp_path / "go"
        first = open_door(machine, home=tmp_path / "home")
        job = _job(work, "sh", "-c", f"until [ -e {go} ]; do sleep 0.05; done; echo done")
        Probe.attach(first).start(job, into)
        first.close()
        second = open_door(machine, home=tmp_path / "home")
        probe = Probe.attach(second)
        assert probe.status(into).state is JobState.RUNNING
        go.touch()
        probe.wait(into, limit_s=60)
        assert probe.fetch(into, tmp_path / "record").state is State.ENDED
        assert (tmp_path / "record/stdout").read_text() == "done\n"
        second.close()


@pytest.mark.live
def test_a_job_outlives_the_death_of_sshd(reached: SshHost, tmp_path: Path) -> None:
    door = open_door(reached.machine(), home=tmp_path)
    work = f"{door.folder}/test-{os.getpid()}"
    probe = Probe.attach(door)
    probe.start(_job(work, "sh", "-c", "sleep 2; echo done"), f"{work}/job")
    reached.restart()
    with pytest.raises(UnreachableError):
        probe.status(f"{work}/job")
    probe.close()
    door.close()
    door = open_door(reached.machine(), home=tmp_path)
    probe = Probe.attach(door)
    probe.wait(f"{work}/job", limit_s=60)
    assert probe.fetch(f"{work}/job", tmp_path / "record").state is State.ENDED
    door.close()
    shutil.rmtree(work)


@pytest.mark.live
def test_where_the_probe_is_a_trial_needs_no_sftp(reached: SshHost, tmp_path: Path) -> None:
    machine = reached.described()
    with closing(open_door(machine, home=tmp_path)) as door:
        Probe.attach(door)
    with closing(open_door(machine, home=tmp_path)) as door:
        assert isinstance(door, SshDoor)
        work, probe = f"{door.folder}/test-{os.getpid()}", Probe.attach(door)
        probe.start(_job(work, "echo", "done"), f"{work}/job")
        probe.wait(f"{work}/job", limit_s=60)
        assert probe.fetch(f"{work}/job", tmp_path / "record").state is State.ENDED
        assert (tmp_path / "record/stdout").read_text() == "done\n"
        probe.remove(work)
        assert door._files is None
        assert door.size("what is not there") is None


def test_a_probe_that_is_killed_is_told_at_once_and_may_be_attached_again(tmp_path: Path) -> None:
    door = open_door(Machine("local"), home=tmp_path)
    probe = Probe.attach(door)
    done = subprocess.run(["pgrep", "-f", probe.path], capture_output=True, check=True, text=True)
    os.kill(int(done.stdout), 9)
    with pytest.raises(UnreachableError, match="it has ended"):
        probe.facts()
    again = Probe.attach(door)
    assert again.facts().cpus
    door.close()


def test_a_machine_that_cannot_execute_it_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rubbish = tmp_path / "rubbish"
    rubbish.write_bytes(b"\x7fELF")
    digest = hashlib.sha256(b"\x7fELF").hexdigest()
    monkeypatch.setattr(session, "PROBE", SimpleNamespace(path=lambda: rubbish, sha256=lambda: digest))
    door = open_door(Machine("local"), home=tmp_path)
    with pytest.raises(MissingError, match=r"cannot start .* Exec format error"):
        Probe.attach(door)
    door.close()
