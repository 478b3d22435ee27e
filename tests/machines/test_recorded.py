"""The recorded machines of publications, and what is planned for them: processors and memory of each arm, and
what libvirt is asked for of each guest.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from assay.activities.plan.layout import part_of, shares_of
from assay.activities.plan.placement import place
from assay.activities.plan.prepare import plan_activity
from assay.cli.plan_text import arm_words
from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.errors import MissingError
from assay.model.machines.processors import Controller
from assay.platforms.guests.domain import draft_guest, to_xml
from assay.platforms.guests.spec import GuestSpec
from assay.platforms.host.recorded_host import RecordedHost
from assay.platforms.readback.cpu import parse_cpu_list
from assay.probe.facts import recorded_fingerprint
from assay.scenes import Scene, find_scene, read_scene
from assay.store.store import Store
from tests.machines.recorded import FOLDER, MACHINES, files_of
from tests.platforms.guests.test_domain import KVM

REGENERATE = "REGENERATE" in os.environ
BOSS = """\
scene: boss-guests
title: Twelve guests that read their software at once, with nearly all of the machine's memory
baseline: {machine: local}
treatment:
  platform: guest
  factors: {cpu.vcpus: auto, memory.size: 46608 MiB, disk.cache: none, cpu.vcpupin: '1:1'}
  layout: {guests: [1, 2, 3, 4, 6, 12]}
workloads: [{use: two-phase, parameters: {events: 300}}]
placement: {copies: 12}
processors: all
"""
JUNO = """\
scene: juno-guests
title: 4 GB for each core, cut into guests of 12, 6, 4, 2 and 1 core
baseline: {machine: local}
treatment:
  platform: guest
  factors: {cpu.vcpus: auto, memory.size: 48 GiB}
  layout: {guests: [1, 2, 3, 6, 12]}
workloads: [{use: two-phase, parameters: {events: 300}}]
placement: {copies: 12}
processors: all
"""
NODES = """\
scene: node-guests
title: One guest over both memory nodes, and two that have one each
baseline: {machine: local}
treatment:
  platform: guest
  factors: {cpu.vcpus: auto, memory.size: 60 GiB, cpu.vcpupin: "1:1", numa.memory: "strict:own"}
  layout: {guests: [1, 2, 4]}
workloads: [{use: two-phase, parameters: {events: 300}}]
placement: {copies: 16}
processors: all
"""
IJCLAB = """\
scene: ijclab-guests
title: Two guests of 128 vCPUs on 128 cores with SMT
baseline: {machine: local}
treatment:
  platform: guest
  factors: {cpu.vcpus: auto, memory.size: 448 GiB}
  layout: {guests: 2}
