"""Runs a job under `assay-probe prmon` and reads what it wrote as prmon's users read it."""

from __future__ import annotations

import csv
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.probe_native.driver import PROBE


@dataclass(frozen=True)
class Monitored:
    """A job that has been monitored in a folder."""

    folder: Path
    code: int
    stdout: str
    stderr: str

    @property
    def header(self) -> str:
        return (self.folder / "prmon.txt").read_text().splitlines()[0]

    @property
    def rows(self) -> list[dict[str, int]]:
        """All rows by the names of the header; every cell has to be a whole number."""
        with (self.folder / "prmon.txt").open(newline="") as file:
            rows = csv.DictReader(file, delimiter="\t")
            return [{name: int(cell) for name, cell in row.items()} for row in rows]

    @property
    def summary(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads((self.folder / "prmon.json").read_bytes())
        return value

    @property
    def log(self) -> str:
        return (self.folder / "prmon.log").read_text()

    @property
    def cpu_s(self) -> float:
        highest = self.summary["Max"]
        return float(highest["utime"] + highest["stime"])


def arguments(*options: object) -> list[str]:
    return [str(PROBE), "prmon", *map(str, options)]


def prmon(tmp_path: Path, *options: object, **given: Any) -> Monitored:
    """Monitors a job to its end in a fresh folder of its own."""
    folder = tmp_path / f"prmon{len(list(tmp_path.glob('prmon*')))}"
    folder.mkdir()
    given = {"timeout": 60, "stdin": subprocess.DEVNULL, "cwd": folder, **given}
    done = subprocess.run(arguments(*options), capture_output=True, text=True, check=False, **given)
    return Monitored(folder, done.returncode, done.stdout, done.stderr)


def begin(folder: Path, *options: object) -> subprocess.Popen[bytes]:
    """Starts to monitor in a folder; what the job prints is in its file `output`."""
    with (folder / "output").open("wb") as output:
        return subprocess.Popen(arguments(*options), cwd=folder, stdout=output)


def ended(job: subprocess.Popen[bytes]) -> int:
    """Waits for the end, which a test may not wait for in vain."""
    try:
        return job.wait(20)
    finally:
        job.kill()


def runs(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rsplit(")", 1)[1].split()[0] != "Z"
