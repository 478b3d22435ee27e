"""What a person does in a browser, from a machine to a report; run where the machine can be reached.

``python -m tests.live.web_way ADDRESS WAY WORDS`` prints one line a step; the ways are at the
end of the file.
"""

# ruff: noqa: T201 - what each step has shown is its answer

from __future__ import annotations

import sys

from playwright.sync_api import Page, sync_playwright

from tests.web.conftest import CHROMIUM

SCENE = """\
scene: asleep
title: A job that sleeps
baseline: {machine: local}
treatment: {machine: local}
workloads: [{name: sleep, command: sleep 0.2}]
design: {blocks: 3, wait-quiet: 0 s}
"""
WAIT_MS = 120_000
BLOCKS, FURTHER = 3, 10


def whole(page: Page, at: str, machine: str, ssh: str) -> None:
    """Add a machine, save a scene, evaluate it here and there, look at the results."""
    _add_machine(page, at, machine, ssh)
    _save_scene(page, at)
    first = _evaluate(page, at)
    second = _evaluate(page, at, on=machine)
    _report(page, at, first)
    print("activity", first)
    page.goto(f"{at}/results/{second}")
    print("several", page.locator("h1").inner_text())
    page.locator("section[aria-labelledby=machines] th a").click()
    page.wait_for_url(lambda url: not url.endswith(second))
    _compare(page, at, first, page.url.rpartition("/")[2])


def retry(page: Page, at: str, activity: str) -> None:
    """Measure again on the machines that were taken out."""
    page.goto(f"{at}/activities/{activity}")
    page.get_by_role("button", name="Retry the machines that were taken out").click()
    page.locator(".kicker .state.complete").wait_for()
    print("retried", page.locator(".kicker .state").inner_text())


def _add_machine(page: Page, at: str, machine: str, ssh: str) -> None:
    page.goto(f"{at}/add-machine")
    page.locator("input[name=name]").fill(machine)
    page.locator("input[name=ssh]").fill(ssh)
    page.locator("main form button").first.click()
    page.wait_for_url(f"{at}/machines/{machine}*")
    print("added", page.locator("h1").inner_text())


def _save_scene(page: Page, at: str) -> None:
    page.goto(f"{at}/new-scene")
    page.locator("#text").fill(SCENE)
    page.locator("#problems .said").wait_for()
    page.get_by_role("button", name="Save").click()
    page.wait_for_url(f"{at}/scenes/asleep*")
    print("saved", page.locator("h1").inner_text())


def _evaluate(page: Page, at: str, on: str = "") -> str:
    page.goto(f"{at}/scenes/asleep")
    page.locator("input[name=on]").fill(on)
    page.get_by_role("button", name="What would it take?").click()
    page.wait_for_url(f"{at}/scenes/asleep/plan*")
    print("planned", page.locator(".lead").inner_text())
    page.get_by_role("button", name="Evaluate").click()
    page.wait_for_url(f"{at}/activities/*")
    activity = page.url.rpartition("/")[2].partition("?")[0]
    page.locator(".kicker .state.complete").wait_for()  # nobody loads the page again: it follows the activity
    print("measured", page.locator(".kicker").inner_text())
    return activity


def extend(page: Page, at: str, activity: str) -> None:
    """Extend an activity, stop it and resume it."""
    page.goto(f"{at}/activities/{activity}")
    page.locator("input[name=blocks]").fill(str(FURTHER))
    page.get_by_role("button", name="Extend").click()
    page.locator(".kicker .state.running").wait_for()
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Stop").click()
    page.locator(".kicker .state.interrupted").wait_for()
    done = page.request.get(f"{at}/activities/{activity}.json").json()["done"]
    print("stopped", done)
    page.reload()
    page.get_by_role("button", name="Resume").click()
    page.locator(".kicker .state.complete").wait_for()
    print("resumed", page.request.get(f"{at}/activities/{activity}.json").json()["done"])


def _report(page: Page, at: str, result: str) -> None:
    page.goto(f"{at}/results/{result}")
    page.locator("html[data-charts=drawn]").wait_for(state="attached")
    print("drawn", page.locator("[data-chart] svg").count())
    answer = page.request.get(f"{at}/results/{result}/report.html")
    print("report", answer.status, len(answer.body()) > 10_000)


def _compare(page: Page, at: str, first: str, second: str) -> None:
    """Lay two results beside each other: that of this machine, and that of the one that was added."""
    page.goto(f"{at}/compare?with={first}&with={second}")
    page.locator("html[data-charts=drawn]").wait_for(state="attached")
    print("compared", page.locator("h1").inner_text())
    print("between", sorted({first, second}) == sorted(page.locator("#results ~ * th a").all_inner_texts()))
    print("differences", page.locator("section[aria-labelledby=differences] tbody tr").count())


WAYS = {"whole": whole, "extend": extend, "retry": retry}


def main(at: str, way: str, *words: str) -> None:
    """Go a way in a browser of its own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(WAIT_MS)
        WAYS[way](page, at, *words)
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
