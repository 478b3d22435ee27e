"""The A/A history of this site: kept in one file, taken into each plan."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from assay.design.site_floor import Campaign, History, campaigns_of, is_same, site_floor
from assay.model.activity import ActivityPlan
from assay.model.machines.floor import SiteFloor
from assay.model.trial import Trial
from assay.store.record import RecordError, replace_file

FILE = "floor.json"
SCHEMA = "assay.floor"


def keep_campaigns(home: Path, plan: ActivityPlan, records: Sequence[Trial]) -> None:
    """Add what an A/A activity showed to the site's history, in the place of an earlier state of its own.

    A run of a proof is none, though ablating its cause may leave nothing that differs: it was not chosen for
    that.
    """
    machine = os.uname().nodename  # the baseline's machine is this one, also where both arms are guests
    if plan.proof_of is not None or not is_same(plan):
        return
    if not (own := list(campaigns_of(plan, records, machine=machine))):
        return
    others = [campaign for campaign in read_campaigns(home) if campaign.activity != plan.id]
    content = {"schema": SCHEMA, "version": [1, 0], **asdict(History((*others, *own)))}
    replace_file(home / FILE, json.dumps(content, indent=1).encode() + b"\n")


def read_campaigns(home: Path) -> list[Campaign]:
    """Return the site's A/A history; empty where there is none.

    Raises:
        RecordError: The file is damaged.
    """
    path = home / FILE
    if not path.exists():
        return []
    try:
        entries = json.loads(path.read_bytes())["campaigns"]
        return [Campaign(**{**one, "sessions": tuple(map(tuple, one["sessions"]))}) for one in entries]
    except (ValueError, KeyError, TypeError) as error:
        msg = f"cannot read the site's A/A history {path}: {error}"
        raise RecordError(msg, hint=f"move it away, and run: assay evaluate noise-floor ({path})") from error


def floor_of(home: Path, machine: str, *, without: str | None = None) -> SiteFloor | None:
    """Return the floor of a machine by its host name, as it is known now; without what one activity showed
    itself.
    """
    others = [campaign for campaign in read_campaigns(home) if campaign.activity != without]
    return site_floor(others, machine)
