"""A cloud for each test, named by ``clouds.yaml``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.model.plugins import Plugins
from assay.places.catalogue import PLACES
from tests.clouds.cloud import Cloud, running, use


@pytest.fixture
def cloud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cloud]:
    """A cloud that is logged in to, with its kind of place as an installed plug-in."""
    from assay_openstack.place import OPENSTACK

    monkeypatch.setattr(PLACES, "_added", Plugins({"openstack": OPENSTACK}, ()))
    with running() as made:
        use(made, tmp_path, monkeypatch)
        yield made
