"""Start an activity, resume one, stop one; and read what became of it."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path

from assay.activities.ending import disk_refusals, ending
from assay.activities.events import Watcher
from assay.activities.interrupts import Interrupts
from assay.activities.keeping import at_once, patiently
from assay.activities.plan.data_plan import guest_programs
from assay.activities.plan.disk_room import ALLOWANCE_BYTES, check_disk, require_free
from assay.activities.plan.images import Images, check_kernels, guests_of
from assay.activities.plan.kept_inputs import keep_inputs, kept_inputs
from assay.activities.plan.prepare import plan_activity
from assay.activities.plan.programs import comes_along
from assay.activities.plan.site_floor import keep_campaigns
from assay.activities.rows import refuse_imported
from assay.activities.summaries import keep_summary
from assay.activities.unlisted import remove_unbegun
from assay.activities.visits.contained import check_wanted
from assay.model.activity import ActivityPlan, ActivityState
from assay.model.errors import AssayError, MissingError
from assay.model.files.activities import FOLDER
from assay.model.files.marker import make_marked
from assay.model.trial import Trial
from assay.platforms.claims import claim, holder_pid, refuse_elsewhere
from assay.platforms.daemon.daemon import require_libvirt
from assay.platforms.images.content import missing_programs
from assay.platforms.images.image import Image
from assay.scenes import Scene
from assay.store.record import (
    read_activity,
    read_trials,
    sync_folder,
    write_activity,
)
from assay.store.rows import ActivityRow, FleetRow
from assay.store.seen import boots_seen
from assay.store.store import Store


def prepare(
    scene: Scene, *, home: Path, store: Store, command: str | None, recorded: Path | None = None
) -> ActivityPlan:
    """Look at the machines and lay out an activity; nothing is started or kept.

    Args:
        scene: What is compared.
        home: Folder of all state.
        store: Inventory of machines.
        command: The user's own command line, where the scene is made from one.
        recorded: A recorded machine to plan for instead of this one; nothing is tried here then.

    Raises:
        AssayError: It cannot be run here, with the reason.
    """
    base = scene.baseline_container
    if recorded is None:
        check_wanted([*scene.containers, *([] if base is None else [base])], home=home)
        if scene.baseline == "local" and any(guest.machine is None for guest in scene.guests):
            require_libvirt()
    images = Images(home)
    plan = plan_activity(
        scene, home=home, store=store, image=images.digest, command=command, recorded=recorded
    )
    check_kernels(plan, images)
    return plan


def ensure_image(plan: ActivityPlan, *, home: Path, watcher: Watcher) -> None:
    """Build the guest images that the plan needs and that are not there, and look the programs up in them.

    Raises:
        MissingError: One cannot be built, or a guest lacks a program.
    """
    for image in dict.fromkeys(Images(home).ensure(wanted, watcher) for wanted in guests_of(plan)):
        _require_programs(plan, image)


def _require_programs(plan: ActivityPlan, image: Image) -> None:
    programs = [w.program for w in plan.workloads if w.program and not comes_along(w.program)]
    for_data = guest_programs(plan) if plan.data else {}
    packages = {w.program: w.package for w in plan.workloads} | for_data
    for program in missing_programs(image, [*programs, *for_data]):
        msg = f"cannot run '{program}' in the guest: its image does not have it"
        package = packages.get(program) or "PACKAGE"
        hint = (
            f"add its Debian package to the image with 'packages: [{package}]' in the scene's "
            "treatment, for good "
            f"with 'assay platform image build --package {package}', or ship the program with --input"
        )
        raise MissingError(msg, hint=hint)


def create(plan: ActivityPlan, *, home: Path, store: Store, within: Path | None = None) -> Path:
    """Make an activity durable: its folder with the plan, and its rows.

    Args:
        plan: The plan.
        home: Folder of all state.
        store: Takes its rows.
        within: Folder of the lanes that it is one of; ``None`` where it is none.

    Raises:
        ClaimedError: Another activity runs here.
        MissingError: Too little space, or an input is gone.
    """
    claim(home, plan.id, here=plan.measures_here)  # what a crash leaves from here on is known as nobody's
    if within is None:
        remove_unbegun(home, store)
    check_disk(plan, home)  # again: an image may have been built meanwhile
    folder = (within or home / FOLDER) / plan.id
    make_marked(folder)
    keep_inputs(plan, folder)
    write_activity(folder, plan)
    for above in (folder.parent, home):
        sync_folder(above)  # before the row, and before any record: with its name all of these would be lost
    patiently(lambda: store.add_activity(plan, folder))
    return folder


def follow(
    plan: ActivityPlan,
    folder: Path,
    *,
    home: Path,
    store: Store,
    watcher: Watcher,
    interrupts: Interrupts | None = None,
) -> ActivityState:
    """Conduct what is left of an activity to its end; its page is written whatever happens.

    Args:
        plan: Its plan.
        folder: Its folder.
        home: Folder of all state.
        store: Takes its rows.
        watcher: Is told of each act.
        interrupts: What stops it; ``None`` is a signal.
    """
    from assay.activities.conductor import Conductor  # all that measures: a plan alone needs none of it
    from assay.activities.pages import write_page

    conductor = Conductor(plan, folder=folder, home=home, store=store, watcher=watcher, interrupts=interrupts)

    def keep_seen(records: Sequence[Trial]) -> None:
        if (row := store.own_activity(plan.id)) is not None:
            store.keep_seen(row, boots_seen(folder, plan, records))

    def finish() -> None:
        page = write_page(folder)
        records = tuple(read_trials(folder, damaged=[]))  # its page names the damaged
        keep_campaigns(home, plan, records)
        at_once(lambda: keep_summary(store, page, written=folder))
        at_once(lambda: keep_seen(records))

    with ending(finish, watcher.warn), disk_refusals(home, plan.id):
        return conductor.run()


def resume(row: ActivityRow, *, home: Path, store: Store, watcher: Watcher) -> ActivityState:
    """Finish the rest of an activity's plan.

    Raises:
        AssayError: It was imported.
        ClaimedError: It, or another, runs here.
    """
    refuse_imported(row, "resume")
    plan = read_activity(row.folder)
    require_ready(plan, row.folder, home=home, watcher=watcher)
    if row.trials != len(plan.trials):  # it was cut off between being extended and having the rows of that
        claim(home, row.id, here=plan.measures_here)
        store.import_folder(row.folder)
    return follow(plan, row.folder, home=home, store=store, watcher=watcher)


def require_ready(plan: ActivityPlan, folder: Path, *, home: Path, watcher: Watcher) -> None:
    """Make sure that an activity which has its folder can go on: its images, its inputs and some room are
    there.

    Raises:
        AssayError: Something is not.
    """
    ensure_image(plan, home=home, watcher=watcher)
    kept_inputs(folder)
    require_free(home, ALLOWANCE_BYTES)  # what else it needs may lie there already


def stop(row: ActivityRow | FleetRow, *, home: Path) -> None:
    """Ask the process that conducts an activity to stop; it keeps what is finished.

    Raises:
        AssayError: It was imported, or no process conducts it.
        ClaimedError: A process on another machine conducts it.
    """
    if isinstance(row, ActivityRow):
        refuse_imported(row, "stop")
    refuse_elsewhere(home, row.id, "stop")
    pid = holder_pid(home, row.id)
    if pid is None:
        msg = f"cannot stop activity {row.id}: no process works on it"
        raise AssayError(msg, hint=f"assay activity resume {row.id}")
    os.kill(pid, signal.SIGINT)
