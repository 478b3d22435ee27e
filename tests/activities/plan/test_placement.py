"""From a placement that is asked for to processors of a machine."""

from __future__ import annotations

import pytest

from assay.activities.plan.placement import place
from assay.model.errors import MissingError
from assay.model.work.placement import Pinning, Placement, PlacementSpec


def placed(wanted: PlacementSpec, cpus: tuple[int, ...] = (1, 2, 3, 5, 7)) -> Placement:
    return place(wanted, cpus, workload="job", where="host")


def test_nothing_asked_for_leaves_copies_to_the_machine() -> None:
    assert placed(PlacementSpec()) == Placement()
    assert placed(PlacementSpec(copies=9, threads=2, nice=3)) == Placement(9, 2, nice=3)


def test_the_processors_are_cut_into_equal_parts_and_the_rest_stays_idle() -> None:
    assert placed(PlacementSpec(2, pinning=Pinning.EACH)).cpus == ((1, 2), (3, 5))
    assert placed(PlacementSpec(5, pinning=Pinning.EACH)).cpus == ((1,), (2,), (3,), (5,), (7,))


def test_listed_processors_are_numbered_among_those_of_the_arm() -> None:
    assert placed(PlacementSpec(2, pinning=((0, 4), (1,)))).cpus == ((1, 7), (2,))


def test_one_list_holds_for_every_copy() -> None:
    found = placed(PlacementSpec(3, pinning=((0, 1),), memory_nodes=((0,),)))
    assert (found.cpus, found.memory_nodes) == (((1, 2),) * 3, ((0,),) * 3)


def test_more_processors_than_there_are_cannot_be_had() -> None:
    with pytest.raises(MissingError) as caught:
        placed(PlacementSpec(6, pinning=Pinning.EACH))
    assert caught.value.message == (
        "cannot pin job on host: it asks for a processor of its own for each of 6 copies, "
        "trials have 5 there (0 to 4)"
    )
    with pytest.raises(MissingError, match=r"it asks for processor 5, trials have 5 there"):
        placed(PlacementSpec(1, pinning=((0, 5),)))
