"""Bonnie++'s outputs, read in full, and what of them may be compared."""

from pathlib import Path

import pytest

from assay.model.work.tool_output import NOT_COMPARABLE, Figure
from assay.workloads import WORKLOADS, OutputError
from assay.workloads.saved_outputs import read_output
from assay.workloads.tools.bonnie import reader as bonnie

CAPTURES = Path(__file__).parent / "captures"
MEMORY = 128 << 20


def captured(name: str) -> bytes:
    return (CAPTURES / name).read_bytes()


def figures(name: str) -> dict[str, Figure]:
    return {figure.metric: figure for figure in read_output("bonnie++", captured(name)).measurements}


def test_a_line_of_two_has_its_rates_shares_and_latencies() -> None:
    said = read_output("bonnie++", captured("bonnie++-2.00a-whole.txt"))
    found = figures("bonnie++-2.00a-whole.txt")
    assert said.version == "2.00a"
    assert (found["put_block"].value, found["put_block"].unit) == (591604, "KiB/s")
    assert (found["seq_create"].value, found["seq_create"].unit) == (4541, "1/s")
    assert (found["putc_latency"].value, found["putc_latency"].unit) == (21996, "us")
    assert found["put_block"].labels["file_size"] == "512M"
    assert found["seq_create"].labels["num_files"] == "8"
    assert {refused.metric for refused in said.refused} >= {"rewrite", "rewrite_cpu", "seeks", "ran_del"}
    assert len(said.measurements) + len(said.refused) == 12 * 3


def test_blocks_of_a_file_below_twice_the_memory_cannot_be_compared() -> None:
    unknown = figures("bonnie++-2.00a-whole.txt")["put_block"]
    assert "does not tell the machine's memory" in unknown.labels[NOT_COMPARABLE]
    output = captured("bonnie++-2.00a-whole.txt")
    enough = bonnie.read(output, memory_bytes=2 * MEMORY).measurements
    assert all(figure.comparable for figure in enough)
    short = {
        figure.metric
        for figure in bonnie.read(output, memory_bytes=3 * MEMORY).measurements
        if not figure.comparable
    }
    assert {"put_block", "put_block_cpu", "putc_latency", "rewrite_latency", "seeks_latency"} <= short
    assert "seq_create" not in short


def test_the_table_alone_is_read_with_its_units() -> None:
    found = figures("bonnie++-2.00a-fast-table.txt")
    assert (found["put_block"].value, found["put_block"].unit) == (307, "MiB/s")
    assert found["put_block"].labels["io_chunk_size"] == "64k"
    assert "putc" not in found
    assert found["seeks_latency"].value == 24057


def test_rates_that_the_table_of_two_prints_wrongly_cannot_be_compared() -> None:
    wrong, right = figures("bonnie++-2.00a-files-only-table.txt"), figures("bonnie++-2.00a-files-only.txt")
    assert (wrong["seq_create"].value, right["seq_create"].value) == (8192, 3070)
    assert "prints another number here" in wrong["seq_create"].labels[NOT_COMPARABLE]
    assert right["seq_create"].comparable


def test_the_converted_table_is_read_and_its_0k_is_refused() -> None:
    said = read_output("bonnie++", captured("bon_csv2txt-2.00a.txt"))
    assert {figure.metric: figure.value for figure in said.measurements}["getc"] == 2464
    refused = {entry.metric for entry in said.refused}
    assert {"put_block", "put_block_cpu", "rewrite", "seeks", "seq_del"} <= refused
    assert said.measurements[0].labels["seekers"] == "5"


def test_sizes_that_fill_their_column_are_sizes() -> None:
    found = figures("bonnie++-2.00a-wide-files-table.txt")
    assert (found["seq_create"].value, found["seq_create_cpu"].value) == (20480, 32)
    assert (found["ran_del"].value, found["ran_del_cpu"].value) == (20480, 61)
    assert found["seq_create"].labels["num_files"] == "20"
    assert found["seq_create"].labels["max_size"] == "384100"


