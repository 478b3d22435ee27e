"""Every ready scene has its page: what it asks, the publication, how long, what it needs, a real output
explained.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from assay.scenes import find_scene, list_scenes, published_figures, ready_names

PAGES = Path(__file__).parents[2] / "docs" / "scenes"
RULE = "| --- | --- | --- | --- |\n"
TIME = re.compile(r"\b(?:(\d+|an?) (?:to (\d+) )?)(minute|hour|day)s?\b")
UNITS = {"minute": 60, "hour": 3600, "day": 86_400}
SECTIONS = ["What it asks", "Publication", "How long", "What it needs", "A real output, line by line"]


def sections(name: str) -> dict[str, str]:
    """Return the sections of a scene's page by their heading."""
    text = (PAGES / f"{name}.md").read_text()
    return dict(re.findall(r"^## (.+)\n\n((?:(?!^## ).*\n?)*)", text, re.MULTILINE))


@pytest.mark.parametrize(("name", "title"), list_scenes())
def test_a_page_is_of_its_scene_and_has_every_section(name: str, title: str) -> None:
    path = PAGES / f"{name}.md"
    assert path.is_file(), f"{name} has no page: write {path} like docs/scenes/quick.md"
    assert path.read_text().startswith(f"# {name}: {title}\n\n")
    found = sections(name)
    assert list(found) == SECTIONS
    assert all(len(text.split()) > 3 for text in found.values())


@pytest.mark.parametrize("name", ready_names())
def test_a_page_names_the_publications_of_its_scene(name: str) -> None:
    named = {published_figures()[wanted.figures][0].publication for wanted in find_scene(name).published}
    text = sections(name)["Publication"]
    assert all(f"`{key}`" in text for key in named)
    assert named or text.startswith("None")


@pytest.mark.parametrize("name", ready_names())
def test_a_page_says_how_long_and_explains_an_output(name: str) -> None:
    found = sections(name)
    assert re.search(r"\d+ (minute|hour)", found["How long"])
    _, output, said = found[SECTIONS[-1]].split("```", 2)
    assert len(output.splitlines()) > 2
    assert len(re.findall(r"^- ", said, re.MULTILINE)) >= 3


@pytest.mark.parametrize("name", ready_names())
def test_a_page_and_its_scene_say_the_same_time(name: str) -> None:
    takes_s = find_scene(name).takes_s
    found = re.search(r"About (\d+) minute", sections(name)["How long"])
    assert takes_s is None or (found and takes_s == 60 * int(found[1]))


@pytest.mark.parametrize(
    ("name", "scale"), [(name, scale) for name in ready_names() for scale, _ in find_scene(name).scales]
)
def test_a_page_says_the_time_of_each_scale_as_the_scene_does(name: str, scale: str) -> None:
    takes_s = find_scene(name, scale=scale).takes_s
    assert takes_s is not None
    times = told_times(sections(name)["How long"], tuple(one for one, _ in find_scene(name).scales))
    assert times[scale], f"docs/scenes/{name}.md, How long: no time behind `{scale}`"
    assert any(low <= takes_s <= high for low, high in times[scale]), (scale, takes_s, times[scale])


def told_times(text: str, scales: tuple[str, ...]) -> dict[str, list[tuple[int, int]]]:
    """Return the times that stand behind each scale's name and before the next, in seconds from and to.

    Names that only a comma or an "and" stand between share what is behind the last of them.
    """
    found: dict[str, list[tuple[int, int]]] = {scale: [] for scale in scales}
    names = "|".join(sorted(map(re.escape, scales), key=len, reverse=True))
    parts = re.split(rf"`(?:--scale )?({names})`", " ".join(text.split()))
    waiting: list[str] = []
    for scale, behind in zip(parts[1::2], parts[2::2], strict=True):
        waiting.append(scale)
        if behind.strip() in {",", "and", ", and"}:
            continue
        for one in waiting:
            found[one] += [seconds(*match) for match in TIME.findall(behind)]
        waiting = []
    return found


def seconds(low: str, high: str, unit: str) -> tuple[int, int]:
    """Return a time of so many to so many minutes, hours or days in seconds."""
    first, last = (1 if word in {"a", "an"} else int(word) for word in (low, high or low))
    return first * UNITS[unit], last * UNITS[unit]


def test_times_behind_the_names_of_scales_are_read() -> None:
    said = (
        "`--scale minutes` 2 to 3 minutes, `a` and `b` 5 minutes; `c`, of 2 GiB, about a day: 9 hours of it"
    )
    assert told_times(said, ("minutes", "a", "b", "c", "d")) == {
        "minutes": [(120, 180)],
        "a": [(300, 300)],
        "b": [(300, 300)],
        "c": [(86_400, 86_400), (32_400, 32_400)],
        "d": [],
    }


def test_no_page_is_of_a_scene_that_is_not_there_and_the_list_has_every_scene() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} - {"README"} == set(ready_names())
    head, _, rest = (PAGES / "README.md").read_text().partition(RULE)
    rows = "".join(f"{row(name, title)}\n" for name, title in list_scenes())
    expected = f"{head}{RULE}{rows}{rest[rest.index(chr(10) * 2) + 1 :]}"
    if os.environ.get("REGENERATE") == "1":
        (PAGES / "README.md").write_text(expected)
    assert (PAGES / "README.md").read_text() == expected, "rewrite with REGENERATE=1"


def row(name: str, title: str) -> str:
    """Return a scene's row of the list: its publications and its time by its page."""
    figures = published_figures()
    keys = dict.fromkeys(figures[wanted.figures][0].publication for wanted in find_scene(name).published)
    found = re.search(r"\d+ (minute|hour)s?", sections(name)["How long"])
    return f"| [{name}]({name}.md) | {title} | {', '.join(keys) or '-'} | {found[0] if found else '-'} |"


def test_the_links_of_the_pages_lead_somewhere() -> None:
    for path in PAGES.glob("*.md"):
        for target in re.findall(r"\]\(([^)#:]+\.md)", path.read_text()):
            assert (path.parent / target).is_file(), f"{path.name}: {target}"


def test_the_page_of_a_plant_that_was_changed_has_the_evidence_of_the_scene_as_it_is() -> None:
    evidence = (PAGES.parent / "evidence" / "planted.md").read_text().splitlines()
    (row,) = (line for line in evidence if line.startswith("| plant-memory |"))
    assert row.split(" | ")[1].startswith("32 MiB of memory")
    assert row.split(" | ")[1] in sections("plant-memory")[SECTIONS[-1]]
