"""The command ``assay``: its groups by name, and the one place that turns errors into exit codes."""

from __future__ import annotations

import atexit
import gc
import importlib
import io
import os
import sys
import traceback
from typing import Any

import click

from assay.cli import streams
from assay.cli.output import say
from assay.model.errors import AssayError, Exit
from assay.model.version import __version__

COLLECT = (50_000, 20, 50)
"""When garbage is looked for: records are read by the thousand and none of them is garbage, so that Python's
own (700, 10, 10) takes a fifth of a command's time.
"""
COMMANDS = {
    "activity": ("assay.cli.commands.activity", "List, show, resume, extend and stop evaluation activities."),
    "advise": ("assay.cli.commands.advise", "Say which settings may win the loss of a result back."),
    "analyse": ("assay.cli.commands.analyse", "Analyse what was measured elsewhere, from a CSV file."),
    "chain": (
        "assay.cli.commands.chain",
        "The reference HEP chain's executable, and its files as ROOT files.",
    ),
    "evaluate": ("assay.cli.commands.evaluate", "Measure what a platform costs a workload on this machine."),
    "exchange": (
        "assay.cli.commands.exchange",
        "Read a farm's accounting of jobs, beside results.",
    ),
    "explain": ("assay.cli.commands.explain", "Say where the loss of a result went, and what to try next."),
    "factors": (
        "assay.cli.commands.factors",
        "List, show, try and export the settings of virtual platforms.",
    ),
    "machine": ("assay.cli.commands.machine", "Add, list, check, compare and remove evaluation machines."),
    "platform": (
        "assay.cli.commands.platform",
        "Settings and images of guests, and cleaning up after a crash.",
    ),
    "probe": ("assay.cli.commands.probe", "Measure what the probe itself costs."),
    "report": ("assay.cli.commands.report", "Print or write the report of a result."),
    "result": ("assay.cli.commands.result", "List, show, compare and import evaluation results."),
    "scene": ("assay.cli.commands.scene", "List, show, validate and save evaluation scenes."),
    "selftest": (
        "assay.cli.commands.selftest",
        "Try on this machine what could never be run where assay is built.",
    ),
    "serve": ("assay.cli.commands.serve", "Serve web pages of machines, scenes, activities and results."),
    "store": ("assay.cli.commands.store", "Make the database anew from the records."),
    "token": ("assay.cli.commands.token", "Add, list and remove API tokens of the web pages."),
    "tune": ("assay.cli.commands.tune", "Find the settings that pay."),
    "workload": ("assay.cli.commands.workload", "List and show workloads, and read what tools printed."),
}
"""Name -> module and its line in ``assay --help``; a module is imported only when its command runs."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called: ``assay --help`` stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of all commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import and return one command."""
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(COMMANDS[cmd_name][0]).command
        assert isinstance(command, click.Command)  # noqa: S101
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of the first argument, or name the nearest."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from assay.model.errors import choices

            ctx.fail(f"unknown command '{args[0]}'{choices(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in sorted(COMMANDS)])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: assay evaluate quick",
)
@click.version_option(__version__, prog_name="assay")
def assay() -> None:
    """Measure what a virtual platform costs a workload, with an honest interval.

    Exit codes: 0 done (for an evaluation: every metric was measured), 1 a bug, 2 usage, 3 wrong input,
    4 something is missing here, 5 partly measured, 6 nothing measured, 7 unreachable, 130 interrupted.
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with a documented code.

    Whatever the caller's umask, nothing that is made here, and by jobs of this machine, is open for others to
    write.
    """
    os.umask(os.umask(0o022) | 0o022)
    gc.set_threshold(*COLLECT)
    atexit.register(gc.freeze)  # what is left at the end is not looked through: the process goes with it
    streams.open_closed()
    code = _run(arguments)
    failed = streams.flush()
    if failed is not None and code in (Exit.DONE, None):
        code = _failed(failed)
    streams.flush_errors()
    sys.exit(exit_code(code))


def _run(arguments: list[str] | None) -> Any:
    try:
        return assay.main(arguments, prog_name="assay", standalone_mode=False)
    except click.ClickException as error:
        usage = io.StringIO()
        error.show(usage)
        say(usage.getvalue().rstrip("\n"))
        return Exit.USAGE
    except (click.Abort, KeyboardInterrupt):
        say("interrupted")
        return Exit.INTERRUPTED
    except AssayError as error:
        say(error_text(error))
        return error.exit_code
    except OSError as error:
        return _failed(error)
    except Exception:  # noqa: BLE001 - the last stop
        say(traceback.format_exc())  # ours to mend, and still not the terminal's to obey
        return Exit.BUG


def _failed(error: OSError) -> Exit:
    """Say what the system refused, and return its code; a reader that left is no error, and
    nothing is said.
    """
    streams.discard_output()
    if isinstance(error, BrokenPipeError):
        return Exit.DONE
    say(error_text(streams.to_error(error)))
    return Exit.MISSING


def error_text(error: AssayError) -> str:
    """Return an error as people see it: one line, and a hint after a blank line."""
    hint = f"\n\nhint: {error.hint}" if error.hint else ""
    return f"error: {error.message}{hint}"


def exit_code(value: Any) -> int:
    """Return the exit code of what a command returned: ``None`` is done."""
    return int(value) if isinstance(value, int) else int(Exit.DONE)
