"""``assay machine watch``: how machines are, again and again."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from assay.cli.names import WHO
from assay.cli.observing import Seconds
from assay.cli.output import answer, answer_json, home, json_option, say
from assay.cli.stores import open_store
from assay.model.errors import Exit

if TYPE_CHECKING:
    from assay.model.machines.machine import Machine


@click.command("watch", epilog="Example: assay machine watch farm --every '5 min'")
@click.argument("who", type=WHO)
@click.option("--every", type=Seconds(), default="1 min", show_default=True, help="Time between two looks.")
@click.option("--once", is_flag=True, help="Look once, and end.")
@json_option
def watch(who: str, every: float, *, once: bool, as_json: bool) -> int:
    """Keep how machines are, until Ctrl-C: reachable, load, steal, room, temperature, throttling, last seen.

    What was seen last stands in 'assay machine list', two weeks of it in the database. With --json each look
    is one line. With --once the exit code tells whether all were reached. Nodes that a batch system gives are
    left out: each look would be a job.
    """
    from assay.activities.health import look_at_health
    from assay.machines.who import chosen
    from assay.report.tables.health import health_table

    store = open_store()
    machines = _own([entry.machine for entry in chosen(who, store.entries())], who)
    while True:
        began = time.monotonic()
        looks = look_at_health(machines, home=home())
        store.add_health(looks)
        seen = store.last_seen()
        if as_json:
            told = [{**asdict(look), "last_seen_ns": seen.get(look.machine)} for look in looks]
            said = {"schema": "assay.machine-health", "version": [1, 0], "machines": told}
            answer_json(json.dumps(said, ensure_ascii=False))
        else:
            answer(health_table(looks, seen))
        if once:
            return int(Exit.DONE if all(look.why is None for look in looks) else Exit.UNREACHABLE)
        try:
            time.sleep(max(0.0, every - (time.monotonic() - began)))
        except KeyboardInterrupt:
            return int(Exit.DONE)


def _own(machines: Sequence[Machine], who: str) -> list[Machine]:
    """Return those of some machines that no batch system gives; raise ``AssayError`` where there are none."""
    from assay.machines.batch.engines import engine_of
    from assay.model.errors import AssayError

    own = [machine for machine in machines if engine_of(machine) is None]
    left = len(machines) - len(own)
    if not own:
        msg = f"cannot watch '{who}': of nodes that a batch system gives each look would be a job"
        raise AssayError(msg, hint="the batch system's own monitoring tells how its nodes are")
    if left:
        say(f"{left} node{'' if left == 1 else 's'} of a batch system left out: each look would be a job")
    return own
