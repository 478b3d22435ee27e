"""Files of accounting, and prmon's files of jobs, read into whatever adds them up."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from assay.exchange.errors import TableError
from assay.exchange.jobs.job import Damaged, EventsOf, Told
from assay.exchange.jobs.read import open_jobs
from assay.pages.production import Accounting

ENDS = (".txt", ".json", ".json_snapshot")
"""Of prmon's files of one job, from the one that tells most to the one that tells least."""


class Sums(Protocol):
    """What adds up what files tell."""

    def add(self, told: Iterable[Told]) -> int:
        """Add what a file tells; return how many jobs of it count."""


def read_all(files: Sequence[Path], events: EventsOf, sums: Sums) -> tuple[Accounting, ...]:
    """Add what all files tell: accounting first, as it says how the jobs ended that prmon saw.

    Args:
        files: The files, or folders of prmon's files; of one job's the series is read, and of its summary how
            the job ended.
        events: Events of a job.
        sums: What adds them up.

    Raises:
        TableError: A file cannot be read, or is no accounting.
    """
    inside = [one for folder in files if folder.is_dir() for one in _files_in(folder)]
    named = dict.fromkeys([*(file for file in files if not file.is_dir()), *inside])
    places: dict[Path, int] = {}
    for file in named:
        places.setdefault(file.with_suffix(""), len(places))
    apart, watched = set(inside), dict[Path, None]()
    accounts = []
    for file in sorted(named, key=lambda one: (places[one.with_suffix("")], _detail(one))):
        if any(file.with_suffix(end) in watched for end in ENDS[: _detail(file)]):
            continue
        try:
            with open_jobs(file, events) as (kind, told):
                if kind == "prmon":
                    watched[file] = None
                else:
                    accounts.append(Accounting(str(file), kind, sums.add(told)))
        except TableError as error:
            if file not in apart:
                raise
            sums.add([Damaged(error.place, error.expected, error.actual)])
    if watched:
        jobs = sum(_watched(file, events, sums) for file in watched)
        accounts.append(_together([*watched], jobs))
    return tuple(accounts)


def _detail(file: Path) -> int:
    """Return the place of a file among those of prmon's that tell of the same job."""
    return ENDS.index(file.suffix) if file.suffix in ENDS else 0


def _files_in(folder: Path) -> Sequence[Path]:
    found = sorted(one for one in folder.rglob("*") if one.suffix in ENDS[:2] and one.is_file())
    if not found:
        raise TableError(place=str(folder), expected="prmon's files of jobs in it", actual="none")
    return found


def _watched(file: Path, events: EventsOf, sums: Sums) -> int:
    with open_jobs(file, events) as (_, told):
        return sums.add(told)


def _together(watched: Sequence[Path], jobs: int) -> Accounting:
    """Return the files of single jobs as one source."""
    place = watched[0] if len(watched) == 1 else os.path.commonpath([file.parent for file in watched]) or "."
    return Accounting(str(place), "prmon", jobs)
