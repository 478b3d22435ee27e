"""Numbers of thousands of digits, and what is no number, as options and in files: one clear line, never a
traceback.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.model.units import parse_bytes, parse_rate, parse_ratio, parse_seconds
from tests.command import run

LONG = "9" * 5000
SCENE = """\
scene: made
title: A title
baseline: {machine: local}
treatment: {platform: guest}
workloads: [flops]
"""
COMMANDS = (
    ("evaluate", "quick", "--blocks", "{}"),
    ("evaluate", "quick", "--seed", "{}"),
    ("evaluate", "quick", "--copies", "{}"),
    ("evaluate", "quick", "--profile", "{}"),
    ("evaluate", "quick", "--stagger", "{} s"),
    ("evaluate", "quick", "--time-budget", "{} h"),
    ("evaluate", "quick", "--precision", "{} %"),
    ("probe", "cost", "--interval", "{}"),
    ("analyse", "x.csv", "--margin", "{}"),
    ("analyse", "x.csv", "--margin", "{} %"),
    ("workload", "parse", "iozone", "x", "--memory", "{} TiB"),
    ("explain", "last", "--blocks", "{}"),
)


@pytest.mark.parametrize("number", [LONG, f"-{LONG}", f"0.{LONG}x", "1e999", "nan", "inf", "\u00b2", ""])
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_an_option_that_is_no_number_is_a_wrong_command(
    command: tuple[str, ...], number: str, tmp_path: Path
) -> None:
    done = run(*(word.format(number) for word in command), home=tmp_path)
    assert done.code == 2, done.err
    assert "Traceback" not in done.err
    assert done.out == ""


@pytest.mark.parametrize("parse", [parse_bytes, parse_rate, parse_seconds, parse_ratio])
@pytest.mark.parametrize("unit", ["TiB", "TB/s", "d", "%", ""])
def test_a_quantity_beyond_all_is_refused_and_not_shown_whole(parse: object, unit: str) -> None:
    assert callable(parse)
    with pytest.raises(ValueError, match=r"^expected .* with its unit") as error:
        parse(f"{LONG} {unit}")
    assert len(str(error.value)) < 250


@pytest.mark.parametrize("number", [LONG, "1e999", "nan", "-inf"])
def test_a_table_with_a_number_beyond_all_is_refused_by_its_line(number: str, tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text(f"block,arm,value,events\n1,host,1,5\n1,guest,{number},5\n")
    done = run("analyse", str(tmp_path / "runs.csv"), home=tmp_path)
    assert done.code == 3
    assert "runs.csv:3: expected a" in done.err
    (tmp_path / "runs.csv").write_text(f"block,arm,value,events\n1,host,1,{number}\n1,guest,1,5\n")
    done = run("analyse", str(tmp_path / "runs.csv"), home=tmp_path)
    assert (done.code, "runs.csv:2: expected a" in done.err) == (3, True)


@pytest.mark.parametrize(
    "line", ["blocks: {}", "seed: {}", "margin: {} %", "time_budget: {} h", "blocks: [{}]", "precision: {}"]
)
def test_a_scene_with_a_number_beyond_all_says_where(line: str, tmp_path: Path) -> None:
    (tmp_path / "made.yaml").write_text(f"{SCENE}design:\n  {line.format(LONG)}\n")
    done = run("evaluate", str(tmp_path / "made.yaml"), "--dry-run", home=tmp_path)
    assert done.code == 3
    assert "Traceback" not in done.err
    assert max(map(len, done.err.splitlines())) < 500


def test_an_address_with_a_port_of_thousands_of_digits_is_refused(tmp_path: Path) -> None:
    for port in (LONG, "000001" + "0" * 5000):
        done = run("machine", "add", "far", f"root@10.0.0.1:{port}", home=tmp_path)
        assert done.code in {2, 3}
        assert "Traceback" not in done.err
