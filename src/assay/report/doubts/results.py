"""Doubts about a whole result: what failed, what was rejected, what was not reached, what cannot be read."""

from __future__ import annotations

from collections.abc import Sequence

from assay.model.doubt import Raised
from assay.model.trial import Arm
from assay.pages.names import some
from assay.report.doubts.blocks import HELD
from assay.report.doubts.wording import Wording, Wordings, wording_of
from assay.stats.replication.sessions import HeldBy

QUIET_FIRST = "Free the machine of other work, then measure again: more blocks of the same would not help."
LOOK = (
    "Look for what runs beside one arm only, such as helpers of the hypervisor, or what runs at "
    "the same times as this arm's visits; then measure again."
)
Hit = tuple[Arm, int, int]
"""An arm, how many of its runs were hit, and how many there were."""


def _trials_failed(
    failed: int, trials: int, names: Sequence[str], often: int, block: int, cause: str | None
) -> Wording:
    which = "the first" if often in {1, failed} else f"the first of {often} that say so"
    return Wording(
        f"{failed} of {trials} trials failed and are in no figure ({some(names)}); "
        f"{which}, in block {block}: {cause}."
    )


def _emulated(both: bool, why: str | None) -> Wording:
    what = (
        "how it compares with another emulated one is emulation's" if both else "its loss holds emulation's"
    )
    return Wording(f"The guest ran under TCG, QEMU's emulator, not under KVM: {what} ({why}).")


def _host_is_virtual(hostname: str) -> Wording:
    return Wording(
        f"The baseline {hostname} is itself a virtual machine: the loss is over it, not over metal."
    )


def _floor_not_zero(metrics: Sequence[str]) -> Wording:
    return Wording(
        f"The baseline against itself is not zero for {some(metrics)}: "
        "something changed between visits that has nothing to do with the platform."
    )


def _floor_old(days: int) -> Wording:
    return Wording(
        f"The A/A floor of this site is {days} days old.", "Run 'assay evaluate noise-floor' again."
    )


def _precision(precision: float, metric: str, advice: Raised, swamped: bool) -> Wording:
    words = wording_of(CLAUSES, advice)
    sentence = f"±{precision:.2%} was not reached for {metric}. {words.sentence}."
    return Wording(sentence, QUIET_FIRST if swamped else words.next)


def _floor_alone(half: float, sessions: int, needed: int | None) -> Wording:
    sentence = f"The site's A/A floor alone is ±{half:.2%} over {_of_sessions(sessions)}"
    if needed is None:
        return Wording(
            sentence,
            "Isolate the host (other load, frequency, other guests): no number of sessions would do.",
        )
    return Wording(
        sentence,
        f"Spread the blocks over {_of_sessions(needed)}, or isolate the host (other load, "
        "frequency, other guests).",
    )


def _of_sessions(count: int) -> str:
    return f"{count} session{'' if count == 1 else 's'}"


def _sessions_dominate(between: float, within: float) -> Wording:
    return Wording(
        f"Sessions differ by {between:.2%}, the blocks of one session by {within:.2%}",
        "Spread the blocks over more sessions, or isolate the host.",
    )


def _outliers_dominate() -> Wording:
    return Wording(
        "Slow outliers dominate: the mean's interval is much wider than the typical loss's",
        "Find what runs beside the trials; name causes for re-runs in design.rerun.",
    )


def _blocks_dominate(scatter: float | None) -> Wording:
    reported = f"{scatter:.2%}" if scatter is not None else "not known"
    return Wording(
        f"The scatter of single blocks dominates ({reported})", "Run more blocks, or longer trials."
    )


def _order_effect(metric: str, effect: float, baseline: str) -> Wording:
    sentence = (
        f"The order matters for {metric}: the loss differs by {effect:.2%} between blocks "
        f"that {baseline} began and others; blocks of both orders balance it only in the mean."
    )
    return Wording(sentence, "Look for what one arm leaves to the next: heat, caches, dirty pages.")


def _sessions_differ(metric: str, between: float, within: float, held_by: HeldBy) -> Wording:
    sentence = (
        f"The sessions differ more than their blocks explain for {metric}: by {between:.2%}, blocks of one "
        f"session by {within:.2%}; {HELD[held_by]}."
    )
    return Wording(sentence, "Measure in more sessions; run 'assay evaluate noise-floor' on several days.")


def _rejected(hits: Sequence[Hit], chance: float) -> Wording:
    return Wording(f"The arms were not rejected equally often: {_counts(hits, chance)}.", LOOK)


def _disturbed(hits: Sequence[Hit], chance: float) -> Wording:
    return Wording(f"The arms were not disturbed equally often: {_counts(hits, chance)}.", LOOK)


def _counts(hits: Sequence[Hit], chance: float) -> str:
    reported = " and ".join(f"{hit} of {runs} runs of the {arm}" for arm, hit, runs in hits)
    return f"{reported} (Fisher's exact test: p = {chance:.2g})"


def _result_differs(reason: str) -> Wording:
    return Wording(reason)


def _record_unreadable(reasons: Sequence[str]) -> Wording:
    return Wording(f"Damaged records are left out: {'; '.join(reasons)}.")


def _object_missing() -> Wording:
    return Wording("The domain of a guest is gone that records name by its digest; no figure needs it.")


def _proof_unreadable(reason: str) -> Wording:
    return Wording(f"The proof is left out: {reason}.")


CLAUSES: Wordings = {
    "precision-not-reached/floor": _floor_alone,
    "precision-not-reached/outlier": _outliers_dominate,
    "precision-not-reached/session": _sessions_dominate,
    "precision-not-reached/white": _blocks_dominate,
}
"""What keeps a result from its precision, and what would help most for the least."""
WORDINGS: Wordings = {
    "disturbance-unequal": _disturbed,
    "emulated": _emulated,
    "floor-above-precision": _precision,
    "floor-not-zero": _floor_not_zero,
    "floor-old": _floor_old,
    "host-is-virtual": _host_is_virtual,
    "order-effect": _order_effect,
    "precision-not-reached": _precision,
    "object-missing": _object_missing,
    "proof-unreadable": _proof_unreadable,
    "record-unreadable": _record_unreadable,
    "rejection-unequal": _rejected,
    "result-differs": _result_differs,
    "sessions-differ/metric": _sessions_differ,
    "trials-failed": _trials_failed,
}
