"""Factors of a guest's processors: single features, what is told of the cache, counters."""

from __future__ import annotations

from assay.factors.base import qom
from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Effect, Factor, Hazard
from assay.factors.base.levels import SWITCH, Words
from assay.factors.base.spelt import Spelt, read_pairs
from assay.factors.cpu.emulated import emulated, lacked_feature

_POLICIES = ("require", "disable")
_ENABLE_PMU = "/sys/module/kvm/parameters/enable_pmu"


def _spell_features(text: str) -> str:
    policies = read_pairs(text)
    if not set(policies.values()) <= set(_POLICIES):
        msg = f"expected require or disable, got '{text}'"
        raise ValueError(msg)
    return ",".join(f"{name}={policies[name]}" for name in sorted(policies))


def _features(draft: Draft, level: str) -> None:
    for name, policy in read_pairs(level).items():
        draft.add("cpu/feature", policy=policy, name=name)


def _actual_features(seen: Evidence, wanted: str) -> str:
    return ",".join(f"{name}={_actual_policy(seen, name)}" for name in read_pairs(wanted))


def _actual_policy(seen: Evidence, name: str) -> str:
    there = qom.cpu_property(seen, name)
    return "unknown" if there is None else _POLICIES[0] if there else _POLICIES[1]


def _needs_feature(host: Host, level: str | None) -> str | None:
    policies = read_pairs(level) if level else {}
    lacked = [name for name, policy in policies.items() if policy == "require" and lacked_feature(host, name)]
    giver = "the emulator of QEMU 7.2" if emulated(host) else "this processor"
    return f"{giver} lacks {', '.join(lacked)}" if lacked else None


def _cache(draft: Draft, level: str) -> None:
    cache = draft.at("cpu/cache", mode=level)
    if level == "emulate":
        cache.set("level", "3")


def _actual_cache(seen: Evidence, _wanted: str) -> str:
    if qom.cpu_property(seen, "host-cache-info"):
        return "passthrough"
    return "emulate" if qom.cpu_property(seen, "l3-cache") else "disable"


def _pmu(draft: Draft, level: str) -> None:
    draft.at("features/pmu", state=level)


def _actual_pmu(seen: Evidence, _wanted: str) -> str:
    # QEMU shows pmu true of its model max under TCG, too, where no counter is behind it
    return "on" if qom.by_kvm(seen) and qom.cpu_property(seen, "pmu") else "off"


def _needs_pmu(host: Host, level: str | None) -> str | None:
    if level == "off":
        return None
    if emulated(host):
        return "the emulator has no performance counters"
    off = host.read(_ENABLE_PMU) == "N"
    return "KVM was loaded without performance counters (kvm.enable_pmu=N)" if off else None


FACTORS = (
    Factor(
        "cpu.feature",
        "features of the processor switched on or off",
        Spelt(
            _spell_features,
            "features, each require or disable",
            ("pcid=require", "avx2=disable", "x2apic=require", "avx2=disable,fma=disable"),
            r"[a-z0-9][a-z0-9._-]*=(?:require|disable)(?:,[a-z0-9][a-z0-9._-]*=(?:require|disable))*",
        ),
        "as the model has them",
        "cpu/feature[@policy, @name]",
        "QMP qom-get, the property of that name of the first vCPU",
        _actual_features,
        edit=_features,
        hazards=(Hazard.MIGRATION,),
        needs=_needs_feature,
        effects=(Effect("+1.9 % by all features of the host", "astar", "BOSS 2017 2.1"),),
        note="what the accelerator lacks is accepted and not given, unless the processor is a named model",
    ),
    Factor(
        "cpu.cache",
        "the third-level cache that a guest is told of",
        Words(("emulate", "passthrough", "disable")),
        "emulate, QEMU's own",
        "cpu/cache/@mode",
        "QMP qom-get, l3-cache and host-cache-info of the first vCPU",
        _actual_cache,
        edit=_cache,
        note="disable leaves the first and second level; for libraries that size blocks by the cache",
    ),
    Factor(
        "cpu.pmu",
        "performance counters in the guest",
        SWITCH,
        "on with host-passthrough, off with named models",
        "features/pmu/@state",
        "QMP qom-get, pmu of the first vCPU; query-kvm",
        _actual_pmu,
        edit=_pmu,
        hazards=(Hazard.ISOLATION,),
        needs=_needs_pmu,
        note="on is accepted under the emulator without effect",
    ),
)
