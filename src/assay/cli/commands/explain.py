"""``assay explain``: where the loss went, and what of it is proved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.names import ABLATION, RESULT
from assay.cli.output import answer, answer_json, home, json_option, say
from assay.cli.stores import open_store
from assay.model.errors import Exit

if TYPE_CHECKING:
    from assay.store.rows import ActivityRow
    from assay.store.store import Store


@click.command("explain", epilog="Example: assay explain last")
@click.argument("result", default="last", type=RESULT)
@click.option("--prove", is_flag=True, help="Ablate possible causes in turn and together, to prove them.")
@click.option(
    "--ablate",
    "ablations",
    type=ABLATION,
    multiple=True,
    help="Ablate this cause; all that apply where none.",
)
@click.option("--toggle", "former", type=ABLATION, multiple=True, hidden=True)
@click.option("--blocks", type=click.IntRange(3, 1000), help="Blocks of each run, instead of the result's.")
@click.option(
    "--files", is_flag=True, help="Say what the job asks of its files: traced in one more trial on each arm."
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="With --files: write them as a page to this HTML file, for those who write the program.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be run to prove, how long, and stop.")
@json_option
def command(
    result: str,
    ablations: tuple[str, ...],
    former: tuple[str, ...],
    blocks: int | None,
    output: Path | None,
    *,
    prove: bool,
    files: bool,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Say where the loss of RESULT went: its budget, its causes, and what to try next.

    With --prove, what counters attribute is put to the test: runs with possible causes ablated show how much
    of the loss each brings back. What is cut off goes on with the same command.
    """
    from assay.cli.outcome import say_origin

    ablations += former  # --toggle, as it was called before
    if not prove and (ablations or blocks or dry_run):
        msg = "--ablate, --blocks and --dry-run go with --prove"
        raise click.UsageError(msg)
    if files and prove:
        msg = "--files and --prove are two commands"
        raise click.UsageError(msg)
    if output is not None and not files:
        msg = "--output goes with --files; of a whole result: assay report --output FILE"
        raise click.UsageError(msg)
    store = open_store()
    row = store.activity(result, own=prove or files)
    folder, code = row.folder, Exit.DONE
    if files:
        return _files(row, store, output, as_json=as_json)
    if prove:
        from assay.activities.proof_plan import ProofSpec, proof_cost
        from assay.activities.prove import find_or_lay_out
        from assay.activities.rows import refuse_imported
        from assay.cli.commands.prove import run_proof, show_plan

        refuse_imported(row, "prove")
        proof = find_or_lay_out(folder, ProofSpec(ablations, blocks), home=home(), store=store)
        if dry_run:
            show_plan(proof, proof_cost(proof, folder), as_json=as_json)
            return code
        code = run_proof(folder, proof, store=store)
    say_origin(row)
    _show(folder, as_json=as_json)
    return code


def _show(folder: Path, *, as_json: bool) -> None:
    from assay.activities.pages import explained_page
    from assay.pages.explanation import explanation_of
    from assay.report.render.explain import text_explanation
    from assay.report.render.json import to_json

    explanation = explanation_of(explained_page(folder))
    if as_json:
        answer_json(to_json(explanation))
    else:
        answer(text_explanation(explanation))


def _files(row: ActivityRow, store: Store, output: Path | None, *, as_json: bool) -> int:
    """Trace a result's workloads where they were not, and say what they ask of their files."""
    from assay.activities.files_trace import traced_files
    from assay.activities.rows import refuse_imported
    from assay.cli.progress import watcher
    from assay.cli.whole_file import write_whole
    from assay.report.render.files import text_files
    from assay.report.render.files_html import html_files
    from assay.report.render.json import to_json

    refuse_imported(row, "trace")
    with watcher() as shown:
        try:
            page = traced_files(row.folder, home=home(), store=store, watcher=shown)
        except KeyboardInterrupt:
            say(f"to go on: assay explain {row.id} --files")
            return Exit.INTERRUPTED
    if output is not None:
        write_whole(output, [html_files(page)])
    if as_json:
        answer_json(to_json(page))
    elif output is None:
        answer(text_files(page))
    told = [one.reason is None for one in page.workloads]
    return Exit.DONE if all(told) else Exit.PARTIAL if any(told) else Exit.NOTHING
