"""A site whose people sign in: real pages, a real provider, and commands that are only written down."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import uvicorn

from assay.web.access.audit import Audit
from assay.web.access.file import AccessRules, load_access
from assay.web.acts.carry import Commands, Done
from assay.web.acts.open_machines import OpenMachines
from assay.web.acts.requests import Act
from assay.web.app import make_app
from assay.web.serve import FOLDER, _config, signed_in
from tests.ports import free_port

PEOPLE = {
    "vera": ["staff"],
    "otto": ["staff", "farm"],
    "ada": ["farm-admins"],
    "nobody": ["guests"],
    "none": None,
}
"""Who can sign in, and the groups that the provider tells of them."""


@contextmanager
def providing(*options: str) -> Iterator[str]:
    """Run a provider; give its issuer."""
    port = free_port()
    users = [
        json.dumps({"sub": sub, "preferred_username": sub.title(), **({"groups": groups} if groups else {})})
        for sub, groups in PEOPLE.items()
    ]
    words = [sys.executable, "-m", "oidc_provider_mock", "--port", str(port), *options]
    words += [f"--user-claims={one}" for one in users]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            issuer = f"http://127.0.0.1:{port}"
            _wait_for(issuer + "/.well-known/openid-configuration")
            yield issuer
        finally:
            server.terminate()
            server.wait(20)


def _wait_for(address: str) -> None:
    for _ in range(400):
        try:
            httpx.get(address, trust_env=False)
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    msg = f"{address} does not answer"
    raise AssertionError(msg)


def access_file(folder: Path, issuer: str, url: str, *more: str) -> Path:
    """Write an access file, and the secret beside it."""
    folder.mkdir(exist_ok=True)
    secret = folder / "secret"
    secret.write_text("hush\n")
    secret.chmod(0o600)
    lines = [
        f"url: {url}",
        f"sign_in: {{issuer: '{issuer}', client_id: assay, client_secret_file: secret}}",
        "roles: {claim: groups, viewer: [staff], operator: [farm], admin: [farm-admins]}",
        *more,
    ]
    file = folder / "access.yaml"
    file.write_text("\n".join(lines) + "\n")
    return file


class Recording(Commands):
    """Checks as always, and writes down what would have been run."""

    def __init__(self, home: Path, audit: Audit, *, machines: OpenMachines) -> None:
        super().__init__(home, audit, machines=machines)
        self.run: list[Act] = []

    def _run(self, act: Act, *_: object) -> Done:
        self.run.append(act)
        return Done(0, "done", {})

    _begin = _run


@dataclass(frozen=True)
class Signing:
    """A server whose people sign in.

    Attributes:
        home: What it serves.
        at: Its address.
        rules: What its access file says.
        carrier: What was carried out.
    """

    home: Path
    at: str
    rules: AccessRules
    carrier: Recording

    def client(self, **headers: str) -> httpx.Client:
        """Return a browser that nobody has signed in with."""
        return httpx.Client(base_url=self.at, timeout=30, trust_env=False, headers=headers)

    @contextmanager
    def signed_in(self, sub: str) -> Iterator[httpx.Client]:
        """Give a browser in which somebody has signed in."""
        with self.client() as client:
            answer = client.get(self.authorized(client, sub))
            assert answer.status_code == 303, answer.text
            yield client

    def authorized(self, client: httpx.Client, sub: str) -> str:
        """Begin to sign in, and return the address at which the provider sends the browser back."""
        begun = client.get("/sign-in/start")
        assert begun.status_code == 303, begun.text
        return authorize(begun.headers["location"], sub)

    def post(self, client: httpx.Client, path: str, **fields: object) -> httpx.Response:
        """Send what a page would."""
        token = client.get("/me.json").json()["token"]
        headers = {"origin": self.at, "x-assay-token": token, "accept": "application/json"}
        return client.post(path, json=fields, headers=headers)


def authorize(address: str, sub: str) -> str:
    """Say at the provider who one is; return where it sends the browser."""
    form = {"action": "deny"} if sub == "denied" else {"sub": sub}
    answer = httpx.post(address, data=form, trust_env=False)
    assert answer.status_code == 302, answer.text
    return answer.headers["location"]


@contextmanager
def signing(home: Path, issuer: str, *more: str) -> Iterator[Signing]:
    """Serve a home to people who sign in, from a thread of this process."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        at = f"http://127.0.0.1:{listening.getsockname()[1]}"
        rules = load_access(access_file(home.parent / "access", issuer, at, *more))
        whole = signed_in(home, rules)
        carrier = Recording(
            home, Audit(home / FOLDER), machines=OpenMachines(whole.store, rules.operators_may_use)
        )
        app = make_app(replace(whole, carrier=carrier), hosts={rules.host}, secure=rules.secure)
        config = _config("127.0.0.1", 0, rules)
        config.app = app
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            _wait_for(f"{at}/healthz")
            yield Signing(home, at, rules, carrier)
        finally:
            server.should_exit = True
            thread.join(20)
            whole.store.close()


def cookie_of(answer: httpx.Response, name: str) -> str:
    """Return a line that sets a cookie."""
    found = [line for line in answer.headers.get_list("set-cookie") if re.match(f"{name}=", line)]
    assert len(found) == 1, answer.headers
    return found[0]
