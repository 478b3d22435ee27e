"""The other commands: arguments, facts, digests, kernels, the subreaper."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import platform
import shutil
import signal
import struct
import subprocess
import time
from pathlib import Path

import pytest

from assay.model.machines.machine import Facts
from tests.probe_native.driver import (
    PROBE,
    SCHEMA,
    TREE,
    Draft202012Validator,
    probe,
    reported,
    start,
    wait_for,
)

PT_INTERP = 3
"""Program header of a file that asks for a loader; elf(5)."""


def sha256(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 2, "a command"),
        (("rnu",), 2, "nearest is 'run'"),
        (("run", "/none/spec.json"), 2, "--into is missing"),
        (
            ("run", "/none/spec.json", "--into", "/none"),
            4,
            "cannot read the spec /none/spec.json: no such file",
        ),
        (("status", "a", "b"), 2, "unknown 'b'"),
        (("kernel", "linpack"), 2, "unknown kernel"),
        (("kernel", "flops", "--second", "1"), 2, "nearest is '--seconds'"),
        (("kernel", "flops", "--threads", "0"), 2, "--threads: expected 1 to 4096, got '0'"),
        (("kernel", "stream"), 2, "--array-bytes is missing"),
        (("kernel", "stream", "--array-bytes", str(1 << 60)), 2, "bytes are available"),
        (("digest", "no-such-program"), 4, "cannot find program 'no-such-program'"),
        (("subreaper", "--"), 2, "no command"),
        (("hold", "--while", "0"), 2, "--while: expected the number of a process, got '0'"),
        (("subreaper", "--", "no-such-program"), 4, "cannot run 'no-such-program'"),
    ],
)
def test_wrong_arguments_are_one_clear_line(arguments: tuple[str, ...], code: int, words: str) -> None:
    done = probe(*arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith("cannot ")
    assert done.stderr.count("\n") == 1
    assert words in done.stderr


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("{", "it is no JSON"),
        ('{"protocol":[1,1],"comand":["x"],"directory":"/"}', "unknown field 'comand', nearest is 'command'"),
        ('{"protocol":[2,0],"command":["x"],"directory":"/"}', "'protocol': expected [1, 1]"),
        ('{"protocol":[1,1],"command":["x"]}', "field 'directory' is missing"),
        ('{"protocol":[1,1],"command":["x"],"directory":"/","limits":{"cpus":"1"}}', "'limits.cpus'"),
    ],
)
def test_a_wrong_spec_names_the_field(tmp_path: Path, spec: str, words: str) -> None:
    path = tmp_path / "spec.json"
    path.write_text(spec)
    done = probe("run", path, "--into", tmp_path / "run")
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_probe_is_static_and_small() -> None:
    assert PROBE.stat().st_size <= 2 << 20  # shipped once to a machine
    elf = PROBE.read_bytes()
    first, size, count = struct.unpack_from("<Q", elf, 32)[0], *struct.unpack_from("<HH", elf, 54)
    kinds = {struct.unpack_from("<I", elf, first + index * size)[0] for index in range(count)}
    assert PT_INTERP not in kinds


def test_facts_have_exactly_the_models_fields() -> None:
    facts = reported("facts", part="facts")
    assert set(facts) == {field.name for field in dataclasses.fields(Facts)} | {"groups"}
    assert facts["hostname"] == platform.node()
    assert facts["kernel"] == platform.release()
    assert facts["cpus"] == sorted(os.sched_getaffinity(0))
    assert facts["memory_bytes"] == os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert facts["boot_id"] == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert sorted(cpu for core in facts["siblings"] for cpu in core) in ([], facts["cpus"])


def test_facts_of_a_recorded_machine_come_from_its_folder() -> None:
    facts = reported("facts", "--root", TREE / "probe/tests/machines/hybrid-guest", part="facts")
    assert (facts["hostname"], facts["cache_bytes"], facts["thp"]) == ("guest", 36608 << 10, "madvise")
    assert (facts["boot_id"], facts["siblings"]) == ("2f1c6c0e-8f4b-4d0a-9d1c-6b0f0e3a7c55", [[0, 1]])


@pytest.mark.parametrize(
    "machine",
    sorted(path.name for path in (TREE / "probe/tests/machines").iterdir()),
)
def test_facts_of_every_recorded_machine_fit_the_contract(machine: str) -> None:
    reported("facts", "--root", TREE / "probe/tests/machines" / machine, part="facts")


def test_an_md_array_is_told_with_its_disks_and_any_other_disk_without(tmp_path: Path) -> None:
    machine = tmp_path / "machine"
    shutil.copytree(TREE / "probe/tests/machines/host", machine, symlinks=True)
    for name, text in (("level", "raid5"), ("raid_disks", "8"), ("degraded", "1"), ("chunk_size", "524288")):
        file = machine / "sys/block/md0/md" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n")
    disks = reported("facts", "--root", machine, part="facts")["groups"]["storage"]["disks"]
    assert disks["md0"]["raid"] == {"level": "raid5", "disks": 8, "missing": 1, "chunk_bytes": 524288}
    assert "raid" not in disks["vda"]


def test_a_recorded_machine_holds_no_name_of_its_own(tmp_path: Path) -> None:
    reported("record", "--into", tmp_path / "machine", part="recorded")
    facts = reported("facts", "--root", tmp_path / "machine", part="facts")
    assert (facts["hostname"], set(facts["boot_id"])) == ("machine", {"0", "-"})
    size = sum(path.stat().st_size for path in (tmp_path / "machine").rglob("*") if path.is_file())
    assert size <= 1_000_000


def test_the_file_system_is_that_of_the_folder() -> None:
    facts = reported("facts", "--folder", "/proc", part="facts")
    assert facts["groups"]["storage"]["file_system"]["kind"] == "proc"


def test_siblings_are_those_of_the_processors_that_may_be_used() -> None:
    facts = reported("facts", "--root", TREE / "probe/tests/machines/split-cores", part="facts")
    assert (facts["cpus"], facts["siblings"], facts["boot_id"]) == ([0, 1, 2], [[0, 2], [1]], None)


def test_both_clocks_are_read_back_to_back() -> None:
    before = time.monotonic_ns()
    clock = reported("clock", part="moment")
    assert before <= clock["mono_ns"] <= time.monotonic_ns()
    assert abs(clock["real_ns"] - time.time_ns()) < 10**9


def test_a_dynamic_program_is_digested_with_its_libraries() -> None:
    digest = reported("digest", "fio", part="digest")
    executable = digest["executable"]
    assert (executable["name"], executable["sha256"]) == ("fio", sha256(executable["path"]))
    names = {library["name"]: library for library in digest["libraries"]}
    assert "libc.so.6" in names
    assert "linux-vdso.so.1" not in names
    assert all(library["sha256"] == sha256(library["path"]) for library in digest["libraries"])


def test_a_static_program_has_no_libraries() -> None:
    digest = reported("digest", PROBE, part="digest")
    assert digest["libraries"] == []
    assert digest["executable"]["sha256"] == sha256(str(PROBE))


def test_a_script_counts_its_interpreter_as_a_library(tmp_path: Path) -> None:
    script = tmp_path / "job"
    script.write_text("#!/usr/bin/env -S bash -e\necho\n")
    script.chmod(0o755)
    names = [library["name"] for library in reported("digest", script, part="digest")["libraries"]]
    assert {"env", "bash", "libc.so.6"} <= set(names)
    assert len(names) == len(set(names))


def test_the_program_that_is_digested_is_the_one_that_a_job_runs(tmp_path: Path) -> None:
    for name in ("fio", "libc.so.6"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 3\n")
        (tmp_path / name).chmod(0o755)
    mine = {"PATH": str(tmp_path), "LD_LIBRARY_PATH": str(tmp_path)}
    done = subprocess.run([PROBE, "digest", "fio"], env=mine, check=True, capture_output=True)
    digest = json.loads(done.stdout)
    run = start(tmp_path, "sh", "-c", "command -v fio")
    assert run.record["state"] == "ended"
    assert digest["executable"]["path"] == run.stdout.strip()
    assert not any(library["path"].startswith(str(tmp_path)) for library in digest["libraries"])


def test_digest_never_runs_the_program(tmp_path: Path) -> None:
    source = tmp_path / "trap.c"
    source.write_text('#include <stdio.h>\nint main(void) { return fopen("ran", "w") == NULL; }\n')
    subprocess.run(["cc", "-o", tmp_path / "trap", source], check=True)
    subprocess.run([PROBE, "digest", "./trap"], cwd=tmp_path, check=True, capture_output=True)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_floating_point_kernel_counts_what_it_did(threads: int) -> None:
    result = reported("kernel", "flops", "--seconds", 0.2, "--threads", threads, part="kernel_flops")
    assert result["threads"] == threads
    assert result["seconds"] >= 0.2
    assert result["flop_per_s"] == pytest.approx(result["flop"] / result["seconds"])
    assert result["flop"] % (2 * 16 * 100_000) == 0
    fixed, shrunk = 1.0, 0.99999**100_000
    assert result["checksum"] == pytest.approx(sum(fixed + shrunk * (1 + k) for k in range(16)), rel=1e-9)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_memory_kernel_follows_streams_rules(threads: int) -> None:
    size = 8 << 20
    arguments = ("--array-bytes", size, "--repetitions", 4, "--threads", threads)
    result = reported("kernel", "stream", *arguments, part="kernel_stream")
    assert (result["valid"], result["elements"], result["threads"]) == (True, size // 8, threads)
    for name, arrays in (("copy", 2), ("scale", 2), ("add", 3), ("triad", 3)):
        figures = result[name]
        assert figures["bytes"] == arrays * size
        assert 0 < figures["best_s"] <= figures["avg_s"] <= figures["max_s"]
        assert figures["best_bytes_per_s"] == pytest.approx(figures["bytes"] / figures["best_s"])


def test_threads_on_one_processor_do_not_make_its_memory_faster() -> None:
    # Arrays that fit into the caches and many repetitions: what else this machine does is no matter to the
    # best one.
    only = ("taskset", "-c", str(max(os.sched_getaffinity(0))))
    arguments = ("kernel", "stream", "--array-bytes", str(1 << 20), "--repetitions", "200", "--threads")

    def rates(threads: int) -> dict[str, float]:
        done = subprocess.run([*only, PROBE, *arguments, str(threads)], check=True, capture_output=True)
        result = json.loads(done.stdout)
        return {name: result[name]["best_bytes_per_s"] for name in ("copy", "scale", "add", "triad")}

    # Four threads that were counted as if beside each other would be four times as fast.
    one, four = rates(1), rates(4)
    assert all(four[name] <= 2 * one[name] for name in one), (one, four)


def test_a_kernel_runs_as_a_job(tmp_path: Path) -> None:
    run = start(tmp_path, str(PROBE), "kernel", "flops", "--seconds", "0.2")
    assert run.record["state"] == "ended"
    assert '"kernel":"flops"' in run.stdout


@pytest.mark.parametrize(("script", "code"), [("exit 7", 7), ("kill -TERM $$", 143), ("true", 0)])
def test_the_subreaper_ends_with_its_commands_code(script: str, code: int) -> None:
    assert probe("subreaper", "--", "sh", "-c", script).returncode == code


def test_the_subreaper_takes_in_orphans() -> None:
    script = "(sleep 0.2 & echo $!) ; sleep 1; ps -o pid= --ppid $PPID"
    done = probe("subreaper", "--", "sh", "-c", script)
    orphan, *children = done.stdout.split()
    assert len(children) == 1
    assert orphan not in children


def test_the_subreaper_passes_signals_on(tmp_path: Path) -> None:
    script = f"trap 'echo term > {tmp_path}/heard; exit 5' TERM; echo > {tmp_path}/ready; sleep 60 & wait"
    process = subprocess.Popen([PROBE, "subreaper", "--", "sh", "-c", script])
    wait_for((tmp_path / "ready").exists)
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 5
    assert (tmp_path / "heard").exists()


def test_hold_lasts_until_it_is_told_to_end() -> None:
    process = subprocess.Popen([PROBE, "hold"])
    folder = Path(f"/proc/{process.pid}")
    wait_for(lambda: (folder / "comm").read_text() == "assay-probe\n" and sleeps(folder))
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 0


def sleeps(folder: Path) -> bool:
    return (folder / "stat").read_text().rsplit(")", 1)[1].split()[0] == "S"


def test_hold_ends_with_the_process_that_it_is_for() -> None:
    other = subprocess.Popen(["sleep", "60"])
    process = subprocess.Popen([PROBE, "hold", "--while", str(other.pid)])
    assert process.poll() is None
    other.kill()
    other.wait()
    assert process.wait(10) == 0


def test_an_overflow_of_the_stack_is_explained() -> None:
    """Where the stack begins is drawn at each start: in 16 KiB most overflow, and some have room enough."""
    for _ in range(40):
        done = subprocess.run(
            ["prlimit", "--stack=16384:16384", str(PROBE), "facts"], capture_output=True, check=False
        )
        if done.returncode != 0:
            break
    assert done.returncode == -signal.SIGABRT
    assert b"has overflowed its stack" in done.stderr
