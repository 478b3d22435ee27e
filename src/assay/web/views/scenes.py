"""Evaluation scenes: those that come with assay, and the site's own."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter

from assay.model.files.own_scenes import OwnScene, own_scenes
from assay.report.lists.scene_index import listed_scenes
from assay.scenes import Scene, find_scene
from assay.scenes.find import check_scene_name
from assay.web.acts.requests import SaveScene
from assay.web.lines import moment
from assay.web.route import page
from assay.web.site import At, By, Site

router = APIRouter(tags=["scenes"])


@dataclass(frozen=True)
class OwnLine:
    """A scene of the site's own, in its newest version.

    Attributes:
        name: Its name.
        version: Number of the version.
        title: One line for people; ``None`` where it cannot be read.
        saved: When it was saved, ISO 8601 in UTC; ``None`` where that is not known.
        by: Who saved it.
        note: What was said of the version.
    """

    name: str
    version: int
    title: str | None
    saved: str | None
    by: str | None
    note: str | None


@dataclass(frozen=True)
class ReadyLine:
    """A scene that comes with assay.

    Attributes:
        name: Its name.
        title: One line for people.
        cited: Whose published figures stand beside its own.
        takes_s: About how long it takes, seconds; ``None`` where it does not say.
    """

    name: str
    title: str
    cited: tuple[str, ...]
    takes_s: float | None


@dataclass(frozen=True)
class Scenes:
    """The scenes.

    Attributes:
        own: Those of the site, by name.
        ready: Those that come with assay, by name.
        find: What titles and names are searched for; ``None`` for nothing.
        may_save: Whether who asks may save one.
    """

    own: tuple[OwnLine, ...]
    ready: tuple[ReadyLine, ...]
    find: str | None
    may_save: bool


@page(router, "/scenes", "scenes.html")
def scenes(site: At, by: By, find: str | None = None) -> Scenes:
    """All scenes: the site's own, and those that come with assay."""
    word = (find or "").casefold()
    own = tuple(map(own_line, own_scenes(site.home)))
    ready = tuple(
        ReadyLine(one["name"], one["title"], tuple(one["cited"]), one["takes_s"]) for one in listed_scenes()
    )
    return Scenes(
        own=tuple(one for one in own if word in f"{one.name} {one.title}".casefold()),
        ready=tuple(one for one in ready if word in f"{one.name} {one.title}".casefold()),
        find=find,
        may_save=by.role >= SaveScene.role,
    )


def own_line(one: OwnScene) -> OwnLine:
    """Return a version of an own scene in one line."""
    saved = None if one.saved_ns is None else moment(one.saved_ns)
    return OwnLine(one.name, one.version, one.title, saved, one.by, one.note)


def named_scene(site: Site, name: str) -> Scene:
    """Return a scene by its name alone: a path of this machine is none.

    Raises:
        UnknownNameError: None is called so.
    """
    check_scene_name(name, site.home)
    return find_scene(name, home=site.home)
