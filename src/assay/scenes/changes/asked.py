"""A scene with settings, workloads or a baseline of the command line in its text, read anew."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from assay.factors.base.levels import LevelError
from assay.factors.catalogue import FACTORS, read_level
from assay.factors.start.starts import AT_ONCE, PRELOAD, TAKES_SEVERAL
from assay.factors.start.starts import WORDS as START_WORDS
from assay.model.errors import AssayError
from assay.scenes.load import read_scene
from assay.scenes.text.errors import SceneError
from assay.scenes.values.scene import Scene

FILE = "--show-scene"
"""Where the scene says that it was read from: what the option shows."""
SHOWN = 60
"""Of a longer level the message has the beginning."""


@dataclass(frozen=True)
class Asked:
    """What is asked for beside what a scene says.

    Attributes:
        settings: Levels of the treatment's factors, as written: one, or several with commas between.
        baseline: ``guest`` compares with the guest as the scene has it, instead of the machine.
        workloads: Names of ready workloads instead of the scene's.
    """

    settings: Mapping[str, str] = field(default_factory=dict)
    baseline: str | None = None
    workloads: Sequence[str] = ()

    @property
    def nothing(self) -> bool:
        """Tell whether nothing is asked for."""
        return not (self.settings or self.baseline or self.workloads)


def asked_scene(scene: Scene, asked: Asked) -> Scene:
    """Return a scene with what is asked for in its text; comments and order stay.

    Raises:
        AssayError: The scene has several treatments, or none that is a guest where one is needed; or there is
            no such factor or level.
        SceneError: What comes of it is no scene; places are those of its text.
    """
    if asked.nothing:
        return scene
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.width = 110
    words = yaml.load(scene.source)
    if asked.workloads:
        words["workloads"] = list(asked.workloads)
    if asked.settings or asked.baseline:
        _set(words, scene, asked)
    for word in ("takes", "published", "scales"):  # said of the scene as it was
        words.pop(word, None)
    words["title"] = _title(scene, asked)
    text = io.StringIO()
    yaml.dump(words, text)
    try:
        return read_scene(text.getvalue().encode(), file=str(Path(scene.file).parent / FILE))
    except SceneError as error:
        _check_settings(asked.settings)
        raise SceneError(FILE, error.problems) from error


def _check_settings(settings: Mapping[str, str]) -> None:
    """Refuse a setting that is none by itself, in the words of the command line.

    Raises:
        AssayError: There is no such factor, or no such level.
    """
    for name, text in settings.items():
        levels = _levels(name, text)
        for level in levels if isinstance(levels, list) else [levels]:
            try:
                read_level(name, level)
            except LevelError as error:
                raise _unread(name, text, error, level if name in FACTORS else None) from error


def _unread(name: str, text: str, error: LevelError, level: object = None) -> AssayError:
    got = "" if level is None else f", got '{level}'"
    near = f"; nearest: '{error.nearest}'" if error.nearest else ""
    msg = f"cannot read '--set {name}={text}': expected {error.expected}{got}{near}"
    return AssayError(msg, hint=f"assay factors show {name}" if name in FACTORS else "assay factors list")


def takes_asked(text: str, factor: str) -> bool:
    """Tell whether a scene's one treatment is a guest whose factor can be set, and compared with it as it is.

    Args:
        text: The scene's text.
        factor: Name of the factor.
    """
    treatment = _one_guest(text)
    if treatment is None:
        return False
    return factor not in START_WORDS or factor == PRELOAD or isinstance(treatment.get("layout"), dict)


@lru_cache(maxsize=4)
def _one_guest(text: str) -> Mapping[str, object] | None:
    """Return the words of a scene's treatment where that is one guest; ``None`` where it is anything else."""
    from assay.scenes.text.tree import read_tree

    try:
        words = read_tree(text, FILE).value
    except SceneError:
        return None
    treatment = words.get("treatment") if isinstance(words, dict) else None
    if not isinstance(treatment, dict) or treatment.get("platform") != "guest":
        return None
    said = (treatment.get("factors"), treatment.get("layout"))
    levels = (level for words in said if isinstance(words, dict) for level in words.values())
    swept = isinstance(treatment.get("layout"), list) or any(isinstance(level, list) for level in levels)
    return None if swept else treatment


