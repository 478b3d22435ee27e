"""The form of a place of a plug-in as treatment. Imports pydantic: only ``form`` may."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from assay.scenes.forms.base import Form
from assay.scenes.forms.processors import PROCESSORS, THREADS, Processors, ThreadsWord
from assay.scenes.forms.sweep import EXCLUDE, ZIP, Zip


class PluginForm(Form):
    """A place of a kind that a plug-in adds, on the baseline's machine.

    Its factors are read once the kind is known (``checks.plugin``).
    """

    platform: str
    factors: dict[str, Any] = Field(default={})
    zip: Zip = ZIP
    exclude: list[dict[str, Any]] = EXCLUDE
    processors: Processors = PROCESSORS
    threads: ThreadsWord = THREADS
