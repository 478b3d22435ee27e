"""Wrong inputs about platforms: one clear line, a documented code, and nothing made, changed or removed."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from assay.model.errors import Exit
from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.errors import PlatformError
from assay.platforms.guests.guest import start_guest
from assay.platforms.leftovers.clean import clean
from tests import command
from tests.live.conftest import Make
from tests.live.foreign import paused_domain
from tests.live.parts import activities, newest, run, seed_of, started
from tests.live.test_wrong_inputs import refused
from tests.platforms.guest_parts import PROBE, program, real_image, spec_of

pytestmark = pytest.mark.live

SCENE = """\
scene: wrong
title: A guest that cannot be
baseline: {{machine: local}}
treatment: {{platform: guest, factors: {factors}}}
workloads: [{{name: job, command: sleep 1}}]
"""

EXISTING = """\
scene: existing
title: A guest that is there already
baseline: {machine: local}
treatment: {machine: vm, domain: web}
workloads: [{name: job, command: sleep 1}]
"""


def scene(folder: Path, factors: str) -> str:
    """Write a scene of a guest with these factors and return its path."""
    file = folder / "wrong.yaml"
    file.write_text(SCENE.format(factors=factors))
    return str(file)


def within(*mounts: str) -> Callable[[Sequence[str]], Sequence[str]]:
    """Return a wrapper that runs a command in a mount namespace of its own, where these were
    mounted before.
    """
    script = " && ".join((*(f"mount {mount}" for mount in mounts), 'exec "$@"'))
    return lambda argv: ["unshare", "--mount", "sh", "-c", script, "sh", *argv]


def test_no_room_for_a_disk_laid_out_in_full_is_refused_with_both_figures(
    make_home: Make, tmp_path: Path
) -> None:
    small = make_home("small", images=False)
    file = scene(tmp_path, "{disk.preallocation: full, disk.format: qcow2}")
    done = run(
        "evaluate",
        file,
        home=small,
        wrap=within(f"-t tmpfs -o size=1g,mode=755 assay-test '{small}'"),
    )
    line = refused(done, 4)
    assert "disk.preallocation=full" in line
    assert "4294967296 bytes needed" in line
    assert str(small) in line


def test_an_unknown_factor_and_an_unknown_level_name_the_nearest(home: Path, tmp_path: Path) -> None:
    done = command.run("evaluate", scene(tmp_path, "{disk.cahce: none}"), home=home)
    assert "got the unknown key 'disk.cahce'; nearest: 'disk.cache'" in refused(done, 3)
    done = command.run("evaluate", scene(tmp_path, "{disk.cache: writebak}"), home=home)
    assert "nearest: 'writeback'" in refused(done, 3)
    assert "nearest: 'disk.cache'" in refused(run("platform", "try", "disk.cahce=none", home=home), 3)
    assert "writeback" in refused(run("platform", "try", "disk.cache=writebak", home=home), 3)
    assert activities(home) == []


def test_a_daemon_of_libvirt_that_cannot_start_is_told_in_one_line(make_home: Make, tmp_path: Path) -> None:
    home = make_home("daemonless")
    hide = ["-t tmpfs assay-test /run", f"--bind /bin/false '{program('libvirtd')}'"]
    done = run("evaluate", scene(tmp_path, "{}"), home=home, wrap=within(*hide))
    assert refused(done, 4).startswith("error: cannot start libvirtd: it ended at once")
    assert "hint: less " in done.err
    assert [one.records for one in activities(home)] == [[]]


def test_a_hypervisor_that_does_not_answer_is_told_before_anything_runs_and_none_is_started(
    make_home: Make, tmp_path: Path
) -> None:
    home, file = make_home("nobody", images=False), tmp_path / "existing.yaml"
    file.write_text(EXISTING)
    assert run("machine", "add", "vm", "--ssh", "root@127.0.0.1:1", home=home).code == 7
    hide = within("-t tmpfs assay-test /run")
    line = refused(run("evaluate", str(file), home=home, wrap=hide), 7)
    assert line.startswith("error: cannot reach the hypervisor qemu:///system: ")
    assert "libvirt-sock" in line
    assert activities(home) == []


@pytest.mark.long
def test_an_activity_whose_image_is_gone_is_not_resumed_with_another(make_home: Make, tmp_path: Path) -> None:
    home = make_home("imageless")
    seed = str(seed_of("bb"))
    file = scene(tmp_path, "{}")
    with started("evaluate", file, "--seed", seed, home=home, scratch=tmp_path) as running:
        running.wait_for(lambda: newest(home) and newest(home).records, "a record of the host")  # type: ignore[union-attr]
        running.send(signal.SIGTERM)
        assert running.end().code == 130
    (activity,) = activities(home)
    plan = activity.folder / "activity.json"
    reported: Any = json.loads(plan.read_text())
    reported["treatment"]["guest"]["image"] = "0123456789abcdef"
    plan.write_text(json.dumps(reported))
    done = run("activity", "resume", activity.id, home=home)
    assert "cannot find guest image 0123456789abcdef" in refused(done, 4)


@pytest.fixture
def connection(home: Path) -> Iterator[Any]:
    with libvirt_connection(home, subreaper=PROBE) as opened:
        yield opened


def test_a_foreign_domain_of_the_name_that_a_guest_would_have_is_left_alone(
    connection: Any, home: Path
) -> None:
    spec = spec_of(home, real_image(), activity=f"taken-{os.getpid()}")
    with paused_domain(connection, spec.name) as foreign:
        was = foreign.XMLDesc(0)
        with pytest.raises(PlatformError, match="a domain of this name is not ours") as error:
            start_guest(connection, spec)
        assert error.value.exit_code is Exit.MISSING
        assert spec.name not in {item.name for item in clean(home, subreaper=PROBE)}
        assert foreign.isActive()
        assert foreign.XMLDesc(0) == was
    assert not spec.folder.exists()
