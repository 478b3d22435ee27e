"""The page of the API: every address, what it takes and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request

from assay.web.access.person import Role
from assay.web.route import page, takes

router = APIRouter(tags=["api"])


@dataclass(frozen=True)
class Field:
    """A parameter, or a field of a body.

    Attributes:
        name: Its name.
        place: ``path``, ``query`` or ``body``.
        required: Whether it must be given.
        form: What it may be, in short.
    """

    name: str
    place: str
    required: bool
    form: str


@dataclass(frozen=True)
class Address:
    """An address of the API.

    Attributes:
        method: ``GET`` or ``POST``.
        path: The address; words in braces are filled in.
        about: What it gives or does.
        more: Which role it takes.
        fields: What it takes.
    """

    method: str
    path: str
    about: str
    more: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Api:
    """The API.

    Attributes:
        addresses: Its addresses, by path.
    """

    addresses: tuple[Address, ...]


@page(router, "/api", "api.html")
def api_page(request: Request) -> Api:
    """All addresses of the API."""
    paths = sorted(request.app.openapi()["paths"].items())
    return Api(tuple(_address(method, path, told) for path, of in paths for method, told in of.items()))


def _address(method: str, path: str, told: dict[str, Any]) -> Address:
    given = [
        _field(one["name"], one["in"], one["schema"], required=one.get("required", False))
        for one in told.get("parameters", ())
    ]
    body = told.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    needed = body.get("required", ())
    fields = body.get("properties", {}).items()
    given += [_field(name, "body", of, required=name in needed) for name, of in fields]
    said = told.get("description", "")
    more = said if said.startswith("Takes ") else takes(Role.VIEWER)
    return Address(method.upper(), path, told.get("summary", ""), more, tuple(given))


def _field(name: str, place: str, schema: dict[str, Any], *, required: bool) -> Field:
    words = []
    for kind in schema.get("anyOf", [schema]):
        values = kind.get("enum")
        word = " | ".join(map(str, values)) if values else kind.get("pattern") or kind.get("type", "")
        if word != "null":
            words.append(str(word))
    return Field(name, place, required, ", ".join(words))
