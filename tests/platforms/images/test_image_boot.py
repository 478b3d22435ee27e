"""A real image in a real QEMU, emulated: what a guest is once it says that it is ready."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncssh
import pytest

from assay.platforms.guests.keys import key_archive, login_of, make_keys, read_keys
from assay.platforms.images.image import KERNEL_CMDLINE, Image
from assay.platforms.images.stored import Login
from tests.platforms.guest_parts import program, real_image
from tests.ports import free_port

pytestmark = pytest.mark.live


@dataclass
class Guest:
    image: Image
    login: Login
    port: int
    console: Path
    monitor: Path
    process: subprocess.Popen[bytes]

    def connect(self, *, host_key: str, **options: object) -> object:
        known = asyncssh.import_known_hosts(f"[127.0.0.1]:{self.port} {host_key}\n")
        return asyncssh.connect(
            "127.0.0.1", self.port, username="root", known_hosts=known, config=(), agent_path=None, **options
        )

    def run(self, command: str) -> str:
        async def there() -> str:
            keys = {"client_keys": [str(self.login.identity)]}
            async with self.connect(host_key=self.login.host_key, **keys) as connection:
                done = await connection.run(command, check=True, timeout=120)
                return str(done.stdout)

        return asyncio.run(there())

    def cpu_s(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def wait_for(self, line: str) -> None:
        deadline = time.monotonic() + 120
        while line not in self.console.read_text(errors="replace").splitlines():
            assert self.process.poll() is None, self.console.read_text(errors="replace")
            assert time.monotonic() < deadline, self.console.read_text(errors="replace")
            time.sleep(0.05)

    def ask_monitor(self, command: str) -> None:
        with socket.socket(socket.AF_UNIX) as link:
            link.connect(str(self.monitor))
            stream = link.makefile("rw")
            for execute in ("qmp_capabilities", command):
                stream.write(json.dumps({"execute": execute}))
                stream.flush()
                while "return" not in json.loads(stream.readline()):
                    pass


def debugfs(disk: Path, *requests: str) -> str:
    asked = "".join(f"{request}\n" for request in requests)
    done = subprocess.run(
        [program("debugfs"), "-f", "-", str(disk)], input=asked, capture_output=True, text=True, check=True
    )
    return done.stdout


def command_line(image: Image, folder: Path, port: int) -> list[str]:
    # The measured interface comes first: whoever goes by the kernel's names takes it for the other.
    return [
        "setpriv", "--pdeathsig", "KILL", "--", "qemu-system-x86_64", "-nodefaults", "-display", "none",
        "-no-reboot", "-snapshot", "-accel", "tcg", "-M", "q35", "-cpu", "max", "-smp", "1", "-m", "2048",
        "-kernel", str(image.kernel), "-initrd", str(folder / "initrd"),
        "-append", f"{KERNEL_CMDLINE} assay.name=tried assay.net=198.18.0.3/20",
        "-drive", f"file={image.disk},format=raw,if=virtio", "-serial", f"file:{folder / 'console'}",
        "-qmp", f"unix:{folder / 'monitor'},server=on,wait=off", "-device", "virtio-rng-pci",
        "-netdev", "user,id=measured,net=198.18.0.0/20,restrict=on",
        "-device", "virtio-net-pci,netdev=measured,mac=52:54:00:a5:5a:02,romfile=",
        "-netdev", f"user,id=management,restrict=on,hostfwd=tcp:127.0.0.1:{port}-:22",
        "-device", "virtio-net-pci,netdev=management,mac=52:54:00:a5:5a:01,romfile=",
    ]  # fmt: skip


@contextmanager
def booted(image: Image, folder: Path) -> Iterator[Guest]:
    port = free_port()
    (folder / "console").touch()
    make_keys(folder)
    assert image.initrd is not None
    (folder / "initrd").write_bytes(image.initrd.read_bytes() + key_archive(folder))
    process = subprocess.Popen(command_line(image, folder, port))
    try:
        guest = Guest(image, login_of(image, folder), port, folder / "console", folder / "monitor", process)
        guest.wait_for("ASSAY READY")
        yield guest
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def image() -> Image:
    return real_image()


@pytest.fixture(scope="module")
def guest(image: Image, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guest]:
    with booted(image, tmp_path_factory.mktemp("guest")) as guest:
        yield guest


@pytest.mark.long
def test_a_boot_to_the_first_command_takes_few_seconds_of_cpu(guest: Guest) -> None:
    assert guest.cpu_s() < 20  # 3.4 s on a quiet machine
    assert guest.run("echo hello") == "hello\n"
    assert guest.cpu_s() < 30  # 4.2 s


@pytest.mark.long
def test_its_console_says_nothing_but_that_it_is_ready(guest: Guest) -> None:
    assert guest.console.read_text().split("\n")[0].strip() == "ASSAY READY"


def test_it_has_the_name_and_the_kernel_that_it_was_given(guest: Guest) -> None:
    assert guest.run("hostname; uname -r").split() == ["tried", guest.image.kernel_release]


def test_both_networks_are_up_and_chosen_by_their_addresses(guest: Guest) -> None:
    shown = guest.run("ip -o addr; ip route")
    assert "inet 198.18.0.3/20" in shown
    assert "inet 10.0.2.15/24" in shown
    assert "eth0    inet 198.18.0.3" in shown
    assert "default" not in shown
    assert guest.run("cat /sys/class/net/eth0/address").strip() == "52:54:00:a5:5a:02"


def test_sshd_does_not_listen_on_the_measured_network(guest: Guest) -> None:
    listening = [line for line in guest.run("busybox netstat -ltn").splitlines() if ":22 " in line]
    assert [line.split()[3] for line in listening] == ["10.0.2.15:22"]


@pytest.mark.long
def test_the_tools_of_the_workloads_run(guest: Guest) -> None:
    assert "events per second" in guest.run("sysbench cpu --time=1 run")
    fio = "fio --name=a --filename=/var/tmp/a --size=4m --rw=randread --bs=4k --direct=1 --output-format=json"
    assert json.loads(guest.run(fio))["jobs"][0]["error"] == 0
    iperf3 = "iperf3 -s -D -1 && sleep 1 && iperf3 -c 127.0.0.1 -t 1 -J"
    assert json.loads(guest.run(iperf3))["end"]["sum_received"]["bits_per_second"] > 0


def test_the_root_disk_is_writable_and_roomy(guest: Guest) -> None:
    free_kib = int(guest.run("touch /root/x && df -k --output=avail / | tail -n 1"))
    assert free_kib > 1.5 * 1024**2


def test_ext4_checks_sums_by_the_processors_instruction_as_at_a_site(guest: Guest) -> None:
    assert "crc32c-intel" in guest.run("grep driver /proc/crypto")


def test_nothing_works_on_the_disk_behind_a_workloads_back(guest: Guest) -> None:
    assert "ext4lazyinit" not in guest.run("ps -e -o comm=")
    assert "no_prefetch_block_bitmaps" in guest.run("grep ' / ext4 ' /proc/mounts")


def test_nothing_of_the_builders_machine_is_left_in_it(guest: Guest) -> None:
    assert guest.run("cat /etc/hostname /etc/resolv.conf").split() == ["assay-guest"]
    assert guest.run("ls /etc/ssh | grep host_").split() == ["ssh_host_ed25519_key"]


def test_its_keys_are_its_own_and_for_its_root_alone(guest: Guest) -> None:
    files = "/etc/ssh/ssh_host_ed25519_key /root/.ssh/authorized_keys"
    assert guest.run(f"stat -c %a {files}; umask").split() == ["600", "600", "0022"]
    assert guest.run("cat /root/.ssh/authorized_keys") == f"{read_keys(guest.console.parent).authorized}\n"


def test_the_image_holds_no_key(image: Image) -> None:
    shown = debugfs(image.disk, "ls /etc/ssh", "ls /root/.ssh", "stat /root/.ssh")
    assert "sshd_config" in shown
    assert "host_" not in shown
    assert "authorized_keys" not in shown
    assert "Mode:  0700" in shown
    others = {
        path.name
        for path in image.folder.iterdir()
        if not re.fullmatch(r"\.?disk\.\d+g\.raw(\.new)?", path.name)
    }
    assert others - {".sized.lock"} == {".assay", "disk.raw", "initrd", "manifest.json", "vmlinux"}


def test_another_host_key_is_refused(guest: Guest) -> None:
    other = asyncssh.generate_private_key("ssh-ed25519").export_public_key().decode().strip()

    async def there() -> None:
        async with guest.connect(host_key=other, client_keys=[str(guest.login.identity)]):
            pass

    with pytest.raises(asyncssh.HostKeyNotVerifiable):
        asyncio.run(there())


def test_a_password_opens_nothing(guest: Guest) -> None:
    async def there() -> None:
        async with guest.connect(host_key=guest.login.host_key, client_keys=None, password=""):
            pass

    with pytest.raises(asyncssh.PermissionDenied):
        asyncio.run(there())


@pytest.mark.long
def test_forty_sessions_share_one_connection(guest: Guest) -> None:
    async def there() -> list[int | None]:
        keys = [str(guest.login.identity)]
        async with guest.connect(host_key=guest.login.host_key, client_keys=keys) as connection:
            started = [await connection.create_process("cat") for _ in range(40)]
            for process in started:
                process.stdin.write_eof()
            return [(await process.wait()).exit_status for process in started]

    assert asyncio.run(there()) == [0] * 40


@pytest.mark.long
def test_the_power_button_ends_it_in_order(image: Image, tmp_path: Path) -> None:
    with booted(image, tmp_path) as guest:
        guest.run("while [ ! -e /run/acpid.pid ]; do sleep 0.1; done")
        guest.ask_monitor("system_powerdown")
        assert guest.process.wait(60) == 0
        assert "remounted read-only" in guest.console.read_text()
