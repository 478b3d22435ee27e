"""Names, groups, ranges and tags: which machines they mean."""

from __future__ import annotations

import pytest

from assay.machines.address import AddressError
from assay.machines.who import chosen, expanded, folded, members, words_of
from assay.model.errors import AssayError, UnknownNameError
from assay.model.machines.inventory import Entry
from assay.model.machines.machine import Machine, Reach


def node(name: str, *groups: str, **tags: str) -> Entry:
    return Entry(Machine(name, Reach.SSH, name), groups, tuple(sorted(tags.items())))


INVENTORY = (
    Entry(Machine("local")),
    node("n01", "farm", rack="a7"),
    node("n02", "farm", rack="a8", gpu=""),
    node("n03", "old", rack="a7"),
    node("x1", "rack-1"),
    node("x2", "rack-2"),
)


@pytest.mark.parametrize(
    ("who", "names"),
    [
        ("local", "local"),
        ("n03,n01", "n01 n03"),
        ("n01, n01", "n01"),
        ("farm", "n01 n02"),
        ("farm,x2", "n01 n02 x2"),
        ("n[01-03]", "n01 n02 n03"),
        ("n[01,03],local", "local n01 n03"),
        ("rack-[1-2]", "x1 x2"),
        ("@rack", "n01 n02 n03"),
        ("@rack=a7", "n01 n03"),
        ("@gpu", "n02"),
        ("@gpu=,x1", "n02 x1"),
    ],
)
def test_words_name_machines_once_each_in_the_inventorys_order(who: str, names: str) -> None:
    assert " ".join(entry.name for entry in chosen(who, INVENTORY)) == names


@pytest.mark.parametrize(
    ("who", "message"),
    [
        ("n04", "unknown machine or group 'n04'; nearest: 'n0"),
        ("frm", "unknown machine or group 'frm'; nearest: 'farm'"),
        ("n[01-04]", "unknown machine or group 'n04'"),
        ("n[1-3]", "unknown machine or group 'n1'"),
        ("@rak", "unknown tag '@rak'; nearest: '@rack'"),
        ("@rack=a9", "unknown tag '@rack=a9'; nearest: '@rack=a"),
        ("@", "unknown tag '@'"),
        ("n[01", "cannot read the range 'n[01'"),
        ("n01]", "cannot read the range 'n01]'"),
        ("n[5-1]", "cannot read the range 'n[5-1]'"),
        (
            "n[1-999999999]",
            "cannot read the range 'n[1-999999999]': expected at most 10000 names, got 999999999",
        ),
        ("n[1-200]m[1-200]", "expected at most 10000 names, got 40000"),
        ("", "cannot tell which machines '' are: expected words with commas between"),
        ("n01,,n02", "expected words with commas between"),
    ],
)
def test_what_is_none_is_refused_in_one_line(who: str, message: str) -> None:
    with pytest.raises(AssayError) as refused:
        chosen(who, INVENTORY)
    assert isinstance(refused.value, UnknownNameError | AddressError)
    assert message in refused.value.message
    assert "\n" not in refused.value.message


def test_groups_are_told_with_their_machines() -> None:
    assert members(INVENTORY) == {
        "farm": ("n01", "n02"),
        "old": ("n03",),
        "rack-1": ("x1",),
        "rack-2": ("x2",),
    }


@pytest.mark.parametrize(
    "names",
    [["wn01"], ["wn01", "wn02", "wn03"], ["a7-1", "wn1", "wn01", "b"], ["r1n1.x", "r2n1.x", "r1n2.x"]],
)
def test_names_folded_mean_the_same_names(names: list[str]) -> None:
    assert sorted(name for word in words_of(folded(names)) for name in expanded(word)) == sorted(names)


def test_many_names_are_a_short_text() -> None:
    assert folded([f"wn{number:04}" for number in range(1000)]) == "wn[0000-0999]"
