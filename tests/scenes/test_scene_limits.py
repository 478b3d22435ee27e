"""The last that a scene may ask for, and one more."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.scenes import Scene, SceneError, load_scene, read_scene
from assay.scenes.changes.write import write_scene
from assay.scenes.text.errors import Problem
from tests.scenes.wrong import GOOD

GUEST, FLOPS, TITLE = "treatment: {platform: guest}", "workloads: [flops]", "title: A scene for tests"


def problems(*changes: tuple[str, str]) -> list[str]:
    """Return what is wrong with the good scene after some changes, in the order of the file."""
    text = GOOD
    for line, by in changes:
        assert line in text
        text = text.replace(line, by)
    try:
        read_scene(text.encode(), file="trial.yaml")
    except SceneError as error:
        return [problem.sentence for problem in error.problems]
    return []


def guest(words: str, *, layout: str = "") -> tuple[str, str]:
    shared = "\nplacement: {copies: 4}" if layout else ""
    return GUEST, f"treatment: {{platform: guest, factors: {{{words}}}{layout}}}{shared}"


def work(words: str) -> tuple[str, str]:
    return FLOPS, f"workloads: [{words}]"


def design(words: str) -> tuple[str, str]:
    return TITLE, f"{TITLE}\ndesign: {{{words}}}"


@pytest.mark.parametrize(
    ("change", "refused"),
    [
        (design("maximum-blocks: 6, minimum-blocks: 6"), None),
        (design("maximum-blocks: 6, minimum-blocks: 7"), "expected at most 6 minimum-blocks"),
        (design("blocks: 3, sessions: 3"), None),
        (design("blocks: 3, sessions: 4"), "expected at most 3 sessions"),
        (guest("cpu.vcpus: [1, 2, 3, 4], memory.size: [1 GiB, 2 GiB, 3 GiB, 4 GiB]"), None),
        (
            guest("cpu.vcpus: [1, 2, 3, 4], memory.size: [1 GiB, 2 GiB, 3 GiB, 4 GiB, 5 GiB]"),
            "expected at most 16 combinations",
        ),
        (guest("memory.size: 512 MiB", layout=", layout: {guests: 2}"), None),
        (
            guest("memory.size: 511 MiB", layout=", layout: {guests: 2}"),
            "expected at least 256 MiB of memory",
        ),
        (guest("cpu.vcpus: 4", layout=", layout: {guests: 4}"), None),
        (guest("cpu.vcpus: 4", layout=", layout: {guests: 3}"), "expected a number of guests that divides"),
        (guest("cpu.vcpupin: '0'", layout=", layout: {guests: 1}"), None),
        (
            guest("cpu.vcpupin: '0'", layout=", layout: {guests: 2}"),
            "expected none, 1:1, node of 'cpu.vcpupin'",
        ),
        (work("{use: iperf3, placement: {copies: 1}}"), None),
        (work("{use: iperf3, placement: {copies: 2}}"), "expected one copy of iperf3"),
        (work("{name: a, command: 'iperf3 -c {server}', placement: {copies: 2}}"), "expected one copy of a,"),
        (work("{name: a, command: 'iperf3 -c 192.0.2.1', placement: {copies: 2}}"), None),
        (work("{use: tcp-rr, placement: {copies: 64}}"), None),
        (work("{use: tcp-rr, placement: {copies: 65}}"), "expected at most 64 copies of tcp-rr"),
        (work("{use: stream, placement: {copies: 2, pinning: [0, 1]}}"), None),
        (work("{use: stream, placement: {copies: 2, pinning: [[0], [1]]}}"), None),
        (
            work("{use: stream, placement: {copies: 3, pinning: [[0], [1]]}}"),
            "expected pinning for each of 3",
        ),
        (work("{use: bonnie++, parameters: {record: 1 MiB}}"), None),
        (work("{use: bonnie++, parameters: {record: 2 MiB}}"), "expected a power of two from 4 KiB to 1 MiB"),
        (
            work("{use: bonnie++, parameters: {record: 12 KiB}}"),
            "expected a power of two from 4 KiB to 1 MiB",
        ),
        (work("{use: two-phase, parameters: {events: 9}, placement: {copies: [1, 2]}}"), None),
        (
            work("{use: two-phase, parameters: {events: [8, 9]}, placement: {copies: [1, 2]}}"),
            "expected several event numbers of two-phase or several numbers of copies",
        ),
    ],
)
def test_the_last_that_fits_is_taken_and_one_more_is_refused(
    change: tuple[str, str], refused: str | None
) -> None:
    found = problems(change)
    if refused is None:
        assert found == []
    else:
        assert any(sentence.startswith(refused) for sentence in found), found


@pytest.mark.parametrize(("size", "refused"), [("4 MiB", False), ("4095 KiB", True)])
def test_a_root_file_is_of_two_mebibytes_at_least(size: str, refused: bool) -> None:
    found = problems((TITLE, f"{TITLE}\ndata: {{size: {size}, files: 2, content: root}}"), work("data-read"))
    assert any("at least 2 MiB for each of 2 ROOT files" in sentence for sentence in found) is refused


def test_a_limit_of_output_that_says_nothing_new_leaves_the_digest_as_it_was() -> None:
    def scene(words: str) -> Scene:
        return read_scene(GOOD.replace(*work(f"{{name: a, command: a{words}}}")).encode(), file="a.yaml")

    said, more = scene(", output-limit: 256 MiB"), scene(", output-limit: 1 GiB")
    assert said.digest == scene("").digest != more.digest
    again = read_scene(write_scene(more).encode(), file="a.yaml")
    assert (again.workloads, again.digest) == (more.workloads, more.digest)
    assert "output-limit" not in write_scene(said)


@pytest.mark.parametrize(("length", "shown"), [(60, "x" * 60), (61, "x" * 60 + "…")])
def test_a_message_shows_sixty_letters_of_a_value(length: int, shown: str) -> None:
    (sentence,) = problems((GUEST, f"treatment: {{platform: {'x' * length}}}"))
    assert f"'{shown}'" in sentence


@pytest.mark.parametrize(("count", "lines"), [(10, 10), (11, 11)])
def test_ten_problems_are_shown_and_the_rest_counted(count: int, lines: int) -> None:
    error = SceneError("a.yaml", [Problem(line, 1, "wrong") for line in range(1, count + 1)])
    shown = error.message.splitlines()
    assert len(shown) == lines
    assert (shown[-1] == "a.yaml: and 1 more") is (count == 11)


@pytest.mark.parametrize(("more", "refused"), [(0, False), (1, True)])
def test_a_file_of_128_kib_is_read_and_no_larger_one(tmp_path: Path, more: int, refused: bool) -> None:
    file = tmp_path / "trial.yaml"
    line = "# a comment\n"
    room = 128 * 1024 - len(GOOD) + more
    file.write_text(GOOD + line * (room // len(line)) + "#" * (room % len(line)))
    if refused:
        with pytest.raises(SceneError, match="at most 128 KiB"):
            load_scene(file)
    else:
        assert load_scene(file).name == "trial"
