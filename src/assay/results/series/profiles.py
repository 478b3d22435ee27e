"""Where the time went: the profiles of a workload's trials, summed by arm and drawn."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.model.activity import ActivityPlan
from assay.model.errors import AssayError
from assay.model.trial import State, Trial
from assay.probe import count_samples, merge_folded
from assay.report.charts.flame import difference_svg, flame_svg, speedscope
from assay.report.charts.flames import Flame
from assay.store.readers import keep_folder
from assay.store.record import replace_file

FOLDED = "profile.folded"
"""Beside a trial's record: the stacks that were sampled; of several guests in the folder of each."""
FOLDER = "profiles"
"""Beside the report."""


@dataclass(frozen=True)
class Profile:
    """All that was sampled of a workload on one arm.

    Attributes:
        workload: Its name.
        label: Label of the arm.
        folded: Folded stacks of all its trials, summed.
        trials: Number of these trials.
        of_baseline: It is the baseline's, with which the others are compared.
    """

    workload: str
    label: str
    folded: bytes
    trials: int
    of_baseline: bool = False

    @property
    def title(self) -> str:
        """What a picture of it shows."""
        trials = f"{self.trials} trial{'' if self.trials == 1 else 's'}"
        return f"{self.workload} on {self.label}: {count_samples(self.folded)} samples of {trials}"


def has_profiles(folder: Path) -> bool:
    """Tell whether anything was sampled of any trial of an activity's folder."""
    return any(any(folder.glob(f"trials/{each}/{FOLDED}")) for each in ("*", "*/*"))


def profiles(plan: ActivityPlan, records: Sequence[Trial], folder: Path) -> Iterator[tuple[Profile, ...]]:
    """Yield the profiles of each workload that has any, the baseline's first."""
    for workload in plan.workloads:
        arms = plan.arms
        mine = [[r for r in records if plan.arm_of(r.planned) is arm] for arm in arms]
        by_arm = [
            _profile(workload.name, arm.label, ours, folder) for arm, ours in zip(arms, mine, strict=True)
        ]
        by_arm[0] = replace(by_arm[0], of_baseline=True)
        if any(profile.folded for profile in by_arm):
            yield tuple(profile for profile in by_arm if profile.folded)


def _profile(workload: str, label: str, records: Sequence[Trial], folder: Path) -> Profile:
    ours = [r for r in records if r.state is State.ENDED and r.planned.workload == workload]
    found = [_stacks(folder / "trials" / one.planned.name, one) for one in ours]
    parts = [stacks for of_trial in found for stacks in of_trial]
    return Profile(workload, label, merge_folded(parts), len([*filter(None, found)]))


def _stacks(place: Path, record: Trial) -> list[bytes]:
    """Return what was sampled in a trial, of each of several guests."""
    folders = [place / one.name for one in record.members] or [place]
    files = (each / FOLDED for each in folders)
    return [file.read_bytes() for file in files if file.is_file()]


def flames(
    plan: ActivityPlan, records: Sequence[Trial], folder: Path, *, write: bool = False
) -> tuple[Flame, ...]:
    """Return the flame graphs of each workload: the baseline's, the treatment's, and the difference.

    Args:
        plan: What was planned.
        records: The records of all trials.
        folder: The activity's folder.
        write: Write each picture, its folded stacks and a speedscope file into ``profiles`` there, and name
            these files by their path from the folder; else those that lie there, by their whole path.
    """
    return tuple(_shown(flame, folder, write=write) for arms in profiles(plan, records, folder)
                 for flame in _drawn(arms))  # fmt: skip


@dataclass(frozen=True)
class _Drawn:
    """A picture and its files' names and contents."""

    flame: Flame
    files: tuple[tuple[str, str, bytes], ...]


def _drawn(arms: tuple[Profile, ...]) -> Iterator[_Drawn]:
    for arm in arms:
        yield _one(arm)
    base, *others = arms
    yield from (_difference(base, treated) for treated in others if base.of_baseline)


def _difference(base: Profile, treated: Profile) -> _Drawn:
    title = f"{base.workload}: {treated.label} against {base.label}; red: more there"
    flame = _draw(title, lambda: difference_svg(base.folded, treated.folded, title))
    return _Drawn(flame, _svg(flame, f"{base.workload}-{treated.label}-against-{base.label}"))


def _one(arm: Profile) -> _Drawn:
    flame = _draw(arm.title, lambda: flame_svg(arm.folded, arm.title))
    name = f"{arm.workload}-{arm.label}"
    files = [*_svg(flame, name), ("folded stacks", f"{_slug(name)}.folded", arm.folded)]
    if flame.svg is not None:
        content = speedscope(arm.folded, arm.title).encode()
        files.append(("for speedscope", f"{_slug(name)}.speedscope.json", content))
    return _Drawn(flame, tuple(files))


def _draw(title: str, draw: Callable[[], str]) -> Flame:
    """Draw a picture; a report without it is better than none."""
    try:
        return Flame(title, draw())
    except AssayError as error:
        return Flame(title, None, error.message)


def _svg(flame: Flame, name: str) -> tuple[tuple[str, str, bytes], ...]:
    return () if flame.svg is None else (("to zoom and search", f"{_slug(name)}.svg", flame.svg.encode()),)


def _shown(drawn: _Drawn, folder: Path, *, write: bool) -> Flame:
    place = folder / FOLDER
    if write:
        place.mkdir(exist_ok=True)
        keep_folder(place)
        for _, name, content in drawn.files:
            replace_file(place / name, content)
        files = tuple((what, f"{FOLDER}/{name}") for what, name, _ in drawn.files)
    else:
        files = tuple((what, str(place / name)) for what, name, _ in drawn.files if (place / name).is_file())
    return Flame(drawn.flame.title, drawn.flame.svg, drawn.flame.reason, files)


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "_", name)
