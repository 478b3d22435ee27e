"""Runs the checks, one after the other; what one fails with does not end the others."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from assay.activities import evaluate
from assay.activities.events import Watcher
from assay.model.errors import AssayError
from assay.model.files.native import PROBE
from assay.platforms.libvirt.rehearsal import try_settings
from assay.scenes import read_scene
from assay.selftest.checks import Check, Node
from assay.selftest.levels import levels_here
from assay.store.record import read_trials
from assay.store.store import Store

Held = Literal["held", "failed", "not here"]


@dataclass(frozen=True)
class Outcome:
    """What came of a check.

    Attributes:
        name: The check, or a factor with its level.
        what: What it tries.
        held: Whether it did; ``not here`` where the machine does not allow it.
        why: What did not hold, or why it was not tried; ``None`` where it held.
        seconds: What it took.
        activity: The activity that was run; ``None`` without one.
        run_before: It was run where assay is built.
    """

    name: str
    what: str
    held: Held
    why: str | None
    seconds: float
    activity: str | None = None
    run_before: bool = False


def run_checks(checks: Sequence[Check], node: Node, *, home: Path, watcher: Watcher) -> Iterator[Outcome]:
    """Yield what came of each check.

    Args:
        checks: Which, in their order.
        node: The machine.
        home: Folder of all state; the activities stay in it.
        watcher: Is told of each.
    """
    for check in checks:
        began = time.monotonic()
        if (why := check.why_not(node)) is not None:
            yield Outcome(check.name, check.what, "not here", why, 0.0, run_before=check.run_before)
            continue
        watcher.step(f"self-test {check.name}: {check.what}")
        activity, why = _evaluated(check, home=home, watcher=watcher)
        yield Outcome(
            check.name,
            check.what,
            "held" if why is None else "failed",
            why,
            time.monotonic() - began,
            activity,
            check.run_before,
        )


def _evaluated(check: Check, *, home: Path, watcher: Watcher) -> tuple[str | None, str | None]:
    """Evaluate a check's scene; return the activity, and what did not hold."""
    activity = None
    store = Store(home)
    try:
        scene = read_scene(check.scene.encode(), file=f"{check.name}.yaml")
        plan = evaluate.prepare(scene, home=home, store=store, command=None)
        evaluate.ensure_image(plan, home=home, watcher=watcher)
        folder = evaluate.create(plan, home=home, store=store)
        activity = plan.id
        evaluate.follow(plan, folder, home=home, store=store, watcher=watcher)
        return activity, check.fault(plan, tuple(read_trials(folder)))
    except (AssayError, OSError) as error:
        return activity, getattr(error, "message", None) or str(error)
    finally:
        store.close()


def run_levels(node: Node, *, home: Path, tell: Callable[[str], None]) -> Iterator[Outcome]:
    """Yield what came of each level that was never tried and can be had here: a paused guest each."""
    for name, level in levels_here(node.host):
        began = time.monotonic()
        said = f"{name}={level}"
        tell(f"self-test {said}")
        try:
            checks = try_settings({name: level}, home=home, host=node.host, subreaper=PROBE.path())
            wrong = next((one for one in checks if not one.ok), None)
            why = None if wrong is None else f"'{wrong.actual}' was seen"
        except (AssayError, OSError) as error:
            why = getattr(error, "message", None) or str(error)
        held: Held = "held" if why is None else "failed"
        yield Outcome(said, "takes on this hypervisor", held, why, time.monotonic() - began)
