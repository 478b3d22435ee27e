"""A scene back into a scene file: for scenes that were made by a command rather than by hand."""

from __future__ import annotations

import itertools
import json
import shlex
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from assay.model.figures.published import PublishedSpec
from assay.model.goal import WAIT_QUIET_S, Goal, Shape
from assay.model.platforms.container import PlannedContainer, Runtime
from assay.model.platforms.data import NOISE, DataSpec
from assay.model.platforms.existing import DomainSpec
from assay.model.platforms.layout import Layout
from assay.model.platforms.plugin_place import PluginPlace
from assay.model.units import BYTES
from assay.model.work.needs import Needs
from assay.model.work.observation import Observation
from assay.model.work.page_cache import CacheSpec
from assay.model.work.phase import PhaseRules
from assay.model.work.placement import Pinning
from assay.model.work.workload import OUTPUT_BYTES
from assay.scenes.reading.container_run import say_container
from assay.scenes.reading.origins import words_beside, words_of
from assay.scenes.reading.readings import say_readings, say_success
from assay.scenes.reading.scripts import say_scripts
from assay.scenes.values.chosen import Own, Ready
from assay.scenes.values.processors import say_processors
from assay.scenes.values.scene import Design, Guest, OtherMachine, Scene, Treatment

T = TypeVar("T")


def write_scene(scene: Scene) -> str:
    """Return the text of a scene file that says the same; the values are JSON, which is YAML too."""
    return "".join(f"{line}\n" for line in _lines(scene))


def _lines(scene: Scene) -> Iterator[str]:
    yield f"scene: {scene.name}"
    if scene.scale is not None:
        yield f"scale: {scene.scale}"
    yield f"title: {_json(scene.title)}"
    baseline = {"machine": scene.baseline, **_beside(scene.baseline_beside), **_baseline_guest(scene)}
    yield f"baseline: {_json({**baseline, **say_processors(scene.baseline_processors)})}"
    if crossed := _crossed(scene):
        yield f"treatment: {_json(crossed)}"
    else:
        yield "treatments:"
        yield from (f"  - {_json(treatment_words(one))}" for one in scene.treatments)
    yield "workloads:"
    yield from (f"  - {_json(_workload(workload))}" for workload in scene.workloads)
    yield f"design: {_json(_design(scene.design))}"
    yield from (f"{word}: {_json(value)}" for word, value in _observation(scene.observation).items())
    if scene.usage:
        yield f"usage: {_json(scene.usage)}"
    yield from (f"{word}: {_json(value)}" for word, value in _machine_words(scene).items())
    if scene.scripts:
        yield f"scripts: {_json(say_scripts(scene.scripts))}"
    if scene.data is not None:
        yield f"data: {_json(_data(scene.data))}"
    if scene.takes_s is not None:
        yield f"takes: {_json(f'{scene.takes_s:.15g} s')}"
    if scene.published:
        yield f"published: {_json([_published(wanted) for wanted in scene.published])}"


def _machine_words(scene: Scene) -> dict[str, object]:
    words = {
        **say_processors(scene.processors),
        "controller": scene.controller and str(scene.controller),
        "host-memory": _or_none(_size, scene.host_memory_bytes),
        "needs": _needs(scene.needs),
    }
    return {word: value for word, value in words.items() if value}


def _needs(needs: Needs) -> dict[str, object]:
    words = {
        "cores": needs.cores,
        "memory": _or_none(_size, needs.memory_bytes),
        "disk": _or_none(_size, needs.disk_bytes),
        "nodes": needs.nodes,
        "kvm": needs.kvm,
        "tools": list(needs.tools),
    }
    return {word: value for word, value in words.items() if value}


def _published(wanted: PublishedSpec) -> dict[str, object]:
    lists = {"beside": list(wanted.beside), "treatments": list(wanted.treatments), "differs": wanted.differs}
    turned = {"turned": True} if wanted.turned else {}
    return {"figures": wanted.figures, **{word: value for word, value in lists.items() if value}, **turned}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _crossed(scene: Scene) -> dict[str, object]:
    """Return the words of all treatments as one whose levels are crossed; empty where they are more than
    that.
    """
    words = [*map(treatment_words, scene.treatments)]
    factors = [one.pop("factors") for one in words]
    layouts = [one.pop("layout", None) for one in words]
    if any(one != words[0] for one in words) or len({tuple(one) for one in factors}) > 1:
        return {}
    lists = {name: [*dict.fromkeys(one[name] for one in factors)] for name in factors[0]}
    laid_out = [layout for index, layout in enumerate(layouts) if layout not in layouts[:index]]
    crossed = itertools.product(itertools.product(*lists.values()), laid_out)
    if [(tuple(one.values()), layout) for one, layout in zip(factors, layouts, strict=True)] != [*crossed]:
        return {}
    said = [one or _layout(Layout()) for one in laid_out]
    beside = {} if laid_out == [None] else {"layout": said if len(said) > 1 else said[0]}
    levels = {name: several if len(several) > 1 else several[0] for name, several in lists.items()}
    return {**words[0], "factors": levels, **beside}


