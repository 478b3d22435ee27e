"""``assay exchange``: what other programs of a farm have written, beside results."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.names import RESULT, WORKLOAD
from assay.cli.output import answer, answer_json, document, home, json_option, print_json, say
from assay.cli.progress import watcher
from assay.cli.stores import open_store
from assay.cli.whole_file import write_whole
from assay.model.errors import Exit

if TYPE_CHECKING:
    from assay.exchange.jobs.wrapper import Batch
    from assay.pages.production import ProductionPage
    from assay.results.production.nodes import FarmNode
    from assay.results.production.production import Lab


class Events(click.ParamType):  # type: ignore[type-arg] # generic in newer versions of click
    """A number of events, or the name of a column that holds it."""

    name = "N|COLUMN"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | str:
        """Return the number, or the name."""
        text = str(value).strip()
        try:
            count = float(text)
        except ValueError:
            count = None
        if not text or (count is not None and not 0 < count < 1e18):
            self.fail(
                f"expected a number of events above 0 or the name of a column, got '{value}'", param, ctx
            )
        return text if count is None else count


class Absolute(click.ParamType):  # type: ignore[type-arg] # generic in newer versions of click
    """An absolute path on other machines."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the path."""
        path = str(value)
        if not path.startswith("/") or not path.isprintable():
            self.fail(f"expected an absolute path, got '{path}'", param, ctx)
        return path


FILES = click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path(path_type=Path))
OUTPUT = click.option(
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write the page to this file, as HTML that needs no network.",
)


@click.group("exchange", epilog="Example: assay exchange jobs sacct.txt --nodes nodes.csv")
def command() -> None:
    """Read what other programs of a farm have written, beside results; have its jobs watched."""


@command.command(
    "jobs", epilog="Example: assay exchange jobs sacct.txt --nodes nodes.csv --name 'reco-*' --result last"
)
@FILES
@click.option(
    "--nodes",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="CSV with node,kind,class: wn[01-50],physical,EPYC 7763. Others are those of the inventory.",
)
@click.option("--name", metavar="PATTERN", help="Only jobs of this name, like 'reco-*'.")
@click.option("--events", type=Events(), help="Events in each job, or the column that tells them.")
@click.option(
    "--cores", type=click.IntRange(1), metavar="N", help="Cores of jobs of which they are not told."
)
@click.option("--result", type=RESULT, help="What the lab says: the loss of this result.")
@click.option("--workload", type=WORKLOAD, help="The workload of the result that is like the jobs.")
@OUTPUT
@json_option
def jobs(
    files: tuple[Path, ...],
    nodes: Path | None,
    result: str | None,
    workload: str | None,
    output: Path | None,
    *,
    as_json: bool,
    **asked: Any,
) -> int:
    """Compare a farm's jobs on physical and on virtual nodes with each other and with a result.

    FILE is accounting: sacct --parsable2, condor_history -json, Slurm's jobcomp file, or prmon's files of
    single jobs, or a folder of them; packed by gzip or not. By class of node: CPU efficiency, wall time per
    event (per job with --name), the share of initialization, the loss on virtual nodes, and whether the lab
    stands for it. Exit code 5 where something was damaged, 6 where no class has jobs on both kinds of nodes.
    """
    from assay.exchange.jobs.nodes import read_nodes
    from assay.report.render.json import to_json
    from assay.report.render.production import html_production, text_production
    from assay.results.production.nodes import FarmNodes
    from assay.results.production.production import Asked, production_page

    if workload is not None and result is None:
        msg = "--workload goes with --result"
        raise click.UsageError(msg)
    known = FarmNodes(() if nodes is None else read_nodes(nodes), _inventory)
    page = production_page(files, known, Asked(**asked), None if result is None else _lab(result, workload))
    if output is not None:
        write_whole(output, [html_production(page)])
        say(f"the page is in {output}")
    if as_json:
        answer_json(to_json(page))
    else:
        answer(text_production(page))
    return _exit_of(page)


