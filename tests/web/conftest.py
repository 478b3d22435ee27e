"""A real server of a home with results, and a real browser."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, sync_playwright

from assay.model.files.home import mark_home
from tests.cli.conftest import home_with_result

CHROMIUM = "/usr/bin/chromium"


@dataclass(frozen=True)
class Served:
    """A server of pages.

    Attributes:
        home: What it serves.
        at: Its address, without a slash at the end.
        client: Asks it as whoever runs the tests.
    """

    home: Path
    at: str
    client: httpx.Client

    def token(self) -> str:
        """Return the token that its pages send."""
        return str(self.client.get("/me.json").json()["token"])

    def post(self, path: str, **fields: object) -> httpx.Response:
        """Send what a page of it would."""
        headers = {"origin": self.at, "x-assay-token": self.token(), "accept": "application/json"}
        return self.client.post(path, json=fields, headers=headers)


@contextmanager
def serving(
    home: Path,
    *options: str,
    wrap: Callable[[Sequence[str]], Sequence[str]] = list,
    variables: Mapping[str, str] | None = None,
) -> Iterator[Served]:
    """Serve a home by the command itself, as another command runs it."""
    words = wrap([sys.executable, "-m", "assay", "serve", "--port", "0", "--json", *options])
    env = {**os.environ, "ASSAY_HOME": str(home), **(variables or {})}
    with subprocess.Popen(words, env=env, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            told = ""
            while not told.rstrip().endswith("}"):
                line = server.stdout.readline()
                assert line, "the server ended"
                told += line
            at = json.loads(told)["address"].rstrip("/")
            with httpx.Client(base_url=at, timeout=30, trust_env=False) as client:
                yield Served(home, at, client)
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(20)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of a home with one result."""
    home = home_with_result(tmp_path_factory.mktemp("served") / "home")
    mark_home(home)
    with serving(home) as server:
        yield server


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real browser, of one file: while it is there, nothing else may run an event loop of its own."""
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()
