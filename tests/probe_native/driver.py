"""Runs the built probe and checks what it says against the protocol's schema."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

TREE = Path(__file__).resolve().parents[2]
PROBE = TREE / "src/assay/probe/bin/assay-probe"
SCHEMA: dict[str, Any] = json.loads((TREE / "contracts/probe-v1.schema.json").read_bytes())


TICK_S = 0.01
ENDING_S = 0.04
"""What the end of a few processes takes at most, after they have said what they used; on a
disturbed machine.
"""


def is_counted(cpu_s: float, *, told_s: float) -> bool:
    """Tell whether CPU time is what processes said themselves shortly before their end: nothing more, nothing
    less.
    """
    return told_s - TICK_S <= cpu_s <= told_s + ENDING_S


def conforms(value: object, part: str) -> None:
    """Holds a value to one part of the schema."""
    Draft202012Validator({"$defs": SCHEMA["$defs"], "$ref": f"#/$defs/{part}"}).validate(value)


def probe(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PROBE, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False
    )


def reported(*arguments: object, part: str | None = None) -> dict[str, Any]:
    """What a command that succeeds prints."""
    done = probe(*arguments)
    assert done.returncode == 0, done.stderr
    value: dict[str, Any] = json.loads(done.stdout)
    if part is not None:
        conforms(value, part)
    return value


def wait_for(check: Any, timeout_s: float = 60) -> Any:
    """Waits until the check yields something true."""
    end = time.monotonic() + timeout_s
    while time.monotonic() < end:
        if found := check():
            return found
        time.sleep(0.02)
    msg = f"nothing within {timeout_s} s"
    raise AssertionError(msg)


@dataclass(frozen=True)
class Run:
    """A run in its folder."""

    folder: Path

    @property
    def record(self) -> dict[str, Any]:
        """The record, once it is there."""
        path = self.folder / "probe.json"
        wait_for(path.exists)
        value: dict[str, Any] = json.loads(path.read_bytes())
        conforms(value, "record")
        return value

    @property
    def stdout(self) -> str:
        return (self.folder / "stdout").read_text()

    @property
    def state(self) -> str:
        state: str = reported("status", self.folder, part="status")["state"]
        return state

    def samples(self) -> list[dict[str, float | None]]:
        """All rows, once the run is over."""
        assert self.record
        header, *rows = (self.folder / "samples.csv").read_text().splitlines()
        names = header.split(",")
        return [
            dict(zip(names, [float(c) if c else None for c in row.split(",")], strict=True)) for row in rows
        ]


# In a mount namespace of its own the probe finds no control groups: the job is the tree of processes.
NO_GROUPS = ("unshare", "--mount", "sh", "-c", 'umount --recursive --lazy /sys/fs/cgroup; exec "$@"', "sh")


def start(tmp_path: Path, *command: str, through: tuple[str, ...] = (), **fields: Any) -> Run:
    """Starts a job in a fresh folder; ``through`` is what the probe itself is started by."""
    spec = {"protocol": [1, 4], "command": list(command), "directory": str(tmp_path / "work"), **fields}
    conforms(spec, "spec")
    number = len(list(tmp_path.glob("run*")))
    path = tmp_path / f"spec{number}.json"
    path.write_text(json.dumps(spec))
    into = tmp_path / f"run{number}"
    subprocess.run(
        [*through, PROBE, "run", path, "--into", into], check=True, capture_output=True, timeout=60
    )
    return Run(tmp_path / f"run{number}")
