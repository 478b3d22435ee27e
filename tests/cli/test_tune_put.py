"""What a search recommends of the host by its commands: put in, looked at, measured, taken back."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from assay.activities.tuning import applied
from assay.factors.base.factor import Act
from assay.factors.base.kernel_files import chosen
from assay.platforms.applied import apply as acts
from tests.activities.tuning.world import AnyHost, World, world
from tests.command import run

__all__ = ["world"]

THP = "/sys/kernel/mm/transparent_hugepage/enabled"


class Files(AnyHost):
    """A host whose files are a mapping."""

    def __init__(self) -> None:
        self.files = {THP: "[always] madvise never"}

    def read(self, path: str) -> str | None:
        return self.files.get(path)

    def write(self, act: Act) -> None:
        self.files[act.path] = act.value


def huge_pages_cost(workload: str, levels: Mapping[str, str]) -> float:
    del workload
    return 0.2 * (levels.get("host.thp") != "never")


@pytest.fixture
def host(world: World, monkeypatch: pytest.MonkeyPatch) -> Files:
    """Return the host of a home in which a search recommends another level of huge pages."""
    made = Files()
    monkeypatch.setattr(applied, "ThisHost", lambda _: made)
    monkeypatch.setattr(acts, "say", lambda path: chosen(made.read(path)))
    monkeypatch.setattr(acts, "write_file", made.write)
    world.hosts["local"], world.truth = made, huge_pages_cost
    allowed = ("others", "memory", "migration")
    tuning = world.tuned(
        world.laid_out(names=(), given={"host.thp": ("never",)}, allowed=allowed, evaluations=24)
    )
    (found,) = tuning.found
    assert (found.recommended, found.changes) == (True, {"host.thp": "never"})
    return made


def test_settings_of_the_host_are_put_in_looked_at_and_taken_back(world: World, host: Files) -> None:
    done = run("tune", "apply", home=world.home)
    assert (done.code, done.out) == (0, "host.thp=never: put in\n")
    assert "to take it back: assay tune rollback" in done.err
    assert host.files[THP] == "never"
    looked = run("tune", "verify", "--json", home=world.home)
    assert (looked.code, looked.page["left"]) == (0, {})
    assert looked.page["settings"] == [
        {"name": "host.thp", "level": "never", "where": "host", "ok": True, "detail": ""}
    ]
    again = run("tune", "apply", home=world.home)
    assert (again.code, "a change-set is in the host already" in again.err) == (4, True)
    back = run("tune", "rollback", home=world.home)
    assert (back.code, back.out, host.files[THP]) == (0, "taken back\n", "always")
    assert run("tune", "rollback", home=world.home).code == 3


def test_a_setting_of_the_host_that_somebody_else_changed_is_named_and_left(
    world: World, host: Files
) -> None:
    assert run("tune", "apply", home=world.home).code == 0
    host.files[THP] = "always [madvise] never"
    looked = run("tune", "verify", home=world.home)
    assert looked.code == 4
    assert "says 'madvise'" in looked.out
    back = run("tune", "rollback", "--json", home=world.home)
    assert back.code == 0
    (left,) = back.page["left"]
    assert left.startswith(f"{THP} says 'madvise'")
    assert host.files[THP] == "always [madvise] never"


def test_what_is_put_in_is_measured_again_at_once(world: World, host: Files) -> None:
    done = run("tune", "apply", "--measure", "--json", home=world.home)
    assert done.code == 0, done.err
    assert "host.thp=never: put in" in done.err
    assert host.files[THP] == "never"
    (changes,) = done.page["found"]
    (check,) = changes["checks"]
    assert (check["machine"], check["holds"], check["reason"]) == ("", True, "")
    assert check["saved"][0]["low"] > 0
    assert done.page["runs"][-1]["kind"] == "check"


def test_what_does_not_pay_any_more_is_put_in_and_said(world: World, host: Files) -> None:
    world.truth = lambda workload, levels: 0.2 * (levels.get("host.thp") == "never")
    done = run("tune", "apply", "--measure", home=world.home)
    assert done.code == 5, done.err
    assert "host.thp=never: put in" in done.out
    assert host.files[THP] == "never"
