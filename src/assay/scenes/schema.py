"""The JSON Schema of scene files, generated from the form, for editors."""

from __future__ import annotations

from typing import Any

TITLE = "assay scene, version 1"


def scene_schema() -> dict[str, Any]:
    """Return the schema (draft 2020-12) of a scene file.

    It knows every word, unit and bound of a single value. What it cannot say, ``assay scene validate`` does:
    names that meet twice, files that are not there, parameters of the wrong tool.
    """
    from assay.scenes.form import SceneForm

    schema = SceneForm.model_json_schema(by_alias=True)
    _without_titles(schema)
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
