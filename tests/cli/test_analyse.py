"""``assay analyse`` as a person and a program meet it."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

import assay
from tests.cli.test_entry import ROOT
from tests.command import run

GOOD = "block,arm,value\n" + "".join(
    f"{b},host,{90 + 0.01 * b}\n{b},guest,{100 + 0.02 * b}\n" for b in range(8)
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "runs.csv"
    path.write_text(GOOD)
    return path


def test_json_stands_alone_and_is_what_python_returns(file: Path, tmp_path: Path) -> None:
    done = run("analyse", str(file), "--json", home=tmp_path)
    assert done.code == 0, done.err
    assert done.page == assay.analyse(str(file))


def test_the_text_names_loss_interval_method_and_doubts(file: Path, tmp_path: Path) -> None:
    done = run("analyse", str(file), home=tmp_path)
    assert done.code == 0, done.err
    (line,) = [line for line in done.out.splitlines() if line.startswith("guest ")]
    assert re.search(r"10\.\d+ % \[10\.\d+, 10\.\d+\]", line)
    assert line.endswith("loss, it matters")
    assert "Hodges-Lehmann" in done.out
    assert "Doubts\n  none" in done.out
    assert done.err == "note: the baseline is 'host', by its name\n"
    assert "\x1b" not in done.out


@pytest.mark.parametrize("margin", ["20 %", "20%", "0.2", " 20 % "])
def test_the_margin_is_a_share_however_it_is_written(margin: str, file: Path, tmp_path: Path) -> None:
    done = run("analyse", str(file), "--json", "--margin", margin, "--baseline", "host", home=tmp_path)
    assert done.code == 0, done.err
    assert done.page["margin"] == 0.2
    assert done.err == ""


def test_rates_are_better_higher(file: Path, tmp_path: Path) -> None:
    done = run("analyse", str(file), "--kind", "rate", "--json", home=tmp_path)
    assert done.page["estimates"][0]["verdict"] == "gain"


@pytest.mark.parametrize(
    ("text", "options", "code", "said"),
    [
        (GOOD + "9,host,fast\n", [], 3, "runs.csv:18: expected a number in 'value', got 'fast'"),
        (GOOD.replace("block", "blok"), [], 3, "no 'block'; nearest: 'blok'"),
        ("", [], 3, "runs.csv: expected a line of column names"),
        (GOOD, ["--baseline", "hosst"], 3, "unknown arm 'hosst'; nearest: 'host'"),
        (GOOD.replace("host", "left"), [], 3, "hint: name it: --baseline 'guest'"),
        ("block,arm,value\n1,host,9\n2,guest,9\n", [], 6, "the baseline is 'host'"),
        (GOOD, ["--margin", "120 %"], 2, "expected a share from 0 % to below 100 %"),
        (GOOD, ["--margin", "much"], 2, "expected a share"),
        (GOOD, ["--margin", "nan"], 2, "expected a share"),
        (GOOD, ["--kind", "speed"], 2, "speed"),
    ],
)
def test_a_wrong_input_is_one_clear_line_and_a_documented_code(
    text: str, options: list[str], code: int, said: str, tmp_path: Path
) -> None:
    (tmp_path / "runs.csv").write_text(text)
    done = run("analyse", str(tmp_path / "runs.csv"), *options, home=tmp_path)
    assert done.code == code, done.err
    assert said in done.err
    assert "Traceback" not in done.err
    assert (done.out == "") == (code != 6)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    done = run("analyse", "/no/such.csv", home=tmp_path)
    assert done.code == 3
    assert "cannot read /no/such.csv: expected a file that can be read" in done.err


def test_a_folder_is_a_wrong_file_and_no_wrong_command(tmp_path: Path) -> None:
    done = run("analyse", str(tmp_path), home=tmp_path)
    assert done.code == 3
    assert f"error: cannot read {tmp_path}: expected a file that can be read, got a directory\n" in done.err


def test_random_bytes_never_give_a_traceback(tmp_path: Path) -> None:
    random_number = random.Random(8)
    file = tmp_path / "runs.csv"
    for at in range(100):
        data = bytearray(GOOD.encode())
        for _ in range(random_number.randrange(1, 4)):
            data[random_number.randrange(len(data))] = random_number.randrange(256)
        file.write_bytes(bytes(data) if at % 2 else random_number.randbytes(at))
        done = run("analyse", str(file), "--json", home=tmp_path)
        assert done.code in {0, 3, 5, 6}, done.err
        assert "Traceback" not in done.err


def test_it_starts_without_what_it_does_not_need(file: Path) -> None:
    heavy = ("scipy.stats", "pandas", "rich", "sqlalchemy", "assay.report.render.json", "assay.workloads")
    code = (
        "import sys\n"
        "from assay.cli import main\n"
        f"try: main(['analyse', {str(file)!r}])\n"
        f"except SystemExit: print([m for m in {heavy!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")


@pytest.mark.parametrize("name", ["runs", "scan"])
def test_the_examples_of_the_page_print_what_it_shows(name: str, tmp_path: Path) -> None:
    page = (ROOT / "docs/analyse.md").read_text()
    done = run("analyse", f"examples/{name}.csv", home=tmp_path, folder=ROOT)
    assert done.code == 0, done.err
    assert f"```\n{done.out}```" in page
