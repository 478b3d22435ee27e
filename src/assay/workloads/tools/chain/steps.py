"""The steps of the reference chain that are workloads, and what is made before each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

_TOGETHER = ("--as", "gen-sim-digi-reco")


@dataclass(frozen=True)
class Step:
    """One workload of the chain.

    Attributes:
        words: Step and options of ``chain``.
        report: What its report calls itself.
        before: Steps that make its input, in their order; ``None`` where it reads no tables either.
        events: Where none are given.
        event_s: Seconds of one event on one processor, the initialization not counted: for the plan's times
            only, between those of the machines of ``docs/evidence/character.md`` and
            ``docs/examples/juno-software.md``.
        steps: Those of whose rates its report tells beside its own.
    """

    words: tuple[str, ...]
    report: str
    before: tuple[str, ...] | None
    events: int
    event_s: float
    steps: tuple[str, ...] = ()


STEPS: Mapping[str, Step] = MappingProxyType(
    {
        "chain-phygen": Step(("phygen",), "phygen", (), 100_000, 2.5e-6),
        "chain-detsim": Step(("detsim",), "detsim", ("phygen",), 100, 0.014),
        "chain-elecsim": Step(("elecsim",), "elecsim", ("phygen", "detsim"), 100, 0.011),
        "chain-elecsim-no-output": Step(
            ("elecsim", "--no-output"), "elecsim", ("phygen", "detsim"), 100, 0.011
        ),
        "chain-pmtrec": Step(("pmtrec",), "pmtrec", ("phygen", "detsim", "elecsim"), 100, 0.0085),
        "chain-evtrec": Step(("evtrec",), "evtrec", ("phygen", "detsim", "elecsim", "pmtrec"), 100, 0.0055),
        "chain-analysis": Step(("analysis",), "analysis", ("fastsim",), 10_000, 3.5e-5),
        "chain-powheg": Step(("powheg-like",), "powheg-like", None, 20_000, 7e-5),
        "chain": Step(("run",), "run", (), 100, 0.04, ("detsim", "elecsim", "pmtrec", "evtrec")),
        "chain-gen-sim-digi-reco": Step(("run", *_TOGETHER), "run", (), 100, 0.045, ("sim", "digi", "reco")),
    }
)

WRITTEN_BYTES: Mapping[str, int] = MappingProxyType(
    {
        "phygen": 64,
        "detsim": 77_408,
        "elecsim": 765_114,
        "elecsim --no-output": 0,
        "pmtrec": 15_201,
        "evtrec": 15_249,
        "fastsim": 15_157,
        "analysis": 0,
        "powheg-like": 640,
        "run": 873_036,
        "run --as": 873_036,
    }
)
"""Of each event, as in ``docs/chain.md``; ``run`` is taken to write what all its steps do."""

NAMES: tuple[str, ...] = tuple(STEPS)
"""Names of the chain's workloads, in the order shown."""
