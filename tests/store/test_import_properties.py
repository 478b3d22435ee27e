"""What holds for every folder that is imported: it is read, shown and kept, or refused in one clear line."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import given

from assay.model.errors import AssayError
from assay.store.record import read_trials
from assay.store.store import Store
from tests.command import run
from tests.mutations import SEEDS, check_refusal, check_values, damaged, damaged_json, seeded
from tests.store.test_imports import PLAN, made

SHOWN = 64
"""One of so many folders is shown whole, too."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a home that all folders are imported into."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def store(home: Path) -> Iterator[Store]:
    opened = Store(home)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the files of a folder that can be imported."""
    folder = made(tmp_path_factory.mktemp("whole") / "a", PLAN, 1.0, 2.0)
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def mutated(whole: dict[str, bytes], folder: Path, seed: int) -> None:
    """Write a folder of an id of its own with one file damaged, or in the place of one what is no file."""
    random = Random(seed)
    own = f"{random.getrandbits(32):08x}".encode()
    old = json.loads(whole["activity.json"])["id"].encode()
    shutil.rmtree(folder, ignore_errors=True)
    chosen = random.choice(sorted(whole))
    for name, content in whole.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.replace(old, own))
    _damage(random, folder / chosen, seed)


def _damage(random: Random, path: Path, seed: int) -> None:
    content = path.read_bytes()
    act = random.random()
    if act < 0.9:
        damage = damaged_json if path.suffix == ".json" else damaged
        path.write_bytes(damage(content, seed))
        return
    path.unlink()
    if act < 0.92:
        path.mkdir()
    elif act < 0.94:
        os.mkfifo(path)
    elif act < 0.96:
        path.symlink_to(random.choice(("/dev/zero", "/etc/passwd", path.name, "nowhere")))


@seeded
@given(seed=SEEDS)
def test_any_folder_is_imported_or_refused(
    store: Store, home: Path, whole: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    folder = home / "given"
    mutated(whole, folder, seed)
    try:
        activity = store.import_folder(folder, link=seed % 8 != 0)
        row = store.activity(activity)
        check_values(row)
        check_values(list(read_trials(row.folder, damaged=[])))
    except AssayError as error:
        check_refusal(error)
        return
    if seed % SHOWN == 0:
        done = run("result", "show", activity, home=home)
        assert "Traceback" not in done.err + done.out
        assert done.code in {0, 2, 3, 4, 5, 6}, done.err
    if row.folder != folder:
        shutil.rmtree(row.folder)
