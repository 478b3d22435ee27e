"""A container image of ours that keeps the contract of hep-workloads, made without a network.

It holds this machine's ``sh`` with its libraries and a driver of shell built-ins that counts, and writes its
summary to ``/results`` as ``bmk-driver.sh`` does.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

IMAGE = "localhost/count-loop-bmk:v1"
ULIMITS = ("--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1000:1000")
"""podman below version 5 asks for more than a machine may allow."""

DRIVER = r"""#!/bin/sh
copies=1 threads=1 events=10 log=ok
while [ $# -gt 0 ]; do
    case "$1" in
        -W) ;;
        -c) copies=$2; shift ;;
        -t) threads=$2; shift ;;
        -e) events=$2; shift ;;
        --fail) log="ERROR: doOne failed" ;;
        *) echo "unknown argument $1" >&2; exit 1 ;;
    esac
    shift
done
all=$((copies * threads * events)) done=0
read -r start rest </proc/uptime
while [ $done -lt $((all * 1000)) ]; do done=$((done + 1)); done
read -r end rest </proc/uptime
ticks=$((${end%.*} * 100 + 1${end#*.} - ${start%.*} * 100 - 1${start#*.} + 1))
score=$((all * 10000 / ticks))
printf '{"run_info": {"copies": %d, "threads_per_copy": %d, "events_per_thread": %d, "extra_arguments": ""},
 "report": {"wl-scores": {"count": %d.%02d}, "wl-stats": {"count": {"count": %d, "avg": %d.%02d, "min": %d.%02d}}, "log": "%s"},
 "app": {"version": "v1", "description": "counts", "containment": "podman"}}\n' \
    $copies $threads $events $((score / 100)) $((score % 100)) $copies \
    $((score / copies / 100)) $((score / copies % 100)) $((score / copies / 100)) $((score / copies % 100)) "$log" >/results/count-loop_summary.json
echo "counted to $done"
"""  # noqa: E501


def podman(storage: Path) -> tuple[str, ...]:
    """Return podman with a storage of its own."""
    return (
        *("podman", "--root", str(storage / "root"), "--runroot", str(storage / "run")),
        *("--storage-driver", "vfs", "--cgroup-manager", "cgroupfs", "--runtime", "runc"),
        *("--events-backend", "none"),
    )


def make_image(storage: Path) -> None:
    """Make the image in a storage; the folder must be there and be removed by ``podman unshare`` or root."""
    tree = storage / "tree"
    shell = Path(shutil.which("sh") or "/bin/sh").resolve()
    reported = subprocess.run(["ldd", str(shell)], capture_output=True, text=True, check=True).stdout
    for path in {str(shell), *re.findall(r"(/\S+) \(0x", reported)}:
        place = tree / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)
    for name, content in (("bin/sh", shell.read_bytes()), ("bmk", DRIVER.encode())):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_bytes(content)
        (tree / name).chmod(0o755)
    archive = storage / "image.tar"
    subprocess.run(["tar", "-C", str(tree), "-cf", str(archive), "."], check=True)
    entry = 'ENTRYPOINT ["/bmk"]'
    subprocess.run(
        [*podman(storage), "import", "--change", entry, str(archive), IMAGE], check=True, capture_output=True
    )
