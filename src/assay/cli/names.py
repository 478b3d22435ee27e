"""Names that complete in the shell: asked for only when a shell completes, never when a command runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from assay.cli.output import home_place
from assay.model.errors import AssayError

if TYPE_CHECKING:
    from assay.store.store import Store


class Completed(click.ParamType):  # type: ignore[type-arg] # generic in newer versions of click
    """A text that may be one of some names; whether it is, the command itself says.

    Args:
        name: What stands for it in the help.
        known: Returns the names.
        files: It may be the path of a file too.
    """

    def __init__(self, name: str, known: Callable[[], Sequence[str]], *, files: bool = False) -> None:
        self.name, self._known, self._files = name, known, files

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text as it is."""
        del param, ctx
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin so; where none does, paths if it may be one."""
        del ctx, param
        try:
            completions = [CompletionItem(name) for name in self._known() if name.startswith(incomplete)]
        except AssayError:  # a shell that completes is no place for errors
            return []
        return completions or ([CompletionItem(incomplete, type="file")] if self._files else [])


class _ScaleName(Completed):
    """The name of a scale of the scene that stands before it."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the scales that begin so."""
        del param
        from assay.cli.scenes import named_scene

        # an option without its value leaves the words before it unparsed
        scene = ctx.params.get("scene") or next(iter(ctx.args), "")
        try:
            scales = named_scene(str(scene)).scales
        except AssayError:
            return []
        return [CompletionItem(name, help=about) for name, about in scales if name.startswith(incomplete)]


def _results() -> Sequence[str]:
    from assay.store import quick

    known = quick.ids(home_place())
    if known is None:
        with closing(_store()) as store:
            known = sorted(store.ids())
    return ["last", *known] if known else []


def _machines() -> Sequence[str]:
    from assay.machines.who import members
    from assay.store import quick

    entries = quick.entries(home_place())
    if entries is None:
        with closing(_store()) as store:
            entries = store.entries()
    tags = dict.fromkeys(
        f"@{key}={value}" if value else f"@{key}" for one in entries for key, value in one.tags
    )
    return [*(one.name for one in entries), *members(entries), *tags]


def _store() -> Store:
    from assay.store.store import Store

    return Store(home_place())


def _scenes() -> Sequence[str]:
    from assay.scenes import ready_names

    return (*_own_scenes(), *ready_names())


def _own_scenes() -> Sequence[str]:
    from assay.model.files.own_scenes import own_names

    return own_names(home_place())


def _workloads() -> Sequence[str]:
    from assay.workloads import WORKLOADS

    return tuple(WORKLOADS)


def _tools() -> Sequence[str]:
    from assay.workloads import READERS

    return tuple(READERS)


def _formats() -> Sequence[str]:
    from assay.report.render.exporters import EXPORTERS

    return tuple(EXPORTERS)


def _charts() -> Sequence[str]:
    from assay.report.charts.charts import GROUPS

    return GROUPS


def _tables() -> Sequence[str]:
    from assay.activities.flat import TABLES

    return TABLES


def _packs() -> Sequence[str]:
    from assay.platforms.pack_sources import PACKS

    return tuple(PACKS)


def _ablations() -> Sequence[str]:
    from assay.scenes import ABLATIONS

    return tuple(ABLATIONS)


def _factors() -> Sequence[str]:
    from assay.factors.catalogue import FACTORS

    return (*FACTORS, *dict.fromkeys(factor.group for factor in FACTORS.values()))


def _settings() -> Sequence[str]:
    from assay.factors.catalogue import FACTORS

    return [f"{name}={level}" for name, factor in FACTORS.items() for level in factor.levels.choices]


def _tunings() -> Sequence[str]:
    from assay.activities.tuning.kept import tunings_in

    known = [one.id for one in tunings_in(home_place())]
    return ["last", *known] if known else []


RESULT = Completed("RESULT", _results)
WHO = Completed("WHO", _machines)
MACHINE = Completed("MACHINE", _machines)
SCENE = Completed("SCENE", _scenes, files=True)
OWN_SCENE = Completed("NAME", _own_scenes)
SCALE = _ScaleName("NAME", tuple)
WORKLOAD = Completed("NAME", _workloads)
TOOL = Completed("TOOL", _tools)
PACK = Completed("NAME", _packs)
ABLATION = Completed("NAME", _ablations)
FACTOR = Completed("FACTOR", _factors)
SETTING = Completed("FACTOR=LEVEL", _settings)
FORMAT = Completed("FORMAT", _formats)
CHART = Completed("NAME", _charts)
TABLE = Completed("NAME", _tables)
TUNING = Completed("SEARCH", _tunings)
