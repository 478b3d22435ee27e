"""What a scene says of its data and of the arms' ways to them, as values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from assay.model.platforms.data import DataSpec, Levels

if TYPE_CHECKING:
    from assay.scenes.forms.data import DataForm
    from assay.scenes.values.scene import Guest

__all__ = ["Levels", "data_levels", "to_data", "with_data_of"]


def to_data(form: str | DataForm | None) -> DataSpec | None:
    """Return the data that a scene asks for; ``None`` for none."""
    if form is None or isinstance(form, str):
        return (form and DataSpec(form)) or None
    return DataSpec(size_bytes=form.size, files=form.files, content=form.content)


def data_levels(levels: Levels) -> Levels:
    """Return those of levels that say how an arm comes by its data, and where its jobs write."""
    return tuple((name, level) for name, level in levels if name.startswith(("data.", "scratch.")))


def with_data_of(guest: Guest, treatment: Guest) -> Guest:
    """Return a guest as baseline that comes by the data as the treatment does, where it does not say how."""
    if data_levels(guest.settings):
        return guest
    return replace(guest, settings=(*guest.settings, *data_levels(treatment.settings)))
