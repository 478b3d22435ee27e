from types import SimpleNamespace
from typing import Any

import pytest

from assay.platforms.errors import PlatformError
from assay.platforms.guests.readback import parse_library_version
from assay.platforms.readback.monitor import lend_file, parse_cache_mode, parse_vcpu_threads, parse_version


def block(*, writeback: bool, direct: bool, no_flush: bool) -> dict[str, object]:
    return {"inserted": {"cache": {"writeback": writeback, "direct": direct, "no-flush": no_flush}}}


@pytest.mark.parametrize(
    ("flags", "mode"),
    [
        ((True, True, False), "none"),
        ((True, False, False), "writeback"),
        ((False, False, False), "writethrough"),
        ((False, True, False), "directsync"),
        ((True, False, True), "unsafe"),
    ],
)
def test_flags_of_a_disk_name_its_cache_mode(flags: tuple[bool, bool, bool], mode: str) -> None:
    writeback, direct, no_flush = flags
    assert parse_cache_mode([{}, block(writeback=writeback, direct=direct, no_flush=no_flush)]) == mode


def test_a_filter_above_the_disk_does_not_hide_its_cache_mode() -> None:
    cache = {"writeback": True, "direct": True, "no-flush": False}
    nodes = [{"drv": "copy-on-read", "cache": {**cache, "direct": False}}, {"drv": "qcow2", "cache": cache}]
    assert parse_cache_mode([block(writeback=True, direct=False, no_flush=False)], nodes) == "none"


def test_flags_of_no_mode_and_no_disk_at_all_are_refused() -> None:
    with pytest.raises(PlatformError, match="cannot name"):
        parse_cache_mode([block(writeback=False, direct=True, no_flush=True)])
    with pytest.raises(PlatformError, match="no disk"):
        parse_cache_mode([])


def test_a_libvirt_python_that_was_built_for_an_older_libvirt_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import libvirt_qemu

    monkeypatch.delattr(libvirt_qemu.libvirtmod_qemu, "virDomainQemuMonitorCommandWithFiles")
    domain: Any = SimpleNamespace(name=lambda: "assay-0123abcd", _o=None)
    with pytest.raises(PlatformError, match="cannot lend QEMU a file: assay-0123abcd, ") as error:
        lend_file(domain, "state", 0)
    assert error.value.hint == "it takes libvirt 8.2 or newer on this machine"


def test_virtual_processors_may_share_a_thread() -> None:
    assert parse_vcpu_threads([{"thread-id": 7}, {"thread-id": 7}]) == {7}


def test_versions_are_spelled_for_people() -> None:
    assert (
        parse_version({"qemu": {"major": 7, "minor": 2, "micro": 22}, "package": "Debian"}) == "QEMU 7.2.22"
    )
    assert parse_library_version(9000000) == "libvirt 9.0.0"
    assert parse_library_version(12008001) == "libvirt 12.8.1"
