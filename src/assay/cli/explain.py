"""``assay explain``: where the loss went."""

from __future__ import annotations

import click

from assay.cli.output import home, json_option


@click.command("explain", epilog="Example: assay explain last")
@click.argument("result", default="last")
@json_option
def command(result: str, *, as_json: bool) -> None:
    """Say where the loss of RESULT went: its budget, its causes, and what to try next."""
    from assay.activities.evaluate import explained_page
    from assay.report.explain import text_explanation
    from assay.report.explanation import explanation_of
    from assay.report.json import to_json
    from assay.store.store import Store

    explanation = explanation_of(explained_page(Store(home()).activity(result).folder))
    click.echo(to_json(explanation) if as_json else text_explanation(explanation), nl=False)
