"""The script that holds a node as a job, whatever batch system runs it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

SCRIPT = Path(__file__).with_name("hold.sh")
CODES: Mapping[str, str] = {
    "41": "there is no /usr/sbin/sshd on the node",
    "42": "there is no ssh-keygen or flock on the node",
    "43": "a folder for its keys cannot be made in /tmp of the node",
    "44": "the job's account has no name on the node",
}
"""What its exit codes mean."""
