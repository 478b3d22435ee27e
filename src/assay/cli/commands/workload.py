"""``assay workload``: what can be run, and what can be read of what tools printed."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from assay.cli.commands.pack import pack
from assay.cli.names import TOOL, WORKLOAD
from assay.cli.observing import Size
from assay.cli.output import answer, answer_json, home, json_option, left_out, print_json
from assay.model.errors import AssayError, Exit

STDIN = "-"
DISKS = ("spinning", "sata", "nvme")


@click.group("workload", epilog="Example: assay workload parse fio result.json")
def command() -> None:
    """List and show the ready workloads, and read what tools printed."""


command.add_command(pack)


@command.command("list", epilog="Example: assay workload list")
@json_option
def list_(*, as_json: bool) -> None:
    """List the ready workloads with whether they can run here, and the tools whose output can be read."""
    from assay.activities.plan.workloads_here import ready_here
    from assay.platforms.pack_sources import PACKS
    from assay.report.lists.workloads import Ready, ready_json, ready_table
    from assay.workloads import READERS, WORKLOADS

    rows = [
        Ready(workload, WORKLOADS[workload.name].title, WORKLOADS[workload.name].parameters, reason)
        for workload, reason in ready_here(home())
    ]
    tools = {tool: READERS[tool].title for tool in sorted(READERS)}
    if as_json:
        shown = [{"name": name, "title": words} for name, words in tools.items()]
        print_json("workloads", workloads=list(map(ready_json, rows)), tools=shown)
    else:
        answer(ready_table(rows, tools))
    left_out((*WORKLOADS.faults, *PACKS.faults))


@command.command("show", epilog="Example: assay workload show fio")
@click.argument("name", type=WORKLOAD)
@json_option
def show(name: str, *, as_json: bool) -> None:
    """Show a ready workload as it would run here: its command, parameters, metrics, size and time."""
    from assay.activities.plan.workloads_here import sized_here
    from assay.report.lists.workloads import Ready, shown_json, shown_text
    from assay.workloads import WORKLOADS

    workload, reason = sized_here(name, home=home())
    shown = Ready(workload, WORKLOADS[name].title, WORKLOADS[name].parameters, reason)
    if as_json:
        print_json("workload", **shown_json(shown))
    else:
        answer(shown_text(shown))


@command.command("parse", epilog="Example: assay workload parse fio result.json --json")
@click.argument("tool", type=TOOL)
@click.argument("file", type=click.Path(readable=False, allow_dash=True))
@click.option(
    "--memory",
    type=Size(),
    metavar="SIZE",
    help="Memory of the machine that ran bonnie++ or iozone, like '64 GiB'.",
)
@click.option(
    "--disk",
    type=click.Choice(DISKS),
    help="Kind of the single disk that carried the files: rates that it cannot give are doubted.",
)
@json_option
def parse(tool: str, file: str, memory: int | None, disk: str | None, *, as_json: bool) -> Exit:
    """Read every figure of a tool's saved output; FILE - is standard input.

    TOOL is the program's name, as `assay workload list` shows it. What the tool printed no number for is
    refused with the reason; a line that is not known is an error. Exit code 6 when there is no figure.

    bonnie++ and iozone do not print the machine's memory: without --memory all that its page cache may have
    served is marked as not comparable. Rates of files that the named disk cannot give, or that are far above
    what the same run wrote, are doubted.
    """
    from assay.report.lists.tool_output import tool_page, tool_text
    from assay.report.render.json import to_json
    from assay.workloads import READERS, OutputError, read_output

    reader = READERS[tool]
    if memory is not None and not reader.asks_memory:
        known = " and ".join(sorted(name for name in READERS if READERS[name].asks_memory))
        msg = f"--memory goes with {known}, got the output of {tool}"
        raise click.UsageError(msg)
    content = _content(file)
    try:
        page = tool_page(read_output(tool, content, memory_bytes=memory), disk=disk)
    except OutputError as error:
        raise error.of("standard input" if file == STDIN else file) from error
    if as_json:
        answer_json(to_json(page))
    else:
        answer(tool_text(page))
    return Exit.DONE if page.measurements else Exit.NOTHING


def _content(file: str) -> bytes:
    from assay.exchange.given import NoFileError, read_given, read_stream

    try:
        return read_stream(sys.stdin.buffer) if file == STDIN else read_given(Path(file))
    except NoFileError as error:
        hint = f"a pipe is read as standard input: assay workload parse TOOL {STDIN}"
        raise _unreadable(file, error.got, hint=hint) from error
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise _unreadable(file, f"'{reason}'") from error


def _unreadable(file: str, got: str, *, hint: str | None = None) -> AssayError:
    return AssayError(f"cannot read {file}: expected a file that a tool wrote, got {got}", hint=hint)
