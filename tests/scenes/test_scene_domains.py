"""A machine as treatment that is a libvirt domain: what a scene says of it, and what is refused."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from assay.model.platforms.existing import HERE, DomainSpec
from assay.scenes.changes.write import write_scene
from assay.scenes.load import read_scene
from assay.scenes.text.errors import SceneError
from assay.scenes.values.scene import OtherMachine
from tests.scenes.parts import scene


def test_a_domain_is_this_machines_unless_its_hypervisor_is_named() -> None:
    treatment = scene("{machine: vm, domain: web 1}").treatment
    assert treatment == OtherMachine("vm", domain=DomainSpec("web 1", HERE))
    assert isinstance(treatment, OtherMachine)
    assert treatment.domain is not None
    assert treatment.domain.local


@pytest.mark.parametrize(
    "uri",
    [
        "qemu:///system",
        "qemu:///session",
        "qemu+ssh://node01/system",
        "qemu+ssh://root@node01.site:2222/system",
        "qemu+ssh://me@[2001:db8::1]/session",
    ],
)
def test_a_hypervisor_is_here_or_behind_ssh(uri: str) -> None:
    treatment = scene(f"{{machine: vm, domain: web, hypervisor: '{uri}'}}").treatment
    assert isinstance(treatment, OtherMachine)
    assert treatment.domain == DomainSpec("web", uri)
    assert treatment.domain.local == uri.startswith("qemu:///")


@pytest.mark.parametrize(
    "uri",
    [
        "qemu+ssh://node01/system?command=/tmp/evil",
        "qemu+ssh://-oProxyCommand=evil/system",
        "qemu+tcp://node01/system",
        "test:///default",
        "qemu+ssh://node01/system\\n",
        "qemu+ssh://root@node01:70000/system",
        "qemu+ssh://[12:::3]/system",
    ],
)
def test_an_address_that_names_a_program_or_is_open_to_all_is_refused(uri: str) -> None:
    with pytest.raises(
        SceneError, match=r"4:\d+: expected 'qemu:///system', 'qemu:///session' or 'qemu\+ssh:"
    ):
        scene(f'{{machine: vm, domain: web, hypervisor: "{uri}"}}')


def test_a_domain_s_name_has_no_slash_and_no_control_character() -> None:
    for name in ("../web", '"a\\tb"', '""', "7"):
        with pytest.raises(SceneError, match="expected the name of a libvirt domain"):
            scene(f"{{machine: vm, domain: {name}}}")


def test_a_hypervisor_without_a_domain_is_refused_at_its_place() -> None:
    with pytest.raises(SceneError, match=r"trial\.yaml:4:26: expected 'domain' beside 'hypervisor'"):
        scene("{machine: vm, hypervisor: 'qemu:///system'}")


def test_this_machine_is_no_domain() -> None:
    with pytest.raises(SceneError, match=r"trial\.yaml:4:22: expected the name of another machine"):
        scene("{machine: local, domain: web}")


def test_a_scene_with_a_domain_is_written_back() -> None:
    read = scene(
        "{machine: vm, domain: web, hypervisor: 'qemu+ssh://node01/system', factors: {cpu.quota: 50 %}}"
    )
    again = read_scene(write_scene(read).encode(), file="trial.yaml")
    assert (again.treatment, again.digest) == (read.treatment, read.digest)


def test_a_domain_counts_for_the_digest_and_its_absence_does_not() -> None:
    plain, domain = scene("{machine: vm}"), scene("{machine: vm, domain: web}")
    assert plain.digest != domain.digest
    assert asdict(plain.treatment)["domain"] is None
    assert plain.digest == "c9dbd15269cab1f477bc6a921ec6c495d96d2dd95f0cb328b0e0f0f55bc5ca26"
