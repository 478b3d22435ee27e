"""Published figures beside those of a result: which stand beside which, as what, and what is not alike."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.design import plan_trials
from assay.model.activity import PlannedGuest
from assay.model.figures.published import PublishedFigure, PublishedSpec, Quantity
from assay.model.trial import Arm, PlannedTrial, Trial
from assay.pages.published import Inside, Published, TheirFigure, Unit
from assay.results.outcome import build_page
from assay.results.publications.published_ours import Ours, OwnFigures, ours_for
from assay.results.publications.published_theirs import _inside, as_loss
from assay.scenes import find_scene, published_figures
from tests.builders import plan_of, record_of
from tests.results.families.test_weights import GUESTS, RECORDS
from tests.results.methods.test_guest_method import GUEST

TRIALS = plan_trials(("spin",), blocks=6, seed=1)
PLAN = plan_of(TRIALS)
CPU = "juno-2017/cpu-loss"


def ran(trial: PlannedTrial, accelerator: str | None = None) -> Trial:
    """Return a record of a treatment that loses 5 to 19 % of 100 events/s."""
    treatment = trial.arm is Arm.TREATMENT
    value = 95.0 - 2.8 * trial.block if treatment else 100.0 + trial.index % 2 / 100
    platform = replace(GUEST, accelerator=accelerator) if accelerator and treatment else None
    return record_of(trial, value, platform=platform)


def shown(*wanted_each: PublishedSpec, accelerator: str | None = None) -> Published | None:
    plan = replace(PLAN, published=wanted_each)
    return build_page(plan, [ran(trial, accelerator) for trial in TRIALS]).published


def test_a_loss_stands_beside_that_of_the_workload_with_its_interval() -> None:
    found = shown(PublishedSpec(CPU, ("spin",), differs="It stands in."))
    assert found is not None
    (row,) = found.rows
    assert (row.workload, row.metric, row.unit, row.differs) == (
        "spin",
        "events",
        Unit.LOSS,
        ("It stands in.",),
    )
    assert [figure.low for figure in row.theirs] == [0.1768, 0.0625, 0.0883]
    assert row.value == pytest.approx(0.12, abs=0.01)
    assert row.low is not None
    assert 0 < row.low < 0.1
    assert [source.key for source in found.publications] == ["juno-2017"]


@pytest.mark.parametrize("beside", ["spin events", "spin"])
def test_a_metric_is_named_alone_or_with_all_of_its_workload(beside: str) -> None:
    found = shown(PublishedSpec(CPU, (beside,)))
    assert found is not None
    assert found.rows[0].metric == "events"


@pytest.mark.parametrize(
    "name", ["iozone", "iozone-n100", "iozone-c4", "iozone-s64m-r4k", "iozone-s2g", "iozone-r512b"]
)
def test_one_of_several_numbers_copies_or_sizes_is_named_by_its_workload(name: str) -> None:
    (spin,) = build_page(PLAN, [ran(trial) for trial in TRIALS]).estimates
    rows = (replace(spin, workload=name), replace(spin, workload="iozone-by-fio"))
    (figure, *_) = published_figures()[CPU]
    found = ours_for(PublishedSpec(CPU, ("iozone",)), figure, OwnFigures(rows, (), ()))
    assert [one.workload for one in found] == [name]


def test_what_the_result_lacks_is_said_and_is_no_figure() -> None:
    found = shown(PublishedSpec(CPU, ("spin latency",)), PublishedSpec("juno-2017/writeback-gain"))
    assert found is not None
    lost, alone = found.rows
    assert (lost.metric, lost.value, lost.inside) == (None, None, None)
    assert lost.differs == ("This result has no spin latency.",)
    assert alone.differs == ("The scene has nothing of its own to put beside it.",)
    assert (alone.theirs[0].low, alone.theirs[0].printed_low) == (None, 10.0)


def test_what_is_to_be_known_of_a_figure_follows_what_the_scene_says() -> None:
    found = shown(PublishedSpec("juno-2017/elecsim-loss", ("spin",), differs="It stands in."))
    assert found is not None
    stands_in, note = found.rows[0].differs
    assert stands_in == "It stands in."
    assert note == "Its largest loss is that of H2 in table 2, and that of H3 in the text."
    share = shown(PublishedSpec("juno-2017/detsim-init-share"))
    assert share is not None
    assert share.rows[0].theirs[0].printed == "more than 28 %"
    assert "no repetitions are stated" in (share.publications[0].runs or "")


def test_a_range_is_inside_partly_or_outside_and_unknown_without_an_interval() -> None:
    words = {
        name: found.rows[0].inside
        for name in (
            "juno-2017/detsim-loss-preload",
            "juno-2017/evtrec-loss-by-guests",
            "juno-2017/network-loss",
        )
        if (found := shown(PublishedSpec(name, ("spin",)))) is not None
    }
    assert words["juno-2017/detsim-loss-preload"] is Inside.INSIDE
    assert words["juno-2017/evtrec-loss-by-guests"] in {Inside.PARTLY, Inside.OUTSIDE}
    assert words["juno-2017/network-loss"] is Inside.OUTSIDE
    once = build_page(
        replace(PLAN, published=(PublishedSpec(CPU, ("spin",)),), trials=TRIALS[:3], blocks=1),
        [ran(t) for t in TRIALS[:3]],
    )
    assert once.published is not None
    assert once.published.rows[0].value is not None
    assert once.published.rows[0].inside is None


def test_emulated_guests_beside_those_of_kvm_are_said_to_be() -> None:
    emulated, real = (shown(PublishedSpec(CPU, ("spin",)), accelerator=kind) for kind in ("tcg", "kvm"))
    assert emulated is not None
    assert real is not None
    assert emulated.here == "A CPU, guests emulated (TCG)"
    assert any("TCG" in sentence for sentence in emulated.differs)
    assert not any("TCG" in sentence for sentence in real.differs)


@pytest.mark.parametrize(
    ("quantity", "low", "high", "turned", "loss"),
    [
        (Quantity.LOSS, 13.0, 36.0, False, (0.13, 0.36)),
        (Quantity.GAIN, 80.0, 80.0, False, (-0.8, -0.8)),
        (Quantity.GAIN, 7.0, 18.7, False, (-0.187, -0.07)),
        (Quantity.GAIN, 25.0, 25.0, True, (0.2, 0.2)),
        (Quantity.LOSS, 20.0, 20.0, True, (-0.25, -0.25)),
    ],
)
def test_a_gain_is_a_negative_loss_and_the_way_back_loses_what_the_way_there_won(
    quantity: Quantity, low: float, high: float, *, turned: bool, loss: tuple[float, float]
) -> None:
    figure = PublishedFigure("p-2000", "f", quantity, "w", low, high, "%", None, None, "table 1")
    assert as_loss(figure, turned=turned) == pytest.approx(loss)


def test_memory_stands_beside_each_weight_and_only_of_the_treatments_named() -> None:
    wanted_each = (
        PublishedSpec("juno-2017/kvm-memory-1-core", ("weight",), ("small",)),
        PublishedSpec("juno-2017/kvm-memory-per-core", ("weight",)),
    )
    found = build_page(replace(GUESTS, published=wanted_each), RECORDS).published
    assert found is not None
    assert [(row.treatment, row.unit) for row in found.rows] == [
        ("small", Unit.MB), ("small", Unit.MB_PER_CORE), ("large", Unit.MB_PER_CORE)
    ]  # fmt: skip
    assert found.rows[0].value == pytest.approx(101 * 1.048576)
    assert found.rows[1].value == pytest.approx(101 * 1.048576 / 2)
    assert found.rows[0].inside is Inside.OUTSIDE


def test_treatments_are_named_without_the_machines_cores() -> None:
    wanted = PlannedGuest(2, 1 << 30, "none", "0123")
    plan = plan_of(plan_trials(("spin",), blocks=2, seed=1, visits=(1, 1)))
    plan = replace(
        plan,
        treatment=replace(plan.treatment, label="4 guests on 1 core", guest=wanted),
        more=(replace(plan.treatment, label="4 guests on 1 core, preload", guest=wanted),),
        published=(
            PublishedSpec(CPU, ("spin",), ("4 guests",)),
            PublishedSpec(CPU, ("spin",), ("4 guests, preload",)),
        ),
    )
    found = build_page(plan, [ran(trial) for trial in plan.trials]).published
    assert found is not None
    assert [row.treatment for row in found.rows] == ["4 guests on 1 core", "4 guests on 1 core, preload"]


def test_a_result_of_before_has_what_its_ready_scene_names_today_if_it_asked_the_same() -> None:
    quick = find_scene("quick")
    asked = quick.source.replace("blocks: 3", "blocks: 9")
    old = replace(PLAN, published=None, scene="quick", scene_text=asked)
    records = [ran(trial) for trial in TRIALS]
    found = build_page(old, records).published
    assert found is not None
    assert {row.figures for row in found.rows} == {wanted.figures for wanted in quick.published}
    other = replace(old, scene_text=asked.replace("2 GiB", "4 GiB"))
    assert build_page(other, records).published is None
    assert build_page(replace(old, scene="my-own"), records).published is None


def test_a_scene_that_names_none_has_no_section() -> None:
    assert shown() is None


@pytest.mark.parametrize(
    ("unit", "value", "low", "high", "word"),
    [
        (Unit.LOSS, 0.1, -0.20, 0.30, Inside.INSIDE),
        (Unit.LOSS, 0.1, -0.21, 0.30, Inside.NOT_COMPARABLE),
        (Unit.LOSS, 0.5, -5.20, 0.90, Inside.NOT_COMPARABLE),
        (Unit.MB, 0.2, 0.05, 0.25, Inside.INSIDE),
        (Unit.MB, 0.2, 0.02, 0.23, Inside.NOT_COMPARABLE),
    ],
)
def test_an_interval_that_would_hold_almost_any_figure_is_not_comparable(
    unit: Unit, value: float, low: float, high: float, word: Inside
) -> None:
    ours = Ours("job", "wall_time", None, unit, value, low, high)
    theirs = TheirFigure(0.1, 0.2, 0.1, 0.2, "%", "a machine", None)
    assert _inside(ours, [theirs]) is word
