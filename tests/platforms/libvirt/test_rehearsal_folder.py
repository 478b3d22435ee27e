"""A rehearsal's folder: where it cannot be made, that is said and no claim stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.platforms.claims import live_activities
from assay.platforms.errors import PlatformError
from assay.platforms.libvirt.rehearsal import try_settings
from tests.factors.parts import FakeHost


@pytest.mark.parametrize("taken", ["guests", "run"])
def test_a_folder_that_cannot_be_made_is_said_and_leaves_no_claim(tmp_path: Path, taken: str) -> None:
    (tmp_path / taken).write_text("not a folder")
    with pytest.raises(PlatformError, match="cannot make a folder for the guest: ") as error:
        try_settings({"disk.cache": "none"}, home=tmp_path, host=FakeHost(), subreaper=tmp_path)
    assert error.value.hint.startswith("ASSAY_HOME=")
    assert live_activities(tmp_path) == ()
    assert (tmp_path / taken).read_text() == "not a folder"
    assert list(tmp_path.glob("*/*.pid")) == []
