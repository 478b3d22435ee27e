"""Every doubt that the code knows is in ``docs/doubts.md``, with the very next step that is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from assay.model.doubt import Doubt
from assay.report.doubts import NEXT, WORDINGS, with_next

ROOT = Path(__file__).parents[3]
CODE = r'"([a-z]+(?:-[a-z]+)*)"'


def documented() -> dict[str, list[str]]:
    """Return the cells of each row of ``docs/doubts.md`` by its code."""
    lines = (ROOT / "docs" / "doubts.md").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("| `")]
    return {row[0].strip("`"): row for row in cells if len(row) == 4}


def _documented() -> dict[str, str]:
    return {code: row[2] for code, row in documented().items()}


def known() -> Iterator[str]:
    """Yield the codes of doubts that the sources make."""
    for path in (ROOT / "src" / "assay").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        yield from re.findall(rf"\bDoubt(?:Count)?\(\s*{CODE},", text)
    for path in (ROOT / "probe" / "src" / "supervise").glob("*.rs"):
        text = path.read_text(encoding="utf-8")
        yield from re.findall(rf"(?:doubts\.push\(|then_some\(|then\(\|\| |Some\()\({CODE},", text)
    yield from (wording.split("/")[0] for wording in WORDINGS)


def test_every_code_of_a_doubt_is_documented() -> None:
    found = set(known())
    assert {"no-cgroup", "io-incomplete", "hosts-differ", "short-wall", "caches-differ"} <= found
    assert sorted(found - set(_documented())) == []


def test_every_documented_code_exists() -> None:
    assert sorted(set(_documented()) - set(known())) == []


def test_the_documented_next_step_is_the_one_that_is_shown() -> None:
    documented = _documented()
    assert {code: documented.get(code) for code in NEXT} == dict(NEXT)


def test_a_doubt_keeps_its_own_next_step_and_else_gets_that_of_its_code() -> None:
    assert with_next(Doubt("emulated", "It ran under TCG.", "Look.")).next == "Look."
    assert with_next(Doubt("emulated", "It ran under TCG.")).next == NEXT["emulated"]
    assert with_next(Doubt("nobody-knows", "Something.")).next is None
