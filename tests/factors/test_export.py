"""Levels in the words of other tools: what is said, and that nothing is left out in silence."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from assay.cli.commands.factors import FORMATS as OFFERED
from assay.factors.base.plain_host import PlainHost
from assay.factors.catalogue import FACTORS
from assay.factors.export.tuned import boot_word
from assay.factors.export.words_of import FORMATS, export

HOST = PlainHost()
GUEST = {
    "cpu.vcpus": "4",
    "memory.size": "2 GiB",
    "disk.cache": "none",
    "net.backend": "bridge",
    "net.model": "virtio",
    "net.queues": "4",
}


def test_the_command_line_offers_all_formats() -> None:
    assert OFFERED == FORMATS


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", FACTORS)
def test_every_level_is_said_or_listed_with_a_reason(name: str, form: str) -> None:
    for level in FACTORS[name].levels.choices:
        done = export({name: level}, form, HOST)
        assert bool(done.text) != (name in done.left_out), (level, done)
        assert all(reason and not reason.endswith(".") for reason in done.left_out.values())


def test_libvirt_gets_the_levels_and_nothing_else() -> None:
    domain = ElementTree.fromstring(export(GUEST, "libvirt", HOST).text)
    assert [child.tag for child in domain] == ["devices", "vcpu", "memory"]
    assert domain.find("devices/disk/driver").attrib == {"cache": "none"}
    assert domain.find("devices/interface/driver").attrib == {"queues": "4"}
    assert [child.tag for child in domain.find("devices/disk")] == ["driver"]


def test_virt_xml_gets_paths() -> None:
    said = export(GUEST, "virt-xml", HOST)
    assert said.text == (
        "virt-xml DOMAIN --edit --xml ./devices/disk/driver/@cache=none"
        " --xml ./devices/interface/@type=bridge --xml ./devices/interface/model/@type=virtio"
        " --xml ./devices/interface/driver/@queues=4 --xml ./vcpu=4"
        " --xml ./memory/@unit=b --xml ./memory=2147483648\n"
    )


def test_virt_xml_does_not_take_another_controller_for_the_disks_own() -> None:
    said = export({"disk.bus": "scsi"}, "virt-xml", HOST).text
    assert "--xml './devices/controller[@type='\"'\"'scsi'\"'\"']/@model=virtio-scsi'" in said


def test_what_is_of_the_disks_making_or_of_the_guests_kernel_is_told() -> None:
    left = export({"disk.preallocation": "full", "guest.mitigations": "off"}, "libvirt", HOST).left_out
    assert left == {
        "disk.preallocation": "it is of the disk's making: qemu-img create -f qcow2 -o preallocation=full",
        "guest.mitigations": "it is of the guest's kernel, on its command line: mitigations=off",
    }


def test_tuned_gets_files_of_the_kernel() -> None:
    said = export({"host.thp": "never", "cpu.vcpus": "2"}, "tuned", HOST)
    assert said.text == (
        "[main]\nsummary=Levels chosen by assay\n[sysfs]\n/sys/kernel/mm/transparent_hugepage/enabled=never\n"
    )
    assert said.left_out == {"cpu.vcpus": "TuneD has no word for it"}


def test_nova_gets_flavor_image_and_configuration() -> None:
    said = export(GUEST, "nova", HOST)
    assert said.text.splitlines() == [
        "openstack flavor create --vcpus 4 --ram 2048 FLAVOR",
        "openstack image set IMAGE --property hw_vif_model=virtio --property hw_vif_multiqueue_enabled=true",
        "# nova.conf",
        "[libvirt]",
        "disk_cachemodes = file=none,block=none,network=none",
    ]
    assert said.left_out == {"net.backend": "Nova has no word for it"}


def test_what_nothing_is_said_of_is_none_in_nova_s_words() -> None:
    assert export({"cpu.mode": "default"}, "nova", HOST).text.splitlines()[-1] == "cpu_mode = none"
    assert "cpu.mode" in export({"cpu.mode": "default"}, "libvirt", HOST).left_out


def test_proxmox_gets_one_command() -> None:
    assert export(GUEST, "proxmox", HOST).text == (
        "qm set ID --sockets 1 --cores 4 --memory 2048 --virtio0 VOLUME,cache=none"
        " --net0 virtio=MAC,bridge=BRIDGE,queues=4\n"
    )


@pytest.mark.parametrize(
    ("change", "kept", "option"),
    [
        (
            {"net.queues": "4"},
            {"net.backend": "bridge", "net.mtu": "9000", "disk.io": "native"},
            "--net0 virtio=MAC,bridge=BRIDGE,mtu=9000,queues=4",
        ),
        (
            {"disk.iothread": "on"},
            {"disk.cache": "writeback", "disk.io": "native", "disk.format": "qcow2"},
            "--virtio0 VOLUME,cache=writeback,aio=native,iothread=1",
        ),
        (
            {"cpu.mode": "host-passthrough"},
            {"cpu.feature": "pcid=require", "cpu.vcpus": "4"},
            "--cpu host,flags=+pcid",
        ),
    ],
)
def test_an_option_of_proxmox_keeps_what_else_the_guest_has_in_it(
    change: dict[str, str], kept: dict[str, str], option: str
) -> None:
    said = export(change, "proxmox", HOST, kept)
    assert said.text == f"qm set ID {option}\n"
    assert said.left_out == {}


def test_kubevirt_gets_a_domain() -> None:
    assert export(GUEST, "kubevirt", HOST).text == (
        "domain:\n  cpu:\n    cores: 4\n  memory:\n    guest: 2048Mi\n"
        "  devices:\n    disks:\n      - name: DISK\n        cache: none\n"
        "    interfaces:\n      - name: NETWORK\n        model: virtio\n"
        "    networkInterfaceMultiqueue: true\n"
    )


def test_a_number_that_a_tool_cannot_say_exactly_is_not_said() -> None:
    said = export({"cpu.vcpus": "4", "net.queues": "2"}, "kubevirt", HOST)
    assert said.left_out == {"net.queues": "KubeVirt has no exact word for this level"}


def test_huge_pages_of_proxmox_come_with_numa() -> None:
    assert export({"memory.hugepages": "2 MiB"}, "proxmox", HOST).text == "qm set ID --numa 1 --hugepages 2\n"


def test_kernels_get_their_words_each_its_own() -> None:
    said = export({"guest.mitigations": "off", "host.isolcpus": "2-7", "disk.cache": "none"}, "kernel", HOST)
    assert said.text == "# in the guest\nmitigations=off\n# on the host\nisolcpus=2-7\n"
    assert said.left_out == {"disk.cache": "it is on no kernel's command line"}


@pytest.mark.parametrize("name", [name for name in FACTORS if name.startswith("host.")])
def test_the_host_s_kernel_gets_the_words_that_a_search_says_for_a_reboot(name: str) -> None:
    for level in FACTORS[name].levels.choices:
        word = boot_word(name, level)
        text = "" if word is None else f"# on the host\n{word}\n"
        assert export({name: level}, "kernel", HOST).text == text


def test_parameters_of_modules_are_words_of_the_host_s_kernel() -> None:
    said = export({"host.isolcpus": "2-7", "host.ept": "N", "host.npt": "N"}, "kernel", HOST)
    assert said.text == "# on the host\nisolcpus=2-7 kvm_intel.ept=N kvm_amd.npt=N\n"
    assert said.left_out == {}


def test_ansible_gets_tasks_that_are_yaml() -> None:
    from ruamel.yaml import YAML

    settings = {
        "host.thp": "never",
        "host.swappiness": "1",
        "host.isolcpus": "2-7",
        "disk.cache": "writeback",
    }
    said = export(settings, "ansible", HOST)
    tasks = YAML(typ="safe").load(said.text)
    assert [task["name"].split(" ")[0] for task in tasks] == list(settings)
    thp, swap, isolated, disk = tasks
    assert thp["ansible.builtin.shell"] == "echo never > /sys/kernel/mm/transparent_hugepage/enabled"
    assert swap["ansible.posix.sysctl"] == {"name": "vm.swappiness", "value": "1", "sysctl_set": True}
    assert isolated["ansible.builtin.command"]["argv"][-1] == "--args=isolcpus=2-7"
    assert disk["ansible.builtin.command"]["argv"] == [
        "virt-xml", "{{ domain }}", "--edit", "--xml", "./devices/disk/driver/@cache=writeback",
    ]  # fmt: skip
    assert said.left_out == {}
