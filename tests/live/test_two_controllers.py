"""Two controllers, one machine behind SSH: who comes second is told who measures it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.hosts import ssh_host
from tests.live.conftest import Make
from tests.live.parts import newest, run, started

pytestmark = [pytest.mark.live, pytest.mark.long]

ELSEWHERE = [
    "unshare",
    "--mount",
    "sh",
    "-c",
    'mkdir -p /run/assay; mount -t tmpfs none /run/assay; exec "$@"',
    "sh",
]
"""As on a machine of its own: claims on this one are not seen, those on the other are made there."""
MEASURES = ("evaluate", "--command", "sleep 2", "--against", "bench")


def test_the_second_is_told_who_measures_the_machine(make_home: Make, tmp_path: Path) -> None:
    first, second = make_home("first"), make_home("second")
    with ssh_host(tmp_path) as host:
        variables = {"HOME": str(host.home)}

        def elsewhere(argv: Sequence[str]) -> list[str]:
            return [*ELSEWHERE, *host.inside(argv)]

        for home in (first, second):
            address = f"{host.user}@{host.address}:{host.port}"
            added = run(
                "machine", "add", "bench", "--ssh", address, home=home, wrap=host.inside, variables=variables
            )
            assert added.code == 0, added.err
        with started(
            *MEASURES, home=first, scratch=tmp_path, wrap=host.inside, variables=variables
        ) as running:
            running.wait_for(lambda: (one := newest(first)) and one.records, "its first record")
            refused = run(*MEASURES, home=second, wrap=elsewhere, variables=variables)
            activity = newest(first)
            assert activity is not None
            assert refused.code == 4, refused.err
            assert f"cannot start: bench is measured by activity {activity.id} under {first}" in refused.err
            waited = run(*MEASURES, "--wait", home=second, wrap=elsewhere, variables=variables)
            done = running.end()
        assert done.code == 0, done.err
        assert waited.code == 0, waited.err
        assert f"waiting: cannot start: bench is measured by activity {activity.id}" in waited.err
        again = run(*MEASURES, home=second, wrap=elsewhere, variables=variables)
        assert again.code == 0, again.err
