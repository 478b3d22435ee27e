"""A site's own scenes as files: saved as numbered versions, each whole or not there, never changed.

How they lie in a home, and finding them: ``model.files.own_scenes``.
"""

from __future__ import annotations

import errno
import secrets
import shutil
import time
from pathlib import Path

from assay.model.errors import AssayError
from assay.model.files.marker import is_marked, make_parents, marker_text, write_marker
from assay.model.files.own_scenes import (
    FOLDER,
    SAVED,
    SCHEMA,
    TEXT,
    OwnScene,
    own_file,
    own_names,
    scene_versions,
    version_folder,
)
from assay.scenes import Problem, Scene, SceneError, read_scene, ready_names, scene_text
from assay.scenes.load import LARGEST_BYTES
from assay.store.readers import keep_folder
from assay.store.record import replace_file, replace_json, sync_folder

VERSION = (1, 0)
_TAKEN = {errno.EEXIST, errno.ENOTEMPTY, errno.ENOENT}
"""Of a version that another process saved first, or whose scene it removed."""


def save_scene(
    home: Path, name: str, text: str, *, by: str, note: str | None = None, file: str | None = None
) -> OwnScene:
    """Keep a text as the newest version of an own scene; the text that is the newest already makes no other.

    Args:
        home: Folder of all state.
        name: Its name, which is what the text says after ``scene:``.
        text: The text; lines end with a newline alone once it is kept.
        by: Who saves it.
        note: One line about it; ``None`` or empty for nothing.
        file: What messages call the text; ``None`` is its name.

    Returns:
        The newest version.

    Raises:
        AssayError: The name cannot be one, or a ready scene has it.
        SceneError: The text is no scene, says another name, or names a file by a relative path.
        OSError: It cannot be written.
    """
    _check_name(name)
    text = text.replace("\r\n", "\n").removesuffix("\n") + "\n"
    scene = check_scene(name, text, file or name)
    make_parents(home / FOLDER / name)
    new = home / FOLDER / f".{secrets.token_hex(4)}.new"
    try:
        _write(new, scene, text, {"by": by, "note": " ".join((note or "").split()) or None})
        while not (name in own_names(home) and scene_text(home, name) == text):
            if _take_next(new, home, name):
                break
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return scene_versions(home, name)[-1]


def check_scene(name: str, text: str, file: str) -> Scene:
    """Return the scene of a text that is to be kept.

    Args:
        name: The name that it is to have.
        text: The text.
        file: What messages call it.

    Raises:
        SceneError: As of ``save_scene``.
    """
    from assay.scenes.checks.own_scene import own_scene_problems
    from assay.scenes.text.tree import read_tree

    try:
        source = text.encode()
    except UnicodeEncodeError as error:
        raise SceneError(
            file, [Problem(0, 0, "expected text that UTF-8 can say, got half a pair")]
        ) from error
    if len(source) > LARGEST_BYTES:
        raise SceneError(file, [Problem(0, 0, "expected a scene of at most 128 KiB, got a larger text")])
    if problems := list(own_scene_problems(name, read_tree(text, file))):
        raise SceneError(file, problems)
    return read_scene(source, file=file)


def remove_scene(home: Path, name: str) -> None:
    """Remove an own scene with all its versions; results keep the scene that they were measured by.

    Raises:
        UnknownNameError: There is none of that name.
        AssayError: Its folder was not made by assay.
        OSError: It cannot be removed.
    """
    folder = own_file(home, name).parent.parent
    if not is_marked(folder):
        msg = f"cannot remove the scene {name}: {folder} was not made by assay"
        raise AssayError(msg, hint=f"look at it and remove it yourself: ls -la {folder}")
    gone = folder.with_name(f".{secrets.token_hex(4)}.new")
    folder.rename(gone)
    sync_folder(gone.parent)
    shutil.rmtree(gone)


def _check_name(name: str) -> None:
    from assay.scenes.forms.kinds import name as plain
    from assay.scenes.values.expected import ExpectedError

    try:
        plain(name)
    except ExpectedError as error:
        msg = f"cannot save a scene as '{name}': expected {error.expected}"
        raise AssayError(msg, hint="a name like my-analysis") from error
    if name in ready_names():
        msg = f"cannot save a scene as '{name}': a ready scene is called so"
        raise AssayError(msg, hint="choose another name, and write it after 'scene:' too")


def _write(new: Path, scene: Scene, text: str, said: dict[str, str | None]) -> None:
    """Write a version that has no number yet."""
    new.mkdir(mode=0o700)
    replace_file(new / TEXT, text.encode())
    page = {"schema": SCHEMA, "version": VERSION, "title": scene.title, "saved_ns": time.time_ns()}
    replace_json(new / SAVED, page | said)
    keep_folder(new)


def _take_next(new: Path, home: Path, name: str) -> bool:
    """Give a version the next number; tell whether no other process was faster."""
    taken = (path.name for path in (home / FOLDER / name).glob("[0-9]*"))  # one without its text, too
    place = version_folder(home, name, max((int(one) for one in taken if one.isdecimal()), default=0) + 1)
    _make(place.parent)
    try:
        new.rename(place)  # refused where a folder with something in it has that name
    except OSError as error:
        if error.errno not in _TAKEN or not new.exists():
            raise
        return False
    sync_folder(place.parent)
    return True


def _make(folder: Path) -> None:
    """Make the folder of a scene with its marker; another process may make it meanwhile."""
    if folder.is_dir():
        return
    new = folder.with_name(f".{secrets.token_hex(4)}.new")
    new.mkdir(mode=0o700)
    try:
        write_marker(new, marker_text(folder.name))
        keep_folder(new)
        new.rename(folder)
        sync_folder(folder.parent)
    except OSError as error:
        if error.errno not in _TAKEN:
            raise
    finally:
        shutil.rmtree(new, ignore_errors=True)
