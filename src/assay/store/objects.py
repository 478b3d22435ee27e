"""What many records of an activity share, kept once by its digest: the domains of its guests.

Layout of an activity's folder::

    objects/<digest>         a text, by the SHA-256 of its UTF-8 in hex

They lie with the activity and not with the home, so that its folder stays whole wherever it is copied to.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from assay.model.trial import Trial
from assay.store.readers import keep_folder
from assay.store.record import replace_file, sync_folder

FOLDER = "objects"


def keep_object(activity: Path, text: str) -> str:
    """Keep a text in an activity's folder, where it is not there yet; return its digest.

    Raises:
        OSError: It cannot be written.
    """
    content = text.encode()
    digest = hashlib.sha256(content).hexdigest()
    file = activity / FOLDER / digest
    if not file.exists():
        if not file.parent.exists():
            file.parent.mkdir(exist_ok=True)
            keep_folder(file.parent)
            sync_folder(activity)
        replace_file(file, content)
    return digest


def object_text(activity: Path, digest: str) -> str | None:
    """Return a text by its digest; ``None`` where it is not there, or is another."""
    if re.fullmatch("[0-9a-f]{64}", digest) is None:  # a record of others may say anything
        return None
    try:
        content = (activity / FOLDER / digest).read_bytes()
    except OSError:
        return None
    return content.decode() if hashlib.sha256(content).hexdigest() == digest else None


def with_objects(activity: Path, trial: Trial) -> Trial:
    """Return a record as it is written: the domain of its guest lies beside it, by its digest.

    Raises:
        OSError: It cannot be written.
    """
    platform = trial.platform
    if platform is None or not platform.domain_xml:
        return trial
    digest = keep_object(activity, platform.domain_xml)
    return replace(trial, platform=replace(platform, domain_xml="", domain=digest))


def domain_of(activity: Path, trial: Trial) -> str | None:
    """Return the domain of a trial's guest as libvirt held it; ``None`` without one, or where it is gone."""
    platform = trial.platform
    if platform is None or (platform.domain is None and not platform.domain_xml):
        return None
    return platform.domain_xml or object_text(activity, str(platform.domain))


def missing_objects(activity: Path, trials: Iterable[Trial]) -> frozenset[str]:
    """Return the digests that records name and that are not in their activity's folder."""
    named = {trial.platform.domain for trial in trials if trial.platform is not None} - {None}
    folder = activity / FOLDER
    there = {path.name for path in folder.iterdir()} if named and folder.is_dir() else set()
    return frozenset(str(digest) for digest in named if digest not in there)
