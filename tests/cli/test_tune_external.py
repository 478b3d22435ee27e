"""``assay tune external``: questions and answers as lines of JSON, with a program at the other end."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SPACE = """
factors:
  - {name: cache, levels: [writeback, none]}
  - {name: threads, levels: [1, 2, 4]}
budget: 24
direction: lower
"""
Answer = Callable[[dict[str, Any]], str]


def ended(
    folder: Path, answer: Answer, *words: str, text: str = SPACE
) -> tuple[int, list[dict[str, Any]], str]:
    """Run the command to its end; return its exit code, the lines it printed, and what it said."""
    (folder / "space.yaml").write_text(text)
    command = [sys.executable, "-c", "from assay.cli import main; main()", "tune", "external", "space.yaml"]
    with subprocess.Popen(
        [*command, *words], cwd=folder, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        lines = []
        for line in process.stdout:
            lines.append(json.loads(line))
            if "ask" in lines[-1] and (told := answer(lines[-1])):
                process.stdin.write(told + "\n")
                process.stdin.flush()
            elif "ask" in lines[-1]:
                process.stdin.close()
        said = process.stderr.read()
    return process.returncode, lines, said


def told(question: dict[str, Any]) -> str:
    value = 8.0 if question["levels"]["cache"] == "none" else 10.0
    return json.dumps({"tell": question["ask"], "value": value + 0.01 * (question["ask"] % 5)})


def test_questions_are_answered_and_the_last_line_recommends(tmp_path: Path) -> None:
    code, lines, said = ended(tmp_path, told, "--seed", "7")
    assert (code, said) == (0, "")
    *questions, last = lines
    assert [question["ask"] for question in questions] == list(range(1, len(questions) + 1))
    assert len(questions) <= 24
    assert questions[0] == {"ask": 1, "levels": {"cache": "writeback", "threads": 1}, "fidelity": 1.0}
    assert last["recommended"]["cache"] == "none"
    assert 0 < last["low"] < last["gain"] < last["high"] < 1
    assert last["gain"] == pytest.approx(0.2, abs=0.01)
    assert last["effects"][0]["factors"] == ["cache"]
    assert set(last["kept_default"]) <= {"threads"}
    assert last["reason"] == ""
    assert ended(tmp_path, told, "--seed", "7")[1] == lines


def test_a_program_without_noise_is_told_its_gain_exactly(tmp_path: Path) -> None:
    def answer(question: dict[str, Any]) -> str:
        value = 8.0 if question["levels"]["cache"] == "none" else 10.0
        return json.dumps({"tell": question["ask"], "value": value})

    code, lines, _ = ended(tmp_path, answer)
    last = lines[-1]
    assert code == 0
    assert last["recommended"] == {"cache": "none", "threads": 1}
    assert last["gain"] == pytest.approx(0.2)
    assert last["low"] == last["high"] == last["gain"]


def test_one_evaluation_may_fail_and_one_may_pay_nothing(tmp_path: Path) -> None:
    def answer(question: dict[str, Any]) -> str:
        if question["levels"]["cache"] == "none":
            return json.dumps({"tell": question["ask"], "failed": "it does not start"})
        return json.dumps({"tell": question["ask"], "value": 10.0 + question["ask"] % 3})

    code, lines, _ = ended(tmp_path, answer)
    last = lines[-1]
    assert code == 0
    assert (last["gain"], last["low"], last["high"]) == (0, 0, 0)
    assert last["recommended"] == {"cache": "writeback", "threads": 1}
    assert last["kept_default"] == ["cache", "threads"]
    assert last["reason"]


def test_answers_that_end_too_early_recommend_nothing(tmp_path: Path) -> None:
    code, lines, said = ended(tmp_path, lambda question: told(question) if question["ask"] < 4 else "")
    assert code == 6
    assert "recommended" not in lines[-1]
    assert "after 3 evaluations" in said


def test_a_default_that_never_works_is_said(tmp_path: Path) -> None:
    code, lines, said = ended(
        tmp_path, lambda question: json.dumps({"tell": question["ask"], "failed": "no"})
    )
    assert code == 6
    assert "recommended" not in lines[-1]
    assert "the default never worked" in said


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        "{}",
        '{"tell": 2, "value": 1}',
        '{"tell": 1}',
        '{"tell": 1, "value": -1}',
        '{"tell": 1, "value": "3"}',
        '{"tell": 1, "value": NaN}',
        '{"tell": 1, "value": 1, "failed": "x"}',
        '{"tell": true, "value": 1}',
        f'{{"tell": 1, "value": {10**400}}}',
        '{"tell": 1, "value": 1e999}',
        "[" * 100_000,
    ],
)
def test_an_answer_that_is_none_is_refused_in_a_line(tmp_path: Path, line: str) -> None:
    code, lines, said = ended(tmp_path, lambda _: line)
    assert (code, len(lines)) == (3, 1)
    assert said.startswith('error: cannot use answer 1: expected {"tell": 1, "value": a number above 0}')
    assert len(said) < 400


def test_a_file_that_is_not_there_or_no_space(tmp_path: Path) -> None:
    code, lines, said = ended(tmp_path, told, text="budget: 4\n")
    assert (code, lines) == (3, [])
    assert "space.yaml:1:1: expected a list of one or more factors, got nothing" in said


def test_bytes_that_are_no_text_are_no_answer(tmp_path: Path) -> None:
    (tmp_path / "space.yaml").write_text(SPACE)
    command = [sys.executable, "-c", "from assay.cli import main; main()", "tune", "external", "space.yaml"]
    done = subprocess.run(command, cwd=tmp_path, input=b"\xff\xfe\n", capture_output=True, check=False)
    assert done.returncode == 3
    assert b"cannot use answer 1" in done.stderr
