"""A cloud on loopback: Keystone, Nova, Glance and Neutron as far as instances need them, answered from
``replies`` (written from the API references; no real cloud was ever asked).
"""

from __future__ import annotations

import json
import os
import re
import ssl
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.hosts import enter_namespace

REPLIES = Path(__file__).parent / "replies"
PASSWORD = "wxyz-9173-secret"
CLOUDS = """\
clouds:
  bench:
    auth:
      auth_url: {url}/identity
      username: bench
      password: {password}
      project_name: bench
      user_domain_name: Default
      project_domain_name: Default
    region_name: RegionOne
"""
Reply = tuple[int, Any]


def _nothing(_server: dict[str, Any], _asked: dict[str, Any]) -> None:
    """Nothing happens in it."""


@dataclass
class Cloud:
    """What the cloud has, how it answers, and what it was asked.

    Attributes:
        url: Its address.
        admin: The user is an administrator.
        address: Of the instances.
        builds: Looks at an instance until it is active; ``None``: never.
        fault: Instances end in ERROR with this.
        started: Is told of an instance once it is active, with what it was asked for.
        instead: Replies by ``METHOD path``, instead of the ordinary ones.
        lingers: Looks at a deleted instance until it is gone.
        without: Keys that instances lack, as of older versions.
        changed: What is other than asked for in instances.
    """

    url: str = ""
    admin: bool = True
    address: str = "192.0.2.7"
    builds: int | None = 0
    fault: Any = None
    started: Callable[[dict[str, Any], dict[str, Any]], None] = _nothing
    instead: dict[str, Reply] = field(default_factory=dict)
    lingers: int = 0
    changed: dict[str, Any] = field(default_factory=dict)
    servers: dict[str, dict[str, Any]] = field(default_factory=dict)
    asked: dict[str, dict[str, Any]] = field(default_factory=dict)
    keypairs: dict[str, str] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    _looks: dict[str, int] = field(default_factory=dict)
    _dying: dict[str, int] = field(default_factory=dict)

    def reply(self, name: str, **filled: str) -> Any:
        """Return a reply of the folder."""
        text = (REPLIES / f"{name}.json").read_text().replace("@URL@", self.url)
        for word, value in filled.items():
            text = text.replace(f"@{word}@", value)
        return json.loads(text)

    def answer(self, method: str, path: str, body: Any) -> Reply:
        """Answer a request."""
        self.requests.append(f"{method} {path}")
        if (instead := self.instead.get(f"{method} {path}")) is not None:
            return instead
        for pattern, act in self._acts().items():
            if (found := re.fullmatch(pattern, f"{method} {path}")) is not None:
                return act(body, *found.groups())
        return 404, self.reply("error-not-found")

    def _acts(self) -> dict[str, Callable[..., Reply]]:
        nova = "/compute/v2.1"

        def told(name: str) -> Callable[..., Reply]:
            return lambda _body: (200, self.reply(name))

        return {
            "GET /identity/?": told("keystone-versions"),
            "POST /identity/v3/auth/tokens": self._login,
            f"GET {nova}/?": told("nova-version"),
            f"GET {nova}/flavors/detail": told("nova-flavors"),
            f"GET {nova}/flavors/([^/]+)": self._flavor,
            f"GET {nova}/os-aggregates": self._for_admins("nova-aggregates"),
            f"GET {nova}/os-hypervisors/detail": self._for_admins("nova-hypervisors"),
            f"POST {nova}/os-keypairs": self._keypair,
            f"DELETE {nova}/os-keypairs/([^/]+)": self._drop_keypair,
            f"POST {nova}/servers": self._make,
            f"GET {nova}/servers/detail": self._list,
            f"GET {nova}/servers/([^/]+)": self._show,
            f"DELETE {nova}/servers/([^/]+)": self._delete,
            f"POST {nova}/servers/([^/]+)/action": lambda *_: (200, {"output": "Booting\nlogin:\n\n"}),
            "GET /image/?": told("glance-versions"),
            "GET /image/v2/images": told("glance-images"),
            "GET /image/v2/images/([^/]+)": self._image,
            "GET /network/?": told("neutron-versions"),
            "GET /network/v2.0/networks": told("neutron-networks"),
            "GET /network/v2.0/security-groups": told("neutron-security-groups"),
        }

    def _login(self, body: Any) -> Reply:
        user = body["auth"]["identity"]["password"]["user"]
        if user["password"] != PASSWORD:
            return 401, self.reply("error-unauthorized")
        return 201, self.reply("keystone-token")

    def _for_admins(self, name: str) -> Callable[..., Reply]:
        return lambda _body: (200, self.reply(name)) if self.admin else (403, self.reply("error-aggregates"))

    def _flavor(self, _body: Any, identity: str) -> Reply:
        return 200, {"flavor": self._one("nova-flavors", "flavors", identity)}

    def _image(self, _body: Any, identity: str) -> Reply:
        return 200, self._one("glance-images", "images", identity)

    def _one(self, name: str, key: str, identity: str) -> Any:
        return next(one for one in self.reply(name)[key] if one["id"] == identity)

    def _keypair(self, body: Any) -> Reply:
        asked = body["keypair"]
        self.keypairs[asked["name"]] = asked["public_key"]
        return 201, {"keypair": {**asked, "fingerprint": "00:00", "user_id": "u1", "type": "ssh"}}

    def _drop_keypair(self, _body: Any, name: str) -> Reply:
        return (204, None) if self.keypairs.pop(name, None) else (404, self.reply("error-not-found"))

    def _make(self, body: Any) -> Reply:
        asked = body["server"]
        identity = str(uuid.uuid4())
        flavor = self._one("nova-flavors", "flavors", asked["flavorRef"])
        filled = {"ID": identity, "NAME": asked["name"], "FLAVOR": flavor["name"], "IMAGE": asked["imageRef"]}
        server = self.reply("nova-server", ADDRESS=self.address, **filled)["server"]
        server["metadata"] = asked["metadata"]
        server["flavor"].update({name: flavor[name] for name in ("vcpus", "ram", "disk", "extra_specs")})
        if zone := asked.get("availability_zone"):
            server["OS-EXT-AZ:availability_zone"] = zone.partition(":")[0]
        if groups := asked.get("security_groups"):
            known = {one["id"]: one for one in self.reply("neutron-security-groups")["security_groups"]}
            server["security_groups"] = [{"name": known[one["name"]]["name"]} for one in groups]
        if self.admin:
            server.update(self.reply("nova-server-admin"))
        server.update(self.changed)
        self.servers[identity], self.asked[identity] = server, asked
        return 202, {"server": {"id": identity, "links": [], "OS-DCF:diskConfig": "MANUAL"}}

    def _seen(self, identity: str) -> dict[str, Any]:
        """Return an instance as it is at this look."""
        server, look = self.servers[identity], self._looks.get(identity, 0)
        self._looks[identity] = look + 1
        if self.fault is not None:
            return {**server, "status": "ERROR", "fault": self.fault}
        if self.builds is None or look < self.builds:
            return {**server, "status": "BUILD", "addresses": {}}
        if look == self.builds:
            self.started(server, self.asked[identity])
        return server

    def _show(self, _body: Any, identity: str) -> Reply:
        if identity in self._dying:
            self._dying[identity] -= 1
            if self._dying[identity] < 0:
                del self.servers[identity], self._dying[identity]
        if identity not in self.servers:
            return 404, self.reply("error-not-found")
        return 200, {"server": self._seen(identity)}

    def _list(self, _body: Any) -> Reply:
        return 200, {"servers": [*self.servers.values()]}

    def _delete(self, _body: Any, identity: str) -> Reply:
        if identity not in self.servers:
            return 404, self.reply("error-not-found")
        self._dying[identity] = self.lingers
        return 204, None