@command.command("starts", epilog="Example: assay exchange starts /var/spool/assay --nodes nodes.csv")
@FILES
@click.option(
    "--nodes",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="CSV with node,kind,class,cores,on: vm[01-12],virtual,EPYC 7763,1,wn01. Others are those of the "
    "inventory.",
)
@OUTPUT
@json_option
def starts(files: tuple[Path, ...], nodes: Path | None, output: Path | None, *, as_json: bool) -> int:
    """Forecast what a farm's jobs lose where guests of one machine start at once.

    FILE is prmon's file of a job or a folder of them, as assay exchange wrapper has them written; accounting
    beside them says which jobs failed. By class of node: how long a job initializes alone, how many guests a
    disk feeds, what is left with the files in memory; forecasts for jobs that were held out, beside what was
    measured; throughput by size of guests and number of starts at once. Exit code 5 where something was
    damaged, 6 where nothing could be fitted.
    """
    from assay.exchange.jobs.nodes import read_nodes
    from assay.report.render.json import to_json
    from assay.report.render.starts import html_starts, text_starts
    from assay.results.production.nodes import FarmNodes
    from assay.results.production.starts import starts_page

    known = FarmNodes(() if nodes is None else read_nodes(nodes), _inventory)
    with watcher() as shown:
        page = starts_page(files, known, lambda at, of: shown.step("fitting", fraction=at / of))
    if output is not None:
        write_whole(output, [html_starts(page)])
        say(f"the page is in {output}")
    if as_json:
        answer_json(to_json(page))
    else:
        answer(text_starts(page))
    if not any(row.alone_s for row in page.rows):
        return Exit.NOTHING
    return Exit.PARTIAL if page.damaged else Exit.DONE


@command.command("wrapper", epilog="Example: assay exchange wrapper slurm /var/spool/assay > task-prolog.sh")
@click.argument("batch", type=click.Choice(["htcondor", "slurm"]))
@click.argument("directory", metavar="DIR", type=Absolute())
@click.option(
    "--interval",
    type=click.FloatRange(0.01, 3600),
    default=10.0,
    show_default=True,
    metavar="S",
    help="Seconds between samples.",
)
@click.option(
    "--probe",
    type=Absolute(),
    default="/usr/local/bin/assay-probe",
    show_default=True,
    help="Where the probe lies on each node.",
)
@json_option
def wrapper(batch: Batch, directory: str, interval: float, probe: str, *, as_json: bool) -> None:
    """Print the script by which a farm's nodes have their jobs watched.

    It is HTCondor's USER_JOB_WRAPPER, or Slurm's TaskProlog. Each job gets a watcher, which writes prmon's
    files to DIR on its node, DIR/NODE/JOB.txt as the job runs, and takes 0.1 % of one processor at most. The
    job keeps its signals and its exit code, and runs whatever becomes of the watcher. assay exchange jobs DIR
    reads the files.
    """
    from assay.exchange.jobs.wrapper import BUDGET_PERCENT, wrapper_script
    from assay.model.files.native import PROBE

    here = PROBE.path()
    script = wrapper_script(batch, directory, probe=probe, interval_s=interval)
    if as_json:
        print_json("wrapper", batch=batch, interval_s=interval, budget_percent=BUDGET_PERCENT, script=script)
        return
    document(script)
    say(f"to be copied to each node as {probe}: {here}")


def _exit_of(page: ProductionPage) -> Exit:
    if not any(row.physical and row.virtual for row in page.rows):
        return Exit.NOTHING
    return Exit.PARTIAL if page.damaged else Exit.DONE


def _inventory() -> Mapping[str, FarmNode]:
    from assay.results.production.nodes import inventory_nodes

    return inventory_nodes(open_store().entries(), home())


def _lab(result: str, workload: str | None) -> Lab:
    """Return what a result says."""
    from functools import partial

    from assay.activities.pages import page_of
    from assay.cli.outcome import as_it_stands, say_origin
    from assay.results.production.lab import prediction_of
    from assay.results.production.production import Lab

    row = open_store().activity(result)
    say_origin(row)
    page = as_it_stands(row, partial(page_of, row.folder))
    return Lab(prediction_of(page, workload), page.result.margin, page.result.accelerator == "tcg")
