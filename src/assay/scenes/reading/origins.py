"""From what a guest starts: its image, or the packages that it has beside, by a boot or from a
saved state.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.scenes.text.errors import Problem
from assay.scenes.values.scene import Guest, Scene
from assay.scenes.values.words import BOOT, RESTORED

if TYPE_CHECKING:
    from assay.scenes.forms.guest import BaselineForm, GuestForm
    from assay.scenes.text.tree import Tree

WORDS = ("image", "packages", "release", "start")


def of_treatment(guest: Guest, form: GuestForm) -> Guest:
    """Return a treatment's guest with what it starts from."""
    return replace(
        guest,
        image=form.image,
        packages=_sorted(form.packages),
        release=form.release,
        restored=form.start == RESTORED,
        machine=form.machine,
    )


def of_baseline(guest: Guest, form: BaselineForm, treatment: Guest) -> Guest:
    """Return a baseline's guest with what it starts from: what it says itself, else the treatment's.

    Image, packages and release go together: who says one of them says all.
    """
    own = any(said is not None for said in (form.image, form.packages, form.release))
    return replace(
        guest,
        image=form.image if own else treatment.image,
        packages=_sorted(form.packages) if own else treatment.packages,
        release=form.release if own else treatment.release,
        restored=treatment.restored if form.start is None else form.start == RESTORED,
    )


def words_of(guest: Guest) -> dict[str, object]:
    """Return the words of a treatment's guest, as far as they say something."""
    words = {
        "image": guest.image,
        "packages": list(guest.packages),
        "release": guest.release,
        "start": guest.restored and RESTORED,
    }
    return {word: value for word, value in words.items() if value}


def words_beside(guest: Guest, treatment: Guest) -> dict[str, object]:
    """Return the words of a baseline's guest, as far as it differs from the treatment's."""
    words: dict[str, object] = {}
    own = guest.image, guest.packages, guest.release
    if own != (treatment.image, treatment.packages, treatment.release):
        words = {"packages": list(guest.packages)} if guest.image is None else {"image": guest.image}
        words |= {} if guest.release is None else {"release": guest.release}
    if guest.restored != treatment.restored:
        words["start"] = RESTORED if guest.restored else BOOT
    return words


def origin_problems(scene: Scene, tree: Tree) -> Iterator[Problem]:
    """Yield what contradicts itself: packages or a release for an image that is there already, a start
    without a guest.
    """
    for place in [place[:-1] for place in tree.keys if place[-1:] == ("image",)]:
        for word in ("packages", "release"):
            if (*place, word) in tree.keys:
                sentence = f"expected either 'image' or '{word}', got both: '{word}' is for images built here"
                yield tree.problem((*place, word), sentence, key=True)
    said = next((word for word in WORDS if ("baseline", word) in tree.keys), None)
    if said is not None and scene.baseline_guest is None:
        sentence = f"expected 'platform: guest' beside the baseline's '{said}': the machine itself has none"
        yield tree.problem(("baseline", said), sentence, key=True)


def _sorted(names: list[str] | None) -> tuple[str, ...]:
    return tuple(sorted(set(names or ())))
