"""The web process without root and the helper that keeps it, as one command starts them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from assay.model.files.home import make_home
from tests.cli.conftest import home_with_result
from tests.passing import pass_by
from tests.plain_user import laid_open
from tests.ports import free_port
from tests.results.test_outcome import PLAN
from tests.web.signing import access_file, authorize, cookie_of, providing


@pytest.fixture(autouse=True, scope="module")
def as_root() -> None:
    """Only root becomes another user."""
    if os.geteuid() != 0:
        pass_by("only root becomes another user")


WEB, READERS, OTHER = 64321, 64322, 65534
"""The web process's user, the group assay, and somebody else."""


@dataclass(frozen=True)
class Split:
    """A server in two processes.

    Attributes:
        home: What it serves.
        at: Its address.
        helper: Process id of the helper.
        web: Process id of the web process.
    """

    home: Path
    at: str
    helper: int
    web: int

    @contextmanager
    def signed_in(self, sub: str) -> Iterator[httpx.Client]:
        """Give a browser in which somebody has signed in."""
        with httpx.Client(base_url=self.at, timeout=60, trust_env=False) as client:
            begun = client.get("/sign-in/start")
            answer = client.get(authorize(begun.headers["location"], sub))
            assert answer.status_code == 303, answer.text
            yield client

    def post(self, client: httpx.Client, path: str, **fields: object) -> httpx.Response:
        """Send what a page would."""
        headers = {"origin": self.at, "x-assay-token": client.get("/me.json").json()["token"]}
        return client.post(path, json=fields, headers=headers)

    def as_user(self, uid: int, script: str, *groups: int) -> str:
        """Return what a script prints that a user runs."""
        words = ["setpriv", f"--reuid={uid}", f"--regid={uid}"]
        words += [f"--groups={','.join(map(str, groups))}" if groups else "--clear-groups"]
        ran = subprocess.run(
            [*words, "/usr/bin/python3", "-c", script], capture_output=True, text=True, check=False
        )
        return ran.stdout.strip() or ran.stderr


@contextmanager
def splitting(
    folder: Path, issuer: str, *more: str, scheme: str = "http"
) -> Iterator[tuple[Split, subprocess.Popen[str]]]:
    """Start the command itself, where an account and a group are known to it alone."""
    home, port = folder / "home", free_port()
    at = f"{scheme}://127.0.0.1:{port}"
    lines = ("user: assay-web", "operators_may_use: local", *more)
    file = access_file(folder / "access", issuer, at, *lines)
    script = f"set -e; {laid_open(folder)}"
    for name, line in (
        ("passwd", f"assay-web:x:{WEB}:{WEB}::/:/bin/false"),
        ("group", f"assay:x:{READERS}:"),
    ):
        own = folder / name
        own.write_text(f"{Path('/etc', name).read_text().rstrip()}\n{line}\n")
        script += f"mount --bind {own} /etc/{name}; "
    words = [
        sys.executable,
        "-P",
        "-m",
        "assay",
        "serve",
        "--access",
        str(file),
        "--port",
        str(port),
        "--json",
    ]
    command = ["unshare", "--mount", "--propagation=private", "sh", "-c", f"{script} exec {' '.join(words)}"]
    env = {**os.environ, "ASSAY_HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            told = ""
            while not told.rstrip().endswith("}"):
                line = server.stdout.readline()
                assert line, "the server ended"
                told += line
            assert json.loads(told)["address"] == f"{at}/"
            children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
            yield Split(home, at, server.pid, int(children[0])), server
        finally:
            server.terminate()
            server.wait(30)


@contextmanager
def open_folder() -> Iterator[Path]:
    """Give a folder that everybody may pass through, as those of pytest are not."""
    folder = Path(tempfile.mkdtemp(prefix="assay-split-", dir="/var/tmp"))
    try:
        folder.chmod(0o755)
        make_home(folder / "home")
        home_with_result(folder / "home")
        yield folder
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    with providing() as at:
        yield at


@pytest.fixture(scope="module")
def split(issuer: str) -> Iterator[Split]:
    with open_folder() as folder, splitting(folder, issuer) as (server, _):
        yield server


def _status(pid: int) -> dict[str, list[str]]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: rest.split() for name, _, rest in (line.partition(":") for line in lines)}


