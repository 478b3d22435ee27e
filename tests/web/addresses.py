"""A home with something on every page, and the address of each page."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from assay.activities.tuning.kept import keep_tuning
from assay.factors.start.starts import ELSEWHERE
from assay.model.fleet import Failure, Stop
from assay.model.machines.check import Check, Found
from assay.model.machines.health import Health
from assay.model.machines.inventory import Entry, Role
from assay.model.machines.machine import Fingerprint, Machine, Reach
from assay.platforms.applied.journal import Applied, write_applied
from assay.store.checks import keep_found
from assay.store.fingerprints import keep_fingerprint
from assay.store.fleet import write_stop
from assay.store.own_scenes import save_scene
from assay.store.store import Store
from assay.web.views.scene_editor import NEW
from tests.builders import FACTS
from tests.report.tunings import tuning
from tests.results.test_outcome import PLAN
from tests.results.test_sweep import RECORDS as SWEPT
from tests.results.test_sweep import SWEEP
from tests.store.test_fleet import FLEET, laid
from tests.web.going import Going
from tests.web.homes import SEARCH, home_of

ONE, OTHER, TREATMENTS, GOES_ON, APPLIED = PLAN.id, "0b0b0b0b", "0d0d0d0d", "0e0e0e0e", "76543210"
NOWHERE = "/results/feed"
"""There is none of this id: the page says so."""
ADDRESSES = (
    "/",
    "/machines",
    "/machines?find=farm&sort=load",
    "/machines?find=fram",
    "/machines/local",
    "/machines/node01.example.org",
    "/machines/node01.example.org/edit",
    "/machines/node01.example.org/facts",
    "/machines/node01.example.org/diff",
    "/machines/node01.example.org/changes",
    "/add-machine",
    "/scenes",
    "/scenes/quick",
    "/scenes/mine",
    "/scenes/mine/edit",
    "/scenes/mine/diff?a=1&b=2",
    "/scenes/cpu-quota/plan?blocks=4",
    "/new-scene",
    "/activities",
    f"/activities/{ONE}",
    f"/activities/{GOES_ON}",
    f"/activities/{FLEET.id}",
    f"/activities/{FLEET.id}/machines",
    "/results",
    "/results?scene=none",
    f"/results/{ONE}",
    f"/results/{ONE}?machines=120&watts=350&price_kwh=0.3&currency=EUR",
    f"/results/{TREATMENTS}",
    f"/results/{FLEET.id}",
    f"/results/{ONE}/parts/losses",
    f"/results/{ONE}/parts/trials",
    f"/results/{ONE}/trials",
    f"/results/{ONE}/trials/0",
    f"/results/{ONE}/advice",
    f"/results/{ONE}/files",
    f"/results/{ONE}/downloads",
    "/compare",
    f"/compare?with={ONE}&with={OTHER}",
    f"/compare?with={TREATMENTS}&with={OTHER}&with={FLEET.id}",
    f"/compare/parts/doubts?with={ONE}&with={OTHER}",
    f"/compare/facts?with={ONE}&with={OTHER}",
    "/tune",
    f"/tune/{SEARCH}",
    f"/tune/{APPLIED}",
    f"/tune/{APPLIED}/verified",
    f"/tune/{SEARCH}/export/safe/virt-xml",
    "/audit",
    "/api",
    NOWHERE,
)
SIGN_IN = "/sign-in"
"""The one page that is there only where people sign in."""
DAY_NS = 86_400 * 10**9
LONG_TITLE = "What a guest costs CPU, memory, disk and network, in minutes"


@contextmanager
def whole_home(home: Path) -> Iterator[Path]:
    """Make a home in which every address has its page, and an activity goes on."""
    plan = replace(PLAN, title=LONG_TITLE, created_ns=time.time_ns() - DAY_NS)
    home_of(home, plan, replace(plan, id=OTHER))
    (home / "activities" / ONE / "files.json").write_text(f'{{"activity": "{OTHER}"}}')
    sweep = replace(SWEEP, id=TREATMENTS, title="Cache modes of a guest's disk", scene="cache-modes")
    home_of(home, sweep, trials=SWEPT)
    folder = laid(home)
    said = "its host key has changed: expected SHA256:1m9Qn7wB, found SHA256:uHk2JrZd"
    write_stop(folder, FLEET.lanes[2], Stop(Failure.REFUSED, said, None, 1, 1, 4))
    store = Store(home)
    store.import_fleet(folder)
    store.tag(store.activity(ONE), add=("before-upgrade", "paper"))
    _note_machines(home, store)
    store.close()
    for blocks in (6, 8):
        text = NEW.replace("my-scene", "mine").replace("blocks: 6", f"blocks: {blocks}")
        save_scene(home, "mine", text, by="ada", note=f"{blocks} blocks")
    for id_ in (SEARCH, APPLIED):
        keep_tuning(replace(tuning(), id=id_), home)
    settings, left = {"start.stagger": "5 s"}, {"start.stagger": ELSEWHERE["start.stagger"]}
    write_applied(home / "tunings" / APPLIED, Applied("applied", settings, left, None, "", "", ()))
    going = Going(home, id_=GOES_ON, title=LONG_TITLE)
    going.record(8)
    going.fail("exit 137: the limit on memory was hit")
    going.doubt("Others used the processor.")
    going.begin()
    going.say("block 3 spin on other: 50.3 events/s")
    try:
        yield home
    finally:
        going.end()


def _note_machines(home: Path, store: Store) -> None:
    name = "node01.example.org"
    tags = (("rack", "a7"), ("gpu", ""))
    note = "Its fan is loud.\nAsk Ada before it is booted."
    machine = Machine(name, Reach.SSH, "192.0.2.7", "root", 22)
    vm = Machine("vm-of-node01", Reach.SSH, "192.0.2.8", "root", 22)
    store.add_machines(
        [
            Entry(machine, ("farm", "rack-a7"), tags, Role.BASELINE, note),
            Entry(vm, ("farm",), (), None, "", name),
        ]
    )
    now = time.time_ns()
    looks = [
        Health(name, now - at * DAY_NS // 24, None, 1 + at % 24, at % 12 / 20, 0.01, 10**10, 40.0 + at % 9)
        for at in range(1, 72)
    ]
    store.add_health([*looks, Health(name, now, "cannot reach 192.0.2.7:22: the connection timed out")])
    store.add_health([Health("local", now, None, 0.4, 0.1, 0.0, 10**11, 51.0)])
    checks = (
        Check("qemu", good=True, sentence="QEMU 7.2.9"),
        Check("kvm", good=False, sentence="no /dev/kvm: guests are emulated in software"),
    )
    keep_found(home, Found(name, now, "quick", None, checks))
    for days, kernel in ((2, "6.1.0-17-amd64"), (1, "6.1.0-18-amd64")):
        facts = {"kernel": {"release": kernel}, "hardware": {"flags": ["avx2", "aes", kernel[:7]]}}
        keep_fingerprint(home, name, Fingerprint(FACTS, facts, now - days * DAY_NS))
