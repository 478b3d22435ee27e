"""Factors of a guest's processors: which model they are, with which features."""

from __future__ import annotations

import difflib
import re

from assay.factors.base import qom
from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import BOSS_TUNING, Effect, Factor, Hazard
from assay.factors.base.levels import Pattern, Words
from assay.factors.cpu.emulated import MODEL_LACKS, emulated

_MODES = {"host": "host-passthrough", "max": "maximum"}
_DEFAULT = "default"
"""What a domain gets that says nothing of its processor."""
_MODELS = (
    "qemu64", "Nehalem", "Westmere", "SandyBridge", "Haswell-noTSX", "Broadwell-noTSX-IBRS",
    "Cascadelake-Server-noTSX", "Icelake-Server-noTSX", "EPYC", "EPYC-Rome", "EPYC-Milan",
)  # fmt: skip
_KNOWN_MODELS = "/usr/share/libvirt/cpu_map/index.xml"
"""libvirt's own list: one file for each model, named after it."""
_X86_MODEL = re.compile(r"""<include filename=['"]x86_(?!features|vendors)([^'"]+)\.xml['"]""")
_X86 = re.compile(r"^flags\s*:", re.MULTILINE)
"""In ``/proc/cpuinfo``; other processors' lists are QEMU's in part, not libvirt's."""


def _mode(draft: Draft, level: str) -> None:
    if level != _DEFAULT:
        draft.at("cpu", mode=level)
        return
    cpu = draft.domain.find("cpu")
    if cpu is not None:
        cpu.attrib.pop("mode", None)
    if cpu is not None and not len(cpu):
        draft.drop("cpu")


def _actual_mode(seen: Evidence, wanted: str) -> str:
    model = qom.cpu_type(seen)
    if model in _MODES:
        return _MODES[model]
    if wanted == _DEFAULT:
        usual = qom.default_cpu_type(seen)
        return wanted if model == usual else f"custom ({model}, by default it is {usual or 'not told'})"
    if wanted != "host-model":
        return "custom"
    if not qom.by_kvm(seen):
        return f"{model}, as the emulator has it"
    return _actual_model(seen, wanted) if qom.cpu_property(seen, "unavailable-features") else wanted


def _needs_mode(host: Host, level: str | None) -> str | None:
    reasons = {
        "host-passthrough": "is for KVM: the emulator cannot pass the host's processor through",
        "host-model": "is for KVM: the emulator makes a named model of it that lacks features of the host",
    }
    return reasons.get(level or "") if emulated(host) else None


def _model(draft: Draft, level: str) -> None:
    # partial: libvirt refuses a model of which the accelerator lacks features; else they are dropped in
    # silence
    draft.at("cpu", mode="custom", match="exact", check="partial")
    draft.at("cpu/model", fallback="forbid").text = level


def _actual_model(seen: Evidence, _wanted: str) -> str:
    model, lacking = qom.cpu_type(seen), qom.cpu_property(seen, "unavailable-features")
    return f"{model} without {', '.join(lacking)}" if lacking else model


def _needs_model(host: Host, level: str | None) -> str | None:
    if level is None:
        return None
    if reason := _unknown(host, level):
        return reason
    lacking = MODEL_LACKS.get(level)
    if lacking is None or not emulated(host) or host.qemu[:2] != (7, 2):
        return None
    return f"the emulator of QEMU 7.2 lacks {lacking} of it"


def _unknown(host: Host, level: str) -> str | None:
    """Return that libvirt knows no such model, with the nearest; ``None`` where its list is not there."""
    known = _X86_MODEL.findall(host.read(_KNOWN_MODELS) or "")
    if not known or level in known or not _X86.search(host.read("/proc/cpuinfo") or ""):
        return None
    near = difflib.get_close_matches(level, known, n=1, cutoff=0.5)
    return "libvirt knows no such model" + (f"; nearest: '{near[0]}'" if near else "")


FACTORS = (
    Factor(
        "cpu.mode",
        "how a guest's processor follows the host's",
        Words(("host-passthrough", "host-model", "maximum", "custom", _DEFAULT)),
        "host-passthrough by KVM, maximum by the emulator",
        "cpu/@mode",
        "QMP qom-get, type of the first vCPU; default: query-machines, default-cpu-type",
        _actual_mode,
        edit=_mode,
        hazards=(Hazard.MIGRATION,),
        needs=_needs_mode,
        effects=(
            Effect("4.1-5.2 %", "HS06", "CERN 2015-16"),
            Effect("loss of 9.25 % becomes 6.54 %", "DetSim on H1", "JUNO 2017 2.4"),
            Effect("loss of 9.5 % becomes 4.5 %", "PmtSim on H3", "JUNO 2017 2.4"),
            Effect("+1.9 % by all features of the host", "astar", "BOSS 2017 2.1"),
            BOSS_TUNING,
        ),
        note="custom is the mode of cpu.model; default is what a domain gets that says nothing, "
        "QEMU's oldest model (qemu64); a larger model is no faster under the emulator",
    ),
    Factor(
        "cpu.model",
        "a named model of processor",
        Pattern(r"[A-Za-z0-9][A-Za-z0-9_.-]*", "a model that libvirt knows", _MODELS),
        "none: cpu.mode tells",
        "cpu/model, with check='partial' and fallback='forbid'",
        "QMP qom-get, type and unavailable-features of the first vCPU",
        _actual_model,
        edit=_model,
        needs=_needs_model,
        note="without check='partial' features that the accelerator lacks are dropped in silence; it "
        "looks at "
        "the processor, not at what KVM hands on: where KVM masked features a model without them started",
    ),
)
