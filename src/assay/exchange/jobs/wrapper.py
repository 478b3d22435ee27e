"""What a farm installs so that its jobs are watched: a wrapper for HTCondor, a task prolog for Slurm.

Both start ``assay-probe prmon --pid`` beside the job. The job keeps its process number, its parent, its
signals and its exit code, and waits for a fork: all that may fail or take time is done in the background.

Source: HTCondor's manual, ``USER_JOB_WRAPPER`` (the wrapper has to exec the job) and "Environment Variables
    for Services"; Slurm's "Prolog and Epilog Guide", ``TaskProlog``.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Literal

Batch = Literal["htcondor", "slurm"]
BUDGET_PERCENT = 0.1
"""What the probe may take of one processor."""

# Slurm reads the prolog's output to its end and kills its process group: a watcher that holds the one keeps
# the job from starting, one that is in the other is killed.
_SCRIPT = """\
#!/bin/sh
# {install}
# A watcher is started beside the job, and the job runs whatever becomes of it.
dir={directory}
probe={probe}

/usr/bin/setsid /bin/sh -c '{{
  PATH=/usr/bin:/bin
  umask 022
  sleep 1
{names}
  [ -n "$node" ] && [ -n "$job" ] || exit
  cd "$2/$node" || exit
  case $(stat -c %u .) in 0|$(id -u)) ;; *) exit ;; esac # others could lay links in our way
  rm -f "$job.txt" "$job.json" "$job.json_snapshot"
  [ -e "$job.txt" ] || [ -L "$job.txt" ] || [ -e "$job.json" ] || [ -L "$job.json" ] && exit
  exec "$3" prmon --pid "$1" --interval {interval:g} --budget {budget:g} --suppress-hw-info \\
    --disable netmon --disable pss --filename "$job.txt" --json-summary "$job.json" --log-filename /dev/null
}} &' watcher "{pid}" "$dir" "$probe" </dev/null >/dev/null 2>&1

{end}
"""
_PARTS: Mapping[Batch, Mapping[str, str]] = {
    "htcondor": {
        "install": "HTCondor: USER_JOB_WRAPPER in the configuration of execute nodes.",
        "names": """\
  node=$(sed -n "s/^Machine = \\"\\([A-Za-z0-9._-]*\\)\\"\\$/\\1/p" "$_CONDOR_MACHINE_AD")
  job=$(sed -n "s/^GlobalJobId = \\"\\([A-Za-z0-9._@-]*\\)#\\([0-9.]*\\)#.*/\\2@\\1/p" "$_CONDOR_JOB_AD")""",
        "pid": "$$",
        "end": """\
[ -x "$1" ] || echo "cannot execute $1" >"${_CONDOR_WRAPPER_ERROR_FILE:-/dev/null}"
exec "$@\"""",
    },
    "slurm": {
        "install": "Slurm: TaskProlog in slurm.conf, or called by the one that is there.",
        "names": """\
  node=$SLURMD_NODENAME
  job=$SLURM_JOB_ID
  [ -z "$SLURM_STEP_ID" ] || job=$job.$SLURM_STEP_ID.$SLURM_PROCID # else it is the script of a batch job""",
        "pid": "$SLURM_TASK_PID",
        "end": "exit 0",
    },
}


def wrapper_script(batch: Batch, directory: str, *, probe: str, interval_s: float) -> str:
    """Return the script that a batch system's nodes run for each job.

    Args:
        batch: The batch system.
        directory: Where files are written, ``DIRECTORY/NODE/JOB.txt`` and ``.json``: an absolute path, local
            to each node. ``NODE`` is root's, open to all (1777): into a folder of anybody else's than root
            or the job's user, who could put links in the way of its files, nothing is written.
        probe: Where the probe lies on each node: an absolute path.
        interval_s: Seconds between samples, from 0.01 on; longer where the budget asks for it.

    Limits: what happens in a job's first second is in its totals, and in no sample of its own. Of a job that
        is killed together with its watcher there is what was sampled until then.
    """
    return _SCRIPT.format(
        directory=shlex.quote(directory),
        probe=shlex.quote(probe),
        interval=interval_s,
        budget=BUDGET_PERCENT,
        **_PARTS[batch],
    )
