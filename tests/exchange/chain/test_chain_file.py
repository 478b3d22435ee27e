"""The chain's files in a folder: their order and their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.exchange.chain.file import open_chain
from assay.exchange.chain.frame import HEADER, MAGIC, SUM, VERSION, ChainFileError, Kind


def no_hash(content: bytes, seed: int) -> int:
    """Return one checksum for everything."""
    del content, seed
    return 0


def write_part(folder: Path, name: str, first: int) -> None:
    """Write the header of a part."""
    header = HEADER.pack(MAGIC, VERSION, Kind.HITS, 1, 2, 200, 256, first, 12)
    (folder / f"{name}.part").write_bytes(header + SUM.pack(0))


def test_parts_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for number in ("99999999", "100000000", "00000000"):
        write_part(tmp_path, number, int(number))
    chain = open_chain(tmp_path, hash64=no_hash)
    assert [part.stem for part in chain.parts] == ["00000000", "99999999", "100000000"]


def test_a_part_without_a_number_is_refused(tmp_path: Path) -> None:
    write_part(tmp_path, "00000000", 0)
    write_part(tmp_path, "copy", 0)
    with pytest.raises(ChainFileError, match=r"copy\.part: expected a number before \.part, got 'copy'"):
        open_chain(tmp_path, hash64=no_hash)
