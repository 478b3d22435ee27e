"""A container of hep-workloads as a workload: its command, and a real one run by podman."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities.plan.layout import part_of
from assay.model.errors import AssayError
from assay.model.units import BYTES
from assay.model.work.placement import PlacementSpec
from assay.model.work.workload import Workload
from assay.report.doubts import worded
from assay.workloads import Parameters, Sizes, Wrote, fill, read_figures, unmet, with_parameters
from assay.workloads.parameters import ContainerRun
from assay.workloads.saved_outputs import read_output
from assay.workloads.tools.hep.definition import part, workload_of
from tests.passing import pass_by
from tests.workloads.hep_image import IMAGE, ULIMITS, make_image, podman

NAMES = ("score", "slowest_copy")
CAPTURES = Path(__file__).parent / "captures"
SIZES = Sizes(cache_bytes=None, memory_bytes=2 * BYTES["GiB"], cpus=4)


def made(run: ContainerRun, *, events: int | None = None) -> Workload:
    return with_parameters("hep-workload", Parameters(events=events, container=run), sizes=SIZES)


def test_the_command_keeps_the_contract_of_the_driver() -> None:
    run = ContainerRun(
        "registry.example.org/x/exp-gen-sim-ma-bmk:v2.1", "gen-sim", threads=2, arguments=("-d",)
    )
    workload = made(run, events=20)
    assert workload.command == (
        *("podman", "run", "--rm", "--network=host", "--volume", "{directory}:/results", run.image),
        *("-W", "-c", "2", "-t", "2", "-e", "20", "-d"),
    )
    assert workload.written == ("exp-gen-sim-ma_summary.json",)
    assert (workload.program, workload.package) == ("podman", "podman")


def test_apptainer_and_docker_are_called_as_hepscore_calls_them() -> None:
    apptainer = made(ContainerRun("exp-gen-bmk.sif", "gen", engine=("apptainer",), copies=1))
    assert apptainer.command[:7] == ("apptainer", "run", "-i", "-c", "-e", "-B", "{directory}:/results")
    assert apptainer.package is None
    docker = made(ContainerRun("exp-gen-bmk:v1", "gen", engine=("docker",)))
    assert docker.package == "docker.io"
    assert docker.command[:4] == ("docker", "run", "--rm", "--init"), (
        "a shell as its first process hears no stop"
    )


def test_options_of_run_are_given_after_the_word_run() -> None:
    run = ContainerRun("exp-gen-bmk", "gen", engine=("podman", "--root", "/srv", "run", "--pull=never"))
    assert made(run).command[:5] == ("podman", "--root", "/srv", "run", "--pull=never")


@pytest.mark.parametrize(
    ("image", "workload"),
    [
        (
            "gitlab-registry.cern.ch/hep-benchmarks/hep-workloads/cms-reco-run3-ma-bmk:v1.1",
            "cms-reco-run3-ma",
        ),
        ("localhost:5000/exp-gen-bmk@sha256:0123", "exp-gen"),
        ("docker://registry/exp-gen-bmk", "exp-gen"),
        ("/images/exp-gen-bmk.sif", "exp-gen"),
        ("oci-archive:/images/exp-gen-bmk.tar", "exp-gen"),
    ],
)
def test_the_summary_is_named_after_the_image(image: str, workload: str) -> None:
    assert workload_of(image) == workload


@pytest.mark.parametrize(("copies", "guests", "each"), [(64, 2, "32"), (3, 3, "1"), (2, 1, "2")])
def test_guests_have_their_part_of_a_containers_copies(copies: int, guests: int, each: str) -> None:
    whole = made(
        ContainerRun("exp-gen-bmk.sif", "gen", ("apptainer", "run", "-W", "/x"), 4, copies), events=20
    )
    shared = part(whole, guests)
    assert shared is not None
    assert shared.command[-7:] == ("exp-gen-bmk.sif", "-W", "-c", each, "-t", "4", "-e", "20")[-7:]
    assert shared.command[:-5] == whole.command[:-5]
    assert (shared.copies_inside, shared.placement.threads) == (int(each), 4 * int(each))


def test_a_containers_copies_that_guests_cannot_share_evenly_have_no_part() -> None:
    whole = made(ContainerRun("exp-gen-bmk", "gen", copies=33))
    assert part(whole, 2) is None
    with pytest.raises(AssayError, match="cannot share hep-workload between 2 guests: it has 33 copies"):
        part_of(whole, 2)


@pytest.mark.parametrize(
    ("capture", "image", "score", "asked", "reason"),
    [
        ("2.1-cms-reco", "cms-reco-bmk", "reco", (16, 4, 50), None),
        ("2.1-belle2", "belle2-gen-sim-reco-bmk", "gen-sim-reco", (64, 1, 50), None),
        ("2.1-belle2", "belle2-gen-sim-reco-bmk", "gen-sim-reco", (64, 1, None), None),
        ("ci2.0-atlas-kv", "atlas-kv-bmk", "sim", (2, 1, 3), None),
        ("ci1.1-atlas-kv", "atlas-kv-bmk", "sim", (2, 1, 3), None),
        ("2.1-cms-reco", "cms-reco-bmk", "reco", (8, 4, 50), "expected 8 copies, as was asked for, got 16"),
        (
            "2.1-cms-reco",
            "cms-reco-bmk",
            "reco",
            (16, 2, 50),
            "expected 2 threads per copy, as was asked for, got 4",
        ),
        (
            "ci1.1-atlas-kv",
            "atlas-kv-bmk",
            "sim",
            (2, 1, 5),
            "expected 5 events per thread, as was asked for, got 3",
        ),
    ],
)
def test_a_summary_of_other_work_than_was_asked_for_has_no_score(
    capture: str, image: str, score: str, asked: tuple[int, int, int | None], reason: str | None
) -> None:
    copies, threads, events = asked
    workload = made(ContainerRun(image, score, threads=threads, copies=copies), events=events)
    content = (CAPTURES / f"hep-workloads-{capture}.json").read_bytes()
    found = read_figures(workload, [Wrote(output=b"", files={workload.written[0]: content})])
    assert (found.figures[0].value is None) is (reason is not None)
    assert [worded(one).sentence for one in found.doubts] == [
        f"hep-workloads printed no number for {name}: {reason}." for name in NAMES if reason
    ]


@pytest.mark.parametrize(
    ("capture", "score", "asked", "slowest"),
    [
        ("2.1-belle2", "gen-sim-reco", (64, 1, 50), 0.18574241242245254),
        ("2.1-belle2", "reco", (64, 1, 50), 0.3050082352223511),
        ("2.1-cms-reco", "reco", (16, 4, 50), 0.3255),
        ("ci2.0-atlas-kv", "sim", (2, 1, 3), 1.3021),
        ("ci1.1-atlas-kv", "sim", (2, 1, 3), 1.1161),
    ],
)
def test_the_slowest_copy_of_a_container_is_told(
    capture: str, score: str, asked: tuple[int, int, int], slowest: float
) -> None:
    found = figures_of(capture, score, asked)
    assert found["slowest_copy"] == slowest
    assert found["score"] is not None


def test_a_summary_without_statistics_has_a_score_and_no_slowest_copy() -> None:
    content = b'{"run_info": {"copies": 2}, "report": {"wl-scores": {"gen": 2.5}, "log": "ok"}}'
    workload = made(ContainerRun("exp-gen-bmk", "gen", copies=2))
    found = read_figures(workload, [Wrote(output=b"", files={workload.written[0]: content})])
    assert [figure.value for figure in found.figures] == [2.5, None]
    (doubt,) = map(worded, found.doubts)
    assert doubt.sentence == (
        "hep-workloads printed no number for slowest_copy: its summary has no statistics of the copies."
    )


def figures_of(capture: str, score: str, asked: tuple[int, int, int]) -> dict[str, float | None]:
    """Return what a trial has of a real summary."""
    copies, threads, events = asked
    workload = made(ContainerRun("a-bmk", score, threads=threads, copies=copies), events=events)
    content = (CAPTURES / f"hep-workloads-{capture}.json").read_bytes()
    found = read_figures(workload, [Wrote(output=b"", files={workload.written[0]: content})])
    return {figure.metric.name: figure.value for figure in found.figures}


def test_a_score_of_fewer_copies_than_ran_is_none() -> None:
    workload = made(ContainerRun("cms-reco-bmk", "reco", threads=4, copies=16), events=50)
    content = (CAPTURES / "hep-workloads-2.1-cms-reco.json").read_bytes()
    lost = content.replace(b'"count": 16', b'"count": 15', 1)
    found = read_figures(workload, [Wrote(output=b"", files={workload.written[0]: lost})])
    assert found.figures[0].value is None


def test_a_container_is_the_same_work_whether_its_threads_are_counted_or_not() -> None:
    filled = made(ContainerRun("a-bmk:v1", "gen", threads=2))
    assert filled.placement.threads
    assert replace(filled, placement=PlacementSpec()).work == filled.work


def test_two_images_are_two_kinds_of_work() -> None:
    assert made(ContainerRun("a-bmk:v1", "gen")).work != made(ContainerRun("a-bmk:v2", "gen")).work


@pytest.fixture
def storage() -> Iterator[Path]:
    """Storage of podman with our image in it; its path is short, as podman asks for."""
    if os.geteuid() != 0:
        pass_by("podman runs as root here")
    with tempfile.TemporaryDirectory(prefix="hep-") as name:
        folder = Path(name)
        make_image(folder)
        yield folder
        subprocess.run([*podman(folder), "rmi", "--all", "--force"], capture_output=True, check=True)


@pytest.mark.live
def test_a_real_container_yields_the_score_of_its_summary(storage: Path) -> None:
    results = storage / "results"
    results.mkdir()
    engine = (*podman(storage), "run", *ULIMITS)
    workload = made(ContainerRun(IMAGE, "count", engine=engine, copies=2), events=30)
    command = fill(workload.command, probe="/probe", directory=str(results), server=None)
    ended = subprocess.run(command, cwd=results, capture_output=True, check=True, timeout=120)
    (summary,) = workload.written
    wrote = Wrote(output=ended.stdout, errors=ended.stderr, files={summary: (results / summary).read_bytes()})
    assert unmet(workload.success, [wrote]) is None
    score, slowest = read_figures(workload, [wrote]).figures
    assert score.metric.unit == "events/s"
    assert score.value is not None
    assert slowest.value is not None
    assert score.value > slowest.value > 0
    said = read_output("hep-workloads", wrote.files[summary])
    assert {figure.metric: figure.value for figure in said.measurements}["events_per_thread"] == 30
    failed = subprocess.run([*command, "--fail"], cwd=results, capture_output=True, check=True, timeout=120)
    bad = Wrote(output=failed.stdout, errors=b"", files={summary: (results / summary).read_bytes()})
    found = read_figures(workload, [bad])
    assert found.figures[0].value is None
    assert "doOne failed" in worded(found.doubts[0]).sentence
