"""A folder that comes home in one answer, as a probe tells it, and as a hostile one could."""

from __future__ import annotations

import base64
import zlib
from pathlib import Path

import pytest

from assay.probe.content import MOST_BYTES, MOST_ENTRIES, Content, Entry, write_content


def packed(data: bytes, *entries: Entry) -> Content:
    return Content(base64.b64encode(zlib.compress(data)).decode(), entries)


def test_files_and_folders_are_written_with_their_modes(tmp_path: Path) -> None:
    content = packed(
        b"\xff\r\nrest",
        Entry("a", 0o640, 3),
        Entry("below", 0o50, None),
        Entry("below/b", 0o400, 4),
        Entry("c", 0o600, 0),
    )
    for _ in range(2):
        write_content(content, tmp_path / "new")
        assert (tmp_path / "new/a").read_bytes() == b"\xff\r\n"
        assert (tmp_path / "new/below/b").read_bytes() == b"rest"
        modes = [(tmp_path / "new" / name).stat().st_mode & 0o777 for name in ("a", "below", "below/b", "c")]
        assert modes == [0o640, 0o750, 0o400, 0o600]


@pytest.mark.parametrize("path", ["../out", "/out", "", ".", "a/../../out", "a\0b"])
def test_a_path_that_leads_out_is_refused_before_anything_is_written(path: str, tmp_path: Path) -> None:
    for last in (Entry(path, 0o600, 0), Entry(path, 0o700, None)):
        with pytest.raises(ValueError, match="below a folder"):
            write_content(packed(b"", Entry("fine", 0o600, 0), last), tmp_path / "new")
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    "content",
    [
        packed(b"abc", Entry("a", 0o600, 2)),
        packed(b"abc", Entry("a", 0o600, 4)),
        packed(b"abc", Entry("a", 0o600, 4), Entry("b", 0o600, -1)),
        packed(bytes(MOST_BYTES + 2), Entry("a", 0o600, MOST_BYTES + 2)),
        Content("no base64!", (Entry("a", 0o600, 0),)),
        Content(base64.b64encode(b"no zlib").decode(), (Entry("a", 0o600, 0),)),
    ],
    ids=["more", "less", "negative", "too much", "base64", "zlib"],
)
def test_other_bytes_than_the_entries_say_are_refused(content: Content, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"."):
        write_content(content, tmp_path / "new")
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    "entries",
    [
        (Entry("a", 0o600, 0), Entry("a/b", 0o600, 0)),
        (Entry("a", 0o700, None), Entry("a", 0o600, 0)),
        (Entry("a", 0o600, 0), Entry("a", 0o700, None)),
        (Entry("nowhere/b", 0o600, 0),),
        (Entry("n" * 300, 0o600, 0),),
    ],
    ids=["in a file", "a folder, then a file", "a file, then a folder", "in no folder", "no name"],
)
def test_entries_that_contradict_each_other_are_no_fault_of_ours(
    entries: tuple[Entry, ...], tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match="contradict each other"):
        write_content(packed(b"", *entries), tmp_path / "new")


def test_more_entries_than_a_probe_tells_are_refused(tmp_path: Path) -> None:
    many = [Entry(f"f{number}", 0o600, 0) for number in range(MOST_ENTRIES + 1)]
    with pytest.raises(ValueError, match="at most 1000 entries"):
        write_content(packed(b"", *many), tmp_path / "new")
    assert [*tmp_path.iterdir()] == []
