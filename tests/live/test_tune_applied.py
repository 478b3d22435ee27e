"""A kept search by its commands: put into a domain of the test's own, looked at, taken back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.activities.tuning.kept import keep_tuning
from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.guests.domains import remove_domain
from assay.store.store import Store
from tests.command import run
from tests.platforms.guest_parts import PROBE, fresh_home
from tests.platforms.test_applied import DOMAIN, NAME, driver_of
from tests.report.tunings import tuning

pytestmark = pytest.mark.live


def test_a_search_is_applied_verified_and_rolled_back_by_its_commands() -> None:
    with fresh_home() as home, libvirt_connection(home, subreaper=PROBE) as connection:
        Store(home).close()
        known = tuning()
        found = replace(known.found[0], changes={"disk.cache": "none", "disk.bus": "virtio"})
        keep_tuning(replace(known, found=(found,)), home)
        domain = connection.defineXML(DOMAIN)
        try:
            before = driver_of(domain)
            done = run("tune", "apply", "--domain", NAME, home=home)
            assert (done.code, done.out) == (0, "disk.cache=none: put in\ndisk.bus=virtio: put in\n")
            assert "to measure it again: assay tune verify 89abcdef --measure" in done.err
            assert (driver_of(domain)["cache"], driver_of(domain)["bus"]) == ("none", "virtio")
            assert run("tune", "verify", home=home).code == 0
            assert run("tune", "rollback", home=home).out == "taken back\n"
            assert driver_of(domain) == before
        finally:
            remove_domain(domain)
