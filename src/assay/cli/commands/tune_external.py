"""``assay tune external``: a search whose evaluations happen elsewhere."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.output import answer_json, say
from assay.model.errors import AssayError, Exit

if TYPE_CHECKING:
    from assay.tune.outcome import Outcome
    from assay.tune.search import Ask, Search, Wanted
    from assay.tune.space import Space

LONGEST = 1 << 20
"""Bytes of an answer."""


@click.command("external", epilog="Example: assay tune external space.yaml --seed 1")
@click.argument("space", type=click.Path(dir_okay=False))
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, help="Of all draws.")
def external(space: str, *, seed: int) -> Exit:
    """Search where evaluations happen elsewhere: questions and answers are lines of JSON.

    SPACE is a YAML file: factors with their levels, exclude, budget, direction (docs/tune.md). Each question
    {"ask": 1, "levels": {…}, "fidelity": 1.0} on stdout wants an answer on stdin: {"tell": 1, "value": 3.2},
    or {"tell": 1, "failed": "why"}. The last line says what is recommended. Exit code 6 where the answers end
    before the search does, or the default never worked.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its matrices are small, and others measure
    from assay.scenes.tune_space import load_space
    from assay.tune.search import Search

    known, wanted = load_space(Path(space))
    search = Search(known, wanted, seed=seed)
    answers = _answers()
    while (ask := search.ask()) is not None:
        answer_json(json.dumps(_question(known, wanted, ask), ensure_ascii=False))
        sys.stdout.flush()
        line = next(answers, None)
        if line is None:
            say(f"the answers ended after {len(search.told)} evaluations, before the search did")
            return Exit.NOTHING
        search.tell(_told(line, ask, len(search.told) + 1))
    if not search.has_default:
        say("the default never worked: there is nothing to compare with")
        return Exit.NOTHING
    answer_json(json.dumps(_recommended(known, search), ensure_ascii=False))
    return Exit.DONE


def _answers() -> Iterator[str]:
    """Yield the lines of stdin that are not empty; what is no UTF-8 in them is no answer either."""
    while line := sys.stdin.buffer.readline(LONGEST):
        if text := line.decode(errors="replace").strip():
            yield text


def _question(space: Space, wanted: Wanted, ask: Ask) -> dict[str, Any]:
    return {
        "ask": ask.number,
        "levels": space.levels(ask.config),
        "fidelity": wanted.fidelities[ask.fidelity],
    }


def _told(line: str, ask: Ask, number: int) -> float | None:
    """Return the value of an answer; ``None`` where the evaluation failed.

    Raises:
        AssayError: It is no answer to what was asked.
    """
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        told = None
    if isinstance(told, dict) and told.get("tell") == ask.number and type(told["tell"]) is int:
        if isinstance(told.get("failed"), str) and "value" not in told:
            return None
        value = None if "failed" in told else told.get("value")
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= sys.float_info.max:
            return float(value)
    got = line if len(line) <= 80 else f"{line[:80]}…"
    msg = (
        f'cannot use answer {number}: expected {{"tell": {ask.number}, "value": a number above 0}} or '
        f'{{"tell": {ask.number}, "failed": "why"}}, got {got}'
    )
    raise AssayError(msg)


def _recommended(space: Space, search: Search) -> dict[str, Any]:
    outcome: Outcome = search.outcome()
    names = [factor.name for factor in space.factors]
    kept = [
        name for name, one, other in zip(names, outcome.config, space.default, strict=True) if one == other
    ]
    return {
        "recommended": space.levels(outcome.config),
        "gain": outcome.gain,
        "low": outcome.low,
        "high": outcome.high,
        "effects": [
            {
                "factors": [names[at] for at in effect.factors],
                "effect": effect.effect,
                "low": effect.low,
                "high": effect.high,
            }
            for effect in outcome.effects
        ],
        "kept_default": kept,
        "reason": outcome.reason,
        "evaluations": len(search.told),
    }
