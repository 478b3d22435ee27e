"""``assay machine restore``: settings of this machine that a crash left changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from assay.cli.output import answer, home, json_option, print_json, say

if TYPE_CHECKING:
    from assay.platforms.host.undo import Outcome


@click.command("restore", epilog="Example: assay machine restore --dry-run")
@click.option("--dry-run", is_flag=True, help="List only.")
@json_option
def restore(*, dry_run: bool, as_json: bool) -> int:
    """List the settings of this machine that are held changed; put back what no living process holds.

    A value that somebody else has written since is said and left as it is.
    """
    from assay.model.errors import Exit
    from assay.platforms.host.undo import Undone, look
    from assay.platforms.host.undo import restore as put_back

    rows = [_row(one) for one in (look(home()) if dry_run else put_back(home()))]
    if as_json:
        print_json("machine-restore", dry_run=dry_run, settings=rows)
    else:
        _tell(rows)
    failed = any(row["outcome"] == Undone.FAILED for row in rows)
    return Exit.MISSING if failed else Exit.DONE


def _row(one: Outcome) -> dict[str, Any]:
    from assay.factors.base.factor import Act

    change = one.change
    return {
        "factor": change.factor,
        "path": change.path,
        "before": change.before,
        "ours": change.ours,
        "now": one.now,
        "activity": change.activity,
        "home": change.home,
        "pid": change.holder.pid,
        "alive": change.live,
        "act": Act(change.path, change.ours).typed,
        "undo": [act.typed for act in change.undo],
        "outcome": str(one.undone),
        "why": one.why,
        "left": [{"path": act.path, "value": act.value} for act in one.left],
    }


def _tell(rows: list[dict[str, Any]]) -> None:
    from assay.report.tables.tables import table

    if not rows:
        say("no setting of this machine is held changed")
        return
    cells = [
        [row["factor"], row["outcome"], row["now"], _who(row), row["act"], "; ".join(row["undo"])]
        for row in rows
    ]
    answer(table(("setting", "", "now", "changed by", "act", "undo"), cells))
    for row in rows:
        if row["why"]:
            say(f"cannot put {row['factor']} back: {row['path']}: {row['why']}")
        for left in row["left"]:
            say(f"{row['factor']}: somebody else has set {left['path']} to {left['value']} since: left so")


def _who(row: dict[str, Any]) -> str:
    return f"activity {row['activity']}, process {row['pid']}, {'alive' if row['alive'] else 'gone'}"
