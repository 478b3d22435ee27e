"""IOzone's outputs, read in full, and what of them may be compared."""

from pathlib import Path

import pytest

from assay.model.metric import Direction
from assay.model.work.tool_output import NOT_COMPARABLE, Figure
from assay.workloads import WORKLOADS, OutputError
from assay.workloads.saved_outputs import read_output
from assay.workloads.tools.iozone import reader as iozone

CAPTURES = Path(__file__).parent / "captures"
BOTH = ("iozone-3.489-auto-R.txt", "iozone-3.510-auto.txt")


def captured(name: str) -> bytes:
    return (CAPTURES / name).read_bytes()


def figures(name: str) -> dict[tuple[str, ...], Figure]:
    return {
        (figure.metric, *[figure.labels[key] for key in figure.labels if key != NOT_COMPARABLE]): figure
        for figure in read_output("iozone", captured(name)).measurements
    }


def test_the_table_of_each_version_is_read_by_operation_file_and_record() -> None:
    old, new = figures(BOTH[0]), figures(BOTH[1])
    assert old["stride_read", "1024", "64"].value > 0
    assert len(old) == 2 * 3 * 5  # files of 1 and 2 MiB, records of 64 to 256 KiB, tests 0, 1 and 5
    assert new["write", "4096", "64"].value == 4452120
    assert new["record_rewrite", "8192", "256"].value == 31761469
    assert new["freread", "8192", "256"].value == 14572760
    assert len(new) == 2 * 3 * 13
    assert {figure.unit for figure in new.values()} == {"KiB/s"}
    assert [read_output("iozone", captured(name)).version for name in BOTH] == ["3.489", "3.510"]


def test_blank_columns_are_told_by_the_tests_that_were_asked_for() -> None:
    found = figures("iozone-3.510-fwrite-fread.txt")
    assert [key[0] for key in found] == ["write", "rewrite", "fwrite", "frewrite", "fread", "freread"]
    assert found["freread", "4096", "64"].value == 3374022


def test_what_the_page_cache_may_have_served_says_so_and_keeps_its_value() -> None:
    figure = figures(BOTH[1])["read", "4096", "64"]
    assert figure.value == 16780400
    assert "the page cache may have served a file of 4096 kB" in figure.labels[NOT_COMPARABLE]


def test_direct_operations_can_be_compared_and_those_of_the_c_library_cannot() -> None:
    direct = read_output("iozone", captured("iozone-3.510-direct.txt"))
    assert all(figure.comparable for figure in direct.measurements)
    library = captured("iozone-3.510-fwrite-fread.txt").replace(
        b"\tPurge Mode On", b"\tO_DIRECT feature enabled", 1
    )
    comparable = {figure.metric for figure in iozone.read(library).measurements if figure.comparable}
    assert comparable == {"write", "rewrite"}


def test_a_file_above_the_memory_can_be_compared_where_the_caller_tells_the_memory() -> None:
    below = iozone.read(captured(BOTH[1]), memory_bytes=6 << 20).measurements
    assert {figure.labels["file_size_kib"] for figure in below if figure.comparable} == {"8192"}
    smaller = next(figure for figure in below if not figure.comparable)
    assert "4096 kB of files in 6144 kB of memory" in smaller.labels[NOT_COMPARABLE]


def test_synchronous_writes_can_be_compared_and_zeros_of_what_was_not_run_cannot() -> None:
    said = read_output("iozone", captured("iozone-3.510-sync-no-retest.txt"))
    assert [figure.metric for figure in said.measurements if figure.comparable] == ["write"]
    zeros = {f.metric: f.labels[NOT_COMPARABLE] for f in said.measurements if f.value == 0}
    assert set(zeros) == {"rewrite", "reread"}
    assert "iozone printed 0" in zeros["reread"]


@pytest.mark.parametrize(
    ("name", "unit", "direction"),
    [
        ("iozone-3.510-microseconds.txt", "us/op", Direction.LOWER),
        ("iozone-3.510-ops-R.txt", "ops/s", Direction.HIGHER),
    ],
)
def test_modes_have_their_units(name: str, unit: str, direction: Direction) -> None:
    found = read_output("iozone", captured(name)).measurements
    assert {(figure.unit, figure.direction) for figure in found} == {(unit, direction)}


def test_a_report_repeats_the_table_and_adds_the_processors_share() -> None:
    found = figures("iozone-3.510-cpu-R.txt")
    assert found["write_cpu", "4096", "64"].value == 13.13
    assert found["write_cpu", "4096", "64"].unit == "%"
    wrong = captured("iozone-3.510-cpu-R.txt").replace(b'"4096"   4008550', b'"4096"   4008999')
    with pytest.raises(OutputError, match="line 38: expected 4008550 as in the table, got 4008999"):
        iozone.read(wrong)


