"""Records of known content: what is intact at its place is told from all that is not."""

from __future__ import annotations

from itertools import pairwise

import pytest

from assay.activities.tuning.records import RECORD_BYTES, Found, find_records, make_record, read_record

TOKEN = "0123abcd-current-0"
RECORDS = [make_record(TOKEN, number) for number in range(4)]
WHOLE = b"".join(RECORDS)
ALL = 4 * RECORD_BYTES
HALF = RECORD_BYTES // 2


def found(content: bytes, acknowledged_bytes: int = ALL) -> Found:
    return find_records(content, TOKEN, acknowledged_bytes=acknowledged_bytes)


@pytest.mark.parametrize("token", ["a", TOKEN, "x" * 64])
def test_a_record_is_one_line_of_one_size_that_tells_what_it_is(token: str) -> None:
    record = make_record(token, 7)
    assert (len(record), record.index(b"\n")) == (RECORD_BYTES, RECORD_BYTES - 1)
    assert record.isascii()
    assert read_record(record) == (token, 7)
    assert record == make_record(token, 7)


def test_no_two_records_share_their_content() -> None:
    contents = [record.split(b" ")[3] for record in [*RECORDS, make_record("other", 0)]]
    assert len(set(contents)) == len(contents)
    assert all(one[:64] != other[:64] for one, other in pairwise(contents))


def test_a_whole_file_has_lost_nothing() -> None:
    assert found(WHOLE) == Found(ALL, 0, 0)
    assert found(b"", 0) == Found(0, 0, 0)


def test_what_was_not_acknowledged_is_neither_lost_nor_kept() -> None:
    assert found(WHOLE + make_record(TOKEN, 4) + RECORDS[0][:HALF]) == Found(ALL, 0, 0)
    assert found(RECORDS[0] + b"\0" * RECORD_BYTES, RECORD_BYTES) == Found(RECORD_BYTES, 0, 0)


def test_a_file_that_is_gone_has_lost_all_and_damaged_nothing() -> None:
    assert found(b"") == Found(0, ALL, 0)


def test_of_a_file_that_is_cut_off_the_begun_record_is_damaged_and_the_rest_missing() -> None:
    assert found(WHOLE[:RECORD_BYTES]) == Found(RECORD_BYTES, 3 * RECORD_BYTES, 0)
    assert found(WHOLE[: RECORD_BYTES + HALF]) == Found(RECORD_BYTES, 3 * RECORD_BYTES, HALF)
    assert found(WHOLE[:-1]) == Found(3 * RECORD_BYTES, RECORD_BYTES, RECORD_BYTES - 1)


@pytest.mark.parametrize(
    "piece",
    [
        b"\0" * RECORD_BYTES,
        b"\xff" * RECORD_BYTES,
        RECORDS[1][:HALF] + b"\0" * HALF,
        RECORDS[1][:-2] + b"g\n",
        RECORDS[1].replace(b"000000000001", b"000000000011"),
        RECORDS[1].replace(b" ", b"\n", 1),
        RECORDS[0],
        RECORDS[3],
        make_record("0123abcd-current-1", 1),
    ],
)
def test_a_record_with_other_content_or_of_another_place_or_file_is_damaged(piece: bytes) -> None:
    assert len(piece) == RECORD_BYTES
    assert found(RECORDS[0] + piece + RECORDS[2] + RECORDS[3]) == Found(
        3 * RECORD_BYTES, RECORD_BYTES, RECORD_BYTES
    )


def test_records_in_another_order_are_lost_though_each_is_whole() -> None:
    assert found(b"".join(reversed(RECORDS))) == Found(0, ALL, ALL)
    assert found(b"".join(RECORDS[1:])) == Found(0, ALL, 3 * RECORD_BYTES)


def test_pieces_that_are_no_record_are_none() -> None:
    for piece in (b"", b"\n", b"a b c d\n", b" " * RECORD_BYTES, WHOLE[1 : RECORD_BYTES + 1]):
        assert read_record(piece) is None
