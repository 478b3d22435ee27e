"""assay: what a virtual platform costs a workload, with an honest interval.

    >>> import assay
    >>> result = assay.load("last")  # or assay.evaluate("quick")
    >>> result.estimates.pandas()  # .polars(), .arrow(); .trials, .values, .samples, .facts, .budget …
    >>> result.chart("loss").save("loss.pdf")
    >>> assay.open().losses(scene="quick")  # of all results

Nothing heavy is imported before it is used. docs/python.md has it all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.model.errors import AssayError, Exit, MissingError, UnknownNameError
from assay.model.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from assay.api.act import Comparison
    from assay.api.chart import Chart
    from assay.api.home import Home
    from assay.api.result import FleetResult, Result

__all__ = [
    "AssayError",
    "Chart",
    "Exit",
    "MissingError",
    "UnknownNameError",
    "__version__",
    "analyse",
    "compare",
    "evaluate",
    "load",
    "open",
]


def open(home: str | Path | None = None) -> Home:  # noqa: A001 - assay.open, as tarfile.open
    """Open a home: the results, machines and scenes in it.

    Args:
        home: Its folder; ``None`` is that of the commands (``ASSAY_HOME``). An address of PostgreSQL,
            ``postgresql://USER@HOST/DATABASE``, is what several controllers share.

    Raises:
        AssayError: It cannot be one, or its database cannot be read.
    """
    from assay.api.home import Home

    return Home(home)


def load(result: str = "last", *, home: str | Path | None = None) -> Result | FleetResult:
    """Return a result.

    Args:
        result: Its id, a unique beginning of it, or ``last``.
        home: Folder of the home; ``None`` is that of the commands.

    Raises:
        AssayError: None is called so, or the home cannot be read.
    """
    with open(home) as opened:
        return opened.load(result)


def evaluate(
    scene: str | Path | None = None,
    *,
    command: Sequence[str] | None = None,
    inputs: Sequence[str] = (),
    on: str | None = None,
    against: str | None = None,
    scale: str | None = None,
    settings: Mapping[str, str] | None = None,
    baseline: str | None = None,
    workloads: Sequence[str] = (),
    blocks: int | None = None,
    precision: float | None = None,
    maximum_blocks: int | None = None,
    time_budget_s: float | None = None,
    seed: int | None = None,
    wait_quiet_s: float | None = None,
    home: str | Path | None = None,
) -> Result | FleetResult:
    """Measure a scene, now, and return its result; what goes wrong meanwhile is a Python warning.

    Stopped in between, it keeps what was measured: ``assay activity resume`` goes on with it.

    Args:
        scene: Name of a scene, ready or your own, or path of a scene file; ``None`` goes with ``command``.
        command: A program of your own and its arguments, on this machine and in a guest.
        inputs: Files and folders that the command needs.
        on: Machines to measure on, each against itself: names, groups, ``node[01-50]``, ``@tag``.
        against: Machine of the inventory to compare instead of the scene's treatment.
        scale: Scale of the scene.
        settings: Levels of factors of the scene's guest, ``{"disk.cache": "none,writeback"}``.
        baseline: ``guest`` compares with the guest as the scene has it, instead of the machine.
        workloads: Names of ready workloads instead of the scene's.
        blocks: Number of blocks, 3 to 1000, instead of the scene's.
        precision: Half-width of the intervals at which it ends, a fraction below 1.
        maximum_blocks: Blocks after which it ends, if there is no verdict (or precision) earlier.
        time_budget_s: Seconds; no block is begun that would end later.
        seed: Seed of the order of trials, 0 to 2**32 - 1.
        wait_quiet_s: Seconds to wait at most for others to leave the processors alone; 0 does not look.
        home: Folder of the home; ``None`` is that of the commands.

    Raises:
        AssayError: It cannot be measured, with the next step in ``hint``.
    """
    from assay.api import act

    goal = {"precision": precision, "maximum_blocks": maximum_blocks, "time_budget_s": time_budget_s}
    wanted: dict[str, Any] = {"against": against, "blocks": blocks, "seed": seed, **goal}
    asked: dict[str, Any] = {"settings": settings or {}, "baseline": baseline, "workloads": workloads}
    with open(home) as opened:
        chosen = act.chosen_scene(opened, scene, command=command, inputs=inputs, scale=scale)
        chosen = act.changed(chosen, asked, wanted, wait_quiet_s=wait_quiet_s)
        return act.evaluate(opened, chosen, on=on, command=command)


def compare(a: str | Result, b: str | Result, *, home: str | Path | None = None) -> Comparison:
    """Compare the losses of result B with those of result A, metric by metric, all judged together.

    Args:
        a: A result, or its id, a unique beginning of it, or ``last``.
        b: Likewise.
        home: Folder of the home; ``None`` is that of the commands.

    Raises:
        AssayError: None is called so, or they cannot be read.
    """
    from assay.api import act

    with open(home) as opened:
        return act.compare(opened, a, b)


def analyse(
    table: object,
    *,
    kind: str = "time",
    baseline: str | None = None,
    margin: float | str = 0.01,
    confidence: float | str = 0.95,
) -> dict[str, Any]:
    """Return the losses of what was measured elsewhere, as ``assay analyse --json`` prints them.

    Args:
        table: Columns ``block``, ``arm`` and ``value``, and where known ``session``, ``machine`` and
            ``events``: a mapping of columns to sequences, rows as mappings, a data frame, or the path of
            a CSV file.
        kind: ``time`` (lower is better) or ``rate`` (higher is better).
        baseline: Arm that losses are measured against; ``None`` takes one called ``baseline``, ``host``,
            ``physical``, ``pm`` or ``bare-metal``.
        margin: Loss that does not matter, from 0 to below 1: ``0.01`` or ``1 %``.
        confidence: Coverage of intervals, 0.5 to 0.9999: ``0.95`` or ``95 %``.

    Returns:
        The document of ``contracts/analysis-v1.schema.json``; losses are fractions.

    Raises:
        AssayError: With the next step in ``hint``. A wrong row, named by its number from 1 or its line,
            and a wrong question are ``ValueError`` too.
    """
    import json

    from assay.report.render.json import to_json
    from assay.results.analysis.analyse import analyse_table

    page = analyse_table(table, kind=kind, baseline=baseline, margin=margin, confidence=confidence)
    document: dict[str, Any] = json.loads(to_json(page))
    return document


def __getattr__(name: str) -> Any:
    if name == "Chart":
        from assay.api.chart import Chart

        return Chart
    msg = f"module 'assay' has no attribute '{name}'"
    raise AttributeError(msg)
