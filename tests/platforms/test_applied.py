"""A change-set in a domain and on the host: remembered, looked at, taken back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from assay.model.errors import AssayError, UnknownNameError
from assay.platforms.applied import apply as acts
from assay.platforms.applied.apply import apply, look, roll_back
from assay.platforms.applied.journal import FILE, HostFile, read_applied
from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.errors import ClaimedError, PlatformError
from assay.platforms.guests.domains import remove_domain
from assay.platforms.host.this_host import ThisHost
from tests.platforms.guest_parts import PROBE, fresh_home

NAME = "assay-test-applied"
DOMAIN = f"""\
<domain type='qemu'><name>{NAME}</name><memory unit='MiB'>64</memory><vcpu>1</vcpu>
<os><type arch='x86_64' machine='pc'>hvm</type></os><devices>
<disk type='file' device='cdrom'><target dev='hdb' bus='ide'/></disk>
<disk type='file' device='disk'><driver name='qemu' type='raw' cache='directsync'/><source file='/none.img'/>
<target dev='hda' bus='ide'/></disk></devices></domain>
"""
SETTINGS = {"disk.cache": "writeback", "disk.bus": "virtio", "host.ksm-pages_to_scan": "123"}
MEMORY = Path("/sys/kernel/mm")
FURTHER = {
    "host.ksm-sleep_millisecs": ("77", MEMORY / "ksm/sleep_millisecs"),
    "host.khugepaged-pages_to_scan": ("2048", MEMORY / "transparent_hugepage/khugepaged/pages_to_scan"),
}
"""Two further settings of this host, with their files."""


@pytest.fixture(scope="module")
def connection() -> Iterator[Any]:
    with fresh_home() as home, libvirt_connection(home, subreaper=PROBE) as opened:
        yield opened


@pytest.fixture
def domain(connection: Any) -> Iterator[Any]:
    made = connection.defineXML(DOMAIN)
    yield made
    remove_domain(made)


@pytest.fixture
def ksm() -> Iterator[Path]:
    """Return a setting of this host, put back at the end whatever the test did."""
    file = Path("/sys/kernel/mm/ksm/pages_to_scan")
    before = file.read_text()
    yield file
    file.write_text(before)


@pytest.fixture
def further(ksm: Path) -> Iterator[dict[Path, str]]:
    """Return what three settings of this host were, and put them back."""
    before = {file: file.read_text() for file in (ksm, *(file for _, file in FURTHER.values()))}
    yield before
    for file, text in before.items():
        file.write_text(text)


def driver_of(domain: Any) -> dict[str, str]:
    import libvirt

    tree = ElementTree.fromstring(domain.XMLDesc(libvirt.VIR_DOMAIN_XML_INACTIVE))
    disk = next(one for one in tree.iterfind("devices/disk") if one.get("device") == "disk")
    return {**disk.find("driver").attrib, **disk.find("target").attrib}


@pytest.mark.live
def test_a_domain_and_three_settings_of_the_host_are_changed_looked_at_and_taken_back(
    connection: Any, domain: Any, further: dict[Path, str], tmp_path: Path
) -> None:
    before = driver_of(domain)
    settings = SETTINGS | {name: level for name, (level, _) in FURTHER.items()}
    applied = apply(tmp_path, settings, domain=NAME, connection=connection, host=ThisHost())
    assert (applied.state, applied.left) == ("applied", {})
    assert (driver_of(domain)["cache"], driver_of(domain)["bus"]) == ("writeback", "virtio")
    assert [file.read_text() for file in further] == ["123\n", "77\n", "2048\n"]
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0
    looked = look(applied, connection=connection, host=ThisHost())
    assert {(one.name, one.where, one.ok) for one in looked} == {
        (name, "definition" if name.startswith("disk") else "host", True) for name in settings
    }
    with pytest.raises(ClaimedError, match="is in assay-test-applied already"):
        apply(tmp_path, settings, domain=NAME, connection=connection, host=ThisHost())
    assert roll_back(tmp_path, connection=connection) == []
    assert driver_of(domain) == before
    assert {file: file.read_text() for file in further} == further
    with pytest.raises(AssayError, match="nothing is applied"):
        roll_back(tmp_path, connection=connection)


@pytest.mark.live
def test_what_somebody_else_changed_since_is_left_and_named(
    connection: Any, domain: Any, ksm: Path, tmp_path: Path
) -> None:
    apply(tmp_path, SETTINGS, domain=NAME, connection=connection, host=ThisHost())
    connection.defineXML(domain.XMLDesc(0).replace("cache='writeback'", "cache='none'"))
    ksm.write_text("77")
    looked = look(read_applied(tmp_path), connection=connection, host=ThisHost())  # type: ignore[arg-type]
    assert {one.name for one in looked if not one.ok} == {"disk.cache", "host.ksm-pages_to_scan"}
    left = roll_back(tmp_path, connection=connection)
    assert [sentence.split(" ")[0] for sentence in left] == ["the", "/sys/kernel/mm/ksm/pages_to_scan"]
    assert (driver_of(domain)["cache"], ksm.read_text()) == ("none", "77\n")


@pytest.mark.live
def test_a_process_that_dies_in_the_middle_leaves_what_takes_it_back(
    connection: Any, domain: Any, ksm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, said = driver_of(domain), ksm.read_text()

    def dies(*_: Any) -> None:
        raise SystemExit

    monkeypatch.setattr(acts, "define_domain", dies)
    with pytest.raises(SystemExit):
        apply(tmp_path, SETTINGS, domain=NAME, connection=connection, host=ThisHost())
    monkeypatch.undo()
    found = read_applied(tmp_path)
    assert found is not None
    assert (found.state, ksm.read_text()) == ("begun", "123\n")
    assert roll_back(tmp_path, connection=connection) == []
    assert (driver_of(domain), ksm.read_text()) == (before, said)


@pytest.mark.live
def test_what_libvirt_refuses_changes_nothing(
    connection: Any, domain: Any, ksm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, said = driver_of(domain), ksm.read_text()
    monkeypatch.setattr(acts, "into_domain", lambda *_: ("<domain type='qemu'/>", {}))
    with pytest.raises(PlatformError, match="libvirt said"):
        apply(tmp_path, SETTINGS, domain=NAME, connection=connection, host=ThisHost())
    assert (driver_of(domain), ksm.read_text()) == (before, said)
    found = read_applied(tmp_path)
    assert found is not None
    assert found.state == "rolled back"


@pytest.mark.live
def test_a_domain_that_is_not_there_is_named_with_those_that_are(
    connection: Any, domain: Any, tmp_path: Path
) -> None:
    with pytest.raises(UnknownNameError, match="assay-test-aplied"):
        apply(tmp_path, SETTINGS, domain="assay-test-aplied", connection=connection, host=ThisHost())
    assert read_applied(tmp_path) is None


def test_a_journal_that_is_damaged_or_names_other_files_is_refused(tmp_path: Path) -> None:
    file = tmp_path / FILE
    file.write_text("{")
    with pytest.raises(PlatformError, match="it is damaged"):
        read_applied(tmp_path)
    other = HostFile("host.thp", "/etc/passwd", "a", "b", ())
    content = {
        "state": "applied", "settings": {}, "left": {}, "domain": None, "before": "", "after": "",
        "files": [vars(other) | {"undo": []}],
    }  # fmt: skip
    file.write_text(json.dumps(content))
    with pytest.raises(PlatformError, match="does not write: /etc/passwd"):
        read_applied(tmp_path)


def test_starts_of_jobs_are_of_no_domain_and_named_with_what_to_do(tmp_path: Path) -> None:
    starts = {"start.stagger": "5 s", "start.at_once": "2"}
    with pytest.raises(AssayError, match=r"cannot apply start.stagger and start.at_once") as refused:
        apply(tmp_path, starts, domain=NAME, connection=None, host=ThisHost())
    assert refused.value.hint == "the batch system starts the jobs: export it with --format htcondor or slurm"
    assert read_applied(tmp_path) is None
