import pytest

from assay.model.platforms.layout import GuestShare, Layout, divides, fitting_cores, label_of, shares

GIB = 1024**3
MIB = 1024**2


def test_guests_get_equal_parts_of_cores_and_memory() -> None:
    found = shares(Layout(2), (4, 5, 6, 7), 2 * GIB)
    assert found == (GuestShare((4, 5), GIB), GuestShare((6, 7), GIB, 1))


def test_one_guest_gets_all_to_the_byte() -> None:
    assert shares(Layout(), (1, 2), 2 * GIB + 1) == (GuestShare((1, 2), 2 * GIB + 1),)


def test_more_guests_than_cores_have_one_vcpu_each_in_turn() -> None:
    found = shares(Layout(4), (1, 2), 2 * GIB)
    assert [share.cpus for share in found] == [(1,), (2,), (1,), (2,)]
    assert {share.memory_bytes for share in found} == {512 * MIB}


def test_memory_is_rounded_down_to_mebibytes() -> None:
    assert shares(Layout(3), (1, 2, 3), GIB)[0].memory_bytes == 341 * MIB


def test_cores_that_cannot_be_cut_evenly_are_refused() -> None:
    assert not divides(2, 3)
    with pytest.raises(ValueError, match="3 cores cannot be cut into 2 equal parts"):
        shares(Layout(2), (1, 2, 3), GIB)


@pytest.mark.parametrize(("most", "cores"), [(1, 1), (2, 2), (3, 2), (4, 4), (7, 4), (8, 8)])
def test_the_most_cores_that_one_two_and_four_guests_can_share(most: int, cores: int) -> None:
    assert fitting_cores((1, 2, 4), most) == cores


def test_labels_say_what_differs_from_one_plain_guest() -> None:
    assert label_of(Layout()) == "1 guest"
    assert label_of(Layout(4, 2.5, preload=True), 2) == "4 guests on 2 cores, stagger 2.5 s, preload"
    assert label_of(Layout(2), 4) == "2 guests"
