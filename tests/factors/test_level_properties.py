"""What holds for every factor: whatever is written is a level in one spelling, or refused as none."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from assay.factors.base.levels import LevelError, spell_bytes
from assay.factors.base.number_lists import read_numbers, spell_numbers
from assay.factors.catalogue import FACTORS, apply_to
from assay.model.units import parse_bytes
from tests.factors.parts import draft

NAMES = st.sampled_from(sorted(FACTORS))
WORDS = st.sampled_from(
    [
        "none",
        "on",
        "off",
        "auto",
        "0",
        "1",
        "-1",
        "0-1",
        "1,0",
        "1:1",
        "/",
        ":",
        "=",
        "64 KiB",
        "1.5 GiB",
        "50 %",
        "1e9",
        "9" * 25,
        "٣",
    ]
)
NOT_TEXT = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.lists(st.integers(), max_size=2), st.just({})
)


@st.composite
def written(draw: st.DrawFn) -> tuple[str, Any]:
    """Draw a factor's name and what may stand for its level: a level worth trying, changed in a
    place or two.
    """
    name = draw(NAMES)
    tried = st.sampled_from(FACTORS[name].levels.choices) if FACTORS[name].levels.choices else WORDS
    text = draw(tried | WORDS | st.text(max_size=12))
    for _ in range(draw(st.integers(0, 2))):
        at, lost = draw(st.integers(0, len(text))), draw(st.integers(0, 2))
        text = text[:at] + draw(st.just("") | WORDS | st.text(max_size=2)) + text[at + lost :]
    return name, draw(st.just(text) | NOT_TEXT)


@given(said=written())
def test_what_is_written_has_one_spelling_or_is_no_level(said: tuple[str, Any]) -> None:
    name, text = said
    levels = FACTORS[name].levels
    try:
        level = levels.read(text)
    except LevelError as error:
        wrong = error
        assert wrong.expected
        return
    assert levels.read(level) == level
    assert levels.read(f" {level} ".strip()) == level


@given(name=NAMES, data=st.data())
def test_every_level_worth_trying_can_be_written_into_a_guest(name: str, data: st.DataObject) -> None:
    factor = FACTORS[name]
    if factor.of_host or factor.of_data or factor.of_start or not factor.levels.choices:
        return
    level = data.draw(st.sampled_from(factor.levels.choices))
    assert factor.levels.read(level) == level
    apply_to(draft(DOMAIN), {name: level})


@given(count=st.integers(1, 2**53))
def test_a_size_is_spelt_in_the_largest_unit_in_which_it_is_whole(count: int) -> None:
    text = spell_bytes(count)
    assert parse_bytes(text) == count
    number, unit = text.split()
    assert int(number) % 1024 != 0 or unit == "TiB"


DOMAIN = """
<domain><os><type machine="q35">hvm</type></os>
<devices><disk><driver name="qemu" type="qcow2"/><source file="/d"/><target dev="vda" bus="virtio"/></disk>
<interface type="ethernet"><model type="virtio"/></interface><controller type="usb" model="none"/></devices></domain>
"""  # noqa: E501


@given(numbers=st.sets(st.integers(0, 9999), max_size=12))
def test_a_list_of_numbers_is_read_as_it_is_spelt(numbers: set[int]) -> None:
    assert read_numbers(spell_numbers(numbers)) == tuple(sorted(numbers))


@given(text=st.text("0123456789-, ", max_size=20) | st.text(max_size=8))
def test_any_text_is_a_rising_list_of_numbers_or_refused(text: str) -> None:
    try:
        numbers = read_numbers(text)
    except ValueError:
        return
    assert list(numbers) == sorted(set(numbers))
    assert read_numbers(spell_numbers(numbers)) == numbers
