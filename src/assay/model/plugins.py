"""What other packages add by entry points: looked for when it is asked for, and never at start.

An entry point names one value: ``mytool = "my_package.mytool:TOOL"`` in the group ``assay.tools``. Loading it
runs that package's code with the user's rights, as importing it does: who installs a package beside assay
trusts it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from assay.model.errors import UnknownNameError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")

TOOLS, FACTORS, PLACES, EXPORTERS = "assay.tools", "assay.factors", "assay.places", "assay.exporters"
PACKS = "assay.packs"
"""The groups of entry points."""


@dataclass(frozen=True)
class Plugins(Generic[T]):
    """What a group of entry points gave.

    Attributes:
        values: By the names of their entry points.
        faults: Of each that could not be loaded, one clause: which, of which package, and why.
    """

    values: Mapping[str, T]
    faults: tuple[str, ...]


def load(group: str, of: type[T]) -> Plugins[T]:
    """Return the values that installed packages add to a group.

    Args:
        group: One of ``TOOLS``, ``FACTORS``, ``PLACES``, ``EXPORTERS``, ``PACKS``.
        of: What each must be.
    """
    values: dict[str, T] = {}
    faults: list[str] = []
    for point in sorted(_points(group), key=lambda one: (one.name, one.value)):
        try:
            value = point.load()
        except Exception as error:  # noqa: BLE001  it runs code of others
            faults.append(fault(point, f"{type(error).__name__}: {str(error).partition(chr(10))[0][:120]}"))
            continue
        if not isinstance(value, of):
            faults.append(
                fault(point, f"expected a {of.__name__} at {point.value}, got {type(value).__name__}")
            )
        elif point.name in values:
            faults.append(fault(point, "another package has a plug-in of that name"))
        else:
            values[point.name] = value
    return Plugins(values, tuple(faults))


def fault(point: EntryPoint, reason: str) -> str:
    """Return the clause about a plug-in that is left out."""
    package = f" of {point.dist.name} {point.dist.version}" if point.dist is not None else ""
    return f"plug-in '{point.name}'{package}: {reason}"


def _points(group: str) -> Iterator[EntryPoint]:
    """Yield the entry points of a group; the same one twice (two folders of one package) once."""
    from importlib.metadata import entry_points  # a start of assay needs none

    yield from dict.fromkeys(entry_points(group=group))


class NoSuchError(UnknownNameError, KeyError):
    """A name that neither the package nor a plug-in has; the hint names a plug-in that could not
    be loaded.
    """

    def __str__(self) -> str:
        return self.message


class Catalogue(Mapping[str, T]):
    """Values by name: the package's own, and those of plug-ins.

    Plug-ins are loaded where a name is not the package's own, or where all are asked for.

    Args:
        kind: What a value is, for messages: ``factor``.
        own: The package's own, in their order.
        more: Returns those of plug-ins; a name that is the package's own leaves one out.
        hint: Command that lists the names.
    """

    def __init__(
        self, kind: str, own: Mapping[str, T], more: Callable[[], Plugins[T]], *, hint: str | None = None
    ) -> None:
        self.own = own
        self._kind, self._more, self._hint = kind, more, hint

    def __getitem__(self, name: str) -> T:
        if name in self.own:
            return self.own[name]
        if name in self._added.values:
            return self._added.values[name]
        hint = next(iter(self.faults), self._hint)
        raise NoSuchError(self._kind, name, self, hint=hint)

    def __contains__(self, name: object) -> bool:
        return name in self.own or name in self._added.values

    def __iter__(self) -> Iterator[str]:
        yield from self.own
        yield from self._added.values

    def __len__(self) -> int:
        return len(self.own) + len(self._added.values)

    @property
    def faults(self) -> tuple[str, ...]:
        """Why plug-ins are left out, one clause each."""
        return self._added.faults

    @cached_property
    def _added(self) -> Plugins[T]:
        found = self._more()
        taken = [name for name in found.values if name in self.own]
        faults = [f"plug-in: assay has a {self._kind} '{name}' of its own" for name in taken]
        values = {name: value for name, value in found.values.items() if name not in self.own}
        return Plugins(values, (*found.faults, *faults))
