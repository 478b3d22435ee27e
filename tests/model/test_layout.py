import pytest

from assay.model.platforms.layout import (
    GuestShare,
    Layout,
    divides,
    fitting_cores,
    label_of,
    layout_of,
    shares,
    start_words,
)

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


@pytest.mark.parametrize(
    ("layout", "starts"),
    [
        (Layout(3), (0.0, 0.0, 0.0)),
        (Layout(3, 2.5), (0.0, 2.5, 5.0)),
        (Layout(4, 5.0, at_once=2), (0.0, 0.0, 5.0, 5.0)),
        (Layout(5, 5.0, at_once=2), (0.0, 0.0, 5.0, 5.0, 10.0)),
        (Layout(5, 5.0, at_once=3), (0.0, 0.0, 0.0, 5.0, 5.0)),
        (Layout(), (0.0,)),
    ],
)
def test_so_many_start_together_and_the_next_a_stagger_later(
    layout: Layout, starts: tuple[float, ...]
) -> None:
    assert layout.starts == starts


@pytest.mark.parametrize(
    ("wanted", "layout"),
    [
        (layout_of(4, 5.0, at_once=2), Layout(4, 5.0, at_once=2)),
        (layout_of(4, 5.0, at_once=3, preload=True), Layout(4, 5.0, preload=True, at_once=3)),
        (layout_of(4, 5.0, at_once=4), Layout(4)),
        (layout_of(4, 5.0, at_once=9, preload=True), Layout(4, preload=True)),
        (layout_of(4, at_once=2), Layout(4)),
        (layout_of(1, 5.0, at_once=2), Layout()),
        (layout_of(4, 5.0), Layout(4, 5.0)),
    ],
)
def test_each_way_to_start_has_one_form(wanted: Layout, layout: Layout) -> None:
    assert wanted == layout


def test_starts_at_once_are_in_the_label() -> None:
    assert label_of(Layout(4, 5.0, at_once=2)) == "4 guests, stagger 5 s, 2 at once"
    crowded = Layout(4, 0.5, preload=True, at_once=3)
    assert label_of(crowded, 2) == "4 guests on 2 cores, stagger 0.5 s, 3 at once, preload"
    assert (start_words(0.0, 1), start_words(2.0, 1)) == ((), ("stagger 2 s",))
