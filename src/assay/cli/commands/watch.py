"""``assay machine watch``: how machines are, again and again."""

from __future__ import annotations

import json
import time
from dataclasses import asdict

import click

from assay.cli.names import WHO
from assay.cli.observing import Seconds
from assay.cli.output import answer, answer_json, home, json_option
from assay.cli.stores import open_store
from assay.model.errors import Exit


@click.command("watch", epilog="Example: assay machine watch farm --every '5 min'")
@click.argument("who", type=WHO)
@click.option("--every", type=Seconds(), default="1 min", show_default=True, help="Time between two looks.")
@click.option("--once", is_flag=True, help="Look once, and end.")
@json_option
def watch(who: str, every: float, *, once: bool, as_json: bool) -> int:
    """Keep how machines are, until Ctrl-C: reachable, load, steal, room, temperature, throttling.

    What was seen last stands in 'assay machine list', two weeks of it in the database. With --json each look
    is one line. With --once the exit code tells whether all were reached.
    """
    from assay.activities.health import look_at_health
    from assay.machines.who import chosen
    from assay.report.tables.health import health_table

    store = open_store()
    machines = [entry.machine for entry in chosen(who, store.entries())]
    while True:
        began = time.monotonic()
        looks = look_at_health(machines, home=home())
        store.add_health(looks)
        if as_json:
            said = {"schema": "assay.machine-health", "version": [1, 0], "machines": list(map(asdict, looks))}
            answer_json(json.dumps(said, ensure_ascii=False))
        else:
            answer(health_table(looks))
        if once:
            return int(Exit.DONE if all(look.why is None for look in looks) else Exit.UNREACHABLE)
        try:
            time.sleep(max(0.0, every - (time.monotonic() - began)))
        except KeyboardInterrupt:
            return int(Exit.DONE)
