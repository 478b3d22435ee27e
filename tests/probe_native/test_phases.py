"""Phases of a job: found in its log, or told by the job itself; their CPU times add up to the total."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.probe_native.driver import NO_GROUPS, PROBE, TICK_S, Run, start

PYTHON = str(Path(sys.executable).resolve())
SCOPES = pytest.mark.parametrize("through", [(), NO_GROUPS], ids=["group", "tree"])
MARKS = [{"phase": "event-loop", "pattern": "^Begin"}, {"phase": "end", "pattern": "^Finish"}]

# The job goes on only once the probe has noted a turn: so each lies between two moments that the job knows.
WORK = """
from burn import *
say = SAY
def moment(): return [time.monotonic_ns(), time.process_time()]
def turn(words, phase):
    before = moment(); say(words)
    while f",{phase}," not in open(sys.argv[1]).read(): time.sleep(0.001)
    return [before, moment()]
spin(0.2)
start = turn("Begin", "event-loop")
for event in range(1, 5): spin(0.1); say(f"event {event}")
end = turn("Finish", "end")
spin(0.1)
print(json.dumps({"start": start, "end": end}), file=open("turns", "w"))
"""
WORDS = {"Begin": "phase event-loop", "Finish": "phase end"}
TO_FILE = "lambda words: (log.write(words + '\\n'), log.flush())"


def work(tmp_path: Path, spin: str, say: str, *, through: tuple[str, ...] = (), **phases: Any) -> Run:
    """Runs the job; ``say`` is how it tells."""
    script = "import json, os, socket, sys\n" + WORK.replace("say = SAY", say)
    environment = {"PYTHONPATH": spin}
    noted = str(tmp_path / "run0/phases.csv")
    words = (PYTHON, "-c", script, noted)
    return start(tmp_path, *words, through=through, environment=environment, phases=phases)


def agrees(tmp_path: Path, run: Run, *, events: bool = True) -> None:
    """Holds the phases of a record to what the job did."""
    record = run.record
    turns = json.loads((tmp_path / "work/turns").read_text())
    first, loop, last = record["phases"]
    assert [phase["phase"] for phase in record["phases"]] == ["init", "event-loop", "end"]
    assert (first["started"], last["ended"]) == (record["started"], record["ended"])
    assert first["ended"] == loop["started"]
    for (before, after), found in ((turns["start"], loop["started"]), (turns["end"], last["started"])):
        assert before[0] <= found["mono_ns"] <= after[0]
    assert [phase["events"] for phase in record["phases"]] == ([0, 4, 0] if events else [None] * 3)
    for name in ("user_s", "system_s", "wall_s"):
        assert sum(phase[name] for phase in record["phases"]) == pytest.approx(
            record["usage"][name], abs=1e-6
        )
    least, most = (turns["end"][i][1] - turns["start"][1 - i][1] for i in (0, 1))
    # Without a group the CPU time of a process that lives counts in ticks, in each mode.
    assert least - 2 * TICK_S <= loop["user_s"] + loop["system_s"] <= most + 2 * TICK_S
    assert record["doubts"] == []


def rows(run: Run) -> list[list[str]]:
    return [line.split(",")[2:] for line in (run.folder / "phases.csv").read_text().splitlines()[1:]]


@SCOPES
def test_phases_are_found_in_the_output(tmp_path: Path, spin: str, through: tuple[str, ...]) -> None:
    say = "say = lambda words: print(words, flush=True)"
    run = work(tmp_path, spin, say, through=through, marks=MARKS, events="^event (\\d+)")
    agrees(tmp_path, run)
    assert rows(run) == [
        ["0", "event-loop", ""],
        *(["0", "", str(event)] for event in (1, 2, 3, 4)),
        ["0", "end", ""],
    ]


def test_a_log_that_appears_later_is_found(tmp_path: Path, spin: str) -> None:
    say = f"spin(0.1)\nlog = open('later.log', 'w')\nsay = {TO_FILE}"
    run = work(tmp_path, spin, say, marks=MARKS, events="^event (\\d+)", log="later.log")
    agrees(tmp_path, run)


@SCOPES
def test_a_job_may_tell_by_a_descriptor(tmp_path: Path, spin: str, through: tuple[str, ...]) -> None:
    say = f"words = {WORDS}\nlog = os.fdopen(int(os.environ['ASSAY_PHASE_FD']), 'w')\n"
    say += (
        "say = lambda said: (log.write(words.get(said, said.replace('event', 'events')) + '\\n'), "
        "log.flush())"
    )
    agrees(tmp_path, work(tmp_path, spin, say, through=through, announce=True))


def test_the_time_that_a_job_tells_is_that_of_its_phase(tmp_path: Path) -> None:
    script = """
