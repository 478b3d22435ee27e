"""What a search's steps gave, as the method goes on with it."""

from __future__ import annotations

from dataclasses import replace

from assay.activities.tuning.searched import change_sets, search_of
from assay.pages.tuning import ConfigValue, TriedFactor, TuningRun
from tests.report.tunings import tuning

FACTORS = (
    TriedFactor("disk.bus", ("", "scsi"), "restart", {}),
    TriedFactor("disk.io", ("", "native"), "live", {}),
)
CONFIGS = ((1, 1), (1, 0), (0, 1))
TIMES = (10.0, 8.0, 10.0, None)


def test_a_guest_that_failed_is_no_change_set_also_where_less_would_be_changed() -> None:
    steps = tuple(
        TuningRun(
            "search", CONFIGS, (), 1, number, f"0000000{number}", "ended",
            tuple(
                ConfigValue(arm, None if time is None else time * (1 + 0.001 * (number % 3)))
                for arm, time in enumerate(TIMES)
            ),
            60.0,
        )
        for number in range(5)
    )  # fmt: skip
    known = replace(tuning(), factors=FACTORS, exclude=(), allowed=(), runs=steps, found=(), killed=())
    (found,) = change_sets(known, search_of(known))
    assert found.changes == {"disk.bus": "scsi", "disk.io": "native"}
