"""Every page as a browser shows it: at a phone's width and a desk's, light and dark, without scripts, by
keyboard and on paper. What it looks like is kept in ``build/screens``, for people to look at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.routing import APIRoute
from playwright.sync_api import Browser, BrowserContext, Page, expect

from assay.web import app
from assay.web.views import sign_in
from tests.web.addresses import ADDRESSES, NOWHERE, ONE, SIGN_IN, whole_home
from tests.web.conftest import Served, serving
from tests.web.signing import providing, signing

SCREENS = Path(__file__).parents[2] / "build" / "screens"
MOST_BYTES = 200_000
ROOT = "document.documentElement"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of a home with something on every page."""
    with whole_home(tmp_path_factory.mktemp("whole") / "home") as home, serving(home) as server:
        assert server.post(f"/results/{ONE}/tag", tag="seen").status_code == 200
        yield server


def test_every_page_is_in_the_list() -> None:
    routes = [one for router in (*app.ROUTERS, sign_in.router) for one in router.routes]
    twins = {one.path for one in routes if isinstance(one, APIRoute)}
    pages = [one for one in routes if isinstance(one, APIRoute) and f"{one.path}.json" in twins]
    assert len(pages) > 30
    paths = [one.partition("?")[0] for one in (*ADDRESSES, SIGN_IN)]
    first = {path: next((one.path for one in pages if one.path_regex.match(path)), None) for path in paths}
    assert {one.path for one in pages} <= {*first.values()}


def test_every_page_is_there_and_small(whole: Served) -> None:
    for path in ADDRESSES:
        answer = whole.client.get(path, headers={"accept": "text/html"})
        assert answer.status_code == (404 if path == NOWHERE else 200), f"{path}: {answer.text}"
        assert len(answer.content) < MOST_BYTES, path


@pytest.mark.live
@pytest.mark.long
@pytest.mark.parametrize(
    ("width", "scheme"), [(420, "dark"), (1400, "light"), (420, "light"), (1400, "dark")]
)
def test_every_page_fits_says_nothing_wrong_and_can_be_used_by_all(
    whole: Served, browser: Browser, width: int, scheme: str
) -> None:
    look = {"color_scheme": scheme, "viewport": {"width": width, "height": 900}}
    seen, checked = (browser.new_context(**look, bypass_csp=bypass) for bypass in (False, True))  # type: ignore[arg-type]
    folder = SCREENS / f"{width}-{scheme}"
    folder.mkdir(parents=True, exist_ok=True)
    page, said = seen.new_page(), list[str]()
    page.on("console", lambda message: said.append(f"{page.url}: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"{page.url}: {error}"))
    with providing() as issuer, signing(whole.home, issuer) as site:
        addresses = [*((whole.at, path) for path in ADDRESSES), (site.at, SIGN_IN)]
        wide = [path for at, path in addresses if _is_wide(page, at + path, folder / f"{_name(path)}.png")]
        grave = {path: found for at, path in addresses if (found := _grave(checked, at + path))}
    assert wide == [], "these are wider than the window"
    assert [one for one in said if NOWHERE not in one] == []
    assert grave == {}
    seen.close()
    checked.close()


def _name(path: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", path.lower()).strip("-") or "overview"


def _is_wide(page: Page, address: str, picture: Path) -> bool:
    page.goto(address)
    if page.locator("[data-chart]").count():
        page.locator("html[data-charts=drawn]").wait_for(state="attached")
    page.screenshot(path=picture, full_page=True)
    return bool(page.evaluate(f"{ROOT}.scrollWidth - {ROOT}.clientWidth") > 0)


def _grave(context: BrowserContext, address: str) -> list[tuple[str, str]]:
    """Return what axe finds serious on a page."""
    from axe_playwright_python.sync_playwright import Axe

    page = context.pages[0] if context.pages else context.new_page()
    page.goto(address)
    found = Axe().run(page).response["violations"]
    worst = [one for one in found if one["impact"] in {"serious", "critical"}]
    return [(one["id"], one["nodes"][0]["html"][:200]) for one in worst]


@pytest.mark.live
@pytest.mark.long
def test_every_page_shows_what_it_has_without_scripts(whole: Served, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    for path in ADDRESSES:
        page.goto(whole.at + path)
        expect(page.get_by_role("heading", level=1), path).to_be_visible()
        for late in page.locator("details.later").all():
            late.locator("summary").click()
            expect(late.get_by_role("link").first, path).to_be_visible()
    page.goto(f"{whole.at}/results/{ONE}")
    page.locator("details.later summary").first.click()
    page.locator("details.later a").first.click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert page.url != f"{whole.at}/results/{ONE}"
    context.close()


@pytest.mark.live
def test_a_person_without_a_mouse_searches_by_keyboard(whole: Served, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{whole.at}/results")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name") == "find":
            break
    page.keyboard.type("cache")
    button = page.get_by_role("button", name="Search", exact=True)
    for _ in range(30):
        page.keyboard.press("Tab")
        if button.evaluate("one => one === document.activeElement"):
            break
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/results?find=cache*")
    context.close()


@pytest.mark.live
def test_what_is_folded_is_printed_and_what_is_for_screens_is_not(whole: Served, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{whole.at}/machines/node01.example.org")
    folded = page.get_by_text("compared with the one before").first
    expect(folded).to_be_hidden()
    page.emulate_media(media="print")
    expect(folded).to_be_visible()
    expect(page.locator("nav.site")).to_be_hidden()
    expect(page.get_by_role("button", name="Check")).to_be_hidden()
    context.close()
