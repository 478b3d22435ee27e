"""The form of a scene's data. Imports pydantic: only ``form`` may."""

from __future__ import annotations

from typing import Annotated

from pydantic import Discriminator, Field, PlainValidator, Tag, WithJsonSchema

from assay.model.platforms.data import NOISE, ROOT
from assay.scenes.forms import kinds, quantities
from assay.scenes.forms.base import Form
from assay.scenes.forms.fields import SIZE, FilePath

MOST_FILES = 1000
_Size = Annotated[int, PlainValidator(quantities.size("1 MiB", "64 TiB")), WithJsonSchema(SIZE)]
_Files = Annotated[int, Field(ge=1, le=MOST_FILES)]


_Content = Annotated[
    str,
    PlainValidator(kinds.word(NOISE, ROOT)),
    WithJsonSchema({"type": "string", "enum": [NOISE, ROOT], "default": NOISE}),
]


class DataForm(Form):
    """Files that are made for an activity: of content that cannot be compressed, the same for the
    same seed.
    """

    size: _Size = Field(description="size of all files together, like '64 MiB'")
    files: _Files = Field(default=1, description="how many")
    content: _Content = Field(
        default=NOISE, description="noise, or root: events in ROOT's format, made by the pack"
    )


def _data_tag(value: object) -> str | None:
    return "<data>" if isinstance(value, dict) else "<path>" if isinstance(value, str) else None


DATA_EXPECTED = "a file or folder, or {size: 64 MiB, files: 4}"
Data = Annotated[
    Annotated[FilePath, Tag("<path>")] | Annotated[DataForm, Tag("<data>")],
    Discriminator(_data_tag, custom_error_type="either", custom_error_message=DATA_EXPECTED),
]