def test_the_web_process_has_no_root_and_never_gains_it(split: Split) -> None:
    web, helper = _status(split.web), _status(split.helper)
    assert web["Uid"] == [str(WEB)] * 4
    assert web["Gid"] == [str(WEB)] * 4
    assert web["Groups"] == [str(READERS)]
    assert web["NoNewPrivs"] == ["1"]
    assert {int(web[name][0], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {0}
    assert web["Umask"] == ["0077"]
    assert helper["Uid"] == ["0"] * 4
    assert Path(f"/proc/{split.web}/stat").read_text().rpartition(")")[2].split()[3:5] == [
        str(split.web),
        "0",
    ]
    opened = [os.readlink(one) for one in Path(f"/proc/{split.web}/fd").iterdir()]
    assert not [one for one in opened if one.startswith(str(split.home))]


def test_its_pages_show_what_the_group_may_read(split: Split) -> None:
    with split.signed_in("vera") as client:
        assert client.get("/results.json").json()["results"][0]["id"] == PLAN.id
        for path in ("/", "/machines", "/activities", f"/results/{PLAN.id}", "/api"):
            answer = client.get(path, headers={"accept": "text/html"})
            assert answer.status_code == 200, f"{path}: {answer.text}"


def test_what_is_asked_is_done_by_the_helper_and_shown(split: Split) -> None:
    with split.signed_in("ada") as admin:
        answer = split.post(admin, "/machines", name="n7", ssh="root@192.0.2.7")
        assert (answer.status_code, answer.json()["code"]) == (200, 7), "it is added, and cannot be reached"
        assert "n7" in [one["name"] for one in admin.get("/machines.json").json()["machines"]]
        again = split.post(admin, "/machines", name="n7", ssh="root@192.0.2.7")
        assert (again.status_code, "taken" in again.json()["error"]) == (422, True)
        assert admin.get("/audit.json").json()["entries"][0]["what"] == "machine-add"
    log = split.home / "serve" / "audit.jsonl"
    assert (log.stat().st_uid, log.stat().st_mode & 0o777) == (0, 0o600)


def test_the_helper_refuses_what_a_role_may_not(split: Split) -> None:
    for sub in ("vera", "otto"):
        with split.signed_in(sub) as client:
            answer = split.post(client, "/machines", name="n8", ssh="h")
            assert answer.status_code == 403
            assert "takes the role admin" in answer.json()["error"]
            assert client.get("/audit.json").status_code == 403


def test_a_token_is_known_by_the_helper(split: Split) -> None:
    words = [sys.executable, "-m", "assay", "token", "add", "t", "--role", "viewer", "--json"]
    env = {**os.environ, "ASSAY_HOME": str(split.home)}
    made = subprocess.run(words, env=env, capture_output=True, text=True, check=True)
    bearer = {"authorization": f"Bearer {json.loads(made.stdout)['secret']}"}
    with httpx.Client(base_url=split.at, trust_env=False, headers=bearer) as client:
        assert client.get("/me.json").json()["name"] == "token t"
        assert client.post("/machines", json={"name": "n8", "ssh": "h"}).status_code == 403


def test_the_web_users_rights_end_at_reading_records(split: Split) -> None:
    home = split.home
    record = home / "activities" / PLAN.id / "activity.json"
    tried = {
        f"open({str(record)!r}).read(1)": True,
        f"__import__('os').listdir({str(home / 'activities')!r})": True,
        f"open({str(record)!r}, 'a')": False,
        f"open({str(home / 'new')!r}, 'w')": False,
        f"open({str(home / 'assay.db')!r}, 'rb')": False,
        f"__import__('os').listdir({str(home / 'serve')!r})": False,
        f"open({str(home / 'serve/audit.jsonl')!r})": False,
        f"open({str(home.parent / 'access/secret')!r})": False,
        f"__import__('os').rename({str(home / 'activities')!r}, {str(home / 'x')!r})": False,
        "__import__('os').setuid(0)": False,
    }
    for words, may in tried.items():
        script = f"try:\n {words}\n print('yes')\nexcept OSError: print('no')"
        assert split.as_user(WEB, script, READERS) == ("yes" if may else "no"), words
    script = f"try:\n open({str(record)!r})\n print('yes')\nexcept OSError: print('no')"
    assert split.as_user(OTHER, script) == "no", "records are not everybody's"


def test_nobody_but_the_web_process_is_answered(split: Split) -> None:
    place = next(
        path
        for line in Path("/proc/net/unix").read_text().splitlines()
        if (path := line.split()[-1]).endswith("/helper") and "assay-serve-" in path
        and Path(path).stat().st_uid == WEB
    )  # fmt: skip
    ask = f"""
import socket
end = socket.socket(socket.AF_UNIX)
try:
    end.connect({place!r})
    end.sendall(b'{{"ask": "copy"}}')
    end.shutdown(socket.SHUT_WR)
    print(len(end.recv(9)))
except ConnectionError: print(0)
except PermissionError: print("no")
"""
    assert split.as_user(WEB, ask) == "9"
    assert split.as_user(OTHER, ask) == "no"
    assert split.as_user(OTHER, ask, READERS) == "no"
    assert split.as_user(0, ask) == "0", "not even root, who has other ways"


@pytest.mark.long
def test_both_end_together(issuer: str) -> None:
    for whom, number, code in (
        ("helper", signal.SIGTERM, None),
        ("web", signal.SIGKILL, 4),
        ("helper", signal.SIGKILL, -9),
    ):
        before = _meetings()
        with open_folder() as folder, splitting(folder, issuer) as (server, process):
            with server.signed_in("vera") as client:
                client.get("/results.json")
            assert _meetings() - before
            os.kill(getattr(server, whom), number)
            ended = process.wait(30)
            assert code is None or ended == code
            for _ in range(100):
                if not Path(f"/proc/{server.web}").exists():
                    break
                signal.sigtimedwait([], 0.1)
            assert not Path(f"/proc/{server.web}").exists()
            if number == signal.SIGTERM or whom == "web":
                assert not _meetings() - before, "no copy of the database is left"
            for left in _meetings() - before:
                shutil.rmtree(left)


def test_the_key_of_tls_is_roots_and_cookies_are_bound_to_the_host(issuer: str) -> None:
    with open_folder() as folder:
        access = folder / "access"
        access.mkdir()
        words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        words += [
            "-keyout",
            "key.pem",
            "-out",
            "cert.pem",
            "-subj",
            "/CN=x",
            "-addext",
            "subjectAltName=IP:127.0.0.1",
        ]
        subprocess.run(words, cwd=access, check=True, capture_output=True)
        (access / "key.pem").chmod(0o600)
        tls = "tls: {certificate: cert.pem, key: key.pem}"
        trusted = ssl.create_default_context(cafile=access / "cert.pem")
        with (
            splitting(folder, issuer, tls, scheme="https") as (server, _),
            httpx.Client(base_url=server.at, timeout=60, trust_env=False, verify=trusted) as client,
        ):
            begun = client.get("/sign-in/start")
            assert begun.headers["strict-transport-security"].startswith("max-age=")
            answer = client.get(authorize(begun.headers["location"], "vera"))
            cookie = cookie_of(answer, "__Host-assay")
            assert all(word in cookie for word in ("Secure", "HttpOnly", "SameSite=lax", "Path=/"))
            assert client.get("/me.json").json()["role"] == "viewer"


def _meetings() -> set[Path]:
    return {*Path("/run").glob("assay-serve-*")}


def test_an_account_takes_root_and_a_group(issuer: str) -> None:
    with open_folder() as folder:
        file = access_file(folder / "access", issuer, "http://127.0.0.1:1", "user: nobody")
        for user, said in (("nobody", "there is no group 'assay'"), ("absent-one", "no such account")):
            file.write_text(file.read_text().replace("user: nobody", f"user: {user}"))
            assert said in _refused(folder, file)
        file.write_text(file.read_text().replace("user: absent-one", ""))
        assert "cannot serve others as root" in _refused(folder, file)


def _refused(folder: Path, file: Path) -> str:
    ran = subprocess.run(
        [sys.executable, "-m", "assay", "serve", "--access", str(file), "--port", "0"],
        env={**os.environ, "ASSAY_HOME": str(folder / "home")}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 4, ran.stderr
    return ran.stderr
