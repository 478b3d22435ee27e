"""What every form of a scene's parts shares. Imports pydantic: only forms may."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Form(BaseModel):
    """A part of a scene: closed to words that it does not know, never coerced, never changed."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
