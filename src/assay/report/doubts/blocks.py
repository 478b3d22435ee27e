"""Doubts about the blocks of a loss: their noise, their sessions, their order, what is left out of them."""

from __future__ import annotations

from collections.abc import Mapping

from assay.model.units import format_share, format_spread
from assay.report.doubts.wording import Wording, Wordings
from assay.stats.replication.sessions import HeldBy

DIGITS = "Look whether the timer rounds or values were copied; measure longer runs, with all their digits."
DRIFT = "what drifts over time (heat, load, a disk that fills up) is taken for loss or hides it"
HELD: Mapping[HeldBy, str] = {
    HeldBy.SESSIONS: "the interval is over sessions",
    HeldBy.NOTHING: "two sessions cannot show by how much",
    HeldBy.FLOOR: "the site's A/A floor, which the interval holds, explains it",
    HeldBy.BLOCKS: "the interval is over blocks",
}
"""What of an interval holds that sessions differ, a clause."""


def _tail_loss(arm: str, mean: float, typical: float, half: float) -> Wording:
    reported = [format_share(loss, half) for loss in (mean, typical)]
    sentence = (
        f"Tail loss: the mean loss ({reported[0]}) and the typical loss ({reported[1]}) "
        f"part by more than the interval of either leaves to chance: the {arm} has the slower outliers."
    )
    return Wording(sentence, "Look at the slowest trials one by one: what else ran then?")


def _no_scatter(slowdowns: int) -> Wording:
    sentence = (
        f"All {slowdowns} slowdowns are exactly the same: their noise is not seen, and what "
        "rounded or copied values hide is in no interval."
    )
    return Wording(sentence, DIGITS)


def _no_scatter_of_one_arm() -> Wording:
    sentence = (
        "All values of one arm are exactly the same, those of the other are not: its clock is "
        "too coarse to tell its noise, and what it hides is in no interval."
    )
    return Wording(sentence, DIGITS)


def _blocks_alike(correlation: float, loss: float | None, half: float) -> Wording:
    reported = format_share(loss, half) if loss is not None else "not known"
    sentence = (
        f"Neighbouring blocks are alike (lag-1 correlation of their ranks {correlation:.2f}): "
        "they tell less than as many "
        f"independent ones, and the interval is too narrow. By twos it is {reported} ± "
        f"{format_share(half, half)}."
    )
    return Wording(
        sentence, "Let more time pass between blocks, spread them over sessions, or believe the batch means."
    )


def _sessions_differ(sessions: int, chance: float, between: float, within: float, held_by: HeldBy) -> Wording:
    sentence = (
        f"The {sessions} sessions differ more than their blocks explain (F test, chance {chance:.1g}; "
        f"standard deviations {format_spread(between)} between sessions, "
        f"{format_spread(within)} between blocks of one): {HELD[held_by]}."
    )
    return Wording(sentence, "Measure in further sessions: more blocks in the same ones add little.")


def _events_vary(least: int, most: int) -> Wording:
    sentence = (
        f"Event numbers vary from block to block ({least} to {most}): the loss is that of the total at "
        "those of each block, a mixture of fixed cost and cost per event."
    )
    return Wording(sentence, "Measure the same event numbers in every block, or read the two costs.")


def _apart(first: str, second: str, share: float, groups: int, group: str) -> Wording:
    much = "All" if share == 1 else "Nearly all"
    where = f", in each of {groups} {group}s" if groups > 1 else ""
    return Wording(f"{much} runs of {first} come before those of {second}{where}: {DRIFT}.")


def _first(first: str, often: int, blocks: int) -> Wording:
    return Wording(f"{first} comes first in {often} of {blocks} blocks: {DRIFT}.")


def _incomplete_blocks(blocks: int) -> Wording:
    counted = "1 block holds" if blocks == 1 else f"{blocks} blocks hold"
    return Wording(
        f"{counted} only one of the two arms: left out.", "See whether runs of one arm fail more often."
    )


def _one_block() -> Wording:
    return Wording(
        "One block has no interval: its noise is not known.",
        "Measure both arms in at least 6 blocks, in random order.",
    )


WORDINGS: Wordings = {
    "blocks-alike": _blocks_alike,
    "events-vary": _events_vary,
    "incomplete-blocks": _incomplete_blocks,
    "no-scatter": _no_scatter,
    "no-scatter/one-arm": _no_scatter_of_one_arm,
    "one-block": _one_block,
    "order-confounded/apart": _apart,
    "order-confounded/first": _first,
    "sessions-differ": _sessions_differ,
    "tail-loss": _tail_loss,
}
