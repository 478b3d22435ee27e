"""Nothing that is shown steers a terminal, whoever wrote it: all of it goes through ``cli.output``."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from assay.cli import output, progress
from assay.cli.entry import error_text
from assay.model.errors import AssayError
from tests.command import called, run

CLI = Path(output.__file__).parent
EVIL = "a\x1b]0;owned\x07\x9b2J\u202eb\x7f\ud800"
SPELLED = r"a\x1b]0;owned\x07\x9b2J\u202eb\x7f\ud800"


def written(source: str) -> list[str]:
    """Return the calls of a module that write to a terminal by themselves."""
    calls = [node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    names = [ast.unparse(call) for call in calls]
    return [
        name for name in names if name == "print" or name.endswith((".echo", ".secho", ".print", ".write"))
    ]


@pytest.mark.parametrize("module", sorted(CLI.rglob("*.py")), ids=lambda path: path.stem)
def test_one_module_alone_writes_to_the_terminal(module: Path) -> None:
    allowed = {"output": ["click.echo"], "progress": ["self._progress.console.print"]}
    assert set(written(module.read_text())) <= set(allowed.get(module.stem, []))


@pytest.mark.parametrize("show", [output.answer, output.answer_line, output.say])
def test_control_sequences_are_spelled_out(show) -> None:
    done = called(lambda: show(EVIL))
    assert done.out + done.err == f"{SPELLED}\n"


def test_a_line_stays_one_line_and_lines_and_tabs_stay_as_they_are() -> None:
    assert called(lambda: output.answer_line("a\nok b")).out == "a\\nok b\n"
    assert called(lambda: output.answer("a\tb\nc")).out == "a\tb\nc\n"
    assert called(lambda: output.say("a\r\n\nb")).err == "a\\r\n\nb\n"


def test_only_colours_come_through_and_only_where_they_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(output.click, "echo", lambda text, **_: shown.append(text))
    text = "\x1b[31m5 %\x1b[0m \x1b[2J\x1b[1;1H"
    output.answer(text, coloured=True)
    output.answer(text)
    assert shown == [
        "\x1b[31m5 %\x1b[0m \\x1b[2J\\x1b[1;1H",
        "\\x1b[31m5 %\\x1b[0m \\x1b[2J\\x1b[1;1H",
    ]


def test_json_means_the_same_and_holds_no_raw_control_character() -> None:
    text = EVIL + "\U000e0001ü"
    done = called(lambda: output.print_json("x", title=text, **{text: 1}))
    assert all(char.isprintable() or char == "\n" for char in done.out)
    assert done.page["title"] == text
    assert done.page[text] == 1
    assert "ü" in done.out


def test_a_document_is_whole_in_a_file_and_spelled_out_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert called(lambda: output.document("a\x7fb\n")).out == "a\x7fb\n"
    shown: list[str] = []
    monkeypatch.setattr(output.click, "echo", lambda text, **_: shown.append(text))
    monkeypatch.setattr(output.sys, "stdout", SimpleNamespace(isatty=lambda: True))
    output.document("a\x7f\x1b[2Jb\n")
    assert shown == ["a\\x7f\\x1b[2Jb\n"]


def test_the_facts_of_a_machine_are_spelled_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True)
    class Hostile:
        kernel: str = f"{EVIL}\nok      good"

    monkeypatch.setattr("assay.activities.visits.visit.look_at", lambda *_, **__: Hostile())
    assert run("machine", "show", "local", home=tmp_path).out == f"kernel         {SPELLED}\\nok      good\n"
    page = run("machine", "show", "local", "--json", home=tmp_path)
    assert page.page["machines"][0]["facts"]["kernel"] == Hostile.kernel
    assert "\x9b" not in page.out


def test_the_title_of_a_scene_is_spelled_out(tmp_path: Path) -> None:
    scene = tmp_path / "own.yaml"
    text = (Path(__file__).parents[2] / "src/assay/scenes/library/quick.yaml").read_text()
    title = next(line for line in text.splitlines() if line.startswith("title:"))
    scene.write_text(text.replace(title, 'title: "a\\e]0;owned\\ab"'))
    done = run("evaluate", str(scene), "--dry-run", home=tmp_path)
    assert "\x1b" not in done.out + done.err
    assert "a\\x1b]0;owned\\x07b" in done.out


def test_errors_usage_and_bugs_are_spelled_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AssayError(f"cannot read it: {EVIL}", hint=EVIL)

    def bug(*_: object, **__: object) -> None:
        raise RuntimeError(EVIL)

    monkeypatch.setattr("assay.activities.visits.visit.look_at", fail)
    done = run("machine", "show", "local", home=tmp_path)
    assert (done.code, done.err) == (3, f"error: cannot read it: {SPELLED}\n\nhint: {SPELLED}\n")
    monkeypatch.setattr("assay.activities.visits.visit.look_at", bug)
    done = run("machine", "show", "local", home=tmp_path)
    assert done.code == 1
    assert SPELLED in done.err
    assert "Traceback" in done.err
    done = run("machine\x07", home=tmp_path)
    assert done.code == 2
    assert "unknown command 'machine\\x07'" in done.err


def test_progress_is_spelled_out_off_and_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert SPELLED in called(lambda: progress.Lines().warn(EVIL)).err

    def live() -> None:
        with progress.Live() as shown:
            shown.step(EVIL)
            shown.look(EVIL)

    done = called(live)
    assert "owned\x07" not in done.err
    assert "\x1b]" not in done.err
    assert SPELLED in done.err


def test_an_error_is_as_it_was() -> None:
    assert error_text(AssayError("cannot a", hint="b")) == "error: cannot a\n\nhint: b"
