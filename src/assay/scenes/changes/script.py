"""A scene as a job script, for a batch system that assay does not know."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Iterator
from pathlib import Path, PurePath

from assay.model.errors import AssayError
from assay.scenes.values.chosen import Own
from assay.scenes.values.scene import Scene

_SCRIPT = """\
#!/bin/sh
# Evaluates a scene on the node where this job runs, and leaves the result, a folder, to be taken in:
#   assay result import FOLDER
# Variables: ASSAY is the program on the node (assay, in PATH), RESULTS the folder for results (where the job
# starts), TMPDIR a folder of a local disk (/var/tmp).
set -u
assay=${{ASSAY:-assay}} results=${{RESULTS:-$PWD}}
command -v "$assay" >/dev/null || {{ echo "there is no $assay on $(uname -n); set ASSAY" >&2; exit 4; }}
[ -w "$results" ] || {{ echo "cannot write $results on $(uname -n); set RESULTS" >&2; exit 4; }}
work=$(mktemp -d "${{TMPDIR:-/var/tmp}}/assay-job-XXXXXX") || exit 4
trap 'rm -rf "$work"' EXIT
scene=$work/{folder}/scene.yaml
chmod 755 "$work" && mkdir -p "$work/home" "${{scene%/*}}"
link() {{ mkdir -p "$(dirname "$work/root$1")"; [ -e "$work/root$1" ] || ln -s -- "$1" "$work/root$1"; }}
{links}cat >"$scene" <<'{end}'
{scene}{end}
ASSAY_HOME=$work/home "$assay" evaluate "$scene" &
running=$! told=no code=127
trap 'told=yes; kill -TERM "$running"' TERM INT # a time limit: what was measured until then is kept
while :; do
  wait "$running" # a signal ends it early; of who was waited for already a shell knows no more (127)
  ended=$?
  [ "$ended" -eq 127 ] || code=$ended
  [ "$told" = yes ] || break
  told=no
done
for made in "$work"/home/activities/*; do
  [ -d "$made" ] || continue
  name=${{made##*/}}
  cp -R "$made" "$results/.$name.part" && mv "$results/.$name.part" "$results/$name" || exit 4
  echo "result: $results/$name"
done
exit "$code"
"""


def job_script(scene: Scene) -> str:
    """Return a POSIX shell script that evaluates a scene and keeps its result.

    Inputs that the scene names from its own folder are used where they lie: the node must see them there.

    Raises:
        AssayError: An input holds the scene's own folder.
    """
    text = scene.source if scene.source.endswith("\n") else f"{scene.source}\n"
    folder = Path(scene.file).absolute().parent
    end = f"SCENE-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    return _SCRIPT.format(
        folder=shlex.quote(f"root{folder}"),
        links="".join(_link(path, folder, scene) for path in sorted({*_relative(scene)})),
        scene=text,
        end=end,
    )


def _link(path: str, folder: Path, scene: Scene) -> str:
    """Return the line by which a path leads from the scene's place in the job to where it lies."""
    there = os.path.normpath(folder / path)
    if folder.is_relative_to(there):
        msg = f"cannot write a job of scene {scene.name}: its input '{path}' holds the scene itself"
        raise AssayError(msg, hint="name the files in it")
    return f"link {shlex.quote(there)}\n"


def _relative(scene: Scene) -> Iterator[str]:
    """Yield the paths that start in the scene's folder."""
    own = (path for one in scene.workloads if isinstance(one, Own) for path in one.inputs)
    scripts = (path for one in scene.scripts for path in one.inputs)
    data = [] if scene.data is None or scene.data.path is None else [scene.data.path]
    yield from (path for path in (*own, *scripts, *data) if not PurePath(path).is_absolute())
