"""``assay workload``: what can be run, and what is read of tools' outputs."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from jsonschema import Draft202012Validator

from assay.cli.names import TOOL, WORKLOAD
from assay.workloads import READERS, WORKLOADS
from tests import command
from tests.command import Done
from tests.workloads.outputs import CAPTURES, capture

ROOT = Path(__file__).parents[2]
CONTRACT = json.loads((ROOT / "contracts" / "tool-output-v1.schema.json").read_text())
READ = {
    "fio": ("fio-3.33.json", "fio-3.33-terse-5.txt", "fio-2.2.10.txt", "fio-3.33-json-plus.json"),
    "bonnie++": ("bonnie++-2.00a-whole.txt", "bonnie++-2.00a-two-runs.txt", "bon_csv2txt-2.00a.txt"),
    "hyperfine": ("hyperfine-1.15-scan.json", "hyperfine-1.15-failed.json", "hyperfine-1.15-one-run.csv"),
    "iperf3": ("iperf3-3.12-bidir.json", "iperf3-3.1-udp.json", "iperf3-3.12-udp.json"),
    "iozone": ("iozone-3.489.xls", "iozone-3.510-cpu-R.txt", "iozone-3.510-throughput-scaling.txt"),
    "lmbench": ("lmbench-3.0-a9-results.txt", "lmbench-3.0-a9-ctx.txt"),
    "netperf": ("netperf-2.7.0-udpcC.txt", "netperf-2.7.1-kall.txt", "netperf-2.7.1-conf.txt"),
    "sysbench": ("sysbench-0.4.12-fileio.txt", "sysbench-1.0.20-threads.txt", "sysbench-1.1.0-fileio.txt"),
    "time": ("time-1.9-verbose.txt", "time-1.9-posix.txt"),
}


def run(*arguments: str, given: bytes = b"", path: str | None = None) -> Done:
    variables = {} if path is None else {"PATH": path}
    return command.run("workload", *arguments, variables=variables, folder=CAPTURES, given=given)


def answer(*arguments: str) -> dict[str, Any]:
    done = run(*arguments, "--json")
    assert done.code == 0, done.err
    found: dict[str, Any] = done.page
    return found


@pytest.mark.parametrize(("tool", "name"), [(tool, name) for tool, names in READ.items() for name in names])
def test_what_is_read_keeps_to_the_contract(tool: str, name: str) -> None:
    page = answer("parse", tool, name)
    Draft202012Validator(CONTRACT).validate(page)
    assert set(page) == {"schema", "tool", "version", "measurements", "refused", "notes", "doubts"}
    assert page["tool"] == tool
    assert page["measurements"]
    for one in page["measurements"]:
        assert set(one) == {"metric", "value", "unit", "direction", "labels"}
    keys = [(one["metric"], tuple(sorted(one["labels"].items()))) for one in page["measurements"]]
    assert len(set(keys)) == len(keys)


def test_the_version_is_the_tools_and_that_of_the_format_stands_in_its_name() -> None:
    page = answer("parse", "fio", "fio-2.2.10.txt")
    assert (page["schema"], page["version"]) == ("assay.tool-output 1.2", "2.2.10")
    assert answer("parse", "time", "time-1.9-posix.txt")["version"] is None


def test_people_get_a_line_for_each_figure_and_the_refused_below_with_reasons() -> None:
    text = run("parse", "fio", "fio-2.2.10.txt").out
    assert text.startswith("fio 2.2.10: 33 figures\n")
    assert "KiB/s" in text
    assert "job=seq_write operation=write" in text
    assert "not comparable: the job did no read" in text
    text = run("parse", "sysbench", "sysbench-1.0.20-threads.txt").out
    assert text.index("refused: 1 place ") < text.index("disabled by --percentile=0")


def test_people_see_what_is_not_comparable() -> None:
    text = run("parse", "time", "time-1.9-failed.txt").out
    assert "not comparable: the command exited with non-zero status 3" in text


def test_standard_input_is_a_file_too() -> None:
    done = run("parse", "sysbench", "-", "--json", given=capture("sysbench-0.5.txt"))
    assert done.page["version"] == "0.5"


def test_rates_that_the_named_disk_cannot_give_are_doubted() -> None:
    name = "bonnie++-2.00a-whole.txt"
    assert answer("parse", "bonnie++", "bonnie++-1.96-line.txt", "--disk", "nvme")["doubts"] == []
    page = answer("parse", "bonnie++", name, "--disk", "spinning")
    codes = [(doubt["code"], doubt["severity"]) for doubt in page["doubts"]]
    assert ("faster-than-disk", "invalidates") in codes
    text = run("parse", "bonnie++", name, "--disk", "spinning").out
    assert "doubt: " in text
    assert "more than a spinning disk gives, at most 350 MB/s" in text
    assert "Next: see that the page cache did not answer" in text
    assert run("parse", "bonnie++", name, "--disk", "tape").code == 2


def test_an_output_without_a_figure_has_an_exit_code_of_its_own() -> None:
    done = run("parse", "iperf3", "iperf3-3.7-bidir.json")
    assert done.code == 6
    assert "which direction is which cannot be told" in done.out


def test_the_memory_of_the_machine_tells_what_its_page_cache_served() -> None:
    def reasons(*memory: str) -> set[str]:
        page = answer("parse", "bonnie++", "bonnie++-2.00a-whole.txt", *memory)
        return {one["labels"].get("not_comparable", "") for one in page["measurements"]}

    assert any("does not tell the machine's memory" in reason for reason in reasons())
    assert any("is asked for" in reason for reason in reasons("--memory", "64 GiB"))
    assert not any("memory" in reason for reason in reasons("--memory", "1 MiB"))
    done = run("parse", "fio", "fio-3.33.json", "--memory", "1 GiB")
    assert (done.code, "--memory goes with bonnie++ and iozone" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["parse", "iperf", "x"], "error: unknown tool 'iperf'; nearest: 'iperf3'"),
        (["parse", "fio", "no-such.json"], "cannot read no-such.json: expected a file that a tool wrote"),
        (["parse", "fio", "."], "expected a file that a tool wrote, got a directory"),
        (
            ["parse", "fio", "time-bash.txt"],
            "time-bash.txt:1: expected fio's JSON, terse lines or normal text, got",
        ),
        (
            ["parse", "fio", "fio-3.33-no-space.txt"],
            "cannot read fio-3.33-no-space.txt:2: job 'seq_write' ended",
        ),
        (["parse", "time", "-"], "error: cannot read standard input:1: expected 'Command being timed:'"),
        (["show", "fioo"], "unknown workload 'fioo'; nearest: 'fio'"),
        (["pack", "rot"], "unknown pack 'rot'; nearest: 'root' (known: "),
    ],
)
def test_a_wrong_input_is_one_clear_line(arguments: list[str], said: str) -> None:
    done = run(*arguments)
    assert done.code == 3
    assert said in done.err
    assert "trial" not in done.err
    assert done.out == ""


def test_the_list_says_what_runs_here_and_what_can_be_read() -> None:
    page = answer("list")
    listed = {one["name"]: one for one in page["workloads"]}
    assert (page["schema"], list(listed)) == ("assay.workloads", list(WORKLOADS))
    assert {one["name"] for one in page["tools"]} == set(READERS)
    assert listed["fio"]["metrics"][0] == {"name": "seq_write", "unit": "MB/s", "direction": "higher"}
    assert (listed["fio"]["package"], listed["fio"]["parameters"]) == ("fio", ["runtime", "size"])
    assert listed["flops"]["runs_here"]
    assert (listed["iperf3"]["needs"], listed["data-read"]["needs"]) == (["network"], ["data"])
    assert all(one["title"] for one in (*page["workloads"], *page["tools"]))


def test_a_program_that_is_not_there_is_the_reason(tmp_path: Path) -> None:
    shutil.copy("/bin/true", tmp_path / "iperf3")
    done = run("list", "--json", path=str(tmp_path))
    listed = {one["name"]: one for one in done.page["workloads"]}
    assert listed["fio"]["reason"] == "fio is not on PATH: apt install fio"
    assert not listed["fio"]["runs_here"]
    assert listed["flops"]["reason"] is None


def test_a_workload_is_shown_as_it_would_run_here() -> None:
    page = answer("show", "sysbench-cpu")
    assert page["schema"] == "assay.workload"
    assert page["command"][:2] == ["sysbench", "cpu"]
    assert (page["parameters"], page["expected_s"]) == (["runtime"], 3)
    text = run("show", "fio").out
    assert "file of " in text
    assert "stopped after" in text


def test_tools_and_workloads_complete_in_the_shell() -> None:
    context = click.Context(click.Command("x"))
    parameter = click.Argument(["x"])
    assert [item.value for item in TOOL.shell_complete(context, parameter, "ip")] == ["iperf3"]
    found = [item.value for item in WORKLOAD.shell_complete(context, parameter, "iperf")]
    assert found == ["iperf3", "iperf3-reverse", "iperf3-udp"]


def test_reading_an_output_imports_no_heavy_library() -> None:
    heavy = ("pydantic", "numpy", "scipy", "libvirt", "altair", "asyncssh", "sqlalchemy")
    code = (
        "import sys\n"
        "from assay.cli.entry import main\n"
        f"try: main(['workload', 'parse', 'time', {str(CAPTURES / 'time-bash.txt')!r}])\n"
        f"except SystemExit: sys.exit(','.join(m for m in {heavy!r} if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""
    assert done.stdout.startswith("time: 3 figures")
