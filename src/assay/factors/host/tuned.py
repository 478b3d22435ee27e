"""tuned's profile on the host: found, and never chosen by us, as it outlasts a reboot and our journal does
not.

Source: ``man 8 tuned-adm``; profiles as of August 2026.
"""

from __future__ import annotations

from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Cost, Factor, Hazard
from assay.factors.base.levels import Pattern
from assay.factors.host.files import AS_ON_HOST

_PROFILE = "/etc/tuned/active_profile"
_PID = "/run/tuned/tuned.pid"


def profile(host: Host) -> str:
    """Return the profile that tuned holds in force; ``none`` where it has none or does not run."""
    return (_chosen(host) or "none") if _runs(host) else "none"


def _chosen(host: Host) -> str:
    """Return the profile that was chosen last: the file outlives tuned."""
    return host.read(_PROFILE) or ""


def _runs(host: Host) -> bool:
    pid = host.read(_PID)
    return pid is not None and pid.isdigit() and host.read(f"/proc/{pid}/comm") == "tuned"


def _actual_profile(seen: Evidence, wanted: str) -> str:
    now, left = profile(seen.host), _chosen(seen.host)
    return now if now in (wanted, left) or not left else f"{left}, but tuned does not run"


def _needs_profile(host: Host, level: str | None) -> str | None:
    if not host.has("tuned-adm"):
        return "tuned-adm is not installed"
    if level is None or level == profile(host):
        return None
    if level == _chosen(host):
        return "tuned does not run: systemctl start tuned"
    act = "off" if level == "none" else f"profile {level}"
    return (
        f"a profile outlasts a reboot and sets many factors at once, so we never choose it: tuned-adm {act}"
    )


FACTORS = (
    Factor(
        "host.tuned",
        "active profile of tuned",
        Pattern(
            r"[A-Za-z0-9][A-Za-z0-9_.-]*( [A-Za-z0-9][A-Za-z0-9_.-]*)*",
            "names of profiles, or none",
            ("none", "virtual-host", "throughput-performance", "latency-performance"),
        ),
        AS_ON_HOST,
        "by the administrator: tuned-adm profile",
        f"{_PROFILE} while tuned runs; tuned-adm verify tells whether its values still hold",
        _actual_profile,
        Cost.LIVE,
        needs=_needs_profile,
        hazards=(Hazard.OTHERS,),
        note="virtual-host is throughput-performance with dirty_background_ratio 5 and shallow idle states",
    ),
)
