"""A guest that somebody else made on another hypervisor: found by ``qemu+ssh``, measured as it is, and left
so.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element

import pytest

from assay.platforms.guests.domain import draft_guest, to_xml
from assay.platforms.guests.keys import key_archive, login_of, make_keys
from assay.platforms.images.image import Image
from assay.platforms.images.stored import Login
from tests.hosts import SshHost
from tests.hypervisor import hypervisor, lay, processes, there
from tests.live.parts import Done, fits, newest, run
from tests.platforms.guest_parts import real_image, spec_of

pytestmark = [pytest.mark.live, pytest.mark.long]

NAME, PORT, PLACE = "web", 2022, "/var/lib/libvirt/images"
SCENE = """\
scene: existing-remote
title: A guest on another hypervisor that is there already
baseline: {{machine: local}}
treatment: {{machine: vm, domain: {domain}, hypervisor: '{uri}'}}
workloads: [{{name: job, command: sysbench cpu --events=300 --time=0 run}}]
"""
VIRSH = ("virsh", "-c", "qemu:///system")
BOOTS_S = 120
WAY = f"127.0.0.1:{PORT}:127.0.0.1:{PORT}"
"""The guest's SSH is forwarded to the hypervisor's loopback, and from there to the client's."""
OPTIONS = ("-o", "ConnectTimeout=5", "-o", "BatchMode=yes")
Call = Callable[[str], Done]


def of_somebody_else(image: Image, home: Path) -> str:
    """Return the XML of a guest like ours without our mark."""
    laid = replace(
        image,
        disk=Path(f"{PLACE}/disk.raw"),
        kernel=Path(f"{PLACE}/vmlinux"),
        initrd=Path(f"{PLACE}/initrd"),
    )
    spec = replace(spec_of(home, laid), memory_bytes=512 * 2**20, folder=Path(PLACE), port=PORT)
    draft = draft_guest(spec)
    mark = draft.domain.find("metadata")
    assert isinstance(mark, Element)
    draft.domain.remove(mark)
    draft.at("name").text = NAME
    return to_xml(draft)


@pytest.fixture(scope="module")
def login(tmp_path_factory: pytest.TempPathFactory) -> Login:
    """Return how the guest lets us in, by keys that its initrd brings it."""
    folder, image = tmp_path_factory.mktemp("guest"), real_image()
    make_keys(folder)
    assert image.initrd is not None
    (folder / "initrd").write_bytes(image.initrd.read_bytes() + key_archive(folder))
    return login_of(image, folder)


@pytest.fixture(scope="module")
def host(home: Path, login: Login, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshHost]:
    """Return a hypervisor on which somebody else's guest runs."""
    assert home.exists()  # the machine is looked at before the hypervisor starts and after it has ended
    image = real_image()
    folder = tmp_path_factory.mktemp("hypervisor")
    with hypervisor(folder) as made:
        for file in (image.disk, image.kernel, login.identity.parents[1] / "initrd"):
            assert file is not None
            lay(made, file, f"{PLACE}/{file.name}")
        there(made, "chmod", "644", f"{PLACE}/disk.raw")  # else QEMU's user there could not read it
        below = ("-f", "qcow2", "-F", "raw", "-b", f"{PLACE}/disk.raw")
        there(made, "qemu-img", "create", *below, f"{PLACE}/disk.img")
        (folder / "web.xml").write_text(of_somebody_else(image, home))
        lay(made, folder / "web.xml", f"{PLACE}/web.xml")
        there(made, *VIRSH, "create", f"{PLACE}/web.xml")
        with subprocess.Popen(made.inside(["ssh", *OPTIONS, *_login(made), "-N", "-L", WAY])) as way:
            try:
                yield made
            finally:
                way.terminate()


def _login(host: SshHost) -> tuple[str, ...]:
    """Return how ssh finds the hypervisor and proves it."""
    keys = ("-i", str(host.identity), "-o", f"UserKnownHostsFile={host.home}/.ssh/known_hosts")
    return (*keys, "-p", str(host.port), f"{host.user}@{host.address}")


@pytest.fixture(scope="module")
def call(host: SshHost, login: Login, home: Path, tmp_path_factory: pytest.TempPathFactory) -> Call:
    """Return what evaluates a domain there, once its guest lets us in."""
    file = tmp_path_factory.mktemp("scene") / "existing.yaml"
    known = host.home / ".ssh" / "known_hosts"
    known.write_text(f"{known.read_text()}[127.0.0.1]:{PORT} {login.host_key}\n")
    uri = f"qemu+ssh://{host.user}@{host.address}:{host.port}/system"

    programs = file.parent
    variables = {"HOME": str(host.home), "PATH": f"{programs}:{os.environ['PATH']}"}
    lay_ssh(host, programs / "ssh")

    def call(*arguments: str) -> Done:
        return run(*arguments, home=home, wrap=host.inside, variables=variables)

    def evaluated(domain: str) -> Done:
        file.write_text(SCENE.format(domain=domain, uri=uri))
        return call("evaluate", str(file), "--json")

    let_in(host, login)
    where = f"{login.user}@127.0.0.1:{PORT}"
    added = call("machine", "add", "vm", "--ssh", where, "--identity", str(login.identity))
    assert added.code == 0, added.err
    return evaluated


def lay_ssh(host: SshHost, program: Path) -> None:
    """Lay an ssh that looks into the user's folder of the tests: OpenSSH's own looks into root's, whatever
    HOME says.
    """
    options = f"-i {host.identity} -o UserKnownHostsFile={host.home}/.ssh/known_hosts"
    program.write_text(f'#!/bin/sh\nexec /usr/bin/ssh {options} "$@"\n')
    program.chmod(0o755)


def let_in(host: SshHost, login: Login) -> None:
    """Wait until the guest's own sshd answers."""
    keys = ("-i", str(login.identity), "-o", f"UserKnownHostsFile={host.home}/.ssh/known_hosts")
    command = host.inside(["ssh", *OPTIONS, *keys, "-p", str(PORT), f"{login.user}@127.0.0.1", "true"])
    until = time.monotonic() + BOOTS_S
    while (done := subprocess.run(command, capture_output=True, check=False, text=True)).returncode:
        assert time.monotonic() < until, done.stderr
        time.sleep(1)


def test_it_is_measured_from_afar_and_left_as_it_was(host: SshHost, call: Call, home: Path) -> None:
    before = there(host, *VIRSH, "dumpxml", NAME).rstrip()
    done = call(NAME)
    assert done.code == 0, done.err
    fits(done.page, "report")
    assert {"domain-as-found", "domain-elsewhere"} <= {doubt["code"] for doubt in done.page["doubts"]}
    assert {row["metric"]: row["blocks"] for row in done.page["estimates"]}["wall_time"] == 3
    activity = newest(home)
    assert activity is not None
    for record in (one for one in activity.records if one["planned"]["arm"] == "treatment"):
        fits(record, "record")
        assert record["state"] == "ended"
        assert (record["platform"]["accelerator"], record["platform"]["vcpus"]) == ("tcg", 1)
        assert activity.domain(record).rstrip() == before
        assert record["weight"] is None, "what cannot be seen from here is absent, never 0"
    assert there(host, *VIRSH, "dumpxml", NAME).rstrip() == before
    assert there(host, *VIRSH, "list", "--name").split() == [NAME]
    assert sum(name.startswith("qemu-system") for name in processes(host).values()) == 1


def test_a_name_that_is_not_there_is_refused_with_the_nearest(call: Call) -> None:
    done = call(f"{NAME}x")
    assert done.code == 3
    assert f"nearest: '{NAME}'" in done.err
