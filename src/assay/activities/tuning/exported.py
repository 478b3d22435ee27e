"""The change-set that a search recommends, in the words of another tool."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from assay.activities.tuning.guests import guest_with, levels_of, with_starts
from assay.activities.tuning.scenes import tuned_guest
from assay.activities.tuning.tuner import scene_of
from assay.factors.export.words_of import OF_A_GUEST, export
from assay.model.errors import AssayError
from assay.pages.factor_page import ExportPage
from assay.pages.tuning import Tuning
from assay.platforms.host.this_host import ThisHost
from assay.report.lists.factors import export_page


def recommended(tuning: Tuning, which: str, *, undecided: bool = False) -> dict[str, str]:
    """Return the changes of a recommended change-set, levels by factor; an empty one is taken away.

    Args:
        tuning: The search.
        which: Name of the change-set.
        undecided: Whether one will do that is not shown to be harmless to all of the mix.

    Raises:
        AssayError: It is not recommended, or not yet.
    """
    found = next((one for one in tuning.found if one.name == which), None)
    if found is None or not (found.recommended or (undecided and found.undecided)):
        reason = "nothing was found" if found is None else found.reason or "it is not confirmed yet"
        msg = f"cannot use the change-set '{which}' of search {tuning.id}: {reason}"
        hint = f"assay tune show {tuning.id}"
        if found is not None and found.undecided:
            hint = f"assay tune extend {tuning.id} --blocks 10, or accept it as it is with --undecided"
        raise AssayError(msg, hint=hint)
    if tuning.state != "complete":
        msg = f"cannot use the change-set '{which}' of search {tuning.id}: it is still to be checked"
        raise AssayError(msg, hint=f"assay tune resume {tuning.id}")
    return dict(found.changes)


def exported(tuning: Tuning, changes: Mapping[str, str], form: str, *, home: Path) -> ExportPage:
    """Return a change-set in the words of a tool.

    Args:
        tuning: The search.
        changes: Levels by factor; an empty one is taken away.
        form: The tool (``factors.export``).
        home: Folder of all state.

    Raises:
        AssayError: The tool cannot say it.
    """
    settings = {name: level for name, level in changes.items() if level}
    starts = any(name.startswith("start.") for name in settings)
    if not starts and form not in OF_A_GUEST:
        return export_page(form, export(settings, form, ThisHost(home)))
    guest = tuned_guest(scene_of(tuning))
    kept = levels_of(guest_with(guest, changes))
    if guest.vcpus is not None:
        kept["cpu.vcpus"] = str(guest.vcpus)
    settings = with_starts(guest, settings) if starts else settings
    return export_page(form, export(settings, form, ThisHost(home), kept))
