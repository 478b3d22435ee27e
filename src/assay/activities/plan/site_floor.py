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
from assay.model.machines.machine import Reach
from assay.model.trial import Arm, Trial
from assay.platforms.locks import locked
from assay.store.record import RecordError, replace_file

FILE = "floor.json"
SCHEMA = "assay.floor"


def keep_campaigns(home: Path, plan: ActivityPlan, records: Sequence[Trial]) -> None:
    """Add what an A/A activity showed to the site's history, in the place of an earlier state of its own.

    A run of a proof is none, though ablating its cause may leave nothing that differs: it was not chosen for
    that.
    """
    machine = _host_name(plan, records)
    if machine is None or plan.proof_of is not None or not is_same(plan):
        return
    if not (own := list(campaigns_of(plan, records, machine=machine))):
        return
    with locked(home / "run" / "floor.lock"):  # lanes of one activity end side by side
        others = [campaign for campaign in read_campaigns(home) if campaign.activity != plan.id]
        content = {"schema": SCHEMA, "version": [1, 0], **asdict(History((*others, *own)))}
        replace_file(home / FILE, json.dumps(content, indent=1).encode() + b"\n")


def _host_name(plan: ActivityPlan, records: Sequence[Trial]) -> str | None:
    """Return the host name of the baseline's machine; ``None`` where its records do not tell it."""
    if plan.baseline.machine.reach is Reach.LOCAL:
        return os.uname().nodename  # also where both arms are guests, which have names of their own
    if not plan.baseline.on_machine:
        return None
    return next((one.facts.hostname for one in records if one.planned.arm is Arm.BASELINE), None)


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
