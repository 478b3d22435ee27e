"""The mutants of a room of the package: a private copy, a sample, verdicts."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from campaign import equivalent, generated, handmade, tree
from campaign.mutant import Mutant, drawn
from campaign.rooms import PYTHON, SAMPLE, SEED, SELECTION
from campaign.verdicts import kept, survivors_of

WORK = tree.ROOT / "build/campaign"


def folder_of(room: str) -> str:
    """Return where a room's sources lie."""
    return f"src/assay/{room}"


def prepare(room: str, source: Path, work: Path) -> list[Mutant]:
    """Make the private copy, mutated, and return the sample and the hand-made ones, in this order."""
    copied, key = work / "tree", work / "key"
    now = digest(source)
    if not key.exists() or key.read_text() != now:
        key.unlink(missing_ok=True)
        (work / "map.json").unlink(missing_ok=True)
        tree.copy(source, copied)
        by_hand = handmade.applicable(copied, folder_of(room), handmade.listed())
        plain = {one.file: (copied / one.file).read_text() for one in by_hand}
        sources = generated.mutated(copied, folder_of(room))
        for one in sources:
            (copied / one.file).write_text(one.code)
        code = {one.file: one.code for one in sources}
        held = {file: handmade.Held(text, code.get(file, text)) for file, text in plain.items()}
        handmade.write_held(work / "held.json", held)
        sample = drawn((mutant for one in sources for mutant in one.mutants), len_of(sources), seed=SEED)
        told = [asdict(one) for one in [*sample[: 2 * SAMPLE[room]], *by_hand]]
        (work / "mutants.json").write_text(json.dumps(told))
        key.write_text(now)
    return [Mutant(**one) for one in json.loads((work / "mutants.json").read_text())]


def len_of(sources: Sequence[generated.Mutated]) -> int:
    """Return how many mutants there are."""
    return sum(len(one.mutants) for one in sources)


def digest(source: Path) -> str:
    """Return a word that is another one as soon as any file of the checkout is, or how the map is drawn."""
    whole = hashlib.sha256()
    for name in ("coverage_map.py", "rooms.py", "handmade.jsonl"):
        whole.update(Path(__file__).with_name(name).read_bytes())
    for name in tree.files(source):
        whole.update(name.encode() + b"\0" + (source / name).read_bytes() + b"\0")
    return whole.hexdigest()


def sample_of(mutants: Sequence[Mutant], room: str, without: Sequence[str]) -> list[Mutant]:
    """Return the mutants that count: the sample without equivalent ones, which the next replace,
    and by hand.
    """
    counted = [one for one in mutants if one.id not in set(without)]
    by_tool = [one for one in counted if one.switch][: SAMPLE[room]]
    return by_tool + [one for one in counted if not one.switch]


def run(room: str, source: Path, work: Path, *, again: str, most: int | None) -> None:
    """Judge what is not judged yet; ``again`` may name a verdict whose mutants are judged again."""
    work.mkdir(parents=True, exist_ok=True)
    prepared = prepare(room, source, work)
    mutants = sample_of(prepared, room, equivalent.among(prepared))
    state = work / "verdicts.jsonl"
    known = kept(state)
    if again == "survivors":
        chosen = survivors_of(mutants, known)
    else:
        chosen = [one for one in mutants if one.id not in known]
    if not chosen:
        return
    job = {
        "room": room,
        "folders": [name for name in (f"tests/{one}" for one in PYTHON[room]) if (source / name).is_dir()],
        "selection": SELECTION,
        "mutants": [asdict(one) for one in chosen[:most]],
        "map": str(work / "map.json"),
        "state": str(state),
        "commit": tree.commit_of(source),
    }
    (work / "job.json").write_text(json.dumps(job))
    path = [str(work / "tree/src"), str(tree.ROOT / "campaign/inside"), str(tree.ROOT)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "PYTHONHASHSEED": "0"}
    command = [sys.executable, "-m", "campaign.judge", str(work / "job.json")]
    done = subprocess.run(command, cwd=work / "tree", env=environment, check=False)
    if done.returncode:
        raise SystemExit(done.returncode)
