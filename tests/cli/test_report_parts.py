"""``assay report``: charts and tables by themselves, by name and by the file's ending."""

from __future__ import annotations

import csv
import io
import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.cli.whole_file import write_whole
from assay.model.errors import MissingError
from tests.command import as_home, run
from tests.results.test_outcome import PLAN


def test_a_table_is_printed_as_csv_with_a_row_a_value(measured: Path) -> None:
    done = run("report", "last", "--table", "values", home=measured)
    rows = list(csv.DictReader(io.StringIO(done.out)))
    shown = run("report", "last", "--json", home=measured).page
    assert [(row["workload"], float(row["value"])) for row in rows] == [
        (trial["workload"], value["value"]) for trial in shown["trials"] for value in trial["metrics"]
    ]
    assert {row["arm"] for row in rows} == {"baseline", "treatment"}


@pytest.mark.parametrize(
    "table", ["estimates", "trials", "budget", "causes", "doubts", "phases", "facts", "samples"]
)
def test_every_table_has_its_columns(measured: Path, table: str) -> None:
    done = run("report", "last", "--table", table, "--json", home=measured)
    page = done.page
    assert (done.code, page["schema"], page["name"]) == (0, "assay.table", table)
    assert all(len(row) == len(page["columns"]) for row in page["rows"])


def test_samples_are_those_of_the_files_without_a_line_that_was_not_wholly_written(measured: Path) -> None:
    place = measured / "activities" / PLAN.id / "trials" / PLAN.trials[0].name
    (place / "samples.csv").write_text("mono_ns,job_user_s,job_rss_bytes\n1,0.5,7\n2,,8\n3,1.5,9")
    page = run("report", "last", "--table", "samples", "--json", home=measured).page
    names = [column["name"] for column in page["columns"]]
    rows = [dict(zip(names, row, strict=True)) for row in page["rows"]]
    assert [(row["trial"], row["mono_ns"], row["job_user_s"], row["job_rss_bytes"]) for row in rows] == [
        (0, 1, 0.5, 7),
        (0, 2, None, 8),
    ]


@pytest.mark.parametrize(
    ("name", "words", "begins"),
    [
        ("loss.svg", ("--chart", "loss"), b"<svg"),
        ("loss.png", ("--chart", "loss", "--size", "slide"), b"\x89PNG"),
        ("loss.pdf", ("--chart", "loss"), b"%PDF"),
        ("loss.json", ("--chart", "loss"), b"{"),
        ("values.csv", ("--table", "values"), b"trial,"),
        ("estimates.parquet", (), b"PAR1"),
        ("losses.tex", (), b"% needs"),
        ("report.html", (), b"<!DOCTYPE html>"),
        ("report.txt", (), PLAN.title.encode()),
    ],
)
def test_the_file_s_ending_says_the_format(
    measured: Path, tmp_path: Path, name: str, words: tuple[str, ...], begins: bytes
) -> None:
    done = run("report", "last", *words, "--output", str(tmp_path / name), home=measured)
    assert (done.code, done.out) == (0, "")
    assert (tmp_path / name).read_bytes().startswith(begins)


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("--chart", "los"), 3, "unknown chart 'los'; nearest: 'loss'"),
        (("--table", "estimate"), 3, "unknown table 'estimate'; nearest: 'estimates'"),
        (
            ("--chart", "loss", "--format", "csv"),
            3,
            "unknown format of a chart 'csv'; nearest: 'svg' (known: json, pdf, png, svg)",
        ),
        (("--table", "values", "--format", "svg"), 3, "unknown format of a table 'svg'"),
        (("--chart", "loss", "--table", "values"), 2, "take one at a time"),
        (("--size", "slide"), 2, "--size goes with --chart"),
        (("--format", "svg"), 3, "unknown format 'svg'"),
    ],
)
def test_what_there_is_not_is_refused_in_a_line(
    measured: Path, words: tuple[str, ...], code: int, told: str
) -> None:
    done = run("report", "last", *words, home=measured)
    assert (done.code, done.out) == (code, "")
    assert told in done.err


def test_what_is_no_text_goes_to_a_pipe_and_not_to_a_terminal(measured: Path) -> None:
    command = [
        sys.executable,
        "-c",
        "from assay.cli import main; main()",
        "report",
        "last",
        "--chart",
        "loss",
        "--format",
        "png",
    ]
    own = {**os.environ, "ASSAY_HOME": str(as_home(measured))}
    piped = subprocess.run(command, env=own, capture_output=True, check=True)
    assert piped.stdout.startswith(b"\x89PNG")
    controller, terminal = os.openpty()
    refused = subprocess.run(command, env=own, stdout=terminal, stderr=subprocess.PIPE, check=False)
    os.close(terminal)
    os.close(controller)
    assert refused.returncode == 2
    assert b"png is no text for a terminal: give --output FILE" in refused.stderr


def test_the_chart_as_json_is_what_the_page_draws(measured: Path) -> None:
    done = run("report", "last", "--chart", "loss", "--json", home=measured)
    assert json.loads(done.out)["$schema"].startswith("https://vega.github.io/schema/vega-lite/")


def test_a_file_comes_whole_or_not_at_all(tmp_path: Path) -> None:
    output = tmp_path / "report.md"
    output.write_text("former\n")
    output.chmod(0o640)

    def cut_off() -> Iterator[str]:
        yield "a part"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(output, cut_off())
    assert [path.name for path in tmp_path.iterdir()] == ["report.md"]
    assert output.read_text() == "former\n"
    named = tmp_path / "link.md"
    named.symlink_to(output)
    write_whole(named, iter(["one\n", "two\n"]))
    assert (output.read_text(), output.stat().st_mode & 0o777) == ("one\ntwo\n", 0o640)
    assert named.is_symlink()


def test_a_link_in_the_place_of_the_part_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("kept")
    monkeypatch.setattr(secrets, "token_hex", lambda _: "known")
    (tmp_path / ".assay-known.part").symlink_to(victim)
    with pytest.raises(MissingError, match="file exists"):
        write_whole(tmp_path / "report.md", ["text"])
    assert victim.read_text() == "kept"


def test_a_device_is_written_to_as_it_is() -> None:
    write_whole(Path("/dev/null"), ["text"])
    with pytest.raises(MissingError, match="no space left on device"):
        write_whole(Path("/dev/full"), ["text"])
