"""A machine whose answers come late: durations need the rate of its clock alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.hosts import SshHost, ssh_host
from tests.live import relay
from tests.live.parts import Done, newest, run

pytestmark = [pytest.mark.live, pytest.mark.long]

PORT = 2200


@contextmanager
def far(host: SshHost, one_way_s: float) -> Iterator[None]:
    """Put the machine behind a relay, and let the user know it there."""
    known = host.home / ".ssh" / "known_hosts"
    known.write_text(f"{known.read_text()}[127.0.0.1]:{PORT} {host.host_key}\n")
    words = [sys.executable, relay.__file__, str(PORT), host.address, str(host.port), str(one_way_s)]
    with subprocess.Popen(host.inside(words), stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "listens\n"
            yield
        finally:
            process.kill()


def evaluated(host: SshHost, home: Path) -> Done:
    """Measure the far machine against this one."""
    variables = {"HOME": str(host.home)}
    added = run(
        "machine",
        "add",
        "far",
        "--ssh",
        f"{host.user}@127.0.0.1:{PORT}",
        home=home,
        wrap=host.inside,
        variables=variables,
    )
    assert added.code == 0, added.err
    return run(
        "evaluate",
        "--command",
        "sleep 0.5",
        "--against",
        "far",
        "--json",
        home=home,
        wrap=host.inside,
        variables=variables,
    )


def test_a_way_of_60_ms_costs_no_figure(home: Path, tmp_path: Path) -> None:
    with ssh_host(tmp_path) as host, far(host, 0.03):
        done = evaluated(host, home)
    assert done.code == 0, done.err
    (row,) = [row for row in done.page["estimates"] if row["metric"] == "wall_time"]
    assert row["blocks"] == 3
    activity = newest(home)
    assert activity is not None
    there = [record for record in activity.records if record["machine"] == "far"]
    assert len(there) == 3
    for record in there:
        assert record["clock"]["rate"] == pytest.approx(1, abs=0.01)
        assert record["usage"]["wall_s"] == pytest.approx(0.5, abs=0.2)


def test_a_way_on_which_no_rate_would_become_known_is_refused_before_a_trial(
    make_home: object, tmp_path: Path
) -> None:
    home = make_home("far")  # type: ignore[operator]
    with ssh_host(tmp_path) as host, far(host, 0.4):
        done = evaluated(host, home)
    assert done.code == 4, done.err
    assert "cannot measure far: it answers after" in done.err
    activity = newest(home)
    assert activity is None or activity.records == []
