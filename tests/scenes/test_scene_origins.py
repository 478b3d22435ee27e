"""From what a scene's guests start: an image, packages, a saved state."""

from __future__ import annotations

import pytest

from assay.scenes import Guest, SceneError, read_scene
from assay.scenes.changes.write import write_scene
from tests.scenes.parts import scene

ITSELF = "{machine: local, platform: guest}"


def test_a_scene_that_names_no_image_packages_or_start_is_the_one_of_before() -> None:
    plain = scene("{platform: guest}")
    assert plain.treatment == Guest()
    assert scene("{platform: guest, packages: [], start: boot}").digest == plain.digest
    assert scene("{platform: guest, start: restored}").digest != plain.digest
    assert scene("{platform: guest, image: golden}").digest != plain.digest


def test_packages_are_a_set_whatever_their_order() -> None:
    one = scene("{platform: guest, packages: [xrootd-client, glusterfs-client, xrootd-client]}")
    other = scene("{platform: guest, packages: [glusterfs-client, xrootd-client]}")
    assert one.treatment == Guest(packages=("glusterfs-client", "xrootd-client"))
    assert one.digest == other.digest


def test_every_level_of_a_sweep_starts_from_the_same() -> None:
    swept = scene("{platform: guest, image: golden, factors: {disk.cache: [none, unsafe]}}")
    assert [(guest.disk_cache, guest.image) for guest in swept.guests] == [
        ("none", "golden"),
        ("unsafe", "golden"),
    ]


def test_a_baseline_guest_starts_as_the_treatment_does_where_it_says_nothing() -> None:
    treatment = "{platform: guest, packages: [bc], start: restored}"
    assert scene(treatment, ITSELF).baseline_guest == Guest(packages=("bc",), restored=True)
    factors = "{machine: local, platform: guest, factors: {disk.cache: unsafe}}"
    assert scene(treatment, factors).baseline_guest == Guest(
        disk_cache="unsafe", packages=("bc",), restored=True
    )
    boots = "{machine: local, platform: guest, start: boot, packages: []}"
    assert scene(treatment, boots).baseline_guest == Guest()


def test_another_release_is_written_back_and_goes_with_the_packages() -> None:
    two = scene("{platform: guest, release: trixie}", "{machine: local, platform: guest, packages: [bc]}")
    assert two.treatment == Guest(release="trixie")
    assert two.baseline_guest == Guest(packages=("bc",))
    back = read_scene(write_scene(two).encode(), file="x.yaml")
    assert (back.treatment, back.baseline_guest) == (two.treatment, two.baseline_guest)
    assert scene("{platform: guest, release: trixie}", ITSELF).baseline_guest == Guest(release="trixie")


def test_a_baseline_that_names_its_image_has_no_packages_of_the_treatment() -> None:
    two = scene("{platform: guest, packages: [bc]}", "{machine: local, platform: guest, image: golden}")
    assert two.baseline_guest == Guest(image="golden")


@pytest.mark.parametrize(
    ("treatment", "baseline"),
    [
        ("{platform: guest, packages: [bc], start: restored}", "{machine: local}"),
        ("{platform: guest, packages: [bc], start: restored}", ITSELF),
        ("{platform: guest, start: restored}", "{machine: local, platform: guest, start: boot}"),
        ("{platform: guest, image: golden}", "{machine: local, platform: guest, packages: [bc]}"),
        ("{platform: guest, packages: [bc]}", "{machine: local, platform: guest, packages: []}"),
        (
            "{platform: guest}",
            "{machine: local, platform: guest, image: golden, factors: {disk.cache: none}}",
        ),
    ],
)
def test_what_is_written_says_the_same(treatment: str, baseline: str) -> None:
    read = scene(treatment, baseline)
    again = read_scene(write_scene(read).encode(), file="trial.yaml")
    assert (again.digest, again.treatment, again.baseline_guest) == (
        read.digest,
        read.treatment,
        read.baseline_guest,
    )


@pytest.mark.parametrize(
    ("treatment", "baseline", "said"),
    [
        ("{platform: guest, image: a, packages: [bc]}", ITSELF,
        "4:40: expected either 'image' or 'packages', got both"),
        ("{platform: guest, start: reboot}", ITSELF, "one of boot, restored, got 'reboot'; nearest: 'boot'"),
        ("{platform: guest, image: a, release: trixie}", ITSELF,
        "4:40: expected either 'image' or 'release', got both"),
        ("{platform: guest, release: Trixie}", ITSELF, "4:39: expected the codename of a release, like"),
        ("{platform: guest, packages: [BC]}", ITSELF, "4:41: expected the name of a Debian package"),
        ("{platform: guest, packages: ['bc-']}", ITSELF, "4:41: expected the name of a Debian package"),
        ("{platform: guest, packages: bc}", ITSELF, "4:40: expected a list, got 'bc'"),
        ("{platform: guest, image: 1234567890123456}", ITSELF, "expected one line of text"),
        ("{platform: guest}", "{machine: local, start: restored}",
        "3:28: expected 'platform: guest' beside the baseline's 'start'"),
        ("{machine: local, packages: [bc]}", "{machine: local}", "the unknown key 'packages'"),
        ("{platform: runc, packages: [bc]}", "{machine: local}", "the unknown key 'packages'"),
    ],
)  # fmt: skip
def test_what_contradicts_itself_is_refused_at_its_place(treatment: str, baseline: str, said: str) -> None:
    with pytest.raises(SceneError) as error:
        scene(treatment, baseline)
    assert said in str(error.value)
