"""Doubts about a treatment that seems the faster one: what differs, and what its wall time says."""

from __future__ import annotations

from collections.abc import Sequence

from assay.model.doubt import Raised
from assay.model.units import format_bytes
from assay.report.doubts.spelled import size
from assay.report.doubts.wording import Wording, Wordings, wording_of

REPEAT = (
    "Repeat it with more blocks and 'watch: [disks, delay, frequency]', and have the job count "
    "its work (events) on both arms."
)
SAME_WORK = (
    "Check that both arms do the same work: same inputs, same number of events and copies, same "
    "program (digests)."
)


def _treatment_faster(  # noqa: PLR0913, PLR0917 - both arms, by how much, and what differs
    workload: str,
    baseline: str,
    treatment: str,
    metrics: Sequence[str],
    times: float,
    by_wall: float | None,
    clues: Sequence[Raised],
) -> Wording:
    faster = _first(metrics)
    wall = "" if by_wall is None else f", {by_wall:.3g} times by wall time"
    head = f"{treatment} is faster than {baseline} in {workload} {faster} ({times:.3g} times{wall})"
    clauses = [wording_of(CLAUSES, clue) for clue in clues]
    if clauses:
        return Wording(
            f"{head}. What differs: {'; '.join(clue.sentence for clue in clauses)}.", clauses[0].next
        )
    sentence = (
        f"{head}, and neither reads from storage, system CPU, page cache, work, limits nor clock explain it "
        "as far as they were recorded."
    )
    return Wording(sentence, REPEAT)


def _first(names: Sequence[str]) -> str:
    return " and ".join(names[:3]) + (" and others" if len(names) > 3 else "")


def _kernel(
    workload: str,
    baseline: str,
    treatment: str,
    shares: tuple[float, float],
    efficiencies: Sequence[float],
) -> Wording:
    reported = " and ".join(f"{share:.0%}" for share in efficiencies)
    beside = f", at a job efficiency of {reported}" if reported else ""
    return Wording(
        f"{baseline} spent {shares[0]:.0%} of its CPU time in the kernel, {treatment} "
        f"{shares[1]:.0%}{beside}, which is how locks of a file system or of memory show",
        f"Profile the kernel on {baseline} ('profile: {{scope: machine}}', as root), and run {workload} "
        "on another file system there.",
    )


def _reads(workload: str, baseline: str, treatment: str, read_bytes: tuple[float, float]) -> Wording:
    return Wording(
        f"{baseline} fetched {size(read_bytes[0])} from storage, {treatment} "
        f"{size(read_bytes[1])}: its page cache had the rest",
        f"Set 'cache: cold' (or 'warm') for {workload}: both arms then start from the same state.",
    )


def _host_cache(mode: str, moved_bytes: float, image_bytes: float | None) -> Wording:
    known = f" ({size(image_bytes)} of its image were there at the start)" if image_bytes else ""
    return Wording(
        f"the guest's disk has cache mode {mode}: the {size(moved_bytes)} that it read "
        f"and wrote went through the host's page cache{known}",
        "Set 'disk.cache: none' for the guest, or count the host's own memory as part of what is measured.",
    )


def _wrote(written_bytes: Sequence[float]) -> Wording:
    return Wording(f"they wrote {' and '.join(map(size, written_bytes))}", SAME_WORK)


def _computed(user_s: Sequence[float]) -> Wording:
    return Wording(f"they computed for {user_s[0]:.3g} and {user_s[1]:.3g} s in user mode", SAME_WORK)


def _limits(processors: Sequence[int], quotas: Sequence[float], memory_bytes: Sequence[int]) -> Wording:
    apart = []
    if processors:
        apart.append(f"{processors[0]} and {processors[1]} processors")
    if quotas:
        apart.append(f"a CPU quota of {100 * quotas[0]:.4g}% and of {100 * quotas[1]:.4g}%")
    if memory_bytes:
        apart.append(f"{format_bytes(memory_bytes[0])} and {format_bytes(memory_bytes[1])} of memory")
    return Wording(
        f"the limits differ: {', '.join(apart)}",
        "Give both arms the same processors, memory and CPU quota (limits of the scene).",
    )


def _clock(error: float) -> Wording:
    return Wording(
        f"its clock ran {error:+.2%} off the controller's, and a slow clock makes short times",
        "Use figures that don't rest on the guest's clock, or repair it (kvm-clock, chrony) and repeat.",
    )


def _scores_against_wall(
    workload: str, baseline: str, treatment: str, scores: Sequence[tuple[str, float]], wall: float
) -> Wording:
    names, ratios = [name for name, _ in scores], [ratio for _, ratio in scores]
    times = f"{max(ratios):.3g}" if len(ratios) == 1 else f"{min(ratios):.3g} to {max(ratios):.3g}"
    length = f"{wall:.3g} times shorter" if wall > 1 else f"{1 / wall:.3g} times longer"
    return Wording(
        f"{workload} on {treatment}: {_first(names)} {times} times that of "
        f"{baseline}, and the wall time {length}. For the same work both cannot be true."
    )


def _values_against_wall(
    baseline: str, treatment: str, value: float, wall: float, worst: tuple[float, float, str] | None
) -> Wording:
    most = f" ({worst[0]:.3g} and {worst[1]:.3g} at worst, in block {worst[2]})" if worst else ""
    return Wording(
        f"By its values {treatment} is {value:.3g} times as fast as {baseline}, by the wall times of the "
        f"same runs {wall:.3g} times{most}. For the same work both cannot be true."
    )


CLAUSES: Wordings = {
    "treatment-faster/clock": _clock,
    "treatment-faster/computed": _computed,
    "treatment-faster/host-cache": _host_cache,
    "treatment-faster/kernel": _kernel,
    "treatment-faster/limits": _limits,
    "treatment-faster/reads": _reads,
    "treatment-faster/wrote": _wrote,
}
"""What differs between the arms; the step of the first is that of the doubt."""
WORDINGS: Wordings = {
    "score-against-wall/scores": _scores_against_wall,
    "score-against-wall/values": _values_against_wall,
    "treatment-faster": _treatment_faster,
}
