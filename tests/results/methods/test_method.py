"""How a result was measured, word for word."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assay.design import plan_trials
from assay.model.goal import Goal, Shape
from assay.model.machines.machine import Limits
from assay.model.metric import Direction, Measurement, Metric
from assay.model.platforms.data import DataFile, DataSet
from assay.model.platforms.platform import HypervisorCpu, SeenFactor
from assay.model.trial import Arm
from assay.model.work.observation import ProbeCost
from assay.model.work.page_cache import CacheCheck, CacheState, Residency
from assay.model.work.phase import PhaseRules
from assay.model.work.placement import PlacementSpec
from assay.model.work.reading import Of, Reading, Success
from tests.builders import FACTS, RATE, WORKLOAD, clock_check, plan_of, record_of
from tests.results.families.test_weights import WANTED
from tests.results.methods.test_guest_method import GUEST
from tests.results.said_of import method_sentences, own_sentences

TRIALS = plan_trials(("spin",), blocks=3, seed=1)
PLAN = plan_of(TRIALS)
RECORDS = [record_of(trial, 1.0) for trial in TRIALS]
MIB = 1 << 20


def said(plan: Any = PLAN, **changes: Any) -> tuple[str, ...]:
    """Return all that is said of records with these changes."""
    return method_sentences(plan, [replace(record, **changes) for record in RECORDS])


def reported(start: str, plan: Any = PLAN, **changes: Any) -> list[str]:
    """Return the sentences that begin so."""
    return [sentence for sentence in said(plan, **changes) if sentence.startswith(start)]


@pytest.mark.parametrize(
    ("goal", "more", "sentence"),
    [
        (Goal(), 0, "3 blocks; each visits host twice and other once, in an order drawn from seed 5."),
        (Goal(shape=Shape.PAIRS), 0,
        "3 blocks; each visits host and other once, in an order drawn from seed 5."),
        (
            Goal(shape=Shape.CHAINED),
            0,
            ("3 blocks; each visits host and other once, every second one turned so that "
"neighbours share a visit, in an order drawn from seed 5."),
        ),
        (
            Goal(),
            1,
            ("3 blocks; each visits host twice and each of 2 treatments once (other; more), in an "
"order drawn from seed 5."),
        ),
        (Goal(session_gap_s=20.0), 0,
        "3 blocks; each visits host twice and other once, in an order drawn from seed 5."),
        (
            Goal(adaptive=True),
            0,
            "3 of at most 9 blocks; each visits host twice and other once, in an order drawn from seed 5.",
        ),
    ],
)  # fmt: skip
def test_blocks_and_visits_are_told_first(goal: Goal, more: int, sentence: str) -> None:
    plan = replace(PLAN, goal=goal, more=(replace(PLAN.treatment, label="more"),) * more)
    assert said(replace(plan, blocks=9) if goal.adaptive else plan)[0] == sentence


def test_one_block_and_several_sessions_are_told() -> None:
    plan = replace(PLAN, blocks=1)
    assert said(plan)[0].startswith("1 block; each visits")
    far = [replace(r, started_ns=r.started_ns + 10**13 * (r.planned.block == 2)) for r in RECORDS]
    assert method_sentences(PLAN, far)[0].startswith("3 blocks in 2 sessions; each visits")


def test_how_a_loss_is_formed_is_told_with_confidence_and_margin() -> None:
    assert said(replace(PLAN, confidence=0.9, margin=0.005))[1] == (
        "Loss is 1 - 1/slowdown of the typical run, paired by block on log(slowdown): "
        "Hodges-Lehmann's centre from 5 "
        "blocks on, the mean with fewer. Its interval, from which the verdict is drawn, once, at "
        "the end, is the exact "
        "one of 90% from 5 blocks on, Student's t with fewer; an earlier look takes a confidence "
        "sequence. All metrics of a treatment are judged together (Holm): the more there are, the wider is "
        "each interval. A loss within ±0.5 % does not matter (the margin)."
    )
    looked = replace(PLAN, confidence=0.9, margin=0.005, goal=Goal(adaptive=True))
    assert (
        "Its 90% interval, from which the verdict is drawn, is a confidence sequence of t and "
        "signed ranks (finite from "
        "5 blocks on): it holds whenever one looks. All metrics of a treatment are judged together (Holm)"
    ) in said(looked)[1]


def test_of_several_metrics_the_blocks_are_told_from_which_their_interval_is_finite() -> None:
    names = tuple(replace(RATE, name=f"m{at}") for at in range(20))
    plan = replace(PLAN, workloads=(replace(WORKLOAD, metrics=names),))
    figures = tuple(Measurement(name, 1.0) for name in names)
    once, looked = (
        said(replace(plan, goal=goal), measurements=figures)[1] for goal in (Goal(), Goal(adaptive=True))
    )
    assert "Hodges-Lehmann's centre from 10 blocks on" in once
    assert "the exact one of 95% from 10 blocks on, for 20 metrics, Student's t with fewer" in once
    assert "Hodges-Lehmann's centre from 8 blocks on" in looked
    assert "(finite from 8 blocks on, for 20 metrics): it holds whenever one looks" in looked
    half = tuple(replace(one, value=None) for one in figures[10:])
    reported = said(replace(plan, goal=Goal(adaptive=True)), measurements=(*figures[:10], *half))[1]
    assert "(finite from 7 blocks on, for 10 metrics)" in reported


@pytest.mark.parametrize(
    ("goal", "has"), [(Goal(), True), (Goal(runs=2), False), (Goal(shape=Shape.PAIRS), False)]
)
def test_the_noise_floor_is_told_where_the_baseline_is_visited_twice(goal: Goal, has: bool) -> None:
    sentence = "host against host in the same blocks is this run's noise floor."
    assert (sentence in said(replace(PLAN, goal=goal))) is has


@pytest.mark.parametrize(
    ("goal", "sentence"),
    [
        (
            Goal(adaptive=True),
            "It ends when every metric has a verdict, from 6 blocks on.",
        ),
        (
            Goal(adaptive=True, precision=0.0025, minimum_blocks=8, sessions=2, time_budget_s=5400.0),
            (
                "It ends when every metric has an interval of at most ±0.25 %, from 8 blocks in "
                "2 sessions on, or after 1 h 30 min."
            ),
        ),
    ],
)
def test_what_ends_an_activity_is_told(goal: Goal, sentence: str) -> None:
    assert reported("It ends", replace(PLAN, goal=goal)) == [sentence]
    assert reported("It ends") == []


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (Limits(), "on all cores"),
        (Limits((3,)), "confined to core 3"),
        (Limits((1, 2)), "confined to cores 1, 2"),
        (
            Limits((1,), 2 << 30, 0.125, 20_000_000, 10_000_000, 0.25),
            (
                "confined to core 1, 2 GiB of memory, a CPU quota of 12.5%, at most 20 MB/s read "
                "from each of its disks, at "
                "most 10 MB/s written to the disk of its scratch folder, made to stand still 25 % of the time"
            ),
        ),
    ],
)
def test_machines_and_limits_of_both_arms_are_told(limits: Limits, words: str) -> None:
    plan = replace(PLAN, treatment=replace(PLAN.treatment, limits=limits))
    found = said(plan, limits=limits)
    assert f"host: node, A CPU, kernel 6.1; {words}." in found
    assert f"other: {words}." in found
    assert f"host: node, unknown processor, kernel 6.1; {words}." in said(
        plan, limits=limits, facts=replace(FACTS, cpu_model=None)
    )
    alone = [r for r in RECORDS if r.planned.arm is Arm.TREATMENT]
    assert not [s for s in method_sentences(PLAN, alone) if s.startswith("host:")]


def test_copies_are_told_with_their_distance() -> None:
    workloads = tuple(
        replace(WORKLOAD, name=name, placement=PlacementSpec(copies=copies, stagger_s=stagger))
        for name, copies, stagger in (("a", 4, 0.5), ("b", 2, 0.0), ("c", 1, 0.5))
    )
    assert reported("Copies", replace(PLAN, workloads=workloads)) == [
        (
            "Copies at once: a 4 (0.5 s apart), b 2; a job's wall time is from its first release "
            "to its last end, rates of copies are summed, their times averaged."
        )
    ]
    assert reported("Copies") == []


@pytest.mark.parametrize(
    ("rules", "more"),
    [(PhaseRules(announce=True), ", events_per_s is of the phase with most events"), (PhaseRules(), "")],
)
def test_phases_are_told_with_what_counts_as_their_events(rules: PhaseRules, more: str) -> None:
    phased = (replace(WORKLOAD, name="a", phases=rules), replace(WORKLOAD, name="b", phases=rules), WORKLOAD)
    assert reported("Phases", replace(PLAN, workloads=phased)) == [
        (
            "Phases of a, b as the program told them, known to about 2 ms; init is from its "
            f"release to the first phase told{more}."
        )
    ]
    assert reported("Phases") == []


def _check(state: CacheState, resident: int, host: int | None = None) -> CacheCheck:
    below = None if host is None else Residency(1, 20 * MIB, host * MIB)
    return CacheCheck(state, False, Residency(2, 10 * MIB, resident * MIB), below)  # noqa: FBT003


def test_the_state_of_the_page_cache_is_told_by_its_worst_trial() -> None:
    def found(state: CacheState, **changes: Any) -> list[str]:
        records = [
            replace(r, cache=_check(state, 2 + r.planned.block, 1 + r.planned.block), **changes)
            for r in RECORDS
        ]
        return [s for s in method_sentences(PLAN, records) if s.startswith("spin: started")]

    assert found(CacheState.COLD) == [
        (
            "spin: started cold, with at most 4 MiB of the 10 MiB of its files in memory, and at "
            "most 3 MiB of the guest's image files on its host."
        )
    ]
    assert found(CacheState.WARM) == [
        "spin: started warm, with at least 2 MiB of the 10 MiB of its files in memory."
    ]
    server = (SeenFactor("data.access", "nfs", "its mount"),)
    assert found(CacheState.COLD, data=server) == [
        (
            "spin: started cold, with at most 4 MiB of the 10 MiB of its files in memory, and at "
            "most 3 MiB of the files below them on its host."
        )
    ]
    alone = [replace(r, cache=_check(CacheState.COLD, 1)) for r in RECORDS]
    sentence = "spin: started cold, with at most 1 MiB of the 10 MiB of its files in memory."
    assert sentence in method_sentences(PLAN, alone)
    assert reported("spin:", cache=CacheCheck(CacheState.COLD, False, None)) == []  # noqa: FBT003


def test_the_exit_status_of_a_command_is_told_by_arm() -> None:
    plan = replace(PLAN, command="./my-job")
    records = [replace(r, exit_code=None if r.planned.index == 8 else r.planned.block) for r in RECORDS]
    found = [s for s in method_sentences(plan, records) if s.startswith("Exit")]
    codes = {arm: [r.exit_code for r in records if r.planned.arm is arm] for arm in Arm}
    assert found == [
        f"Exit status on {label}: {', '.join('-' if code is None else str(code) for code in codes[arm])}."
        for label, arm in (("host", Arm.BASELINE), ("other", Arm.TREATMENT))
    ]
    assert "-" in "".join(found)
    assert reported("Exit") == []


def test_the_probes_cost_is_told_by_its_worst_trial() -> None:
    costs = [ProbeCost(0.001 * (1 + r.planned.block), MIB * (1 + r.planned.block), 5,
    1.0 + r.planned.block / 4)
             for r in RECORDS]  # fmt: skip
    records = [replace(r, probe=cost) for r, cost in zip(RECORDS, costs, strict=True)]
    assert method_sentences(PLAN, records)[-1] == (
        "The probe itself took at most 0.07% of one core, on a core of its own where there is "
        "one, and 3 MiB of memory; no two samples were further apart than 1.5 s."
    )
    assert reported("The probe", probe=ProbeCost(0.002, MIB, 5, None)) == [
        (
            "The probe itself took at most 0.05% of one core, on a core of its own where there is "
            "one, and 1 MiB of memory."
        )
    ]
    assert reported("The probe", cache=_check(CacheState.COLD, 1)) == []
    assert reported("The probe", usage=None) == []


def test_what_qemu_took_beside_its_vcpus_is_told_by_arm_and_workload() -> None:
    guests = replace(PLAN, treatment=replace(PLAN.treatment, label="guest", guest=WANTED))
    cost = HypervisorCpu(3.0, 0.25)
    start = "CPU of the QEMU process"
    assert reported(start, guests, platform=GUEST, hypervisor_cpu=cost) == [
        f"{start} outside its vCPUs, a trial: spin 0.25 s."
    ]
    both = replace(guests, baseline=replace(PLAN.baseline, guest=WANTED))
    assert reported(start, both, platform=GUEST, hypervisor_cpu=cost) == [
        f"{start} of host outside its vCPUs, a trial: spin 0.25 s.",
        f"{start} of guest outside its vCPUs, a trial: spin 0.25 s.",
    ]
    rising = [
        replace(r, platform=GUEST, hypervisor_cpu=HypervisorCpu(3.0, 0.5 * r.planned.block)) for r in RECORDS
    ]
    assert f"{start} outside its vCPUs, a trial: spin 0.50 s." in method_sentences(guests, rising)


def test_the_clock_is_told_by_its_worst_comparison() -> None:
    guests = replace(PLAN, treatment=replace(PLAN.treatment, guest=WANTED))
    checks = [clock_check(1.0 - 0.001 * at, uncertainty_s=0.001 * (1 + at)) for at in range(len(RECORDS))]
    checks[0] = replace(checks[0], after=replace(checks[0].after, offset_s=-0.0125))
    records = [replace(r, platform=GUEST, clock=check) for r, check in zip(RECORDS, checks, strict=True)]
    assert (
        "The guest's clock against the host's, before and after each trial: rate off by at most "
        "-0.800%, offset at most -12.5 ms, known to 9.0 ms." in method_sentences(guests, records)
    )


def test_the_data_and_the_ways_to_them_are_told_by_arm() -> None:
    files = tuple(DataFile(f"{at}.root", 1_500_000) for at in range(2))
    plan = replace(PLAN, data=DataSet(files=files, path="/data"))
    ways = (SeenFactor("data.access", "nfs", "its mount"), SeenFactor("scratch.place", "tmpfs", "its mount"))
    found = [replace(r, data=ways if r.planned.arm is Arm.TREATMENT else ()) for r in RECORDS]
    told_ = method_sentences(plan, found)
    assert "The data: 2 files of 3,000,000 bytes together, /data." in told_
    assert (
        "The way to the data for other, seen at the start of each of its visits: data.access nfs (its mount)."
        in told_
    )
    assert (
        "The scratch folders of other, seen at the start of each of its visits: scratch.place "
        "tmpfs (its mount)."
    ) in told_
    assert not [sentence for sentence in told_ if "for host" in sentence]
    one = replace(plan, data=DataSet(files=files[:1], path=None, seed=7))
    assert "The data: 1 file of 1,500,000 bytes together, made from seed 7." in said(one)


def test_a_workloads_note_is_told() -> None:
    plan = replace(PLAN, workloads=(replace(WORKLOAD, note="It was made smaller"),))
    assert "spin: It was made smaller." in said(plan)


def _own(*readings: Reading, success: Success | None = None, **changes: Any) -> list[str]:
    workload = replace(WORKLOAD, readings=readings, success=success, **changes)
    return own_sentences(replace(PLAN, workloads=(workload, workload)))


def test_figures_of_a_users_program_are_told_with_their_place() -> None:
    time = Metric("time", "s", Direction.LOWER)
    assert _own(
        Reading(RATE, pattern="rate (.*)"),
        Reading(time, pattern="time (.*)", file="log.txt", of=Of.LAST),
        Reading(time, pointer="/wall", file="out.json"),
    ) == [
        (
            "Figures that spin says itself: events by 'rate (.*)' in its standard output; time "
            "by 'time (.*)' in log.txt (last of several); time at '/wall' of out.json."
        )
    ]
    assert _own(
        Reading(RATE, figure="throughput", labels=(("node", "1"), ("kind", "cpu")), of=Of.SUM), reader="prom"
    ) == ["Figures that spin says itself: events as prom's throughput, node 1, kind cpu in its standard output (sum of several)."]  # fmt: skip  # noqa: E501
    assert _own() == []


def test_the_success_of_a_users_program_is_told_once_a_family() -> None:
    plain = Success(exit=(0, 2))
    assert _own(success=plain) == ["spin has succeeded where it exits with 0 or 2."]
    full = Success(pattern="done", absent="error", log="log.txt", files=("a.root", "b.root"))
    assert _own(success=full, family="job") == [
        (
            "job has succeeded where it exits with 0, 'done' matches a line of log.txt, 'error' "
            "matches none of log.txt, a.root is there and not empty, b.root is there and not empty."
        )
    ]
