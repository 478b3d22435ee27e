"""What an image holds, read from its disk without starting or mounting it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from assay.platforms.errors import NoGuestImageError
from assay.platforms.host_command import run
from assay.platforms.images.stored import Image, list_images

FOLDERS = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
"""Where the probe looks a program up in the guest."""

_PLAIN = re.compile(r"[A-Za-z0-9_.+/-]+")


def image_by_digest(home: Path, digest: str) -> Image:
    """Return one built image.

    Raises:
        NoGuestImageError: There is none of that digest, so what was measured with it cannot be continued.
    """
    for image in list_images(home):
        if image.digest == digest:
            return image
    msg = f"cannot find guest image {digest} under {home / 'images'}"
    raise NoGuestImageError(msg, hint="assay platform image build, then a new evaluation")


def missing_programs(image: Image, programs: Iterable[str]) -> tuple[str, ...]:
    """Return those of the programs that a guest of this image would not find; none of a disk of the user's.

    Args:
        image: A built image.
        programs: Names to look up in the guest's folders of programs, or absolute paths.
    """
    if image.name is not None:
        return ()  # partitions, file systems: only the guest itself can tell
    return tuple(program for program in programs if not _has(image, program))


def _has(image: Image, program: str) -> bool:
    if not _PLAIN.fullmatch(program):
        return True  # not a name to hand to debugfs; the trial itself will tell
    paths = [program] if program.startswith("/") else [f"{folder}/{program}" for folder in FOLDERS]
    # one request a path on standard input: debugfs takes no list
    requests = "".join(f"stat {path}\n" for path in paths)
    ended = run(["debugfs", "-f", "-", str(image.disk)], stdin=requests.encode())
    return b"Inode:" in ended.stdout
