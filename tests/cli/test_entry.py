"""The command line as a person meets it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from assay.cli.entry import COMMANDS, assay
from assay.model.errors import Exit
from tests.cli.conftest import home_with_result
from tests.command import run
from tests.results.test_outcome import PLAN, records

ROOT = Path(__file__).parents[2]


def commands(
    group: click.Group, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


ALL = dict(commands(assay))


@pytest.mark.parametrize(("mask", "kept"), [(0o000, "0o22"), (0o077, "0o77")])
def test_others_may_write_to_nothing_that_a_command_makes(mask: int, kept: str) -> None:
    script = """
import os, sys
from assay.cli import main
try:
    main(["--version"])
finally:
    print(oct(os.umask(0)), file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], umask=mask, capture_output=True, text=True, check=True
    )
    assert done.stderr.splitlines()[0] == kept


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_every_command_has_help_with_an_example_that_starts_with_its_name(path: tuple[str, ...]) -> None:
    command = ALL[path]
    assert command.help
    assert (command.epilog or "").startswith(f"Example: assay {' '.join(path)}")


ALWAYS_JSON = {("tune", "external")}


@pytest.mark.parametrize(
    "path",
    [p for p, c in ALL.items() if not isinstance(c, click.Group) and p not in ALWAYS_JSON],
    ids=" ".join,
)
def test_every_command_that_answers_has_json(path: tuple[str, ...]) -> None:
    assert any("--json" in option.opts for option in ALL[path].params)


