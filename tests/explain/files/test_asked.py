"""What strace tells of a job, call by call and added up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.explain.files.asked import asked
from assay.explain.files.trace import Call, Kind, calls, working_folder

TRACE = r"""
19438 1795868175.334145 execve("./j.sh", [...], 0x7ffd589b23a8 /* 35 vars */) = 0 <0.000248>
19438 1795868175.334740 access("/etc/ld.so.preload", R_OK) = -1 ENOENT (No such file or directory) <0.000009>
19438 1795868175.334793 openat(AT_FDCWD</job>, "/etc/ld.so.cache", O_RDONLY|O_CLOEXEC) = 3</etc/ld.so.cache> <0.000073>
19438 1795868175.334964 newfstatat(3</etc/ld.so.cache>, "", {st_mode=S_IFREG|0644, st_size=44187, ...}, AT_EMPTY_PATH) = 0 <0.000044>
19438 1795868175.335247 read(3</etc/ld.so.cache>, ""..., 832) = 832 <0.000008>
19438 1795868175.335279 pread64(3</etc/ld.so.cache>, ""..., 784, 64) = 784 <0.000008>
19438 1795868175.335313 pread64(3</etc/ld.so.cache>, ""..., 100, 848) = 100 <0.000008>
19440 1795868176.000000 openat(AT_FDCWD</job>, "gone", O_RDONLY) = -1 ENOENT (No such file or directory) <0.000009>
19440 1795868176.000100 openat(AT_FDCWD</job>, "out", O_WRONLY|O_CREAT|O_APPEND, 0666) = 4</job/out> <0.000010>
19440 1795868176.000200 write(4</job/out>, ""..., 4 <unfinished ...>
19438 1795868176.000210 --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED} ---
19440 1795868176.000300 <... write resumed>) = 4 <0.250000>
19440 1795868176.000400 write(4</job/out>, ""..., 6) = 6 <0.000020>
19440 1795868176.000500 fsync(4</job/out>) = 0 <0.125000>
19440 1795868176.000600 lseek(4</job/out>, 2, SEEK_SET) = 2 <0.000007>
19440 1795868176.000700 write(4</job/out>, ""..., 1) = 1 <0.000020>
19440 1795868176.000800 write(4</job/out>, ""..., 1) = 1 <0.000020>
19440 1795868176.000900 read(5<pipe:[1234]>, ""..., 4096) = 5 <0.000020>
19440 1795868176.001000 read(6</job/never>, ""..., 4096 <unfinished ...>
19440 1795868176.001100 +++ exited with 0 +++
""".strip().splitlines()  # noqa: E501


def test_calls_are_read_with_their_file_what_they_gave_and_how_long_they_took() -> None:
    found = list(calls(TRACE))
    assert [call.kind for call in found][:5] == [Kind.LOOK, Kind.OPEN, Kind.LOOK, Kind.READ, Kind.READ]
    assert found[1] == Call(1795868175.334793, Kind.OPEN, "/etc/ld.so.cache", 3, 3, 0.000073)
    assert found[4].offset == 64
    resumed = next(call for call in found if call.seconds == 0.25)
    assert (resumed.kind, resumed.path, resumed.result, resumed.at_s) == (
        Kind.WRITE, "/job/out", 4, 1795868176.0002,
    )  # fmt: skip
    assert not any(call.path == "/job/never" for call in found)
    assert working_folder(TRACE) == "/job"


def test_they_add_up_file_by_file_and_phase_by_phase() -> None:
    spans = [("init", 1795868175.0, 1795868176.0), ("loop", 1795868176.0, 1795868177.0)]
    init, loop = asked(calls(TRACE), spans, "/job")
    assert (init.phase, init.looked, init.missing, set(init.files)) == ("init", 2, 1, {"/etc/ld.so.cache"})
    cache = init.files["/etc/ld.so.cache"]
    assert (cache.opens, cache.reads, cache.read_bytes, cache.reads_on) == (1, 3, 1716, 2)
    assert (loop.looked, loop.missing, set(loop.files)) == (1, 1, {"./out"})
    out = loop.files["./out"]
    assert (out.opens, out.writes, out.write_bytes, out.writes_on, out.syncs) == (1, 4, 12, 3, 1)
    assert out.sync_s == 0.125
    assert out.seconds == pytest.approx(0.37507)


def test_a_copy_is_read_from_one_file_and_written_to_the_other() -> None:
    line = (
        "7 1.5 copy_file_range(3</job/out>, NULL, 1</job/copy>, NULL, 9223372035781033984, 0) = 4096 <0.25>"
    )
    found = asked(calls([line]), [], "/job")[0].files
    assert (found["./out"].read_bytes, found["./copy"].write_bytes) == (4096, 4096)
    assert (found["./out"].seconds, found["./copy"].seconds) == (0.0, 0.25)
    failed = "7 1.5 sendfile(1</job/copy>, 3</job/out>, NULL, 10) = -1 EINVAL (Invalid argument) <0.25>"
    assert asked(calls([failed]), []) == []


def test_without_phases_all_is_one_and_what_lies_beside_them_is_the_rest() -> None:
    assert [one.phase for one in asked(calls(TRACE), [])] == ["total"]
    only_loop = asked(calls(TRACE), [("loop", 1795868176.0, 1795868177.0)])
    assert [one.phase for one in only_loop] == ["loop", "rest"]


@given(st.lists(st.text(max_size=80), max_size=20))
def test_lines_that_are_none_are_passed_over(lines: list[str]) -> None:
    for call in calls(lines):
        assert call.seconds >= 0


@given(st.data())
def test_lines_that_are_cut_anywhere_are_read_or_passed_over(data: st.DataObject) -> None:
    line = data.draw(st.sampled_from(TRACE))
    cut = line[: data.draw(st.integers(0, len(line)))]
    assert len(list(calls([cut]))) <= 1
