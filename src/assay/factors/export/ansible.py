"""Levels as tasks of Ansible, for the machine that carries the guest."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Act, Settings
from assay.factors.catalogue import FACTORS
from assay.factors.export.tuned import KERNEL
from assay.factors.export.words import Exported
from assay.factors.export.xml import to_virt_xml

_SYSCTL = "/proc/sys/"
DOMAIN = "{{ domain }}"
"""The variable that names the guest's domain."""


def to_ansible(settings: Settings, on: Host) -> Exported:
    """Return a list of tasks; ``domain`` is a variable of the playbook."""
    lines: list[str] = []
    guests, left = {}, {}
    for name, level in settings.items():
        acts = FACTORS[name].acts
        if acts is not None:
            files = acts(on, level)
            if not files:
                left[name] = "no file of this machine sets it"
            for act in files:
                lines += [f"- name: {_text(f'{name} is {level}')}", *_written(act)]
        elif name in KERNEL and level != "none":
            words = f"--args={KERNEL[name]}={level}"
            lines += [f"- name: {_text(f'{name} is {level}, after a reboot')}"]
            lines += _command(["grubby", "--update-kernel=ALL", words])
        else:
            guests[name] = level
    said = to_virt_xml(guests, on)
    if said.text:
        words_of = [DOMAIN if word == "DOMAIN" else word for word in shlex.split(said.text)]
        done = ", ".join(
            f"{name} is {level}" for name, level in guests.items() if name not in {**left, **said.left_out}
        )
        lines += [f"- name: {_text(f'{done}, at the next start of the guest')}", *_command(words_of)]
    return Exported("".join(f"{line}\n" for line in lines), {**left, **said.left_out})


def _written(act: Act) -> Iterator[str]:
    if act.path.startswith(_SYSCTL):
        key = act.path.removeprefix(_SYSCTL).replace("/", ".")
        yield "  ansible.posix.sysctl:"
        yield f"    name: {_text(key)}"
        yield f"    value: {_text(act.value)}"
        yield "    sysctl_set: true"
    else:
        yield f"  ansible.builtin.shell: {_text(act.typed)}"


def _command(words: list[str]) -> Iterator[str]:
    yield "  ansible.builtin.command:"
    yield f"    argv: {json.dumps(words, ensure_ascii=False)}"


def _text(text: str) -> str:
    """Return a text as YAML takes it whatever it holds: JSON is YAML."""
    return json.dumps(text, ensure_ascii=False)
