"""Searches on pages: what they found, what is applied, who may apply it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities.tuning.kept import find_tuning, keep_tuning
from assay.factors.start.starts import ELSEWHERE
from assay.platforms.applied.journal import Applied, write_applied
from assay.web.access.person import Role
from assay.web.acts.requests import (
    ApplySettings,
    ExtendSearch,
    MeasureSearch,
    ResumeSearch,
    RollBackSettings,
)
from assay.web.views import tune as views
from tests.report.tunings import tuning
from tests.web.conftest import Served, serving
from tests.web.homes import SEARCH, home_of
from tests.web.test_activity import here

AT = f"/tune/{SEARCH}"


@pytest.fixture
def searched(tmp_path: Path) -> Iterator[Served]:
    """A server of a home with one search."""
    home = home_of(tmp_path / "home")
    keep_tuning(tuning(), home)
    with serving(home) as server:
        yield server


def test_a_search_is_listed_and_shown_with_what_it_found(searched: Served) -> None:
    (line,) = searched.client.get("/tune.json").json()["searches"]
    assert (line["id"], line["state"]) == (SEARCH, "complete")
    assert "safe: recommended" in line["outcome"]
    page = searched.client.get(AT).text
    assert "The change-set that keeps data safe" in page
    assert searched.client.get(f"{AT}.json").json()["tuning"] == {
        **searched.client.get("/tune/89a.json").json()["tuning"]
    }
    assert searched.client.get("/tune/feed").status_code == 404


def test_many_searches_come_in_pages_and_each_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, read = home_of(tmp_path / "home"), []
    for at in range(120):
        made = f"2026-11-{at % 28 + 1:02d}T10:00:{at // 28:02d}+00:00"
        keep_tuning(replace(tuning(), id=f"{at:08x}", created=made, title=f"Search {at}"), home)
    (home / "tunings" / "ff").mkdir()
    (home / "tunings" / "ff" / "tuning.json").write_text("damaged")
    real = views.read_tuning
    monkeypatch.setattr(views, "read_tuning", lambda folder: read.append(folder) or real(folder))
    with here(home, Role.VIEWER) as site:
        pages = [site.client.get("/tune.json", params={"page": at}).json() for at in (1, 2, 3, 4)]
        assert [len(one["searches"]) for one in pages] == [50, 50, 20, 0]
        assert {(one["total"], one["pages"]) for one in pages} == {(120, 3)}
        created = [line["created"] for one in pages for line in one["searches"]]
        assert created == sorted(created, reverse=True)
        assert len({line["id"] for one in pages for line in one["searches"]}) == 120
        assert len(read) == 121
        text = site.client.get("/tune?page=2").text
        assert 'rel="prev" href="/tune?page=1"' in text
        assert 'rel="next" href="/tune?page=3"' in text
        assert text.count('<th scope="row">') == 50
        keep_tuning(replace(tuning(), id="00000007", created="2026-12-01T10:00:00+00:00"), home)
        assert site.client.get("/tune.json").json()["searches"][0]["id"] == "00000007"
        assert len(read) == 122
        assert site.client.get("/tune.json?page=0").status_code == 422


def test_what_is_recommended_can_be_applied_and_what_is_applied_taken_back(searched: Served) -> None:
    assert searched.client.get(f"{AT}.json").json()["may"] == ["measure", "apply"]
    forms = re.findall(r'<form method="post" action="([^"]+)"', searched.client.get(AT).text)
    assert forms == [f"{AT}/measure", f"{AT}/apply"], "of the two only the safe one is recommended"
    asks = re.findall(r'action="([^"]+)"[^>]* data-ask="([^"]+)"', searched.client.get(AT).text)
    (safe, _) = tuning().found
    assert asks == [(f"{AT}/apply", f"Apply {len(safe.changes)} settings of search {SEARCH}?")]
    applied = Applied("applied", {"disk.cache": "none"}, {}, "<b>vm</b>", "", "", ())
    write_applied(searched.home / "tunings" / SEARCH, applied)
    shown = searched.client.get(f"{AT}.json").json()
    assert shown["may"] == ["measure", "rollback"]
    assert shown["applied"] == {"domain": "<b>vm</b>", "settings": {"disk.cache": "none"}, "left": {}}
    page = searched.client.get(AT).text
    assert "&lt;b&gt;vm&lt;/b&gt;" in page
    assert re.findall(r'<form method="post" action="([^"]+)"', page) == [f"{AT}/measure", f"{AT}/rollback"]
    asks = re.findall(r'action="([^"]+)"[^>]* data-ask="([^"]+)"', page)
    assert asks == [(f"{AT}/rollback", f"Take back what search {SEARCH} has applied?")]


def test_an_undecided_mix_can_be_decided_and_be_applied_all_the_same(searched: Served) -> None:
    known = tuning()
    safe = replace(known.found[0], recommended=False, undecided=True, reason="<flops> is undecided")
    keep_tuning(replace(known, found=(safe, *known.found[1:])), searched.home)
    assert searched.client.get(f"{AT}.json").json()["may"] == ["measure", "extend", "undecided"]
    page = searched.client.get(AT).text
    forms = re.findall(r'<form method="post" action="([^"]+)"', page)
    assert forms == [f"{AT}/measure", f"{AT}/extend", f"{AT}/apply"]
    assert '<input type="hidden" name="undecided" value="true">' in page
    assert "Not shown: &lt;flops&gt; is undecided." in page
    refused = searched.post(f"{AT}/apply")
    assert (refused.status_code, refused.json()["error"].partition(":")[0]) == (
        422, f"cannot use the change-set 'safe' of search {SEARCH}",
    )  # fmt: skip


def test_whether_it_is_still_so_is_looked_at_when_asked(searched: Served) -> None:
    assert searched.client.get(f"{AT}/verified").status_code == 422
    left = {"start.stagger": ELSEWHERE["start.stagger"]}
    applied = Applied("applied", {"start.stagger": "5 s"}, left, None, "", "", ())
    write_applied(searched.home / "tunings" / SEARCH, applied)
    assert searched.client.get(f"{AT}/verified.json").json()["left"] == left
    assert "not looked at: start.stagger" in searched.client.get(f"{AT}/verified").text


def test_taking_back_is_the_command(searched: Served) -> None:
    applied = Applied("applied", {"start.stagger": "5 s"}, {}, None, "", "", ())
    write_applied(searched.home / "tunings" / SEARCH, applied)
    done = searched.post(f"{AT}/rollback")
    assert done.status_code == 200, done.text
    assert searched.client.get(f"{AT}.json").json()["applied"] is None
    again = searched.post(f"{AT}/rollback")
    assert again.status_code == 422


def test_what_is_not_recommended_is_not_applied(searched: Served) -> None:
    refused = searched.post(f"{AT}/apply", which="any")
    assert refused.status_code == 422
    assert "cannot use the change-set" in refused.json()["error"]


def test_a_change_set_is_had_in_the_words_of_other_tools(searched: Served) -> None:
    page = searched.client.get(f"{AT}/export/safe/virt-xml.json").json()
    assert page["words"]["format"] == "virt-xml"
    saved = searched.client.get(f"{AT}/export/safe/virt-xml/file")
    assert saved.headers["content-disposition"].startswith("attachment;")
    assert saved.text == page["words"]["text"] != ""
    assert searched.client.get(f"{AT}/export/safe/nothing").status_code == 404
    assert searched.client.get(f"{AT}/export/any/virt-xml").status_code == 422


def test_a_search_that_was_cut_off_can_be_gone_on_with(searched: Served) -> None:
    keep_tuning(replace(find_tuning(SEARCH, searched.home), state="begun"), searched.home)
    assert searched.client.get(f"{AT}.json").json()["may"] == ["resume"]


def test_the_settings_of_a_host_are_changed_by_administrators_alone() -> None:
    assert ApplySettings.role is RollBackSettings.role is Role.ADMIN
    assert ApplySettings(search=SEARCH, which="any", domain="vm").words() == [
        "tune", "apply", "--set=any", "--domain=vm", "--json", "--", SEARCH,
    ]  # fmt: skip
    assert ApplySettings(search=SEARCH, undecided=True).words() == [
        "tune", "apply", "--set=safe", "--undecided", "--json", "--", SEARCH,
    ]  # fmt: skip
    assert MeasureSearch(search=SEARCH).words() == ["tune", "verify", "--measure", "--json", "--", SEARCH]
    assert ExtendSearch(search=SEARCH, blocks=7).words() == [
        "tune", "extend", "--blocks=7", "--json", "--", SEARCH,
    ]  # fmt: skip
    assert ResumeSearch(search=SEARCH).words() == ["tune", "resume", "--json", "--", SEARCH]
