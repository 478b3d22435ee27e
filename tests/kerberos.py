"""A real Kerberos realm beside a machine by SSH: a KDC in the machine's namespace, and who may log in by it.

Its daemon and all files of it lie below a folder; the machine's own /etc/krb5.conf is not read.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.hosts import SERVER, SshHost, ssh_host

REALM, PORT = "ASSAY.TEST", 8800
PACKAGES = "krb5-kdc krb5-admin-server krb5-user"
CLIENT = """\
[libdefaults]
 default_realm = {realm}
 dns_lookup_kdc = false
 dns_lookup_realm = false
 dns_canonicalize_hostname = false
 rdns = false
[realms]
 {realm} = {{
  kdc = {address}:{port}
 }}
"""
KDC = """\
[kdcdefaults]
 kdc_listen = {address}:{port}
 kdc_tcp_listen = {address}:{port}
[realms]
 {realm} = {{
  database_name = {folder}/principal
  key_stash_file = {folder}/stash
  supported_enctypes = aes256-cts:normal
 }}
"""
SSHD = """\
PubkeyAuthentication no
GSSAPIAuthentication yes
GSSAPIStrictAcceptorCheck no
"""


@dataclass
class Realm:
    """A realm, and a machine that lets in whoever has a ticket of it, and nobody by a key.

    Attributes:
        host: The machine.
        folder: Where the realm lies.
    """

    host: SshHost
    folder: Path

    @property
    def variables(self) -> Mapping[str, str]:
        """The environment of a user of the realm, whose tickets nobody else sees."""
        return {
            "HOME": str(self.host.home),
            "SSH_AUTH_SOCK": "",
            "KRB5_CONFIG": str(self.folder / "krb5.conf"),
            "KRB5CCNAME": f"FILE:{self.folder}/tickets",
        }

    def log_in(self, user: str, password: str) -> None:
        """Get a ticket."""
        argv = self.host.inside(["env", *_words(self.variables), "kinit", f"{user}@{REALM}"])
        subprocess.run(argv, input=f"{password}\n".encode(), capture_output=True, check=True)

    def log_out(self) -> None:
        """Forget all tickets."""
        subprocess.run(["env", *_words(self.variables), "kdestroy", "-q"], check=True)


@contextmanager
def kerberos(folder: Path, users: Mapping[str, str]) -> Iterator[Realm]:
    """Start a machine and the KDC of its realm.

    Args:
        folder: An empty folder.
        users: Password of each user of the realm, who is the machine's user of that name.
    """
    for program in ("krb5kdc", "kadmin.local", "kinit"):
        if shutil.which(program) is None:
            msg = f"no {program}: apt-get install {PACKAGES}"
            raise RuntimeError(msg)
    own = folder / "realm"
    own.mkdir()
    words = {"realm": REALM, "address": SERVER, "port": PORT, "folder": own}
    (own / "krb5.conf").write_text(CLIENT.format(**words))
    (own / "kdc.conf").write_text(KDC.format(**words))
    of_kdc = {"KRB5_CONFIG": str(own / "krb5.conf"), "KRB5_KDC_PROFILE": str(own / "kdc.conf")}
    _made(of_kdc, own / "keytab", users)
    wrap = ("env", f"KRB5_CONFIG={own}/krb5.conf", f"KRB5_KTNAME={own}/keytab")
    with ssh_host(folder, wrap=wrap) as host:
        config = folder / "sshd_config"
        config.write_text(config.read_text() + SSHD)
        host.restart()
        with _kdc(host, own, of_kdc):
            yield Realm(host, own)


def _made(variables: Mapping[str, str], keytab: Path, users: Mapping[str, str]) -> None:
    """Make the realm's database, and the key of the machine."""
    env = ["env", *_words(variables)]
    for argv in (
        ["kdb5_util", "-r", REALM, "create", "-s", "-P", "master"],
        *(
            ["kadmin.local", "-r", REALM, "-q", f"addprinc -pw {word} {name}@{REALM}"]
            for name, word in users.items()
        ),
        ["kadmin.local", "-r", REALM, "-q", f"addprinc -randkey host/{SERVER}@{REALM}"],
        ["kadmin.local", "-r", REALM, "-q", f"ktadd -k {keytab} host/{SERVER}@{REALM}"],
    ):
        done = subprocess.run([*env, *argv], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


@contextmanager
def _kdc(host: SshHost, folder: Path, variables: Mapping[str, str]) -> Iterator[None]:
    enter = ["nsenter", f"--net=/run/netns/{host.server_namespace}", "env", *_words(variables)]
    with (folder / "log").open("ab") as log:
        argv = [*enter, "krb5kdc", "-n", "-r", REALM, "-P", str(folder / "pid")]
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        _await_listening(host, process, folder / "log")
        yield
    finally:
        process.kill()
        process.wait()


def _await_listening(host: SshHost, process: subprocess.Popen[bytes], log: Path) -> None:
    argv = ["nsenter", f"--net=/run/netns/{host.server_namespace}", "cat", "/proc/net/tcp"]
    for _ in range(200):
        listening = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
        if f":{PORT:04X} 00000000:0000 0A" in listening:
            return
        if process.poll() is not None:
            break
        time.sleep(0.05)
    msg = f"the KDC does not listen: {log.read_text()}"
    raise RuntimeError(msg)


def _words(variables: Mapping[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in variables.items()]