@pytest.mark.parametrize("name", ["bonnie++-2.00a-fast-table.txt", "bonnie++-2.00a-whole.txt"])
def test_what_the_shell_writes_around_a_run_is_passed_over(name: str) -> None:
    around = b"$ bonnie++ -d /mnt -u root\n", b"\nreal\t3m1.004s\nroot@host:/mnt# \n"
    assert bonnie.read(around[0] + captured(name) + around[1]) == bonnie.read(captured(name))


def test_several_runs_are_told_apart() -> None:
    found = read_output("bonnie++", captured("bonnie++-2.00a-two-runs.txt")).measurements
    assert [f.value for f in found if f.metric == "seq_create"] == [1794, 1870]
    assert {figure.labels["run"] for figure in found} == {"1", "2"}


def test_the_fields_of_1_03_and_1_96_are_read() -> None:
    old = figures("bonnie++-1.03-written.txt")
    assert (old["put_block"].value, old["seeks"].value, old["seeks_cpu"].value) == (44128, 161.4, 27)
    middle = figures("bonnie++-1.96-files-only-written.txt")
    assert (middle["seq_create"].value, middle["ran_del_latency"].value) == (1702, 9627)
    assert middle["ran_del_latency"].unit == "ms"
    assert middle["seq_create"].labels["max_size"] == "32"


@pytest.mark.parametrize(
    ("name", "version", "expected", "read", "refused"),
    [
        ("1.03e-fast", "1.03e", {"put_block": 65284, "get_block_cpu": 8, "seeks": 7510.9}, 8, 12),
        ("1.96-fast", "1.96", {"rewrite": 35912, "seq_create": 502, "ran_del_latency": 148}, 26, 4),
        ("1.96-line", "1.96", {"put_block": 72853, "ran_create_cpu": 97, "get_block_latency": 44660}, 26, 4),
        ("1.97-whole", "1.97", {"putc": 750, "getc": 1663, "seeks": 10883, "ran_stat_latency": 17}, 24, 12),
    ],
)
def test_real_outputs_of_old_versions_are_read(
    name: str, version: str, expected: dict[str, float], read: int, refused: int
) -> None:
    said = read_output("bonnie++", captured(f"bonnie++-{name}.txt"))
    found = figures(f"bonnie++-{name}.txt")
    assert {metric: found[metric].value for metric in expected} == expected
    assert (said.version, len(said.measurements), len(said.refused)) == (version, read, refused)
    assert {figure.metric for figure in said.measurements if figure.comparable} == {
        metric for metric in found if metric.startswith(("seq_", "ran_"))
    }


def test_the_units_and_sizes_of_old_versions_are_those_of_each_figure() -> None:
    found = figures("bonnie++-1.96-fast.txt")
    assert [found[f"{name}_latency"].unit for name in ("put_block", "seq_create", "seq_stat")] == [
        "ms", "us", "us",
    ]  # fmt: skip
    assert (found["seeks"].value, found["seeks"].unit) == (96.3, "1/s")
    assert found["seeks"].labels["file_size"] == "80G"
    assert figures("bonnie++-1.96-line.txt")["seq_create"].labels["num_files"] == "100"


def test_1_97_with_blocks_has_48_fields() -> None:
    line = (
        "1.97,1.97,host,1,1400000000,8G,,681,99,55163,60,29091,22,1814,98,61444,5,155.3,23,"
        "16,,,,,+++++,+++,+++++,+++,+++++,+++,+++++,+++,+++++,+++,+++++,+++,"
        "12us,30ms,2s,40us,50us,60us,70us,80us,90us,100us,110us,120us\n"
    )
    found = {
        figure.metric: figure for figure in bonnie.read(line.encode(), memory_bytes=4 << 30).measurements
    }
    assert found["get_block"].value == 61444
    assert found["get_block"].comparable
    assert (found["rewrite_latency"].value, found["rewrite_latency"].unit) == (2, "s")


