"""``assay machine facts``, ``record`` and ``diff`` on this machine and on recorded ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from assay.cli.entry import assay
from assay.model.errors import AssayError

MACHINES = Path(__file__).parents[2] / "probe/tests/machines"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def done(*arguments: object) -> Result:
    return CliRunner().invoke(assay, ["machine", *map(str, arguments)], catch_exceptions=False)


def reported(*arguments: object) -> Any:
    result = done(*arguments, "--json")
    assert result.exit_code == 0
    return json.loads(result.stdout)


def test_facts_are_kept_with_their_date_and_listed(home: Path) -> None:
    (page,) = reported("facts", "local")["machines"]
    assert page["groups"]["kernel"]["version"] == Path("/proc/sys/kernel/version").read_text().strip()
    (kept,) = reported("list")["kept"]
    assert (kept["name"], kept["recorded"]) == (page["kept"], False)
    assert Path(kept["path"]).parent == home / "machines/local"


@pytest.mark.usefixtures("home")
def test_a_machine_is_compared_with_itself_at_two_times() -> None:
    with pytest.raises(AssayError, match="expected two of its fingerprints, 0 kept"):
        done("diff", "local")
    reported("facts", "local")
    page = reported("diff", "local@last", "local")
    changing = {"nodes.0.memory_bytes"}  # some machines take their memory over bit by bit
    differing = {d["field"] for d in page["differences"]}
    others = {field for field in differing if field.startswith("networks.asy")}  # of tests beside this one
    assert differing - others <= changing


def test_a_recorded_machine_differs_by_its_names_only(home: Path, tmp_path: Path) -> None:
    place = Path(reported("record", "local")["machines"][0]["folder"])
    assert place.parent == home / "machines/local"
    fields = {
        d["field"] for d in reported("diff", "local", "local@last")["differences"] if d["group"] == "general"
    }
    assert fields == {"boot_id", "hostname"}
    assert done("record", "local", "--into", tmp_path / "here").output.strip() == str(tmp_path / "here")
    with pytest.raises(AssayError, match="it is there already"):
        done("record", "local", "--into", tmp_path / "here")


@pytest.mark.usefixtures("home")
def test_two_recorded_machines_are_compared_field_by_field() -> None:
    host, guest = MACHINES / "host", MACHINES / "tcg-nehalem"
    page = reported("diff", host, guest)
    found = {(d["group"], d["field"]): (d["a"], d["b"]) for d in page["differences"]}
    assert found["virtualisation", "hypervisor"] == ("kvm", "qemu-tcg")
    assert found["hardware", "nodes.1.cpus"] == (None, [2, 3])
    assert page["same"] is False
    text = done("diff", host, guest).output
    assert text.startswith("group ")
    assert done("diff", host, host).output == f"{host} and {host} are the same in all that the probe sees\n"


@pytest.mark.usefixtures("home")
def test_the_file_of_a_fingerprint_can_be_compared() -> None:
    reported("facts", "local")
    (kept,) = reported("list")["kept"]
    assert reported("diff", kept["path"], kept["name"])["same"] is True


@pytest.mark.usefixtures("home")
def test_what_is_no_recorded_machine_says_which_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="cannot read the facts"):
        done("diff", tmp_path, MACHINES / "host")
