"""Which worker runs what: tests with guests one after the other on one worker, the others beside them by
file.

Guests share this machine's daemons, network names and control groups, and look at what is left of them.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from xdist.scheduler import LoadScopeScheduling

ROOT = Path(__file__).parents[1]
GUESTS = "guests"
ALONE = (
    "tests/activities/",
    "tests/api/",
    "tests/evidence/",
    "tests/live/",
    "tests/platforms/",
    "tests/probe_native/test_version_two.py",
    "tests/store/test_earlier_home.py",
)
"""Rooms whose live tests change what is seen of the whole machine; those of others keep to folders of their
own.
"""
FREE = (
    "tests/platforms/images/test_image_",
    "tests/live/test_condor.py",
    "tests/live/test_drain",
    "tests/live/test_kerberos.py",
    "tests/live/test_slurm.py",
    "tests/live/test_starts_of_jobs.py",
)
"""Images are built by nobody's daemon and tried in a QEMU of the test's own; nodes of batch systems, and a
realm of Kerberos, are apart from this machine; jobs on disks of their own mostly sleep.
"""

MEASURES = (
    "tests/cli/test_forecast.py",
    "tests/platforms/test_containers.py",
    "tests/platforms/host/test_host_undo.py",
    "tests/store/test_earlier_home.py",
)
"""Without guests, and still one at a time on a machine: they measure, or clean up what a dead activity left,
its networks too.
"""


LONGEST = "tests/probe_native/test_cargo.py"
"""One test that takes a minute; at the end, the other workers would wait for it."""


class Lanes(LoadScopeScheduling):
    """A lane of guests, which begins first, then the longest file, and a lane for each other file
    of tests.
    """

    def _split_scope(self, nodeid: str) -> str:
        """Return a test's lane."""
        return lane(nodeid.split("::", 1)[0])

    def _assign_work_unit(self, node: object) -> None:
        for first in (LONGEST, GUESTS):
            if first in self.workqueue:
                self.workqueue.move_to_end(first, last=False)
        super()._assign_work_unit(node)


@cache
def lane(file: str) -> str:
    """Return the lane of a file of tests, a path below the checkout."""
    if file in MEASURES:
        return GUESTS
    alone = file.startswith(ALONE) and not file.startswith(FREE)
    return GUESTS if alone and "mark.live" in (ROOT / file).read_text() else file