def treatment_words(treatment: Treatment) -> dict[str, Any]:
    """Return a treatment as a scene says it, with all its levels."""
    if isinstance(treatment, PlannedContainer):
        return {
            "platform": str(treatment.runtime),
            "factors": _container_factors(treatment),
            **_laid_out(treatment.layout),
        }
    if isinstance(treatment, PluginPlace):
        return {"platform": treatment.kind, "factors": dict(treatment.levels)}
    if isinstance(treatment, OtherMachine):
        return {
            "machine": treatment.machine,
            **_beside(treatment.beside),
            **_domain(treatment.domain),
            "factors": _machine_factors(treatment),
        }
    return {
        "platform": "guest",
        **({} if treatment.machine is None else {"machine": treatment.machine}),
        "factors": _guest_factors(treatment),
        **_laid_out(treatment.layout),
        **words_of(treatment),
    }


def _laid_out(layout: Layout) -> dict[str, object]:
    return {} if layout == Layout() else {"layout": _layout(layout)}


def _layout(layout: Layout) -> dict[str, object]:
    together = {} if layout.at_once == 1 else {"at-once": layout.at_once}
    stagger = f"{layout.stagger_s:.15g} s"
    return {"guests": layout.guests, "stagger": stagger, **together, "preload": layout.preload}


def _beside(machines: tuple[str, ...]) -> dict[str, object]:
    return {"with": list(machines)} if machines else {}


def _domain(wanted: DomainSpec | None) -> dict[str, object]:
    return {} if wanted is None else {"domain": wanted.name, "hypervisor": wanted.hypervisor}


def _container_factors(wanted: PlannedContainer) -> dict[str, object]:
    memory = "memory.size" if wanted.runtime is Runtime.UML else "memory.limit"
    levels: dict[str, object] = {
        "cpu.quota": _or_none(_share, wanted.cpu_quota),
        memory: _or_none(_size, wanted.memory_bytes),
        "runsc.platform": wanted.platform,
    }
    return {word: value for word, value in levels.items() if value is not None}


def _baseline_guest(scene: Scene) -> dict[str, object]:
    if scene.baseline_container is not None:
        return {"platform": scene.baseline_container.runtime}
    if scene.baseline_guest is None:
        return {} if scene.baseline_data is None else {"factors": dict(scene.baseline_data)}
    guest = scene.baseline_guest
    same = replace(guest, layout=Layout()) == _alone(scene.treatment)
    own = {} if same else {"factors": _guest_factors(guest)}
    treatment = scene.treatment if isinstance(scene.treatment, Guest) else Guest()
    return {"platform": "guest", **own, **_laid_out(guest.layout), **words_beside(guest, treatment)}


def _alone(treatment: Treatment) -> Guest | None:
    """Return the one guest that a treatment of several is shared out from; ``None`` where it is no guest."""
    return replace(treatment, layout=Layout()) if isinstance(treatment, Guest) else None


def _guest_factors(guest: Guest) -> dict[str, object]:
    return {
        "cpu.vcpus": "auto" if guest.vcpus is None else guest.vcpus,
        "memory.size": _size(guest.memory_bytes),
        "disk.cache": guest.disk_cache,
        **dict(guest.settings),
    }


def _machine_factors(treatment: OtherMachine) -> dict[str, object]:
    cache = treatment.page_cache
    levels: dict[str, str | None] = {
        "cpu.quota": _or_none(_share, treatment.cpu_quota),
        "memory.limit": _or_none(_size, treatment.memory_limit_bytes),
        "disk.read-limit": _or_none(_rate, treatment.read_bytes_per_s),
        "disk.write-limit": _or_none(_rate, treatment.write_bytes_per_s),
        "page-cache": None if cache is None else cache.value,
        "pause": _or_none(_share, treatment.pause),
    }
    return {
        **{word: value for word, value in levels.items() if value is not None},
        **dict(treatment.settings),
    }


def _or_none(spell: Callable[[T], str], value: T | None) -> str | None:
    return None if value is None else spell(value)


def _workload(workload: Ready | Own) -> str | dict[str, object]:
    if isinstance(workload, Own):
        return _own(workload)
    given = workload.parameters
    parameters: dict[str, object] = {} if given.runtime_s is None else {"runtime": f"{given.runtime_s} s"}
    parameters |= _sizes("size", workload.sizes, given.size_bytes)
    parameters |= _sizes("record", workload.records, given.record_bytes)
    parameters |= {} if given.photons is None else {"photons": given.photons}
    parameters |= {"output": "none"} if given.no_output else {}
    parameters |= {} if given.users is None else {"users": dict(given.users)}
    parameters |= _events(workload.events) | say_container(workload)
    placement = _placement(workload)
    named = {"name": workload.called, "parameters": parameters, "placement": placement}
    options = named | _cache(workload.cache)
    spoken = {word: value for word, value in options.items() if value}
    return {"use": workload.name, **spoken} if spoken else workload.name


def _sizes(word: str, several: tuple[int, ...], one: int | None) -> dict[str, object]:
    if several:
        return {word: [_size(count) for count in several]}
    return {} if one is None else {word: _size(one)}