@pytest.mark.parametrize(
    ("output", "problem"),
    [
        (
            captured("bonnie++-2.00a-whole.txt").replace(b"1.98,2.00a", b"1.97,1.97"),
            "expected 48 fields of format 1.97",
        ),
        (captured("bonnie++-2.00a-too-small.txt"), "File size should be double RAM"),
        (
            captured("bonnie++-2.00a-whole.txt").replace(b",591604,", b",59l604,"),
            "expected a number or +++++ for put_block",
        ),
        (
            captured("bonnie++-2.00a-fast-table.txt").replace(b"Latency  ", b"Patience "),
            "expected a line of bonnie++",
        ),
        (b"Can't write block 5.\n", "Can't write block 5."),
        (b"", "expected figures of bonnie++, got 'nothing'"),
    ],
)
def test_what_is_not_known_is_refused_with_the_line(output: bytes, problem: str) -> None:
    with pytest.raises(OutputError, match=r"cannot read the output of bonnie\+\+: line \d+: ") as caught:
        bonnie.read(output)
    assert problem in caught.value.problem


def test_a_trial_has_no_value_where_a_test_was_too_short() -> None:
    found = {
        m.metric.name: m.value for m in WORKLOADS["bonnie++"].parse(captured("bonnie++-2.00a-whole.txt"))
    }
    assert found["put_block"] == pytest.approx(591604 * 1024 / 1e6)
    assert found["rewrite"] is None
    with pytest.raises(OutputError, match="expected one run, got several"):
        WORKLOADS["bonnie++"].parse(captured("bonnie++-2.00a-two-runs.txt"))


@pytest.mark.parametrize("name", ["both-streams", "both-streams-two", "script"])
def test_what_it_tells_of_its_progress_may_stand_between(name: str) -> None:
    output = read_output("bonnie++", captured(f"bonnie++-2.00a-{name}.txt"))
    assert output.version == "2.00a"
    assert [one.value for one in output.measurements if one.metric == "putc"]


def test_progress_of_several_processes_on_one_line_is_known_and_an_error_behind_a_step_is_not() -> None:
    text = captured("bonnie++-2.00a-both-streams.txt")
    mixed = b"Writing a byte at a time...Writing a byte at a time...done\ndone\nWriting intelligently...done"
    known = text.replace(b"Writing a byte at a time...done\nWriting intelligently...done", mixed)
    assert mixed in known
    assert read_output("bonnie++", known) == read_output("bonnie++", text)
    seekers = known.replace(b"start 'em...done", b"Seeker 1...Seeker 2...Seeker 3...start 'em...done")
    assert read_output("bonnie++", seekers) == read_output("bonnie++", text)
    full = text.replace(b"Rewriting...done", b"Rewriting...Can't write block.: No space left on device")
    with pytest.raises(OutputError, match="No space left on device") as caught:
        read_output("bonnie++", full)
    assert caught.value.line == 4


def measured(name: str) -> dict[str, float | None]:
    parse = WORKLOADS["bonnie++"].parse
    assert parse is not None
    return {one.metric.name: one.value for one in parse(captured(name))}


def test_latencies_are_measured_in_milliseconds_where_a_rate_could_not_be_told_too() -> None:
    found = measured("bonnie++-2.00a-whole.txt")
    assert (found["rewrite"], found["rewrite_latency"]) == (None, pytest.approx(4.909))
    assert found["putc_latency"] == pytest.approx(21.996)
    assert found["seeks_latency"] == pytest.approx(10.007)


def test_blocks_alone_have_the_latencies_of_blocks_alone() -> None:
    found = measured("bonnie++-2.00a-fast.txt")
    tests = ("put_block", "rewrite", "get_block", "seeks")
    assert tuple(found) == (*tests, *(f"{name}_latency" for name in tests))
    assert found["put_block_latency"] == pytest.approx(8.055)
    assert found["seeks_latency"] == pytest.approx(24.057)


def test_a_version_that_tells_no_latency_has_none() -> None:
    found = measured("bonnie++-1.03e-fast.txt")
    assert found["put_block"] is not None
    assert {name: found[name] for name in found if name.endswith("_latency")} == dict.fromkeys(
        ("put_block_latency", "rewrite_latency", "get_block_latency", "seeks_latency")
    )
