"""A folder that a machine serves by XRootD of its own: there while its input is open, and gone with it."""

from __future__ import annotations

import subprocess
import urllib.request
from collections.abc import Sequence
from pathlib import Path

import pytest

from assay.platforms.data_servers.own_server import Served, check_served, serving
from assay.platforms.errors import PlatformError


class Program:
    """A program on this machine in the place of one by SSH."""

    def __init__(self, argv: Sequence[str], connection: str) -> None:
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "SSH_CONNECTION": connection}
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)

    def receive(self, timeout_s: float) -> bytes:
        del timeout_s
        assert self.process.stdout is not None
        return self.process.stdout.readline().rstrip()

    def close(self) -> None:
        self.process.communicate(timeout=20)


def run(argv: Sequence[str], *, timeout_s: float) -> bytes:
    from assay.machines.errors import CommandError

    done = subprocess.run(argv, capture_output=True, timeout=timeout_s, check=False)
    if done.returncode:
        raise CommandError("here", argv, exit_code=done.returncode, stderr=done.stderr.decode())
    return done.stdout


def test_urls_have_what_they_need() -> None:
    assert Served("10.0.0.2", 1094).url("a b.root") == "http://10.0.0.2:1094//a%20b.root"
    assert Served("2001:db8::1", 1094).url() == "http://[2001:db8::1]:1094//"


@pytest.mark.live
def test_a_folder_is_served_read_only_while_its_holder_lives(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    (folder / "below").mkdir(parents=True, mode=0o700)
    (folder / "f0.root").write_bytes(bytes(range(256)) * 40)
    (folder / "below" / "f1.root").write_bytes(b"x" * 77)
    with serving(
        lambda argv: Program(argv, "127.0.0.1 1 127.0.0.1 22"), run, str(folder), machine="here"
    ) as served:
        assert check_served(served, run, ["f0.root", "below/f1.root", "none.root"]) == [10240, 77, 0]
        asked = urllib.request.Request(served.url("f0.root"), headers={"Range": "bytes=0-1,300-301"})
        with urllib.request.urlopen(asked, timeout=10) as answer:
            body = answer.read()
        assert answer.status == 206
        assert b"\x00\x01" in body
        assert b"\x2c\x2d" in body
        assert served.version.lower().startswith("xrootd")
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(
                urllib.request.Request(served.url("new"), data=b"y", method="PUT"), timeout=10
            )
        assert not (folder / "new").exists()
    with pytest.raises(PlatformError, match=r"cannot read the data by http://127\.0\.0\.1"):
        check_served(served, run, ["f0.root"])
    assert sorted(path.name for path in folder.iterdir()) == ["below", "f0.root"]


def test_a_machine_that_does_not_tell_its_address_is_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(PlatformError, match="its sshd does not tell by which address"),
        serving(
            lambda argv: Program(argv, "UNKNOWN 65535 UNKNOWN 65535"), run, str(tmp_path), machine="here"
        ),
    ):
        pass