@contextmanager
def running(certificate: Path | None = None, *, namespace: str | None = None) -> Iterator[Cloud]:
    """Answer on a port of loopback, of a network namespace where one is named; by TLS with a certificate and
    its key in one file.
    """
    cloud = Cloud()
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *_words: object) -> None:
            """Print nothing."""

        def _handle(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            parts = urlsplit(self.path)
            with lock:
                status, reply = cloud.answer(self.command, parts.path, body)
            query = parse_qs(parts.query)
            if "marker" in query:  # no list has a second page
                reply = {key: [] for key in reply}
            if "name" in query:
                reply = {"images": [one for one in reply["images"] if one["name"] in query["name"]]}
            content = b"" if reply is None else json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("OpenStack-API-Version", "compute 2.96")
            if parts.path.endswith("/auth/tokens"):
                self.send_header("X-Subject-Token", "gAAAA-token")
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_DELETE = _handle

    server = _listening(Handler, namespace)
    server.daemon_threads = True
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    cloud.url = f"http{'s' * (certificate is not None)}://127.0.0.1:{server.server_port}"
    try:
        yield cloud
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _listening(handler: type[BaseHTTPRequestHandler], namespace: str | None) -> ThreadingHTTPServer:
    """Listen, in a thread that enters the namespace and ends in it."""
    made: list[ThreadingHTTPServer] = []

    def listen() -> None:
        if namespace is not None:
            with open(f"/run/netns/{namespace}", "rb") as inside:
                enter_namespace(inside.fileno())
        made.append(ThreadingHTTPServer(("127.0.0.1", 0), handler))

    thread = threading.Thread(target=listen)
    thread.start()
    thread.join()
    return made[0]


def use(cloud: Cloud, folder: Path, monkeypatch: pytest.MonkeyPatch, text: str = CLOUDS) -> None:
    """Name the cloud in a ``clouds.yaml``, and say so as a user does."""
    for name in [name for name in os.environ if name.startswith("OS_")]:
        monkeypatch.delenv(name)
    file = folder / "clouds.yaml"
    file.write_text(text.format(url=cloud.url, password=PASSWORD))
    monkeypatch.setenv("OS_CLIENT_CONFIG_FILE", str(file))
    monkeypatch.setenv("OS_CLOUD", "bench")
