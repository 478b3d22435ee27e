"""Factors of the catalogue as fields of a form. Imports pydantic: only forms may."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, PlainValidator, WithJsonSchema

from assay.factors.catalogue import FACTORS
from assay.scenes.values.settings import is_generic, setting, setting_schema


def factor_fields(*, of_guest: bool) -> Any:
    """Return the fields of the catalogue's factors, for a guest or for a machine itself."""
    return {
        name.replace(".", "_").replace("-", "_").lower(): (
            Annotated[Any, PlainValidator(setting(name)), WithJsonSchema(setting_schema(name))],
            Field(default=None, alias=name, description=factor.title),
        )
        for name, factor in FACTORS.items()
        if is_generic(name) and (of_guest or factor.of_host or factor.of_data)
    }
