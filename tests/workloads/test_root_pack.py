"""The pack that makes and analyses ROOT files: the same physics by whomever it is done, and honest counts of
bytes.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from assay_hep.packs.root.analyse import dealt
from assay_hep.packs.root.packets import Packet, claimed, cut, in_turn
from tests.workloads.root_pack import ended, pack, started

SIZE = 3_000_000


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return two ROOT files of 3 MB."""
    folder = tmp_path_factory.mktemp("root")
    pack("make", folder, "--files", 2, "--size", SIZE, "--seed", "a").report  # noqa: B018 - it must succeed
    return sorted(folder.glob("*.root"))


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_made_files_have_exactly_the_size_and_are_the_same_for_the_same_seed(
    files: list[Path], tmp_path: Path
) -> None:
    assert [path.stat().st_size for path in files] == [SIZE, SIZE]
    assert digest(files[0]) != digest(files[1])
    assert pack("analyse", files[0]).report["asked_bytes"] > 0.9 * SIZE, "nearly all of it is events"
    made = pack("make", tmp_path / "other", "--size", SIZE, "--seed", "b").report["files"]["f0000.root"]
    again = pack("make", tmp_path / "again", "--size", SIZE, "--seed", "b").report["files"]["f0000.root"]
    assert made == again
    lz4 = pack(
        "make", tmp_path / "lz4", "--size", SIZE, "--seed", "b", "--compression", "lz4", "--basket", 8000
    )
    assert lz4.report["compression"] == "lz4"
    assert (tmp_path / "lz4" / "f0000.root").stat().st_size == SIZE


@pytest.mark.parametrize("size", [1 << 20, 2_000_000])
def test_any_size_is_met_exactly_and_nearly_all_of_it_is_events(size: int, tmp_path: Path) -> None:
    pack("make", tmp_path, "--size", size).report  # noqa: B018 - it must succeed
    (made,) = tmp_path.glob("*.root")
    assert made.stat().st_size == size
    assert pack("analyse", made).report["asked_bytes"] > 0.8 * size


def test_one_worker_two_workers_and_two_copies_find_the_same_physics(
    files: list[Path], tmp_path: Path
) -> None:
    one = pack("analyse", *files).report
    two = pack("analyse", "--workers", 2, *files).report
    folders = [tmp_path / f"copy-{copy}" for copy in range(2)]
    for folder in folders:
        folder.mkdir()
    running = [started("analyse", *files, copy=copy, copies=2, folder=folders[copy]) for copy in range(2)]
    copies = [ended(process).report for process in running]
    truth = one["workers"][0]["truth"]
    assert one["workers"][0]["found"] == truth, "what was made is what is read"
    assert one["digest"] == two["digest"]
    assert one["asked_bytes"] == two["asked_bytes"] == sum(report["asked_bytes"] for report in copies)
    assert sum(report["events"] for report in copies) == one["events"] == truth["events"]
    assert sum(truth["mass"]) > 0
    assert len(two["workers"]) == 2


@pytest.mark.parametrize(
    ("workers", "weights", "parts"),
    [
        (3, (2, 1), [(0, 0, 2), (0, 1, 2), (1, 0, 1)]),
        (4, (1, 1), [(0, 0, 2), (1, 0, 2), (0, 1, 2), (1, 1, 2)]),
    ],
)
def test_workers_are_dealt_out_by_weights(
    workers: int, weights: tuple[int, ...], parts: list[tuple[int, int, int]], tmp_path: Path
) -> None:
    dealt_out = [dealt(number, workers, weights, tmp_path) for number in range(workers)]
    assert [(part.user, part.worker, part.workers) for part in dealt_out] == parts
    assert {part.users for part in dealt_out} == {2}


def test_users_of_unequal_weights_each_analyse_everything(files: list[Path], tmp_path: Path) -> None:
    folders = [tmp_path / f"copy-{copy}" for copy in range(3)]
    for folder in folders:
        folder.mkdir()
    words = ("analyse", "--branches", "few", "--weights", "2,1", *files)
    running = [started(*words, copy=copy, copies=3, folder=folders[copy]) for copy in range(3)]
    workers = [worker for process in running for worker in ended(process).report["workers"]]
    by_user = [sum(one["events"] for one in workers if one["user"] == user) for user in (0, 1)]
    assert by_user == [workers[0]["job_events"]] * 2
    assert [one["user"] for one in workers] == [0, 0, 1]


