"""The treatments of a scene: every combination of the levels that its factors are given."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.model.platforms.container import PlannedContainer, Runtime
from assay.model.platforms.plugin_place import PluginPlace
from assay.model.work.page_cache import CacheState
from assay.places.catalogue import PLACES
from assay.scenes.reading.origins import of_treatment
from assay.scenes.values.domain_words import to_domain
from assay.scenes.values.scene import Guest, OtherMachine, Treatment
from assay.scenes.values.swept import MOST_TREATMENTS, Sweep, combinations, swept

if TYPE_CHECKING:
    from assay.scenes.forms.container import ContainerForm, GvisorForm, UmlForm
    from assay.scenes.forms.guest import GuestFactors, GuestForm
    from assay.scenes.forms.machine import MachineFactors, MachineForm
    from assay.scenes.forms.plugin import PluginForm

    TreatmentForm = GuestForm | MachineForm | PluginForm | ContainerForm | GvisorForm | UmlForm

Levels = Mapping[str, Any]
"""By factor its level, or a tuple of those that are swept."""


def to_treatments(form: TreatmentForm) -> list[Treatment]:
    """Return every treatment that a form asks for, in the order of the levels.

    Of more than are swept one above that is made: enough to be refused.
    """
    from assay.scenes.forms.container import UmlForm
    from assay.scenes.forms.guest import GuestForm
    from assay.scenes.forms.layout import layouts
    from assay.scenes.forms.machine import MachineForm
    from assay.scenes.forms.plugin import PluginForm

    each = combinations(levels_of(form), sweep_of(form))
    if isinstance(form, GuestForm):
        every = ((guest, layout) for guest in map(to_guest, each) for layout in layouts(form.layout))
        laid_out = itertools.islice(every, MOST_TREATMENTS + 1)
        return [of_treatment(replace(guest, layout=layout), form) for guest, layout in laid_out]
    if isinstance(form, MachineForm):
        return [_to_machine(form, levels) for levels in each]
    if isinstance(form, PluginForm):
        return [PluginPlace(form.platform, tuple(levels.items())) for levels in each]
    if isinstance(form, UmlForm):  # a kernel of one processor, which several would share
        return [_to_container(form, levels) for levels in each]
    boxes = (_to_container(form, levels) for levels in each)
    every_box = (replace(box, layout=layout) for box in boxes for layout in layouts(form.layout))
    return [*itertools.islice(every_box, MOST_TREATMENTS + 1)]


def sweep_of(form: TreatmentForm) -> Sweep:
    """Return how the levels of a treatment's factors go together."""
    from assay.scenes.forms.plugin import PluginForm
    from assay.scenes.forms.sweep import to_sweep

    if isinstance(form, PluginForm):
        return to_sweep(form.zip, [_plugin_levels(form.platform, one) for one in form.exclude])
    return to_sweep(form.zip, form.exclude)


def levels_of(form: TreatmentForm) -> Levels:
    """Return the levels of a treatment's factors."""
    from assay.scenes.forms.guest import GuestForm
    from assay.scenes.forms.machine import MachineForm
    from assay.scenes.forms.plugin import PluginForm

    if isinstance(form, GuestForm):
        return guest_levels(form.factors)
    if isinstance(form, MachineForm):
        return _machine_levels(form.factors)
    if isinstance(form, PluginForm):
        return _plugin_levels(form.platform, form.factors)
    return form.factors.model_dump(by_alias=True)


def guest_levels(factors: GuestFactors) -> dict[str, Any]:
    """Return the levels of a guest's factors, those of its size and its cache mode first."""
    own = {"cpu.vcpus": factors.vcpus, "memory.size": factors.memory, "disk.cache": factors.disk_cache}
    return {**own, **given_levels(factors)}


def to_guest(levels: dict[str, Any]) -> Guest:
    """Return a guest with a level of each factor."""
    vcpus, memory, cache = (levels.pop(name) for name in ("cpu.vcpus", "memory.size", "disk.cache"))
    return Guest(vcpus, memory, cache, tuple(levels.items()))


def given_levels(factors: GuestFactors | MachineFactors) -> dict[str, Any]:
    """Return the levels of the catalogue's factors that are said, in the catalogue's order.

    A factor of guests may share its name with a limit of machines, which is read as a number (``cpu.quota``).
    """
    from assay.factors.catalogue import FACTORS
    from assay.scenes.forms.guest import GuestFactors
    from assay.scenes.values.settings import is_generic

    values, of_guest = factors.model_dump(by_alias=True), isinstance(factors, GuestFactors)
    factors_here = (one for one in FACTORS.values() if of_guest or one.of_host or one.of_data)
    names = (one.name for one in factors_here if is_generic(one.name))
    return {name: values[name] for name in names if values.get(name) is not None}


def _machine_levels(factors: MachineFactors) -> dict[str, Any]:
    limits = {
        "cpu.quota": factors.cpu_quota,
        "memory.limit": factors.memory_limit,
        "disk.read-limit": factors.read_limit,
        "disk.write-limit": factors.write_limit,
        "page-cache": factors.page_cache,
        "pause": factors.pause,
    }
    return {**limits, **given_levels(factors)}


def _to_machine(form: MachineForm, levels: dict[str, Any]) -> OtherMachine:
    cache = levels.pop("page-cache")
    return OtherMachine(
        form.machine,
        cpu_quota=levels.pop("cpu.quota"),
        memory_limit_bytes=levels.pop("memory.limit"),
        read_bytes_per_s=levels.pop("disk.read-limit"),
        write_bytes_per_s=levels.pop("disk.write-limit"),
        page_cache=CacheState(cache) if cache else None,
        pause=levels.pop("pause"),
        settings=tuple(levels.items()),
        domain=to_domain(form.domain, form.hypervisor),
        beside=tuple(form.beside),
    )


def _to_container(form: ContainerForm | GvisorForm | UmlForm, levels: Levels) -> PlannedContainer:
    memory = levels.get("memory.size") or levels.get("memory.limit")
    return PlannedContainer(
        Runtime(form.platform), memory, levels.get("cpu.quota"), levels.get("runsc.platform")
    )


def _plugin_levels(platform: str, given: Levels) -> dict[str, Any]:
    factors = PLACES[platform].factors
    return {name: swept(factors[name].read)(given[name]) for name in factors if name in given}
