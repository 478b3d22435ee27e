"""The form of machines and their factors. Imports pydantic: only ``form`` may."""

from __future__ import annotations

from typing import Any

from pydantic import Field, create_model

from assay.scenes.forms.base import Form
from assay.scenes.forms.factor_fields import factor_fields
from assay.scenes.forms.fields import (
    CacheStateWords,
    DiskRates,
    DomainName,
    Hypervisor,
    MachineName,
    MemoryLimits,
    Pauses,
    Quotas,
)
from assay.scenes.forms.processors import PROCESSORS, THREADS, Processors, ThreadsWord
from assay.scenes.forms.sweep import EXCLUDE, ZIP, Zip

_MachineSettings = create_model("_MachineSettings", __base__=Form, **factor_fields(of_guest=False))


BESIDE: Any = Field(
    default=[],
    alias="with",
    description="further machines of the inventory that do each trial of the arm together with it",
)


class MachineFactors(_MachineSettings):  # type: ignore[misc, valid-type]  # made of the catalogue
    """Factors of a machine."""

    cpu_quota: Quotas = Field(
        default=None, alias="cpu.quota", description="share of the processors' time, like '50 %'"
    )
    memory_limit: MemoryLimits = Field(
        default=None,
        alias="memory.limit",
        description="memory of each trial, page cache in it, like '64 MiB'",
    )
    read_limit: DiskRates = Field(
        default=None,
        alias="disk.read-limit",
        description="bytes a second from each disk of its data, like '20 MB/s'",
    )
    write_limit: DiskRates = Field(
        default=None,
        alias="disk.write-limit",
        description="bytes a second to the disk of its scratch folder, like '20 MB/s'",
    )
    page_cache: CacheStateWords = Field(
        default=None,
        alias="page-cache",
        description="cold, warm or read-ahead on this arm alone, whatever 'cache' says",
    )
    pause: Pauses = Field(
        default=None, description="share of the time in which it is made to stand still, like '5 %'"
    )


class MachineForm(Form):
    """Another machine, or this one under a limit."""

    machine: MachineName = Field(description="a name of the inventory, or 'local'")
    beside: list[MachineName] = BESIDE
    domain: DomainName = Field(
        default=None, description="the libvirt domain that the machine is: a guest that is used as it is"
    )
    hypervisor: Hypervisor = Field(
        default=None, description="where that domain is; 'qemu:///system' of this machine where absent"
    )
    factors: MachineFactors = MachineFactors()
    zip: Zip = ZIP
    exclude: list[MachineFactors] = EXCLUDE
    processors: Processors = PROCESSORS
    threads: ThreadsWord = THREADS
