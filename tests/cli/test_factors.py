"""``assay platform factors`` and ``export`` as a person and a program meet them."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.factors.catalogue import FACTORS
from tests.command import run


def test_all_factors_are_listed_for_programs_too(tmp_path: Path) -> None:
    done = run("platform", "factors", "--json", home=tmp_path)
    page = done.page
    assert (page["schema"], page["version"]) == ("assay.factors", [1, 1])
    assert [row["name"] for row in page["factors"]] == list(FACTORS)


def test_an_export_is_the_answer_and_what_is_lost_is_said_beside_it(tmp_path: Path) -> None:
    done = run("platform", "export", "disk.cache=none", "net.mtu=9000", "--format", "nova", home=tmp_path)
    assert done.code == 0
    assert done.out == "# nova.conf\n[libvirt]\ndisk_cachemodes = file=none\n"
    assert done.err == "not said: net.mtu: Nova has no word for it\n"


def test_an_export_for_programs_holds_both(tmp_path: Path) -> None:
    words = ("disk.cache=none", "host.thp=never", "--format", "libvirt", "--json")
    page = run("platform", "export", *words, home=tmp_path).page
    assert (page["schema"], page["format"]) == ("assay.export", "libvirt")
    assert '<driver cache="none" />' in page["text"]
    assert page["left_out"] == [{"name": "host.thp", "reason": "it is the host's, not the guest's"}]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("disk.cache=none", "--format", "vmware"), 2, "'vmware' is not one of 'libvirt'"),
        (("disk.cache=none",), 2, "Missing option '--format'"),
        (("--format", "nova"), 2, "Missing argument"),
        (("disk.cash=none", "--format", "nova"), 3, "nearest: 'disk.cache'"),
        (("disk.cache=fast", "--format", "nova"), 3, "expected one of none, writeback"),
        (("disk.cache=none", "disk.cache=unsafe", "--format", "nova"), 3, "disk.cache twice"),
    ],
)
def test_what_cannot_be_exported_says_why(
    words: tuple[str, ...], code: int, said: str, tmp_path: Path
) -> None:
    done = run("platform", "export", *words, home=tmp_path)
    assert (done.code, done.out) == (code, "")
    assert said in done.err
