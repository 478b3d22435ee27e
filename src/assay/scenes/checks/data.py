"""What no single word shows of a scene's data: none for those who would read them, ways that no arm has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path as FilePath

from assay.model.platforms.data import LOCAL, NOISE, ROOT, DataSpec, access
from assay.model.units import BYTES
from assay.model.work.page_cache import CacheState
from assay.model.work.workload import names_data
from assay.scenes.text.errors import Problem
from assay.scenes.text.tree import Path, Tree
from assay.scenes.values.chosen import Own, Ready
from assay.scenes.values.scene import Guest, OtherMachine, Scene
from assay.workloads import WORKLOADS

_ACCESS, _FILESYSTEM, _PLACE = "data.access", "data.filesystem", "data.place"
_REPOSITORIES = FilePath("/cvmfs")
"""What lies there is mounted when it is first used, where there is a client: nothing can be said before."""
_SMALLEST_ROOT = 2 * BYTES["MiB"]
"""Of a made ROOT file: in less the forty branches alone would be most of it."""


def data_problems(scene: Scene, tree: Tree, *, folder: FilePath) -> Iterator[Problem]:
    """Yield the problems of a scene's data.

    Args:
        scene: As read.
        tree: The scene file.
        folder: Where a relative path of data starts.
    """
    if scene.data is None:
        yield from _without(scene, tree)
        return
    here = None if scene.data.path is None else folder / scene.data.path
    if here is not None and not here.is_relative_to(_REPOSITORIES) and not here.exists():
        sentence = f"expected an existing file or folder, got '{scene.data.path}', and {here} is not there"
        yield tree.problem(("data",), sentence)
    yield from _root_problems(scene, scene.data, tree)
    yield from _ahead_problems(scene, tree)
    wanted_each: tuple[Guest | OtherMachine, ...] = (*scene.guests, *scene.machines)
    swept = {dict(wanted.settings).get(_ACCESS, LOCAL) for wanted in wanted_each}
    levels = [dict(wanted.settings) for wanted in wanted_each]
    laid = (name for name in (_FILESYSTEM, _PLACE) if len({own.get(name) for own in levels}) > 1)
    several = _ACCESS if len(swept) > 1 else next(laid, None)
    if several and not scene.baseline_data and not _says(tree, ("baseline", "factors")):
        sentence = f"expected the baseline's own {several} where treatments differ in it, got none"
        hint = f"baseline: {{machine: local, factors: {{{_ACCESS}: local}}}}"
        yield tree.problem(("baseline",), sentence, key=True, hint=hint)
    if scene.baseline_container is not None and swept - {LOCAL}:
        sentence = (
            f"expected {_ACCESS} local where the baseline is a container, which reads this machine's disk"
        )
        yield tree.problem(("treatment", "factors"), sentence, key=True)


def _ahead_problems(scene: Scene, tree: Tree) -> Iterator[Problem]:
    """Yield arms whose data are to be read ahead and come by URLs."""
    wanted_each: tuple[Guest | OtherMachine, ...] = (*scene.guests, *scene.machines)
    arms = [(wanted.settings, getattr(wanted, "page_cache", None)) for wanted in wanted_each]
    arms.append((scene.baseline_data or (), None))
    said = {workload.cache.state for workload in scene.workloads if workload.cache}
    for levels, own in arms:
        if access(levels) == "xrootd" and CacheState.READ_AHEAD in ({own} if own else said):
            sentence = (
                "expected cold or warm beside data.access xrootd, got read-ahead: URLs are no files that it "
                "could read"
            )
            yield tree.problem(("treatment",), sentence, key=True)
            return


def _root_problems(scene: Scene, data: DataSpec, tree: Tree) -> Iterator[Problem]:
    """Yield who reads ROOT files where there are none, and files that are too small."""
    hint = "data: {size: 64 MiB, files: 4, content: root}"
    if data.path is None and data.content == NOISE:
        for index, workload in enumerate(scene.workloads):
            if isinstance(workload, Ready) and WORKLOADS[workload.name].data == ROOT:
                sentence = f"expected ROOT files as data for {workload.name}, got files of noise"
                yield tree.problem(("workloads", index), sentence, hint=hint)
    if data.content == ROOT and data.size_bytes < _SMALLEST_ROOT * data.files:
        sentence = (
            f"expected at least 2 MiB for each of {data.files} ROOT files, got {data.size_bytes:,} B together"
        )
        yield tree.problem(("data", "size"), sentence)


def beyond_data(tree: Tree, place: Path) -> bool:
    """Tell whether the factors at a place are more than those of data and scratch."""
    return place in tree.keys and not all(_group(name) in {"data", "scratch"} for name in _names(tree, place))


def _says(tree: Tree, place: Path) -> bool:
    return any(_group(name) == "data" for name in _names(tree, place))


def _names(tree: Tree, place: Path) -> list[str]:
    return [str(path[-1]) for path in tree.keys if path[:-1] == place]


def _group(name: str) -> str:
    return name.partition(".")[0]


def _without(scene: Scene, tree: Tree) -> Iterator[Problem]:
    """Yield who would read data where there are none."""
    hint = "data: {size: 64 MiB, files: 4}"
    for index, workload in enumerate(scene.workloads):
        if _reads(workload):
            sentence = f"expected the key 'data' for what {workload.name} reads, got none"
            yield tree.problem(("workloads", index), sentence, hint=hint)
    for place in (("treatment", "factors"), ("baseline", "factors")):
        if _says(tree, place):
            sentence = "expected the key 'data' for factors of group data, got none"
            yield tree.problem(place, sentence, key=True, hint=hint)


def _reads(workload: Ready | Own) -> bool:
    if isinstance(workload, Ready):
        return WORKLOADS[workload.name].data is not None
    return names_data(workload.command, *workload.prepare)
