"""What a result says of its guests."""

from __future__ import annotations

from dataclasses import replace

from assay.design import plan_trials
from assay.model.activity import PlannedGuest
from assay.model.machines.clock import ClockSet
from assay.model.platforms.platform import Platform, Restored, SeenFactor
from assay.model.trial import Arm, Member
from tests.builders import plan_of, record_of
from tests.results.said_of import guest_sentences

TRIALS = plan_trials(("spin",), blocks=3, seed=1)
PLAN = plan_of(TRIALS)
GUEST = Platform(
    kind="libvirt", accelerator="tcg", why="no vmx", machine="pc-q35-7.2", cpu_model="maximum", vcpus=1,
    memory_bytes=1 << 30, disk_format="qcow2", disk_cache="none", image="0123", hypervisor="QEMU 7.2.22",
    library="libvirt 9.0.0", cpus=(1,), domain_xml="<domain/>",
)  # fmt: skip


def of_several(*cores: tuple[int, ...]) -> list[str]:
    """Return what is said of guests on these cores, which ran all trials of the treatment together."""
    members = tuple(
        Member(f"guest-{number}", "g", "b", cpus, 1 << 30, 1, 0.0, 0.0, 1.0, None, None, None, None)
        for number, cpus in enumerate(cores)
    )
    treated = [trial for trial in TRIALS if trial.arm is Arm.TREATMENT]
    records = [replace(record_of(trial, 1.0), platform=GUEST, members=members) for trial in treated]
    return list(guest_sentences(PLAN, records))


def said(**guests: Platform) -> list[str]:
    records = [replace(record_of(trial, 1.0), platform=guests.get(trial.arm)) for trial in TRIALS]
    both = "baseline" in guests
    wanted = PlannedGuest(vcpus=1, memory_bytes=1 << 30, disk_cache="none", image="0123") if both else None
    return list(guest_sentences(replace(PLAN, baseline=replace(PLAN.baseline, guest=wanted)), records))


def test_a_guest_against_the_host_says_that_no_guest_ran_beside_the_host() -> None:
    first, disk = said(treatment=GUEST)
    assert first.startswith("other: QEMU 7.2.22 by libvirt 9.0.0, accelerator tcg")
    assert first.endswith("on host core 1; booted afresh in each visit; no guest ran during a host trial.")
    assert disk.startswith("Its disk is qcow2 with cache mode none")


def test_two_guests_that_are_alike_are_told_once() -> None:
    again = replace(GUEST, domain_xml="<domain id='2'/>")
    first, _ = said(baseline=GUEST, treatment=again)
    assert first.startswith("host and other: QEMU")
    assert first.endswith("booted afresh in each visit.")


def test_a_restored_guest_is_told_with_its_state_whatever_its_clock_was() -> None:
    restored = [Restored("fedc", ClockSet(-0.1 * n, 0.0, 0.01)) for n in (1, 2)]
    one, two = (replace(GUEST, restored=value) for value in restored)
    first, _ = said(baseline=one, treatment=two)
    assert first.startswith("host and other: QEMU")
    assert first.endswith("restored in each visit from the saved state fedc, its clock set and checked.")


def test_two_guests_that_differ_are_told_one_by_one_with_the_settings_seen() -> None:
    factor = SeenFactor("disk.bus", "scsi", "QMP query-block")
    sentences = said(baseline=GUEST, treatment=replace(GUEST, factors=(factor,)))
    assert [text.split(":")[0] for text in sentences if "accelerator" in text] == ["host", "other"]
    assert sentences[-1].endswith("before its first trial: disk.bus scsi (QMP query-block).")


def test_a_disk_on_a_file_system_of_its_own_is_told_as_one() -> None:
    _, shared = said(treatment=GUEST)
    assert "on the file system that the host's trials use" in shared
    xfs, tmpfs = (SeenFactor("disk.host-filesystem", level, "mountinfo") for level in ("xfs", "tmpfs"))
    _, disk, _ = said(treatment=replace(GUEST, factors=(xfs,)))
    assert "its own (xfs, in loop files on the one that the host's trials use); its image" in disk
    _, disk, _ = said(treatment=replace(GUEST, factors=(tmpfs,)))
    assert "its own (tmpfs, in the host's memory); its image" in disk


def test_what_holds_for_each_of_several_guests_is_said_of_each_with_the_cores_of_all() -> None:
    first, disk = of_several((1,), (1,))
    assert "1 vCPU, 1 GiB each; the whole QEMU process of each on host core 1; booted afresh" in first
    assert disk.startswith("The disk of each is qcow2")
    apart, _ = of_several((1, 2), (3,), (1, 2))
    assert "of each on host cores 1, 2 (guest-0, guest-2); core 3 (guest-1); booted afresh" in apart
