"""What all pages are made of: the home, its store, and who does what is asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request

from assay.store.store import Store
from assay.web.access.audit import Log
from assay.web.access.person import Access, Person
from assay.web.acts.carry import Carrier
from assay.web.acts.looks import Looks
from assay.web.live.feed import Feeds
from assay.web.live.watches import Watches


@dataclass(frozen=True)
class Site:
    """A site's web face.

    Attributes:
        home: Folder of all state.
        store: Its database.
        access: How persons are known.
        carrier: Carries out what is asked.
        log: What was asked before.
        looks: Looks at what takes rights.
        feeds: Streams of activities that are followed.
        watches: Activities that are looked at again and again.
    """

    home: Path
    store: Store
    access: Access
    carrier: Carrier
    log: Log
    looks: Looks
    feeds: Feeds = field(default_factory=Feeds)
    watches: Watches = field(default_factory=Watches)


def site_of(request: Request) -> Site:
    """Return the site of a request."""
    site = request.app.state.site
    assert isinstance(site, Site)  # noqa: S101 - set where the application is made
    return site


def person_of(request: Request) -> Person:
    """Return who asks; the gate has made sure that somebody does."""
    person = request.scope["assay.person"]
    assert isinstance(person, Person)  # noqa: S101
    return person


At = Annotated[Site, Depends(site_of)]
By = Annotated[Person, Depends(person_of)]
