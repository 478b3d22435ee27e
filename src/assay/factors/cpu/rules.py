"""Combinations of a guest's processors, clocks and KVM's hints that cannot be or would be something else."""

from __future__ import annotations

from math import prod

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Rule, Settings
from assay.factors.cpu.topology import read_topology

_OWN_PINS = "1:1"


def _topology(settings: Settings, _host: Host) -> str | None:
    if "cpu.topology" not in settings or "cpu.vcpus" not in settings:
        return None
    level, vcpus = settings["cpu.topology"], int(settings["cpu.vcpus"])
    there = prod(read_topology(level).values())
    return None if there == vcpus else f"{level} makes {there} vCPUs, cpu.vcpus={vcpus}"


def _pins(settings: Settings, host: Host) -> str | None:
    level, vcpus = settings["cpu.vcpupin"], int(settings.get("cpu.vcpus", "0"))
    sets = level.count("/") + 1
    if "/" in level and vcpus and sets != vcpus:
        return f"{level} pins {sets} vCPUs, cpu.vcpus={vcpus}: pins of absent vCPUs are ignored in silence"
    if level == _OWN_PINS and vcpus > len(host.cpus):
        return f"1:1 pins {vcpus} vCPUs, this machine has {len(host.cpus)} processors"
    return None


def _model(settings: Settings, _host: Host) -> str | None:
    mode, model = settings.get("cpu.mode"), settings.get("cpu.model")
    if mode == "custom" and model is None:
        return "cpu.mode=custom needs a model: cpu.model=NAME"
    if mode not in (None, "custom") and model is not None:
        return f"cpu.model={model} is of mode custom, cpu.mode={mode}"
    return None


def _feature(settings: Settings, _host: Host) -> str | None:
    if settings.get("cpu.mode") != "default":
        return None
    return "cpu.feature with cpu.mode=default: a domain that names no processor has no list of features"


def _cache(settings: Settings, _host: Host) -> str | None:
    named = "cpu.model" in settings or settings.get("cpu.mode") in ("host-model", "custom", "default")
    if settings["cpu.cache"] != "passthrough" or not named:
        return None
    return "cpu.cache=passthrough is for cpu.mode=host-passthrough and maximum"


def _dedicated(settings: Settings, _host: Host) -> str | None:
    if settings["kvm.hint-dedicated"] == "off" or settings.get("cpu.vcpupin") == _OWN_PINS:
        return None
    return "kvm.hint-dedicated=on is true only with cpu.vcpupin=1:1"


def _iothread(settings: Settings, _host: Host) -> str | None:
    asked = {settings.get(name, "none") for name in ("cpu.iothreadpin", "cpu.iothread_quota")}
    if settings.get("disk.iothread") == "on" or asked == {"none"}:
        return None
    return "there is no I/O thread without disk.iothread=on"


def _real_time(settings: Settings, host: Host) -> str | None:
    level, vcpus = settings["cpu.vcpusched"], int(settings.get("cpu.vcpus", "0"))
    if level not in ("fifo", "rr") or vcpus < len(host.cpus):
        return None
    return (
        f"cpu.vcpusched={level} with {vcpus} vCPUs leaves no processor to anything else: the host would hang"
    )


def _clocksource(settings: Settings, _host: Host) -> str | None:
    timers = {"hpet": "clock.hpet", "kvm-clock": "clock.kvmclock"}
    timer = timers.get(settings["guest.clocksource"])
    if timer is None or settings.get(timer) != "no":
        return None
    return f"guest.clocksource={settings['guest.clocksource']} reads a clock that {timer}=no takes away"


RULES = (
    Rule(("cpu.topology",), _topology),
    Rule(("cpu.vcpupin",), _pins),
    Rule(("cpu.model", "cpu.mode"), _model),
    Rule(("cpu.feature",), _feature),
    Rule(("cpu.cache",), _cache),
    Rule(("kvm.hint-dedicated",), _dedicated),
    Rule(("cpu.iothreadpin", "cpu.iothread_quota"), _iothread),
    Rule(("cpu.vcpusched",), _real_time),
    Rule(("guest.clocksource",), _clocksource),
)
