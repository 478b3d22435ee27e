"""The JSON Schema of scene files, generated from the form, for editors. Imports pydantic."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import TaggedUnionSchema, WithDefaultSchema

from assay.scenes.forms.form import PLUGIN_TAG, SceneForm

TITLE = "assay scene, version 1"


class _Generator(GenerateJsonSchema):
    """Leaves out pydantic's own defaults, which are values as read (the form states them as written), and
    plug-ins.
    """

    def default_schema(self, schema: WithDefaultSchema) -> JsonSchemaValue:
        """Return the schema of what has a default."""
        return self.generate_inner(schema["schema"])

    def tagged_union_schema(self, schema: TaggedUnionSchema) -> JsonSchemaValue:
        """Return the schema of one of several forms; one that a plug-in makes known has no words
        of its own.
        """
        choices = {tag: form for tag, form in schema["choices"].items() if tag != PLUGIN_TAG}
        return super().tagged_union_schema({**schema, "choices": choices})


def scene_schema() -> dict[str, Any]:
    """Return the schema (draft 2020-12) of a scene file.

    It knows every word, unit and whole number's bounds. What it cannot say, ``assay scene validate`` does:
    bounds of quantities, names that meet twice, files that are not there, parameters of the wrong tool.
    """
    schema = SceneForm.model_json_schema(by_alias=True, schema_generator=_Generator)
    _without_titles(schema)
    schema["required"].remove("treatment")
    schema["oneOf"] = [{"required": ["treatment"]}, {"required": ["treatments"]}]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": TITLE} | schema


def _without_titles(node: object) -> None:
    """Drop the titles that pydantic makes of names: editors show the descriptions."""
    if isinstance(node, dict):
        if isinstance(node.get("title"), str):
            del node["title"]
        for child in node.values():
            _without_titles(child)
    elif isinstance(node, list):
        for child in node:
            _without_titles(child)
