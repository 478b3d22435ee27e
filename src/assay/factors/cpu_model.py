"""Factors of a guest's processors: which model they are, with which features."""

from __future__ import annotations

from assay.factors import qom
from assay.factors.draft import Draft
from assay.factors.emulated import MODEL_LACKS, emulated
from assay.factors.evidence import Evidence, Host
from assay.factors.factor import Effect, Factor, Hazard
from assay.factors.levels import SWITCH, Pattern, Words
from assay.factors.spelt import Spelt, read_pairs

_MODES = {"host": "host-passthrough", "max": "maximum"}
_POLICIES = ("require", "disable")
_MODELS = (
    "qemu64", "Nehalem", "Westmere", "SandyBridge", "Haswell-noTSX", "Broadwell-noTSX-IBRS",
    "Cascadelake-Server-noTSX", "Icelake-Server-noTSX", "EPYC", "EPYC-Rome", "EPYC-Milan",
)  # fmt: skip


def _mode(draft: Draft, level: str) -> None:
    draft.at("cpu", mode=level)


def _found_mode(seen: Evidence, wanted: str) -> str:
    model = qom.cpu_type(seen)
    if model in _MODES:
        return _MODES[model]
    if wanted != "host-model":
        return "custom"
    return wanted if qom.by_kvm(seen) else f"{model}, as the emulator has it"


def _needs_mode(host: Host, level: str | None) -> str | None:
    reasons = {
        "host-passthrough": "is for KVM: the emulator cannot pass the host's processor through",
        "host-model": "is for KVM: the emulator makes a named model of it that lacks features of the host",
    }
    return reasons.get(level or "") if emulated(host) else None


def _model(draft: Draft, level: str) -> None:
    # partial: libvirt refuses a model of which the accelerator lacks features; else they are dropped in silence
    draft.at("cpu", mode="custom", match="exact", check="partial")
    draft.at("cpu/model", fallback="forbid").text = level


def _found_model(seen: Evidence, _wanted: str) -> str:
    model, lacking = qom.cpu_type(seen), qom.cpu_property(seen, "unavailable-features")
    return f"{model} without {', '.join(lacking)}" if lacking else model


def _needs_model(host: Host, level: str | None) -> str | None:
    lacking = MODEL_LACKS.get(level or "")
    if lacking is None or not emulated(host) or host.qemu[:2] != (7, 2):
        return None
    return f"the emulator of QEMU 7.2 lacks {lacking} of it"


def _spell_features(text: str) -> str:
    said = read_pairs(text)
    if not set(said.values()) <= set(_POLICIES):
        msg = f"expected require or disable, got '{text}'"
        raise ValueError(msg)
    return ",".join(f"{name}={said[name]}" for name in sorted(said))


def _features(draft: Draft, level: str) -> None:
    for name, policy in read_pairs(level).items():
        draft.add("cpu/feature", policy=policy, name=name)


def _found_features(seen: Evidence, wanted: str) -> str:
    return ",".join(f"{name}={_found_feature(seen, name)}" for name in read_pairs(wanted))


def _found_feature(seen: Evidence, name: str) -> str:
    there = qom.cpu_property(seen, name)
    return "unknown" if there is None else _POLICIES[0] if there else _POLICIES[1]


def _cache(draft: Draft, level: str) -> None:
    cache = draft.at("cpu/cache", mode=level)
    if level == "emulate":
        cache.set("level", "3")


def _found_cache(seen: Evidence, _wanted: str) -> str:
    if qom.cpu_property(seen, "host-cache-info"):
        return "passthrough"
    return "emulate" if qom.cpu_property(seen, "l3-cache") else "disable"


def _pmu(draft: Draft, level: str) -> None:
    draft.at("features/pmu", state=level)


def _found_pmu(seen: Evidence, _wanted: str) -> str:
    # QEMU shows pmu true of its model max under TCG, too, where no counter is behind it
    return "on" if qom.by_kvm(seen) and qom.cpu_property(seen, "pmu") else "off"


def _needs_pmu(host: Host, level: str | None) -> str | None:
    if level == "off":
        return None
    if emulated(host):
        return "the emulator has no performance counters"
    off = host.read("/sys/module/kvm/parameters/enable_pmu") == "N"
    return "KVM was loaded without performance counters (kvm.enable_pmu=N)" if off else None


FACTORS = (
    Factor(
        "cpu.mode",
        "how a guest's processor follows the host's",
        Words(("host-passthrough", "host-model", "maximum", "custom")),
        "host-passthrough by KVM, maximum by the emulator",
        "cpu/@mode",
        "QMP qom-get, type of the first vCPU",
        _found_mode,
        edit=_mode,
        hazards=(Hazard.MIGRATION,),
        needs=_needs_mode,
        effects=(
            Effect("4.1-5.2 %", "HS06", "CERN 2015-16"),
            Effect("loss of 9.25 % becomes 6.54 %", "detector simulation", "JUNO thesis 2.4"),
        ),
        note="custom is the mode of cpu.model; a larger model is no faster under the emulator",
    ),
    Factor(
        "cpu.model",
        "a named model of processor",
        Pattern(r"[A-Za-z0-9][A-Za-z0-9_.-]*", "a model that libvirt knows", _MODELS),
        "none: cpu.mode tells",
        "cpu/model, with check='partial' and fallback='forbid'",
        "QMP qom-get, type and unavailable-features of the first vCPU",
        _found_model,
        edit=_model,
        needs=_needs_model,
        note="without check='partial' features that the accelerator lacks are dropped in silence",
    ),
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
        _found_features,
        edit=_features,
        hazards=(Hazard.MIGRATION,),
        note="what the accelerator lacks is accepted and not given with maximum: here pcid, x2apic, avx512f",
    ),
    Factor(
        "cpu.cache",
        "the third-level cache that a guest is told of",
        Words(("emulate", "passthrough", "disable")),
        "emulate, QEMU's own",
        "cpu/cache/@mode",
        "QMP qom-get, l3-cache and host-cache-info of the first vCPU",
        _found_cache,
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
        _found_pmu,
        edit=_pmu,
        hazards=(Hazard.ISOLATION,),
        needs=_needs_pmu,
        note="on is accepted under the emulator without effect",
    ),
)
