"""Factors of a plug-in's kind of place: names and levels that it does not know."""

from __future__ import annotations

from collections.abc import Iterator

from assay.factors.base.levels import LevelError
from assay.places.catalogue import PLACES
from assay.scenes.forms.plugin import PluginForm
from assay.scenes.text.errors import Problem
from assay.scenes.text.tree import Path, Tree
from assay.scenes.values.expected import ExpectedError, nearest
from assay.scenes.values.swept import swept


def plugin_problems(treatment: object, tree: Tree) -> Iterator[Problem]:
    """Yield the problems of a treatment's factors, where it is a place of a plug-in.

    Args:
        treatment: The treatment's form, of any kind.
        tree: The scene file.
    """
    if not isinstance(treatment, PluginForm):
        return
    factors = PLACES[treatment.platform].factors
    for name, value in treatment.factors.items():
        place: Path = ("treatment", "factors", name)
        if name not in factors:
            known = ", ".join(factors) or "it has none"
            near = f"; nearest: '{found}'" if (found := nearest(name, [*factors])) else ""
            sentence = f"expected a factor of {treatment.platform} ({known}), got '{name}'{near}"
            yield tree.problem(place, sentence, key=True)
            continue
        try:
            swept(factors[name].read)(value)
        except LevelError as error:
            near = f"; nearest: '{error.nearest}'" if error.nearest else ""
            yield tree.problem(place, f"expected {error.expected}, got {tree.got(place)}{near}")
        except ExpectedError as error:
            yield tree.problem(place, f"expected {error.expected}, got {tree.got(place)}")