@pytest.mark.parametrize("name", [*BOTH, "iozone-3.510-throughput-children.txt"])
def test_an_output_whose_tabs_became_blanks_says_the_same(name: str) -> None:
    spaces = captured(name).decode().expandtabs().encode()
    assert iozone.read(spaces) == iozone.read(captured(name))


def test_a_throughput_that_cannot_be_read_is_never_taken_for_a_head() -> None:
    output = captured("iozone-3.510-throughput-children.txt")
    first = output.index(b"Children see")
    wrong = output[:first] + output[first:].replace(b".", b",", 1)
    with pytest.raises(OutputError, match="expected a line of iozone's output, got 'Children see"):
        iozone.read(wrong)


@pytest.mark.parametrize("name", [*BOTH, "iozone-3.510-throughput-children.txt"])
def test_what_a_script_says_below_the_end_of_a_run_is_passed_over(name: str) -> None:
    said = b"Test with 1 threads completed in OPS Mode.\n\nreal\t0m3.708s\nuser@host:~$ iozone -a\n"
    whole = iozone.read(captured(name) + said)
    assert whole == iozone.read(captured(name))
    two = iozone.read(captured(name) + said + captured(name))
    assert len(two.measurements) == 2 * len(whole.measurements)
    with pytest.raises(OutputError, match="got 'Can not open temp file"):
        iozone.read(captured(name) + b"Can not open temp file: x\n")


def test_a_report_below_the_end_is_still_read_line_by_line() -> None:
    wrong = captured("iozone-3.489-auto-R.txt").replace(b'\n"1024" ', b'\n"1024"  x', 1)
    with pytest.raises(OutputError, match="expected a line of iozone's output"):
        iozone.read(wrong)


def test_the_worksheet_says_what_the_output_says() -> None:
    sheet, text = figures("iozone-3.489.xls"), figures("iozone-3.489-auto-R.txt")
    assert {key: figure.value for key, figure in sheet.items()} == {key: f.value for key, f in text.items()}
    with pytest.raises(OutputError, match="a sheet that was cut off"):
        iozone.read(captured("iozone-3.489.xls")[:-10])


def test_throughput_of_children_and_of_the_parent_are_two_figures() -> None:
    found = read_output("iozone", captured("iozone-3.510-throughput-children.txt")).measurements
    of_fwriters = {
        f.metric: f.value for f in found if f.labels["operation"] == "fwriters" and "child" not in f.labels
    }
    assert of_fwriters == {
        "children_throughput": 9898664.0,
        "parent_throughput": 746638.82,
        "min_throughput": 4926519.0,
        "max_throughput": 4972145.0,
        "avg_throughput": 4949332.0,
        "min_xfer": 1024.0,
    }
    assert len({f.labels["operation"] for f in found}) == 13


def test_children_that_did_not_run_side_by_side_cannot_be_compared() -> None:
    found = iozone.read(captured("iozone-3.510-throughput-scaling.txt"), memory_bytes=1).measurements
    two = [f for f in found if f.labels["processes"] == "2" and f.labels["operation"] == "readers"]
    assert all("did not run side by side" in f.labels[NOT_COMPARABLE] for f in two)
    assert all(f.comparable for f in found if f.labels["processes"] == "1")


def test_threads_tell_their_share_of_the_processor() -> None:
    found = read_output("iozone", captured("iozone-3.510-throughput-threads-cpu.txt")).measurements
    shares = [f.value for f in found if f.metric == "cpu_utilization"]
    assert shares == [191.39, 97.85]


@pytest.mark.parametrize(
    ("output", "problem"),
    [
        (captured("iozone-3.510-no-folder.txt"), "Can not open temp file: /nonexistent/io.tmp"),
        (captured("iozone-3.510-disk-full.txt"), "Error writing block 4642, fd= 3"),
        (captured(BOTH[1])[:-60], "expected 'iozone test complete.'"),
        (captured(BOTH[1]).replace(b"12919082", b"12919o82"), "expected a line of iozone's output"),
        (
            b"\tUsage: For usage information type iozone -h \n",
            "expected 'Iozone: Performance Test of File I/O'",
        ),
        (b"", "got 'nothing'"),
    ],
)
def test_errors_and_unknown_lines_are_refused_with_the_line(output: bytes, problem: str) -> None:
    with pytest.raises(OutputError, match=r"cannot read the output of iozone: line \d+: ") as caught:
        iozone.read(output)
    assert problem in caught.value.problem


def test_a_trial_takes_its_figures_from_direct_runs_alone() -> None:
    with pytest.raises(OutputError, match="'write' cannot be compared: the page cache may have served"):
        WORKLOADS["iozone"].parse(captured(BOTH[1]))
    with pytest.raises(OutputError, match="expected a figure 'stride_read', got none"):
        WORKLOADS["iozone"].parse(captured("iozone-3.510-direct.txt"))
