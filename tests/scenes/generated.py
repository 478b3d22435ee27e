"""Scenes made of what a scene may say, and files of scenes that were damaged."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from assay import scenes as room
from assay.workloads import WORKLOADS
from tests.scenes.test_scene_values import WHOLE

WORDS = (
    "0",
    "-1",
    "1e9",
    "auto",
    "none",
    ": ",
    "- ",
    "{",
    "}",
    "[",
    "]",
    "'",
    '"',
    "\n",
    "\t",
    "#",
    "&a ",
    "*a",
    "!!",
    "~",
    "|",
    "\u00e9",
    "\x00",
    "%",
    "50 %",
    "9 GiB",
)


@cache
def files() -> tuple[str, ...]:
    """Return the scenes that come with assay but the largest, and one with most words."""
    library = Path(room.__file__).parent / "library"
    texts = [file.read_text() for file in sorted(library.glob("*.yaml"))]
    return (
        *(text for text in texts if len(text) < 3000),
        WHOLE.replace("[./my-job, data]", "[/bin/sh]")
        .replace("./my-job -", "./sh -")
        .replace("data/events", "sh"),
    )


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """Draw the text of a scene with one to three damages."""
    text = draw(st.sampled_from(files()))
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        lost = draw(st.sampled_from((0, 0, 1, 2, 5, 20, 200)))
        put = draw(st.sampled_from(("", *WORDS)) | st.text(max_size=3))
        text = text[:start] + put + text[start + lost :]
    return text


def _some(**choices: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw a mapping with any of these words; a double underscore stands for a point, a single one for a
    hyphen.
    """
    named = {name.replace("__", ".").replace("_", "-"): drawn for name, drawn in choices.items()}
    return st.fixed_dictionaries({}, optional=named)


def _one_or_several(one: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return one | st.lists(one, min_size=2, max_size=3, unique_by=str)


def _sizes(low: int, high: int) -> st.SearchStrategy[str]:
    return st.integers(low, high).map(lambda count: f"{count} MiB")


PERCENT = st.decimals("0.01", "99.99", places=2).map(lambda share: f"{share} %")
SECONDS = st.integers(1, 3600).map(lambda count: f"{count} s")
RATE = st.integers(1, 10**6).map(lambda count: f"{count} kB/s")
GUEST = _some(
    cpu__vcpus=_one_or_several(st.just("auto") | st.integers(1, 64)),
    memory__size=_one_or_several(_sizes(2048, 9000)),
    disk__cache=_one_or_several(st.sampled_from(["none", "writeback", "unsafe"])),
    memory__nosharepages=st.sampled_from(["on", "off"]),
    cpu__pmu=st.sampled_from(["on", "off"]),
    clock__hpet=st.booleans(),
)
LIMITS = _some(
    cpu__quota=_one_or_several(PERCENT),
    memory__limit=_one_or_several(_sizes(4, 9000)),
    disk__read_limit=_one_or_several(RATE),
    disk__write_limit=RATE,
    page_cache=st.sampled_from(["cold", "warm", "read-ahead"]),
    pause=st.integers(1, 90).map(lambda share: f"{share} %"),
)
TREATMENT = st.one_of(
    st.builds(lambda factors: {"platform": "guest", "factors": factors}, GUEST),
    st.builds(lambda factors: {"machine": "local", "factors": factors}, LIMITS),
    st.builds(lambda name: {"machine": name}, st.sampled_from(["node01", "vm"])),
    st.builds(lambda name, share: {"platform": name, "factors": {"cpu.quota": share}},
    st.sampled_from(["podman", "runc"]), PERCENT),
)  # fmt: skip
PLACEMENT = _some(
    copies=_one_or_several(st.integers(1, 8)),
    threads=st.integers(1, 4),
    pinning=st.sampled_from(["none", "each"]),
    nice=st.integers(-20, 19),
    stagger=SECONDS,
)
_ALWAYS = {
    "confidence": st.sampled_from(["50 %", "95 %", "99.9 %"]),
    "margin": PERCENT,
    "seed": st.integers(0, 2**31),
    "sessions": st.integers(1, 3),
    "session_gap": SECONDS,
}
DESIGN = _some(blocks=st.integers(3, 1000), **_ALWAYS) | _some(
    maximum_blocks=st.integers(10, 99), precision=PERCENT, time_budget=SECONDS, **_ALWAYS
)
WATCHING = _some(
    cache=st.sampled_from(["warm", "cold", "read-ahead"]),
    interval=st.sampled_from(["100 ms", "1 s", "2.5 s"]),
    takes=SECONDS,
    placement=PLACEMENT,
)
GIVEN = {
    "runtime": SECONDS,
    "size": _one_or_several(_sizes(16, 99)),
    "record": _one_or_several(st.sampled_from(["4 KiB", "64 KiB", "1 MiB", "16 MiB"])),
    "events": _one_or_several(st.integers(1, 10**6)),
}


@st.composite
def _ready(draw: st.DrawFn) -> dict[str, Any]:
    name = draw(
        st.sampled_from([name for name in WORKLOADS if not name.startswith(("hep", "root", "geant4"))])
    )
    allowed = {word: drawn for word, drawn in GIVEN.items() if word in WORKLOADS[name].parameters}
    return {"use": name, **draw(_some(parameters=_some(**allowed), placement=PLACEMENT))}


OWN = st.builds(
    lambda words, said: {"name": "job", "command": " ".join(words), **said},
    st.lists(st.sampled_from(["job", "--n", "{print}", "'a b'", '"c"', "é"]), min_size=1, max_size=4),
    _some(time_limit=SECONDS, placement=PLACEMENT, inputs=st.just(["/bin/sh"])),
)


@st.composite
def scenes(draw: st.DrawFn) -> str:
    """Draw the text of a scene; some of its words may not go together."""
    said = {
        "scene": "made",
        "title": draw(st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=20)),
        "baseline": {"machine": "local"},
        "treatment": draw(TREATMENT),
        "workloads": draw(st.lists(_ready() | OWN | st.just("flops"), min_size=1, max_size=2, unique_by=str)),
        "design": draw(DESIGN),
        **draw(WATCHING),
    }
    if said["treatment"].get("platform") == "guest" and draw(st.booleans()):
        said["baseline"]["platform"] = "guest"
    ascii_alone = draw(st.booleans())
    return "".join(f"{word}: {json.dumps(value, ensure_ascii=ascii_alone)}\n" for word, value in said.items())
