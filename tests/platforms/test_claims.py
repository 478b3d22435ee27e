import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assay.platforms.claims import (
    claim,
    forget_dead,
    holder_pid,
    is_live,
    live_activities,
    refuse_second,
    release,
)
from assay.platforms.errors import ClaimedError
from assay.platforms.node import this_node
from assay.platforms.process import ProcessMark, process_mark, this_process


def test_a_claim_holds_until_it_is_released(tmp_path: Path) -> None:
    claim(tmp_path, "a")
    assert is_live(tmp_path, "a")
    assert live_activities(tmp_path) == ("a",)
    release(tmp_path, "a")
    assert not is_live(tmp_path, "a")
    assert holder_pid(tmp_path, "a") is None


def test_a_name_that_leads_elsewhere_names_no_holder(tmp_path: Path) -> None:
    claim(tmp_path, "a")
    (tmp_path / "b").mkdir()
    for name in ("../run/a", str(tmp_path / "run" / "a"), ""):
        assert holder_pid(tmp_path, name) is None, name
    release(tmp_path, "a")


def test_the_claim_of_a_dead_process_is_taken_over(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from assay.platforms.claims import claim; "
        f"claim(Path({str(tmp_path)!r}), 'a')"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert (tmp_path / "run" / "a.pid").exists()
    assert not is_live(tmp_path, "a")
    claim(tmp_path, "a")
    assert is_live(tmp_path, "a")


def test_the_claim_of_a_living_process_is_refused_and_kept(tmp_path: Path) -> None:
    other = subprocess.Popen(["/bin/sleep", "60"])
    try:
        mark = process_mark(other.pid)
        file = tmp_path / "run" / "a.pid"
        file.parent.mkdir()
        file.write_text(json.dumps({"pid": mark.pid, "start_ticks": mark.start_ticks}))
        with pytest.raises(ClaimedError, match=f"process {other.pid} "):
            claim(tmp_path, "a")
        release(tmp_path, "a")
        assert holder_pid(tmp_path, "a") == other.pid
    finally:
        other.kill()
        other.wait()


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"pid": "x", "start_ticks": []}', "[" * 200_000])
def test_a_damaged_claim_holds_nothing(tmp_path: Path, content: str) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "a.pid").write_text(content)
    assert not is_live(tmp_path, "a")
    claim(tmp_path, "a")


def test_activities_on_other_machines_alone_go_side_by_side(tmp_path: Path) -> None:
    with another_process() as other:
        held_by(tmp_path, "11111111", other, here=False)
        claim(tmp_path, "22222222", here=False)
        with pytest.raises(ClaimedError, match="activity 11111111 is running on this machine"):
            claim(tmp_path, "33333333")
        held_by(tmp_path, "11111111", other, here=True)
        with pytest.raises(ClaimedError, match="activity 11111111 is running on this machine"):
            claim(tmp_path, "44444444", here=False)
    release(tmp_path, "22222222")


def test_a_claim_that_does_not_say_is_one_of_this_machine(tmp_path: Path) -> None:
    with another_process() as other:
        held_by(tmp_path, "11111111", other)
        with pytest.raises(ClaimedError, match="activity 11111111"):
            claim(tmp_path, "22222222", here=False)


GONE = ProcessMark(2**22 - 1, 1)


def test_what_another_machine_has_claimed_is_left_to_it(tmp_path: Path) -> None:
    held_by(tmp_path, "11111111", GONE, node="node01", boot="another")
    file = tmp_path / "run" / "11111111.pid"
    forget_dead(tmp_path)
    assert is_live(tmp_path, "11111111")
    assert live_activities(tmp_path) == ("11111111",)
    assert holder_pid(tmp_path, "11111111") is None
    with pytest.raises(ClaimedError) as refused:
        claim(tmp_path, "11111111")
    assert refused.value.message == f"cannot take activity 11111111: process {GONE.pid} on node01 works on it"
    assert (refused.value.hint or "").endswith(f"rm {file}")
    claim(tmp_path, "22222222")  # it measures another machine
    release(tmp_path, "22222222")
    release(tmp_path, "11111111")
    assert file.exists()
    file.unlink()
    claim(tmp_path, "11111111")


def test_a_process_of_another_machine_is_not_looked_for_here(tmp_path: Path) -> None:
    held_by(tmp_path, "11111111", this_process(), node="node01", boot="another")
    assert holder_pid(tmp_path, "11111111") is None
    release(tmp_path, "11111111")
    assert is_live(tmp_path, "11111111")
    refuse_second(tmp_path, "22222222")


def test_a_claim_from_before_a_restart_is_that_of_a_dead_process(tmp_path: Path) -> None:
    me = this_process()
    held_by(tmp_path, "a", me, node=this_node().name, boot="another")
    assert not is_live(tmp_path, "a")
    forget_dead(tmp_path)
    assert not list((tmp_path / "run").glob("*.pid"))


def test_a_machine_that_was_renamed_knows_its_own_claims(tmp_path: Path) -> None:
    me, boot = this_process(), this_node().boot
    held_by(tmp_path, "a", me, node="its former name", boot=boot)
    assert holder_pid(tmp_path, "a") == me.pid
    held_by(tmp_path, "b", GONE, node="its former name", boot=boot)
    assert not is_live(tmp_path, "b")


def test_a_claim_says_where_it_was_made(tmp_path: Path) -> None:
    claim(tmp_path, "a")
    written = json.loads((tmp_path / "run" / "a.pid").read_text())
    assert (written["node"], written["boot"]) == (this_node().name, this_node().boot)


@contextmanager
def another_process() -> Iterator[ProcessMark]:
    """Have a living process beside this one."""
    process = subprocess.Popen(["sleep", "60"])
    try:
        mark = process_mark(process.pid)
        assert mark is not None
        yield mark
    finally:
        process.kill()
        process.wait()


def held_by(home: Path, activity: str, mark: ProcessMark, **more: bool | str) -> None:
    """Write the claim of a process."""
    (home / "run").mkdir(exist_ok=True)
    content = {"pid": mark.pid, "start_ticks": mark.start_ticks, **more}
    (home / "run" / f"{activity}.pid").write_text(json.dumps(content))