def _set(words: Any, scene: Scene, asked: Asked) -> None:
    """Give the treatment its levels, and the baseline what the treatment had."""
    treatment = words.get("treatment")
    if not isinstance(treatment, dict):
        msg = f"cannot change the scene {scene.name}: it has several treatments, or names its one elsewhere"
        raise AssayError(msg, hint=f"write a scene of your own: assay scene show {scene.name}")
    before = dict(treatment.get("factors") or {})
    if asked.baseline is not None:
        if treatment.get("platform") != asked.baseline:
            msg = f"cannot compare with the {asked.baseline} of the scene {scene.name}: its treatment is none"
            raise AssayError(msg)
        baseline = {"machine": scene.baseline, "platform": asked.baseline, "factors": before}
        words["baseline"] = {**baseline, **_one_layout(treatment)}
    levels = {name: _levels(name, text) for name, text in asked.settings.items()}
    for name, level in levels.items():
        if name in START_WORDS:
            _set_start(treatment, scene, name, level)
        else:
            treatment.setdefault("factors", {})[name] = level
    said = {**(treatment.get("factors") or {}), **levels}
    design = words.get("design")
    if levels and design and any(isinstance(level, list) for level in said.values()) and "shape" in design:
        design["shape"] = "auto"  # the only one that a sweep may have beside the ordinary one


def _one_layout(treatment: Any) -> dict[str, Any]:
    """Return the layout of a treatment as a baseline takes it; nothing where it is not one."""
    layout = treatment.get("layout")
    if not isinstance(layout, dict) or any(isinstance(value, list) for value in layout.values()):
        return {}
    return {"layout": dict(layout)}


def _set_start(treatment: Any, scene: Scene, name: str, levels: object) -> None:
    """Give the layout of a treatment's guests the levels of a factor of starts.

    Raises:
        AssayError: It has one guest alone, which starts apart from nobody, or several layouts; or a level is
            none.
    """
    layout = treatment.setdefault("layout", {}) if scene.guests else treatment.get("layout")
    layouts = [*(one.layout for one in scene.guests), *(one.layout for one in scene.containers)]
    most = max((one.guests for one in layouts), default=0)
    if not isinstance(layout, dict):
        why = "its treatment has a list of layouts" if layout else "its treatment has no layout"
    elif most == 1 and name != PRELOAD:
        why = TAKES_SEVERAL
    else:
        every = levels if isinstance(levels, list) else [levels]
        read = [_start(name, level) for level in every]
        layout[START_WORDS[name]] = read if isinstance(levels, list) else read[0]
        return
    msg = f"cannot set {name} of the scene {scene.name}: {why}"
    raise AssayError(msg, hint=f"write it into a scene of your own: assay scene show {scene.name}")


def _start(name: str, level: object) -> object:
    """Return a level of a factor of starts as the layout says it."""
    try:
        text = read_level(name, level)
    except LevelError as error:
        raise _unread(name, str(level), error, level) from error
    return text == "on" if name == PRELOAD else int(text) if name == AT_ONCE else text


def _levels(name: str, text: str) -> object:
    """Return a level, or a list of levels, as YAML says them: ``none``, ``a,b``, ``"0,2"``."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        levels = YAML(typ="safe").load(f"[{text}]")
    except (YAMLError, RecursionError) as error:
        wanted = LevelError("a level, or several with commas between")
        raise _unread(name, text[:SHOWN], wanted) from error
    if not levels:
        raise _unread(name, text, LevelError("a level after the ="))
    return levels if len(levels) > 1 else levels[0]


def _title(scene: Scene, asked: Asked) -> str:
    said = [f"{name}={levels}" for name, levels in asked.settings.items()]
    parts = [f"with {', '.join(said)}"] if said else []
    parts += [f"against the {asked.baseline} as it is"] if asked.baseline else []
    parts += [f"by {', '.join(asked.workloads)}"] if asked.workloads else []
    return f"{scene.name} {' '.join(parts)}"
