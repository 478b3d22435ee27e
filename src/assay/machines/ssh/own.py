"""A program of our folder on another machine, looked at and started by one command."""

from __future__ import annotations

from collections.abc import Sequence

from assay.machines.errors import UnreachableError
from assay.machines.ssh.sftp import STEP_S
from assay.machines.ssh.stream import SshChannel
from assay.model.files.marker import FILE

THERE = b"assay: it is there"

# What claim.py and the digest see by SFTP, in a request each. `stat -c %f` is the kind and the permission
# bits in hexadecimal: 4 a folder, 8 a file; of the last two digits the bit of 1 is the group's writing, of 2
# the others'. A word that a shell or a machine does not have says no, and SFTP then says why. One line and
# no `!`, as csh may stand between.
_LOOK = (
    f'f=$1; p=$2; d=$3; shift 3; test -O "$f" && test -O "$p" && test -f "$f/{FILE}" && '
    'case "$(stat -c "%f " "$f" "$p")" in '
    '4?[02468ace][014589cd]" "*8?[02468ace][014589cd]" ") '
    'case "$(sha256sum "$p")" in "$d "*) '
    f'echo "{THERE.decode()}" && exec "$p" "$@";; esac;; esac'
)


def command_of(folder: str, program: str, sha256: str, words: Sequence[str]) -> list[str]:
    """Return the command that starts a program if it and its folder are ours alone, and its content this one.

    Before the program says anything, ``THERE`` does.
    """
    return ["sh", "-c", _LOOK, "sh", folder, program, sha256, *words]


def began(channel: SshChannel) -> bool:
    """Tell whether that command has started its program.

    Raises:
        UnreachableError: The machine was lost, or is silent.
    """
    try:
        return channel.receive(STEP_S) == THERE
    except UnreachableError:
        if channel.exit_code is None:
            raise
        return False
