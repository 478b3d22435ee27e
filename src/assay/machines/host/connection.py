"""What our own connection has had of another machine's processors: sshd's processes, the probe, a command.

Source: ``man 5 proc_pid_stat``; ``man 5 proc_pid_task``, ``children``.
Limits: where the command is not below an sshd (a batch system's step), nothing is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

SCRIPT = """\
pid=$$ session= last=
while [ "$pid" -gt 1 ] && read -r stat < "/proc/$pid/stat"; do
    echo "own $stat"
    case $stat in
    *" (sshd"*)
        [ -n "$session" ] && break
        session=$pid
        read -r children < "/proc/$pid/task/$pid/children"
        for child in $children; do
            [ "$child" = "$last" ] || { read -r stat_of < "/proc/$child/stat" && echo "beside $stat_of"; }
        done ;;
    esac
    last=$pid
    set -- ${stat##*) }
    pid=$2
done 2>/dev/null
"""
"""Prints, for ``sh``, what ``parse_own_ticks`` reads: itself, what is above it up to sshd's two processes of
the connection, and what else these carry.
"""
_USER, _WITH_WAITED = slice(11, 13), slice(11, 15)
"""``utime`` and ``stime``, then ``cutime`` and ``cstime``, counted from the state, which follows the name."""
_DIGITS = 18


def parse_own_ticks(lines: Iterable[str]) -> int:
    """Return the clock ticks that the connection has had so far; 0 where it is not told.

    Of sshd's second process, and of what runs beside the command, that which it waited for is left out: jobs,
    and the sessions of others.

    Args:
        lines: What ``SCRIPT`` printed; anything else is passed over.
    """
    ticks, sessions = 0, 0
    for line in lines:
        word, _, stat = line.partition(" ")
        name, _, rest = stat.partition(" (")[2].rpartition(") ")
        fields = rest.split()
        if word not in {"own", "beside"} or not _is_whole(fields[_WITH_WAITED]):
            continue
        sessions += word == "own" and name.startswith("sshd")
        whole = word == "own" and (sessions == 0 or (sessions == 1 and name.startswith("sshd")))
        ticks += sum(map(int, fields[_WITH_WAITED if whole else _USER]))
    return ticks if sessions else 0


def _is_whole(fields: Sequence[str]) -> bool:
    return len(fields) == 4 and all(one.isdecimal() and len(one) <= _DIGITS for one in fields)
