"""Makes the home of an earlier assay that ``tests/store/test_earlier_home.py`` opens.

``python -m tests.store.homes.make CHECKOUT tests/store/homes/COMMIT.tar.xz`` runs the assay of a checkout at
that commit (with its ``.venv``) on this machine alone, 2 minutes: a complete activity with its proof, one
with a rejected trial, one that is killed in its third trial, one of another home that is imported, and a
machine in the inventory.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

BASE = Path("/var/tmp/assay-earlier")
"""What is measured lies here, and its database says so."""
HOME, ELSEWHERE, ROLES = "home", "elsewhere", "roles.json"
SCENE = """\
scene: {name}
title: This machine against itself under a limit
baseline: {{machine: local}}
treatment: {{machine: local, factors: {{cpu.quota: 50 %}}}}
design: {{shape: pairs, rerun: [{rerun}]}}
workloads:
- name: loop
  command: sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'
"""
KILLED_IN = 2
"""The third trial."""


def main() -> None:
    """Make the home and pack it."""
    checkout, archive = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    shutil.rmtree(BASE, ignore_errors=True)
    BASE.mkdir(mode=0o700)
    try:
        roles = _measure(Earlier(checkout))
        (BASE / ROLES).write_text(json.dumps(roles, indent=1) + "\n")
        _strip(BASE)
        with tarfile.open(archive, "w:xz") as packed:
            for name in (HOME, ELSEWHERE, ROLES):
                packed.add(BASE / name, name)
    finally:
        shutil.rmtree(BASE)


class Earlier:
    """The assay of a checkout.

    Args:
        checkout: Where it lies.
    """

    def __init__(self, checkout: Path) -> None:
        self._words = (checkout / ".venv/bin/python", "-c", "from assay.cli import main; main()")

    def start(self, *words: str | Path, home: str = HOME) -> subprocess.Popen[str]:
        """Start a command."""
        environment = {**os.environ, "ASSAY_HOME": str(BASE / home)}
        return subprocess.Popen([*self._words, *words], env=environment, stdout=subprocess.PIPE, text=True)

    def run(self, *words: str | Path, home: str = HOME) -> str:
        """Run a command to its end."""
        process = self.start(*words, home=home)
        said, _ = process.communicate()
        if process.returncode != 0:
            raise SystemExit(f"assay {' '.join(map(str, words))}: exit code {process.returncode}")
        return said

    def newest(self, home: str = HOME) -> str:
        """Return the newest activity."""
        return str(json.loads(self.run("activity", "list", "--json", home=home))["activities"][0]["id"])


def _measure(assay: Earlier) -> dict[str, str]:
    limit, disturbed = _scene("limit", ""), _scene("disturbed", "foreign-cpu")
    assay.run("machine", "add", "bench", "--ssh", "root@192.0.2.1")
    assay.run("evaluate", limit, "--seed", "1")
    roles = {"complete": assay.newest()}
    assay.run("explain", roles["complete"], "--prove", "--ablate", "cpu-quota", "--blocks", "3")
    roles["run"] = assay.newest()  # the second of two
    assay.run("evaluate", limit, "--seed", "2", home="other")
    roles["imported"] = assay.newest("other")
    shutil.copytree(BASE / "other/activities" / roles["imported"], BASE / ELSEWHERE / roles["imported"])
    assay.run("result", "import", BASE / ELSEWHERE / roles["imported"])
    roles["rejected"] = _disturb(assay, disturbed)
    roles["interrupted"] = _kill(assay, limit)
    return roles


def _scene(name: str, rerun: str) -> Path:
    file = BASE / f"{name}.yaml"
    file.write_text(SCENE.format(name=name, rerun=rerun))
    return file


def _disturb(assay: Earlier, scene: Path) -> str:
    """Keep the measured processor busy until a trial is rejected, and let the activity end."""
    known = set(_folders())
    with assay.start("evaluate", scene, "--seed", "3") as process:
        folder = _waited(lambda: next(iter(set(_folders()) - known), None))
        cpus = json.loads((folder / "activity.json").read_text())["baseline"]["limits"]["cpus"]
        code = f"import os\nos.sched_setaffinity(0, {cpus})\nwhile True: pass"
        with subprocess.Popen([sys.executable, "-c", code]) as loop:
            _waited(lambda: list(folder.glob("rejected/*/trial.json")))
            loop.kill()
        if process.wait() != 0:
            raise SystemExit("the disturbed activity did not end well")
    return folder.name


def _kill(assay: Earlier, scene: Path) -> str:
    """Kill an evaluation in a trial; its job ends by itself."""
    known = set(_folders())
    with assay.start("evaluate", scene, "--seed", "4") as process:
        folder = _waited(lambda: next(iter(set(_folders()) - known), None))
        note = _waited(lambda: _runs(folder))
        process.send_signal(signal.SIGKILL)
    _waited((Path(note["into"]) / "probe.json").exists)
    time.sleep(1)
    return folder.name


def _runs(folder: Path) -> Any:
    note = folder / "inflight.json"
    said: Any = json.loads(note.read_text()) if note.exists() else {"index": None}
    return said if said["index"] == KILLED_IN and Path(said["into"]).exists() else None


def _folders() -> list[Path]:
    return [path.parent for path in (BASE / HOME / "activities").glob("*/activity.json")]


def _waited(found: Callable[[], Any]) -> Any:
    while not (value := found()):
        time.sleep(0.02)
    return value


def _strip(folder: Path) -> None:
    """Take out what is large and made anew: the probe, what APT read of its lists, and pages in HTML."""
    for path in [*folder.rglob("probe-*"), *folder.rglob("apt.bin"), *folder.rglob("report.html")]:
        path.unlink()


if __name__ == "__main__":
    main()