def test_workers_that_cannot_be_dealt_out_by_the_weights_are_refused(files: list[Path]) -> None:
    done = pack("analyse", "--workers", 4, "--weights", "2,1", *files)
    assert (done.code, done.err.strip()) == (
        3,
        "error: cannot share 4 workers as 2:1: expected a multiple of 3",
    )


@pytest.mark.long
def test_two_users_each_analyse_everything(files: list[Path]) -> None:
    one = pack("analyse", *files).report
    both = pack("analyse", "--users", 2, "--workers", 2, *files).report
    assert both["events"] == 2 * one["events"]
    assert both["asked_bytes"] == 2 * one["asked_bytes"]
    assert [(worker["user"], worker["worker"]) for worker in both["workers"]] == [
        (0, 0),
        (1, 0),
        (0, 1),
        (1, 1),
    ]


def test_fewer_branches_ask_for_fewer_bytes_and_find_the_same_events(files: list[Path]) -> None:
    every, quarter, few = (
        pack("analyse", "--branches", said, *files).report for said in ("all", "25%", "few")
    )
    assert every["events"] == quarter["events"] == few["events"]
    assert [report["workers"][0]["branches_read"] for report in (every, quarter, few)] == [40, 10, 4]
    assert 0.1 * every["asked_bytes"] < quarter["asked_bytes"] < 0.4 * every["asked_bytes"]
    assert few["asked_bytes"] < quarter["asked_bytes"]
    masses = {str(report["workers"][0]["found"]["mass"]) for report in (every, quarter, few)}
    assert len(masses) == 1, "the leptons are among them all"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("analyse", "no-such.root"), 4, "error: cannot read no-such.root: no such file here"),
        (("analyse", __file__), 3, "expected a ROOT file, got one that does not begin with 'root'"),
        (("analyse", "--branches", "0%", "FILE"), 3, "expected all, few, or a share like 25%, got '0%'"),
        (("analyse", "--tree", "muons", "FILE"), 3, "expected the tree muons, got events"),
        (("analyse", "--workers", 2, __file__), 3, "expected a ROOT file"),
        (("analyse", "--workers", "0", "FILE"), 2, "expected a whole number from 1 to 4096, got '0'"),
        (
            ("make", "FOLDER", "--size", 1000),
            3,
            "expected at least 1,048,576 bytes and 12 branches, got 1,000",
        ),
        (("make", "FOLDER", "--size", 1048576, "--branches", 400), 3, "its branches alone take"),
    ],
)
def test_a_wrong_input_is_one_clear_line_and_leaves_no_file(
    words: tuple[object, ...], code: int, said: str, files: list[Path], tmp_path: Path
) -> None:
    places = {"FILE": files[0], "FOLDER": tmp_path / "made"}
    done = pack(*(places.get(str(word), word) for word in words))
    assert done.code == code
    assert said in done.err
    assert "Traceback" not in done.err
    assert not list(tmp_path.rglob("*.root"))


def test_a_damaged_file_is_not_analysed(files: list[Path], tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.root"
    damaged.write_bytes(files[0].read_bytes()[:1000])
    done = pack("analyse", damaged)
    assert done.code != 0
    assert not done.out


def test_packets_end_where_baskets_do_and_cover_every_event_once() -> None:
    packets = list(cut(3, [0, 10, 20, 30, 35], 2_000_000))
    assert packets == [Packet(3, 0, 20), Packet(3, 20, 35)]
    assert list(cut(0, [0, 5], 10)) == [Packet(0, 0, 5)]
    assert [index for index, _ in in_turn(packets, 0.5)] == [1, 0], (
        "the second worker begins at the second half"
    )


def test_a_packet_is_taken_once_by_each_user(tmp_path: Path) -> None:
    packets = list(cut(0, [0, 10, 20, 30], 3_000_000))
    first, second = (claimed(in_turn(packets, share), tmp_path / "taken", 0) for share in (0.0, 0.5))
    taken = [next(first), next(second), *first, *second]
    assert sorted(taken, key=lambda packet: packet.start) == packets
    assert list(claimed(in_turn(packets, 0), tmp_path / "taken", 1)) == packets
