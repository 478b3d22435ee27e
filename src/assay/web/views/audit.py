"""The audit log, for admins."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter

from assay.web.access.audit import LogLine
from assay.web.access.person import Role, require_role
from assay.web.route import page
from assay.web.site import At, By

router = APIRouter(tags=["audit"])
NEWEST = 200


@dataclass(frozen=True)
class AuditPage:
    """The audit log.

    Attributes:
        entries: The newest, the newest first.
    """

    entries: tuple[LogLine, ...]


@page(router, "/audit", "audit.html", role=Role.ADMIN)
def audit(site: At, by: By) -> AuditPage:
    """Who asked for what, and what came of it."""
    require_role(by, Role.ADMIN, "read the audit log")
    return AuditPage(tuple(site.log.newest(by, NEWEST)))
