"""What pages show that takes the rights of whoever carries requests out: it is looked at there, and what is
secret is not told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from assay.activities.pages import explained_page
from assay.activities.tuning.applied import applied_of, looked_at, not_looked_at
from assay.activities.tuning.exported import exported, recommended
from assay.activities.tuning.kept import find_tuning
from assay.machines.batch.taken import Taken, taken
from assay.pages.advice import Advice
from assay.pages.factor_page import ExportPage
from assay.platforms.applied.apply import Looked
from assay.platforms.host.this_host import ThisHost
from assay.results.advice.advised import advice_of
from assay.store.record import read_activity, read_trials
from assay.store.store import Store
from assay.web.access.person import Person

Which = Literal["safe", "any"]


@dataclass(frozen=True)
class InForce:
    """What of a search is applied.

    Attributes:
        domain: Domain whose definition was changed; ``None`` where only the host was.
        settings: Levels that were put in, by factor.
        left: What was not put in, and why.
    """

    domain: str | None
    settings: Mapping[str, str]
    left: Mapping[str, str]


@dataclass(frozen=True)
class Verified:
    """Whether what was applied is still so.

    Attributes:
        search: Id of the search.
        settings: Each setting, in the definition, in the running guest, on the host.
        left: What was not put in, and so is not looked at.
    """

    search: str
    settings: tuple[Looked, ...]
    left: Mapping[str, str]


class Looks(Protocol):
    """Looks at what takes rights. All raise ``AssayError`` where there is no such thing."""

    def applied(self, search: str, person: Person) -> InForce | None:
        """Return what of a search is applied here; ``None`` for nothing."""
        ...

    def verified(self, search: str, person: Person) -> Verified:
        """Return whether what was applied of a search is still so."""
        ...

    def exported(self, search: str, which: Which, form: str, person: Person) -> ExportPage:
        """Return a recommended change-set in the words of another tool."""
        ...

    def advice(self, result: str, person: Person) -> Advice:
        """Return what to change, by the result of one machine."""
        ...

    def nodes(self, person: Person) -> tuple[Taken, ...]:
        """Return the nodes of batch systems that are ours just now."""
        ...


class OwnLooks:
    """Looks as the user who runs this process.

    Args:
        home: Folder of all state.
        store: Its database.
    """

    def __init__(self, home: Path, store: Store) -> None:
        self._home, self._store = home, store

    def applied(self, search: str, person: Person) -> InForce | None:  # noqa: ARG002 - whoever may see pages
        """Return what of a search is applied here; as ``Looks``."""
        found = applied_of(find_tuning(search, self._home), home=self._home)
        return None if found is None else InForce(found.domain, found.settings, found.left)

    def verified(self, search: str, person: Person) -> Verified:  # noqa: ARG002
        """Return whether what was applied of a search is still so; as ``Looks``."""
        tuning = find_tuning(search, self._home)
        looked = tuple(looked_at(tuning, home=self._home))
        return Verified(tuning.id, looked, not_looked_at(tuning, home=self._home))

    def exported(self, search: str, which: Which, form: str, person: Person) -> ExportPage:  # noqa: ARG002
        """Return a recommended change-set in the words of another tool; as ``Looks``."""
        tuning = find_tuning(search, self._home)
        return exported(tuning, recommended(tuning, which), form, home=self._home)

    def advice(self, result: str, person: Person) -> Advice:  # noqa: ARG002
        """Return what to change, by the result of one machine; as ``Looks``."""
        row = self._store.activity(result)
        plan, records = read_activity(row.folder), tuple(read_trials(row.folder, damaged=[]))
        host = ThisHost(self._home) if row.is_own else None  # what another site's can have is not known
        return advice_of(plan, records, explained_page(row.folder), host, row.folder)

    def nodes(self, person: Person) -> tuple[Taken, ...]:  # noqa: ARG002
        """Return the nodes of batch systems that are ours just now; as ``Looks``."""
        return taken(self._home)
