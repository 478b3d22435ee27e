"""An activity whose treatment is a setting of this machine itself: held in its visits, put back
after them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live.parts import Activity, Done, activities, fits, run

pytestmark = pytest.mark.live

FILE = Path("/proc/sys/vm/swappiness")
SCENE = """\
scene: swappiness
title: This machine with another swappiness
baseline: {{machine: local}}
treatment: {{machine: local, factors: {{host.swappiness: {level}}}}}
workloads:
  - name: job
    command: sh -c 'cat /proc/sys/vm/swappiness; sleep 0.1'
"""


@pytest.fixture(scope="module")
def before() -> str:
    return FILE.read_text().strip()


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory, before: str) -> Path:
    file = tmp_path_factory.mktemp("host") / "swappiness.yaml"
    file.write_text(SCENE.format(level=int(before) - 7 if int(before) > 7 else 42))
    return file


@pytest.fixture(scope="module")
def evaluated(scene: Path) -> tuple[Done, Activity]:
    done = run("evaluate", str(scene), "--json", home=scene.parent / "home")
    assert done.code == 0, done.err
    (activity,) = activities(scene.parent / "home")
    return done, activity


def test_what_would_be_written_and_its_undo_are_told_before(scene: Path, before: str) -> None:
    done = run("evaluate", str(scene), "--dry-run", home=scene.parent / "home")
    assert done.code == 0, done.err
    assert f"echo {before} > {FILE}" in done.out
    assert FILE.read_text().strip() == before


def test_the_setting_holds_in_the_treatments_visits_alone(
    evaluated: tuple[Done, Activity], before: str
) -> None:
    _, activity = evaluated
    said = {}
    for record in activity.records:
        fits(record, "record")
        output = activity.folder / "trials" / Path(next_name(activity, record)) / "stdout"
        said.setdefault(record["planned"]["arm"], set()).add(output.read_text().strip())
    assert said["baseline"] == {before}
    (level,) = said["treatment"]
    assert level != before
    held = [record["host_settings"] for record in activity.records if record["planned"]["arm"] == "treatment"]
    assert {(one["name"], one["level"]) for (one,) in held} == {("host.swappiness", level)}
    assert FILE.read_text().strip() == before


def test_the_result_names_the_setting(evaluated: tuple[Done, Activity]) -> None:
    page = evaluated[0].page
    assert page["result"]["treatment"].startswith("host, host.swappiness")


def next_name(activity: Activity, record: dict[str, dict[str, int]]) -> str:
    """Return the name of a record's folder."""
    (folder,) = activity.folder.glob(f"trials/{record['planned']['index']:04d}-*")
    return folder.name