import os, time
began = time.monotonic_ns()
time.sleep(0.3)
told = [f"phase first {began + 100_000_000}", f"phase past {began}", f"phase future {began + 10**10}", "phase last"]
os.write(int(os.environ["ASSAY_PHASE_FD"]), "".join(line + "\\n" for line in told).encode())
print(began)
"""  # noqa: E501
    run = start(tmp_path, PYTHON, "-c", script, phases={"announce": True})
    init, first, *others = run.record["phases"]
    began = int((run.folder / "stdout").read_text())
    assert [phase["phase"] for phase in (init, first, *others)] == ["init", "first", "past", "future", "last"]
    assert first["started"]["mono_ns"] == began + 100_000_000
    assert init["ended"] == first["started"]
    read_ns = {phase["started"]["mono_ns"] for phase in others}
    assert len(read_ns) == 1, "times that cannot be are not taken"
    assert began + 300_000_000 <= read_ns.pop() < began + 10**10
    reals = [phase["started"]["real_ns"] - phase["started"]["mono_ns"] for phase in (first, *others)]
    assert max(reals) - min(reals) < 1_000_000


def test_a_phase_with_its_time_is_as_long_as_it_was_whenever_the_probe_gets_to_read_of_it(
    tmp_path: Path,
) -> None:
    script = """
import os, signal, time
probe, told = os.getppid(), []
os.kill(probe, signal.SIGSTOP)
for name in ("event-loop", "end"):
    time.sleep(0.2)
    told.append(time.monotonic_ns())
    os.write(int(os.environ["ASSAY_PHASE_FD"]), f"phase {name} {told[-1]}\\n".encode())
os.kill(probe, signal.SIGCONT)
print(*told)
"""
    run = start(tmp_path, PYTHON, "-c", script, phases={"announce": True})
    _, loop, end = run.record["phases"]
    began, ended = map(int, (run.folder / "stdout").read_text().split())
    assert (loop["started"]["mono_ns"], loop["ended"]["mono_ns"]) == (began, ended)
    assert end["started"] == loop["ended"]
    assert loop["wall_s"] == pytest.approx((ended - began) / 1e9, abs=1e-6)


def test_a_job_may_tell_by_a_socket(tmp_path: Path, spin: str) -> None:
    say = f"words = {WORDS}\nto = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)\n"
    say += "to.connect(os.environ['ASSAY_PHASE_SOCKET'])\n"
    say += "say = lambda said: to.send(words.get(said, said.replace('event', 'events')).encode())"
    run = work(tmp_path, spin, say, announce=True)
    agrees(tmp_path, run)
    assert not (run.folder / "phases.socket").exists()


def test_a_line_without_a_number_is_one_event(tmp_path: Path, spin: str) -> None:
    run = start(tmp_path, "sh", "-c", "for i in 1 2 3; do echo done; done", phases={"events": "^done"})
    assert [(phase["phase"], phase["events"]) for phase in run.record["phases"]] == [("init", 3)]


def test_copies_have_phases_of_their_own_and_share_no_cpu_time_out(tmp_path: Path) -> None:
    script = "[ $ASSAY_COPY = 0 ] || echo Begin; sleep 0.2"
    run = start(tmp_path, "sh", "-c", script, placement={"copies": 2}, phases={"marks": MARKS})
    reported = [(phase["copy"], phase["phase"], phase["user_s"]) for phase in run.record["phases"]]
    assert reported == [(0, "init", None), (1, "init", None), (1, "event-loop", None)]


def test_a_job_that_tells_nothing_has_no_phases_and_a_doubt(tmp_path: Path) -> None:
    record = start(tmp_path, "true", phases={"marks": MARKS}).record
    assert record["phases"] == []
    assert [doubt["code"] for doubt in record["doubts"]] == ["no-phase"]


KERNEL = f"{PROBE} kernel two-phase --init-bytes 0 --init-ms 200 --events 200 --announce"


def test_the_waits_of_the_phases_are_those_of_the_job(tmp_path: Path) -> None:
    record = start(tmp_path, *KERNEL.split(), phases={"announce": True}).record
    usage, phases = record["usage"], record["phases"]
    assert usage["run_queue_s"] is not None
    for name, tick_s in (("run_queue_s", 1e-6), ("io_wait_s", 0.02), ("steal_s", 0.02), ("idle_s", 0.02)):
        assert sum(phase[name] for phase in phases) == pytest.approx(usage[name], abs=tick_s * len(phases))


def test_waits_are_unknown_where_another_process_reaped_who_waited(tmp_path: Path) -> None:
    record = start(tmp_path, "sh", "-c", f"{KERNEL}; true", phases={"announce": True}).record
    usage, phases = record["usage"], record["phases"]
    assert (usage["run_queue_s"], usage["block_io_s"]) == (None, None)
    assert {phase["run_queue_s"] for phase in phases} == {None}
    assert usage["idle_s"] is not None


def test_waits_of_copies_are_told_of_the_job_alone(tmp_path: Path) -> None:
    spec = {"phases": {"announce": True}, "placement": {"copies": 2}}
    record = start(tmp_path, *KERNEL.split(), **spec).record
    assert record["usage"]["run_queue_s"] is not None
    assert {(phase["run_queue_s"], phase["idle_s"]) for phase in record["phases"]} == {(None, None)}
