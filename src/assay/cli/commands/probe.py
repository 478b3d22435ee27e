"""``assay probe``: the instrument itself."""

from __future__ import annotations

import math
import random
from dataclasses import asdict
from typing import Any

import click

from assay.cli.observing import Names
from assay.cli.output import answer, home, json_option, print_json
from assay.cli.stores import open_store
from assay.model.work.observation import GROUPS


class Pause(click.FloatRange):
    """Seconds between two bounds; not a number lies nowhere."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the seconds."""
        seconds = float(super().convert(value, param, ctx))
        return self.fail(f"{value} is no number", param, ctx) if math.isnan(seconds) else seconds


@click.group("probe", epilog="Example: assay probe cost --interval 0.1")
def command() -> None:
    """Look at the probe, the instrument that every figure comes from."""


@command.command("cost", epilog="Example: assay probe cost --interval 0.1")
@click.option(
    "--interval",
    type=Pause(0.01, 60),
    default=1.0,
    show_default=True,
    help="Seconds between samples.",
)
@click.option(
    "--watch", type=Names("group", GROUPS), help="Groups of series to sample too, like delay,pressure."
)
@click.option(
    "--blocks", type=click.IntRange(3, 1000), default=8, show_default=True, help="Number of blocks."
)
@click.option("--machine", "name", default="local", show_default=True, help="Machine of the inventory.")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), help="Seed of the order, to repeat it.")
@json_option
def cost(
    interval: float, watch: tuple[str, ...] | None, blocks: int, name: str, seed: int | None, *, as_json: bool
) -> None:
    """Measure what being watched costs a job on a machine.

    Work of fixed size runs under the probe with and without sampling, in randomised blocks, one copy
    on each processor. Exit code 0 when it was measured, whatever the verdict.
    """
    from assay.activities.probe_cost import CostSpec, probe_cost
    from assay.cli.progress import watcher
    from assay.report.lists.cost import text_cost

    machine = open_store().machine(name)
    drawn = random.SystemRandom().randrange(2**32) if seed is None else seed
    with watcher() as shown:
        page = probe_cost(machine, CostSpec(interval, watch or (), blocks, drawn), home=home(), watcher=shown)
    if as_json:
        print_json("probe-cost", **asdict(page))
    else:
        answer(text_cost(page))