workloads: [{use: two-phase, parameters: {events: 300}}]
placement: {copies: 256}
processors: all
"""
CASES = [
    ("juno-h1-12-cores", "juno-software", "publication"),
    ("juno-h1-12-cores", "event-scan", "publication"),
    ("juno-h1-12-cores", "event-scan", "chain"),
    ("juno-h1-12-cores", "cpu-model", None),
    ("juno-h1-12-cores", "preallocation", "publication"),
    ("juno-h1-12-cores", "cache-mode", "publication"),
    ("juno-h1-12-cores", "basic", "publication"),
    ("juno-h1-12-cores", JUNO, None),
    ("juno-h1-12-cores", "guest-weight", "publication"),
    ("juno-h2-12-cores", "guest-weight", "publication"),
    ("juno-h2-12-cores", "juno-software", "publication"),
    ("juno-h2-12-cores", "basic", "publication"),
    ("juno-h2-12-cores", "data-access", "publication"),
    ("juno-h2-12-cores", "data-access", "glusterfs"),
    ("juno-h2-12-cores", "data-access", "xrootd"),
    ("juno-h2-12-cores", "data-access", "ways"),
    ("juno-h2-12-cores", "data-access", "ways-publication"),
    ("juno-h2-12-cores", "consolidation", "publication"),
    ("juno-h2-12-cores", "consolidation", "evtrec"),
    ("juno-h2-12-cores", "consolidation", "analysis"),
    ("juno-h3-2x8-cores", "numa", "publication"),
    ("juno-h3-2x8-cores", "basic", "publication"),
    ("juno-h3-2x8-cores", "juno-software", "publication"),
    ("juno-h3-2x8-cores", NODES, None),
    ("boss-12-cores", "boss-tuning", "publication"),
    ("boss-12-cores", "consolidation", "publication"),
    ("boss-12-cores", "basic", "publication"),
    ("boss-12-cores", "cpu-features", "publication"),
    ("boss-12-cores", BOSS, None),
    ("atlas-r410-16-cores-24-gb", "atlas-worker-node", "publication"),
    ("atlas-r410-16-cores-24-gb", "atlas-worker-node", "landscape"),
    ("atlas-r410-16-cores-24-gb", "atlas-worker-node", "gen-to-reco"),
    ("atlas-r410-16-cores-24-gb", "atlas-worker-node", "runc"),
    ("atlas-r410-16-cores-24-gb", "atlas-worker-node", "gvisor"),
    ("atlas-r410-16-cores-24-gb", "disk-devices", "publication"),
    ("proof-8-cores", "proof", "publication"),
    ("proof-8-cores", "proof", "small-files"),
    ("proof-8-cores", "proof", "network"),
    ("proof-8-cores", "proof", "own-disk"),
    ("proof-8-cores", "proof", "read-ahead"),
    ("proof-8-cores", "proof", "xrootd"),
    ("proof-8-cores", "proof", "xrootd-guest"),
    ("ijclab-r6525-2x64-smt-512-gb", "powheg-filesystem", "publication"),
    ("ijclab-r6525-2x64-smt-512-gb", "powheg-filesystem", "guests"),
    ("ijclab-r6525-2x64-smt-512-gb", "hepscore", "guests"),
    ("ijclab-r6525-2x64-smt-512-gb", "hepscore", "memory-nodes"),
    ("ijclab-r6525-2x64-smt-512-gb", "hepscore", "thread-scan"),
    ("ijclab-r6525-2x64-smt-512-gb", IJCLAB, None),
]
OWN_CORE = {
    ("cpu-model", None),
    ("event-scan", "chain"),
    *(("data-access", one) for one in ("glusterfs", "xrootd", "ways")),
    *(("atlas-worker-node", one) for one in ("runc", "gvisor")),
    *(("proof", one) for one in ("own-disk", "network", "read-ahead", "xrootd", "xrootd-guest")),
}
"""Scales that leave the controller a core, as they would anywhere."""
HALVES = dict.fromkeys(
    (f"hepscore-{one}" for one in ("guests", "memory-nodes", "thread-scan")), "ijclab-guests"
)
"""Plans whose guests are those of another: two of half of the machine."""
SHORT_S = 10.0
PAGE = FOLDER.parents[1] / "docs" / "publications.md"
PARTS = ("memory", "memoryBacking", "numatune", "vcpu", "cputune", "cpu")


def scene_of(asked: str, scale: str | None) -> Scene:
    if "\n" in asked:
        return read_scene(asked.encode(), file="test.yaml")
    found = find_scene(asked, scale=scale)
    return replace(found, design=replace(found.design, seed=1))


def planned(machine: str, scene: Scene, home: Path) -> ActivityPlan:
    store = Store(home)
    try:
        return plan_activity(
            scene,
            home=home,
            store=store,
            image=lambda _guest: "a" * 16,
            command=None,
            recorded=FOLDER / machine,
        )
    finally:
        store.close()


def kept(golden: Path, text: str) -> str:
    """Return what was written down of a plan; write it down first where that is wanted."""
    if REGENERATE:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text)
    return golden.read_text()


@pytest.mark.parametrize("name", MACHINES)
def test_a_record_is_what_its_table_says(name: str) -> None:
    folder, files = FOLDER / name, files_of(name)
    if REGENERATE:
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
    there = {
        str(path.relative_to(folder)): path.read_text()
        for part in ("proc", "sys")
        for path in (folder / part).rglob("*")
        if path.is_file()
    }
    assert there == files


@pytest.mark.parametrize(("name", "machine"), MACHINES.items())
def test_a_record_is_read_as_the_machine_that_it_is(name: str, machine: Any) -> None:
    facts, host = recorded_fingerprint(FOLDER / name).facts, RecordedHost(FOLDER / name)
    cores = sum(machine.cores)
    assert (len(facts.siblings), len(facts.cpus)) == (cores, cores * machine.threads)
    assert facts.memory_bytes == host.memory_bytes == machine.memory_kib * 1024
    assert (host.nodes, host.accelerator) == (tuple(range(len(machine.cores))), "kvm")
    assert facts.cpu_model == machine.model


@pytest.mark.parametrize(("machine", "asked", "scale"), CASES)
def test_a_publication_is_planned_for_its_machine(
    machine: str, asked: str, scale: str | None, tmp_path: Path
) -> None:
    scene = scene_of(asked, scale)
    plan = planned(machine, scene, tmp_path)
    assert plan.sharing is not None
    assert (plan.sharing.controller is Controller.SHARED) == ((scene.name, scale) not in OWN_CORE)
    told = {
        "machine": machine,
        "scene": plan.scene,
        "scale": plan.scale,
        "arms": [arm_words(arm) for arm in plan.arms],
        "sharing": {
            "controller": str(plan.sharing.controller),
            "kept": list(plan.sharing.kept),
            "memory_bytes": plan.sharing.memory_bytes,
            "guests_bytes": plan.sharing.guests_bytes,
            "host_bytes": plan.sharing.host_bytes,
        },
        "workloads": {one.name: [one.placement.copies, one.placement.threads] for one in plan.workloads},
        "doubts": [code for code, _ in plan.doubts],
    }
    if (scene.name, scale) not in OWN_CORE and "\n" not in asked:
        short = {
            re.sub(r"(-[cnrs]\d+[kmg]?)+$", "", one.name) for one in plan.workloads if one.seconds < SHORT_S
        }
        assert short == told_short(scene.name, scale), (
            "of jobs below ten seconds docs/publications.md has a reason"
        )
    folder = FOLDER / machine / "plans"
    text, name = lines_of(told), scene.name if scale in (None, "publication") else f"{scene.name}-{scale}"
    assert text == kept(folder / f"{name}.json", text)
    guests = guests_xml(plan, machine)
    if guests:
        assert guests == kept(folder / f"{HALVES.get(name, name)}.xml", guests)


def told_short(scene: str, scale: str | None) -> set[str]:
    """Return the workloads that the page has among those of less than ten seconds, with a reason."""
    rows = re.findall(
        rf"^\| \[{scene}\]\(\S+\), {scale} \| ([^|]+) \| ([^|]+) \|$", PAGE.read_text(), re.MULTILINE
    )
    return {name for names, reason in rows if reason.strip() for name in re.findall(r"`([a-z0-9-]+)`", names)}


def test_every_scale_that_the_page_offers_has_a_plan_or_a_reason() -> None:
    text = PAGE.read_text()
    offered = re.findall(r"`assay (?:evaluate|scene show) ([a-z-]+)(?: --scale ([a-z-]+))?[ `]", text)
    lacking = {(name, scale or None) for name, scale in offered} - {
        (asked, scale) for _, asked, scale in CASES
    }
    (said,) = re.findall(r"^- \*\*No plan\*\*.*$", text, re.MULTILINE)
    assert lacking == {("hepscore", "publication")}
    assert all(f"{scale} of [{name}]" in said for name, scale in lacking)


def lines_of(told: dict[str, Any]) -> str:
    """Return JSON with a line for each word, and for each item of a list."""
    lines = []
    for word, value in told.items():
        items = ",\n  ".join(map(json.dumps, value)) if isinstance(value, list) else None
        lines.append(f" {json.dumps(word)}: {json.dumps(value) if not items else f'[{chr(10)}  {items}]'}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def guests_xml(plan: ActivityPlan, machine: str) -> str:
    """Return what libvirt is asked for of processors and memory, of each guest of each arm.

    A guest that is asked for in the same words as one of an earlier arm is told by that one.
    """
    host, texts = RecordedHost(FOLDER / machine), []
    known: dict[str, str] = {}
    nodes = {
        node: parse_cpu_list(host.read(f"/sys/devices/system/node/node{node}/cpulist") or "")
        for node in host.nodes
    }
    for arm in plan.arms:
        for number, spec in enumerate(specs_of(arm)):
            domain = ElementTree.fromstring(to_xml(draft_guest(spec, nodes=nodes)))
            parts = (domain.find(part) for part in PARTS)
            text = "\n".join(
                ElementTree.tostring(one, encoding="unicode").strip() for one in parts if one is not None
            )
            name = f"{arm.label}, guest {number}"
            same = known.setdefault(text, name)
            texts += [f"<!-- {name} -->", text] if same == name else [f"<!-- {name}: as {same} -->"]
    return "\n".join(texts) + "\n" if texts else ""


def specs_of(arm: PlannedArm) -> list[GuestSpec]:
    """Return the guests of an arm, on a machine with KVM."""
    if arm.guest is None:
        return []
    shares, settings = shares_of(arm, arm.guest), arm.guest.settings
    return [
        replace(
            KVM, vcpus=len(share.cpus), memory_bytes=share.memory_bytes, cpus=share.cpus, settings=settings
        )
        for share in shares
    ]


def test_memory_that_leaves_the_host_too_little_is_planned_with_a_doubt(tmp_path: Path) -> None:
    plan = planned("boss-12-cores", scene_of(BOSS, None), tmp_path)
    (sentence,) = [text for code, text in plan.doubts if code == "memory-overcommitted"]
    assert "45.52 GiB for guests" in sentence
    said = scene_of(f"{BOSS}host-memory: 1 GiB\n", None)
    assert "memory-overcommitted" not in {code for code, _ in planned("boss-12-cores", said, tmp_path).doubts}


def test_siblings_are_measured_only_where_they_are_asked_for(tmp_path: Path) -> None:
    smt = "ijclab-r6525-2x64-smt-512-gb"
    one = scene_of(IJCLAB.replace("processors: all", "processors: all-cores"), None)
    assert planned(smt, one, tmp_path).baseline.limits.cpus == tuple(range(128))
    own = scene_of(f"{IJCLAB}controller: own-core\n".replace("copies: 256", "copies: 254"), None)
    arms = planned(smt, own, tmp_path).arms
    assert {len(arm.limits.cpus) for arm in arms} == {254}
    assert not {0, 128} & {cpu for arm in arms for cpu in arm.limits.cpus}


def test_both_halves_of_the_machine_have_locks_with_the_host_s_help_and_without(tmp_path: Path) -> None:
    plan = planned("ijclab-r6525-2x64-smt-512-gb", scene_of("powheg-filesystem", "guests"), tmp_path)
    first, *guests = plan.arms
    assert dict(first.data)["scratch.filesystem"] == "xfs"
    domains = [to_xml(draft_guest(spec)) for arm in guests for spec in specs_of(arm)]
    asked = [ElementTree.fromstring(one).find("features/pvspinlock") for one in domains]
    states = [one.get("state") for one in asked if one is not None]
    assert states == ["on"] * 4 + ["off"] * 4
    (work,) = plan.workloads
    figures = [metric.name for metric in work.metrics]
    assert figures[-4:] == ["job_efficiency", "system_share", "resident_memory", "write_rate"]


def test_one_container_for_each_memory_node_has_its_processors(tmp_path: Path) -> None:
    machine = "ijclab-r6525-2x64-smt-512-gb"
    plan = planned(machine, scene_of("hepscore", "memory-nodes"), tmp_path)
    whole, each = plan.workloads
    assert (whole.command[-3], each.command[-3]) == ("256", "128")
    host = plan.baseline.limits.cpus
    sets = place(each.placement, host, workload=each.name, where="host").cpus
    lists = (FOLDER / machine / f"sys/devices/system/node/node{node}/cpulist" for node in (0, 1))
    assert [set(cpus) for cpus in sets] == [set(parse_cpu_list(one.read_text())) for one in lists]
    parts = {part_of(one, 2).command[-5:] for one in plan.workloads}
    assert parts == {("-W", "-c", "128", "-t", "1")}, "both guests run the same beside either"


def test_two_guests_have_less_memory_a_core_than_the_benchmark_suite_asks_for(tmp_path: Path) -> None:
    machine = "ijclab-r6525-2x64-smt-512-gb"
    text = Path(str(files("assay.scenes") / "library" / "hepscore.yaml")).read_text()
    for size, told in (("448 GiB", True), ("477 GiB", False)):
        changed = text.replace("448 GiB", size).replace("scene: hepscore", "scene: mine")
        plan = planned(machine, read_scene(changed.encode(), file="mine.yaml", scale="guests"), tmp_path)
        assert ("memory-a-core" in {code for code, _ in plan.doubts}) is told, size
    page = (FOLDER.parents[1] / "docs" / "scenes" / "hepscore.md").read_text()
    assert "fails the check of memory a core" in page
    assert "`memory.size: 477 GiB`" in page


def test_a_guest_of_more_vcpus_than_qemus_machine_has_is_refused_before_anything_runs(tmp_path: Path) -> None:
    one = scene_of(IJCLAB.replace("{guests: 2}", "{guests: 1}"), None)
    with pytest.raises(MissingError, match="cannot give a guest 256 vCPUs") as refused:
        planned("ijclab-r6525-2x64-smt-512-gb", one, tmp_path)
    assert refused.value.hint == "layout: {guests: 2}, or cpu.vcpus: 255"


def test_a_machine_that_is_too_small_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="it needs 12 cores, there are 8"):
        planned("proof-8-cores", scene_of("consolidation", "publication"), tmp_path)