def _own(own: Own) -> dict[str, object]:
    limit = f"{own.time_limit_s:.15g} s"
    command = shlex.join(own.command)
    words: dict[str, object] = {
        "name": own.name,
        "command": command,
        "inputs": list(own.inputs),
        **({"prepare": [shlex.join(one) for one in own.prepare]} if own.prepare else {}),
        "time-limit": limit,
        **({} if own.output_limit_bytes == OUTPUT_BYTES else {"output-limit": _size(own.output_limit_bytes)}),
        **_cache(own.cache),
        **_events(own.events),
    }
    if placement := _placement(own):
        words["placement"] = placement
    words |= {} if own.phases is None else {"phases": _phases(own.phases)}
    words |= say_readings(own.metrics) | say_success(own.success)
    return words if own.parser is None else words | {"parser": own.parser}


def _cache(wanted: CacheSpec | None) -> dict[str, object]:
    if wanted is None:
        return {}
    files = {} if wanted.files is None else {"files": list(wanted.files)}
    drop = {"drop": True} if wanted.drop else {}
    return {"cache": {"state": wanted.state.value, **files, **drop} if files or drop else wanted.state.value}


def _events(events: tuple[int, ...]) -> dict[str, object]:
    return {"events": list(events) if len(events) > 1 else events[0]} if events else {}


def _placement(workload: Ready | Own) -> dict[str, object]:
    """Say what is not as it is where nothing is said."""
    wanted = workload.placement
    words: dict[str, object] = {
        "copies": list(workload.copies) or wanted.copies,
        "threads": wanted.threads,
        "pinning": wanted.pinning,
        "memory-nodes": wanted.memory_nodes,
        "nice": wanted.nice,
        "stagger": f"{wanted.stagger_s:.15g} s",
    }
    return {word: value for word, value in words.items() if value != _SILENT[word]}


_SILENT = {
    "copies": 1,
    "threads": None,
    "pinning": Pinning.NONE,
    "memory-nodes": (),
    "nice": 0,
    "stagger": "0 s",
}


def _phases(rules: PhaseRules) -> dict[str, object]:
    words = {
        "marks": {mark.phase: mark.pattern for mark in rules.marks},
        "events": rules.events,
        "log": rules.log,
        "announce": rules.announce,
    }
    return {word: value for word, value in words.items() if value}


def _observation(observation: Observation) -> dict[str, object]:
    profile = observation.profile
    words = {
        "watch": observation.watch,
        "counters": observation.counters,
        "profile": profile and {"hz": profile.hz, "scope": profile.scope},
        "interval": None if observation.interval_s == 1 else f"{observation.interval_s:.15g} s",
    }
    return {word: value for word, value in words.items() if value}


def _design(design: Design) -> dict[str, object]:
    """Say what was asked for, and of the rest only what is not as it is where nothing is said."""
    goal, silent = design.goal, Goal()
    gap = f"{goal.session_gap_s:.15g} s"
    words: dict[str, object] = {
        "maximum-blocks" if goal.adaptive else "blocks": design.blocks,
        "confidence": _share(design.confidence),
        "margin": _share(design.margin),
        "seed": design.seed,
        "precision": goal.precision and _share(goal.precision),
        "minimum-blocks": goal.minimum_blocks if goal.adaptive else None,
        "time-budget": goal.time_budget_s and f"{goal.time_budget_s:.15g} s",
        "sessions": None if goal.sessions == silent.sessions else goal.sessions,
        "session-gap": None if goal.session_gap_s == silent.session_gap_s else gap,
        "shape": None if goal.shape is (Shape.AUTO if goal.adaptive else Shape.DOUBLE) else goal.shape,
        "reference": goal.reference,
        "score": goal.score or None,
        "rerun": [str(cause) for cause in goal.rerun] or None,
        "headline": None if goal.headline is silent.headline else goal.headline,
        "wait-quiet": None if goal.wait_quiet_s == WAIT_QUIET_S else f"{goal.wait_quiet_s:.15g} s",
        "require-quiet": goal.require_quiet or None,
    }
    if not goal.adaptive:
        words |= {"precision": None, "time-budget": None}
    return {word: value for word, value in words.items() if value is not None}


def _data(wanted: DataSpec) -> str | dict[str, object]:
    content = {} if wanted.content == NOISE else {"content": wanted.content}
    return wanted.path or {"size": _size(wanted.size_bytes), "files": wanted.files, **content}


def _size(count: int) -> str:
    """Spell a size in the largest binary unit that it is a whole number of."""
    unit = next(unit for unit in ("TiB", "GiB", "MiB", "KiB", "B") if count % BYTES[unit] == 0)
    return f"{count // BYTES[unit]} {unit}"


def _rate(bytes_per_s: int) -> str:
    """Spell a rate in the largest decimal unit that it is a whole number of."""
    unit = next(unit for unit in ("TB", "GB", "MB", "kB", "B") if bytes_per_s % BYTES[unit] == 0)
    return f"{bytes_per_s // BYTES[unit]} {unit}/s"


def _share(ratio: float) -> str:
    return f"{round(ratio * 100, 10):.12g} %"
