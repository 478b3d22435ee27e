"""The form of a place of a plug-in as treatment. Imports pydantic: only ``form`` may."""

from __future__ import annotations

from typing import Any

from pydantic import Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticOmit

from assay.scenes.forms.base import Form


class PluginForm(Form):
    """A place of a kind that a plug-in adds, on the baseline's machine.

    Its factors are read once the kind is known (``checks.plugin``).
    """

    platform: str
    factors: dict[str, Any] = Field(default={})

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Leave it out of the schema, which has the names of assay alone."""
        del core, handler
        raise PydanticOmit
