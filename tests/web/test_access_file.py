"""The access file: what is wrong in it, and where."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.model.errors import AssayError, MissingError
from assay.web.access.file import AccessError, load_access, read_access
from assay.web.access.person import Role
from assay.web.serve import check_host

GOOD = """url: https://assay.example.org
sign_in:
  issuer: https://iam.example.org/
  client_id: assay
  client_secret_file: secret
  scopes: [openid, profile]
roles:
  claim: groups
  viewer: [staff]
  admin: [farm-admins]
operators_may_use: node[01-50],@rack=a7
session: {idle: 30 min, lifetime: 12 h}
tls: {certificate: cert.pem, key: key.pem}
user: assay-web
proxies: [127.0.0.1]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("secret", "cert.pem", "key.pem"):
        (tmp_path / name).write_text("hush\n")
        (tmp_path / name).chmod(0o600)
    return tmp_path


def test_everything_that_can_be_said_is_read(folder: Path) -> None:
    rules = read_access(GOOD, "access.yaml", folder)
    assert rules.host == "assay.example.org"
    assert rules.secure
    assert rules.sign_in.issuer == "https://iam.example.org/", "as the provider writes it"
    assert rules.sign_in.secret == "hush"
    assert "hush" not in repr(rules)
    assert (rules.idle_s, rules.lifetime_s) == (1800, 43200)
    assert (rules.certificate, rules.key) == (folder / "cert.pem", folder / "key.pem")
    assert (rules.user, rules.proxies, rules.operators_may_use) == (
        "assay-web", ("127.0.0.1",), "node[01-50],@rack=a7",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://Assay.example.org/", "assay.example.org"),
        ("https://assay.example.org:443", "assay.example.org"),
        ("https://assay.example.org:8443", "assay.example.org:8443"),
        ("http://localhost:80", "localhost"),
    ],
)
def test_the_host_is_what_browsers_say(folder: Path, url: str, host: str) -> None:
    text = GOOD.replace("https://assay.example.org", url).replace("tls:", "#")
    assert read_access(text, "access.yaml", folder).host == host


def test_the_highest_role_of_the_values_of_a_claim_counts(folder: Path) -> None:
    roles = read_access(GOOD, "access.yaml", folder).roles
    assert roles.of({"groups": ["staff", "farm-admins"]}) is Role.ADMIN
    assert roles.of({"groups": "staff"}) is Role.VIEWER
    for claims in (
        {},
        {"groups": []},
        {"groups": ["x"]},
        {"groups": {"staff": 1}},
        {"groups": None},
        {"staff": "x"},
    ):
        assert roles.of(claims) is None, claims
    assert roles.of({"groups": [["staff"], {"a": 1}, 7, "staff"]}) is Role.VIEWER


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("https://assay.example.org", "http://assay.example.org", "a.yaml:1:6: expected an address like"),
        ("https://assay.example.org", "https://a.example/x", "a.yaml:1:6: expected an address without a"),
        ("https://assay.example.org", "https://u:p@a.example", "a.yaml:1:6: expected an address like"),
        ("url: https://assay.example.org\n", "", "a.yaml:1:1: expected 'url'"),
        ("sign_in:", "signin:", "a.yaml:2:1: expected one of url, sign_in, roles"),
        ("sign_in:", "signin:", "nearest: 'sign_in'"),
        ("https://iam.example.org/", "http://iam.example.org", "a.yaml:3:11: expected an address like"),
        ("client_id: assay", "client_id: [a]", "a.yaml:4:14: expected a text, got a list"),
        ("file: secret", "file: absent", "a.yaml:5:23: expected a file that is there"),
        ("[openid, profile]", "[profile]", "a.yaml:6:11: expected 'openid' among the scopes"),
        ("claim: groups", "clam: groups", "a.yaml:8:3: expected one of claim, viewer, operator, admin"),
        ("viewer: [staff]", "viewer: staff", "a.yaml:9:11: expected a list of texts, got 'staff'"),
        ("  viewer: [staff]\n  admin: [farm-admins]\n", "", "expected values of the claim for one of"),
        ("idle: 30 min", "idle: soon", "a.yaml:12:17: expected a time like '8 h', got 'soon'"),
        ("idle: 30 min", "idle: 1 s", "a.yaml:12:17: expected a time from 1 min to 30 d"),
        (", key: key.pem", "", "a.yaml:13:6: expected 'key'"),
        ("user: assay-web", "user: root", "a.yaml:14:7: expected the name of an account that is not root"),
        ("proxies: [127.0.0.1]", "proxies: ['*']", "a.yaml:15:11: expected an IP address, got '*'"),
        ("user: assay-web", "user: assay-web\nuser: root", "a.yaml:15:1: expected each key once"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_place(folder: Path, old: str, new: str, said: str) -> None:
    assert old in GOOD
    with pytest.raises(AccessError) as wrong:
        read_access(GOOD.replace(old, new), "a.yaml", folder)
    assert said in wrong.value.message


@pytest.mark.parametrize("text", ["", "\n", "[]", "x", "a: [", "url: &x y", "url: 1\nsign_in: 2\nroles: 3"])
def test_what_is_no_access_file_is_told(folder: Path, text: str) -> None:
    with pytest.raises(AccessError, match=r"^a\.yaml:\d+:\d+: expected"):
        read_access(text, "a.yaml", folder)


def test_secrets_that_others_may_read_are_refused(folder: Path) -> None:
    for name in ("secret", "key.pem"):
        (folder / name).chmod(0o644)
        with pytest.raises(AccessError, match="others may not read"):
            read_access(GOOD, "a.yaml", folder)
        (folder / name).chmod(0o600)
    (folder / "secret").write_text(" \n")
    with pytest.raises(AccessError, match="the secret in it"):
        read_access(GOOD, "a.yaml", folder)


def test_a_file_that_others_may_write_is_refused(folder: Path) -> None:
    file = folder / "access.yaml"
    file.write_text(GOOD)
    file.chmod(0o666)
    with pytest.raises(MissingError, match="others could change who may sign in"):
        load_access(file)
    file.chmod(0o644)
    assert load_access(file).host == "assay.example.org"
    with pytest.raises(AccessError, match="no such file"):
        load_access(folder / "absent.yaml")


def test_addresses_of_others_take_https(folder: Path) -> None:
    rules = read_access(GOOD, "a.yaml", folder)
    check_host("0.0.0.0", rules)
    plain = GOOD.replace("url: https://assay.example.org", "url: http://127.0.0.1:8421").replace("tls:", "#")
    check_host("127.0.0.1", read_access(plain, "a.yaml", folder))
    with pytest.raises(AssayError, match="this machine alone"):
        check_host("0.0.0.0", read_access(plain, "a.yaml", folder))
    with pytest.raises(AccessError, match="expected https"):
        read_access(GOOD.replace("https://assay.example.org", "http://localhost"), "a.yaml", folder)


def test_the_command_tells_of_a_mistake(folder: Path) -> None:
    file = folder / "access.yaml"
    file.write_text(GOOD.replace("roles:", "rolls:"))
    words = [sys.executable, "-m", "assay", "serve", "--access", str(file), "--port", "0"]
    ran = subprocess.run(
        words,
        env={**os.environ, "ASSAY_HOME": str(folder / "home")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 3
    assert f"{file}:7:1: expected one of" in ran.stderr
    assert "nearest: 'roles'" in ran.stderr
