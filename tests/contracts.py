"""The published JSON Schemas, each read and checked once."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

FOLDER = Path(__file__).parents[1] / "contracts"


def fits(document: Any, name: str) -> None:
    """Check a document against a contract such as ``scene-v1``."""
    _contract(name).validate(document)


@cache
def _contract(name: str) -> Draft202012Validator:
    schema = json.loads((FOLDER / f"{name}.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)
