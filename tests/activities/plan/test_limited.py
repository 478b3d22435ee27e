"""A machine as treatment under limits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.activities.plan.limited import limited, limited_all
from assay.activities.trials.job import job_spec
from assay.activities.visits.cpu_allocation import check_names
from assay.activities.visits.visit import machine_visit
from assay.model.activity import PlannedArm
from assay.model.errors import AssayError
from assay.model.machines.machine import Limits, Machine
from assay.model.platforms.data import DataPlace
from assay.model.work.observation import Observation
from assay.model.work.page_cache import CacheState
from assay.scenes import OtherMachine
from tests.builders import WORKLOAD, plan_of
from tests.results.said_of import method_sentences

SIDE = PlannedArm("host", Machine("local"), Limits((1,), 8 << 30))
ALL = OtherMachine(
    "local",
    cpu_quota=0.5,
    memory_limit_bytes=64 << 20,
    read_bytes_per_s=20_000_000,
    write_bytes_per_s=350_000,
    page_cache=CacheState.COLD,
    pause=0.05,
)


def test_without_factors_an_arm_stays_as_it_is() -> None:
    assert limited(SIDE, OtherMachine("local")) == SIDE


def test_every_factor_is_a_limit_of_the_arm_and_in_its_name() -> None:
    arm = limited(SIDE, ALL)
    assert arm.label == (
        "host at 50% CPU, 64 MiB memory, 20 MB/s read, 350 kB/s write, cold cache, paused 5 %"
    )
    assert arm.limits == Limits((1,), 64 << 20, 0.5, 20_000_000, 350_000, 0.05)
    assert arm.cache is CacheState.COLD


def test_several_treatments_are_called_by_what_tells_them_apart() -> None:
    wanted_each = [
        OtherMachine("local", read_bytes_per_s=20_000_000, page_cache=state, settings=(("host.thp", level),))
        for state in CacheState
        for level in ("always", "never")
    ]
    assert [arm.label for arm in limited_all(SIDE, wanted_each)] == [
        "cold cache, host.thp always",
        "cold cache, host.thp never",
        "warm cache, host.thp always",
        "warm cache, host.thp never",
        "read-ahead cache, host.thp always",
        "read-ahead cache, host.thp never",
    ]
    assert [arm.limits.read_bytes_per_s for arm in limited_all(SIDE, wanted_each)] == 6 * [20_000_000]


@pytest.mark.parametrize(
    ("wanted_each", "labels"),
    [
        ([{"cpu_quota": 0.125}, {"cpu_quota": 0.12}], ["host at 12.5% CPU", "host at 12% CPU"]),
        ([{"cpu_quota": 0.004}, {"cpu_quota": 0.25}], ["host at 0.4% CPU", "host at 25% CPU"]),
        ([{"cpu_quota": 0.12501}, {"cpu_quota": 0.125011}], ["host at 12.501% CPU", "host at 12.5011% CPU"]),
        (
            [{"read_bytes_per_s": 100_000_000}, {"read_bytes_per_s": 100_001_000}],
            ["100000000 B/s read", "100001000 B/s read"],
        ),
        (
            [{"memory_limit_bytes": 1 << 30}, {"memory_limit_bytes": (1 << 30) + 1}],
            ["1073741824 B memory", "1073741825 B memory"],
        ),
        ([{"pause": 0.0123401}, {"pause": 0.01234}], ["paused 1.23401 %", "paused 1.234 %"]),
    ],
)
def test_levels_that_are_close_keep_names_of_their_own(
    wanted_each: list[dict[str, Any]], labels: list[str]
) -> None:
    assert [
        arm.label for arm in limited_all(SIDE, [OtherMachine("local", **w) for w in wanted_each])
    ] == labels


def test_treatments_of_one_name_are_refused() -> None:
    arm = limited(SIDE, ALL)
    check_names([SIDE, arm])
    with pytest.raises(
        AssayError, match=r"expected a name of its own for each arm, got 'host at 50% CPU.* twice"
    ):
        check_names([SIDE, arm, arm])


def test_treatments_that_share_all_words_keep_them() -> None:
    assert all(arm.label.startswith("host at 50% CPU, ") for arm in limited_all(SIDE, [ALL, ALL]))


def test_more_memory_than_there_is_is_no_limit_beyond_it() -> None:
    assert limited(SIDE, OtherMachine("local", memory_limit_bytes=9 << 30)).limits == SIDE.limits


def test_the_report_tells_the_limits_in_words() -> None:
    sentences = method_sentences(plan_of((), treatment=limited(SIDE, ALL)), ())
    assert any(
        sentence.endswith(
            "confined to core 1, 64 MiB of memory, a CPU quota of 50%, at most 20 MB/s read from "
            "each of its disks, "
            "at most 350 kB/s written to the disk of its scratch folder, made to stand still 5 % of the time."
        )
        for sentence in sentences
    )


def test_a_limit_of_reads_is_that_of_the_data_s_disks_and_one_of_writes_that_of_the_scratch_folder(
    tmp_path: Path,
) -> None:
    reader = replace(WORKLOAD, command=("cat", "{data-files}"))
    for rates, workload, disks in (
        ((9, 9), reader, ("/dev/loop7",)),
        ((None, 9), reader, ()),
        ((9, 9), WORKLOAD, ()),
    ):
        arm = replace(SIDE, limits=Limits(read_bytes_per_s=rates[0], write_bytes_per_s=rates[1]))
        with machine_visit(arm, "0123abcd", home=tmp_path) as visit:
            visit.data = DataPlace("/data", ("/data/f",), disks=("/dev/loop7",))
            limits = job_spec(visit, workload, Observation(), str(tmp_path / "trial")).limits
        assert (limits.read_bytes_per_s, limits.write_bytes_per_s, limits.disks) == (*rates, disks)