def test_the_help_imports_no_command() -> None:
    heavy = ("assay.activities", "assay.store", "assay.report", "assay.scenes", "rich", "pydantic", "scipy")
    code = (
        "import sys\n"
        "from assay.cli.entry import main\n"
        "try: main(['--help'])\n"
        f"except SystemExit: sys.exit(','.join(m for m in {heavy!r} if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""
    assert all(name in done.stdout for name in COMMANDS)


@pytest.mark.parametrize("words", [("result", "list"), ("scene", "list"), ("machine", "list")], ids=" ".join)
def test_short_lists_import_nothing_slow(words: tuple[str, ...], tmp_path: Path) -> None:
    heavy = (
        "assay.store.record", "assay.store.store", "assay.model.activity", "assay.machines",
        "assay.factors", "sqlalchemy", "pydantic", "numpy", "scipy",
    )  # fmt: skip
    code = (
        "import sys\n"
        "from assay.cli.entry import main\n"
        f"try: main({list(words)!r})\n"
        f"except SystemExit: sys.exit(','.join(m for m in {heavy!r} if m in sys.modules))"
    )
    variables = {**os.environ, "ASSAY_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False
    )
    assert done.stderr.strip() == ""


def test_a_list_of_results_loads_no_dialect_but_its_own(tmp_path: Path) -> None:
    home = home_with_result(tmp_path / "home")
    heavy = ("sqlalchemy.dialects.postgresql", "numpy", "pydantic", "assay.platforms")
    code = (
        "import sys\n"
        "from assay.cli.entry import main\n"
        "try: main(['result', 'list'])\n"
        f"except SystemExit: sys.exit(','.join(m for m in {heavy!r} if m in sys.modules))"
    )
    run("result", "list", home=home)  # what it lists is kept by then
    variables = {**os.environ, "ASSAY_HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False
    )
    assert done.stderr.strip() == ""
    assert PLAN.id in done.stdout


def test_the_documented_exit_codes_are_those_of_the_code() -> None:
    table = (ROOT / "docs/exit-codes.md").read_text()
    rows = re.findall(r"^\| (\d+) \| ([A-Z]+) \|", table, re.MULTILINE)
    assert [(int(code), name) for code, name in rows] == [(e.value, e.name) for e in Exit]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["frobnicate"], 2, "unknown command 'frobnicate'"),
        (["evaluate"], 2, "expected a SCENE or --command"),
        (["evaluate", "quick", "--command", "true"], 2, "not both"),
        (["evaluate", "quick", "--input", "x"], 2, "--input goes with --command"),
        (["evaluate", "--command", "'"], 2, "cannot be split"),
        (["evaluate", "quik"], 3, "nearest: 'quick'"),
        (["evaluate", "quick", "--against", "nowhere"], 3, "unknown machine 'nowhere'"),
        (["evaluate", "--command", "true", "--input", "/no/such/file"], 3, "/no/such/file"),
        (["scene", "show", "nothing.yaml"], 3, "nothing.yaml"),
        (["result", "show"], 3, "none yet"),
        (["activity", "resume", "zz"], 3, "none yet"),
        (["machine", "show", "nope"], 3, "unknown machine or group 'nope'"),
        (["machine", "add", "local", "--ssh", "h"], 3, "reserved"),
        (["machine", "add", "n", "--ssh", "a@b:99999"], 3, "99999"),
        (["machine", "remove", "local"], 3, "it is this machine"),
        (["result", "import", "/tmp"], 3, "activity.json"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_input_is_one_clear_line_and_a_documented_code(
    arguments: list[str], code: int, said: str, tmp_path: Path
) -> None:
    done = run(*arguments, home=tmp_path)
    assert done.code == code, done.err
    assert said in done.err
    assert "Traceback" not in done.err
    assert done.out == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["result", "list"], ["result", "show", "last"], ["result", "compare", "last", "0123"],
        ["activity", "list"], ["activity", "show"], ["machine", "list"], ["scene", "list"],
        ["scene", "show", "quick"], ["scene", "validate", "quick"], ["report", "last"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_json_stands_alone_on_stdout_with_its_schema(arguments: list[str], measured: Path) -> None:
    done = run(*arguments, "--json", home=measured)
    assert done.code == 0, done.err
    answer = done.page
    assert answer["schema"].startswith("assay.")
    assert answer["version"][0] == 1


def test_a_result_is_shown_as_one_line_a_metric_uncoloured_off_a_terminal(measured: Path) -> None:
    done = run("result", "show", "last", home=measured)
    assert done.code == 0
    assert "\x1b" not in done.out
    (line,) = [line for line in done.out.splitlines() if line.startswith("spin ")]
    assert re.search(r" \d+(\.\d+)? to \d+(\.\d+)? % ", line)  # of three blocks
    assert line.endswith("loss, it matters")


def test_the_loss_in_json_is_a_fraction_at_full_precision(measured: Path) -> None:
    page = run("result", "show", "last", "--json", home=measured).page
    from assay.results.outcome import build_page

    assert page["estimates"][0]["loss"] == build_page(PLAN, records()).estimates[0].loss


def test_the_report_is_written_as_one_file_that_names_no_other_host(measured: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    done = run("report", "last", "--format", "html", "--output", str(out), home=measured)
    assert done.code == 0, done.err
    page = out.read_text()
    assert not re.search(r"""(?:src|href)=["']https?:""", page)


def test_machines_are_added_listed_and_removed(tmp_path: Path) -> None:
    added = run("machine", "add", "node", "--ssh", "root@127.0.0.1:1", home=tmp_path)
    assert (added.code, "cannot reach node (root@127.0.0.1:1)" in added.err) == (Exit.UNREACHABLE, True)
    listed = run("machine", "list", home=tmp_path).out
    assert re.search(r"^node +ssh +root@127\.0\.0\.1:1$", listed, re.MULTILINE)
    assert run("machine", "remove", "node", home=tmp_path).code == 0
    assert "127.0.0.1" not in run("machine", "list", home=tmp_path).out


@pytest.mark.parametrize(
    ("words", "code"), [(["--version"], 0), (["frobnicate"], 2), (["result", "show"], 3)]
)
def test_the_installed_command_exits_with_the_code_of_its_answer(
    words: list[str], code: int, tmp_path: Path
) -> None:
    command = [str(Path(sys.executable).with_name("assay")), *words]
    environment = {**os.environ, "ASSAY_HOME": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert (done.stdout == "") == (code != 0) == (done.stderr != "")


def test_a_pipe_that_is_closed_early_is_no_error(measured: Path) -> None:
    script = f"{sys.executable} -c 'from assay.cli import main; main()' report last --format html | head -c 1"
    environment = {**os.environ, "ASSAY_HOME": str(measured)}
    done = subprocess.run(
        ["bash", "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""


def test_nothing_is_made_that_others_may_write_to_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        assert run("activity", "list", home=tmp_path / "home").code == Exit.DONE
        assert run("machine", "add", "far", "--ssh", "127.0.0.1:1", home=tmp_path / "home").code == 7
    finally:
        os.umask(before)
    made = [tmp_path / "home", *(tmp_path / "home").rglob("*")]
    assert [str(path) for path in made if path.stat().st_mode & 0o022] == []
