"""What the web process without root shows: every page, also of records that are older than the group."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities.plan.kept_inputs import keep_inputs, kept_inputs
from assay.factors.start.starts import ELSEWHERE
from assay.machines.batch.lock import open_lock, take_lock
from assay.model.files.home import make_home
from assay.platforms.applied.journal import Applied, write_applied
from assay.store.store import Store
from tests.builders import WORKLOAD, plan_of
from tests.passing import pass_by
from tests.results.advice.guests import plan_with, records_of, usage_with, write_host
from tests.results.folders import kept
from tests.web.addresses import ADDRESSES, APPLIED, FLEET, GOES_ON, NOWHERE, ONE, whole_home
from tests.web.homes import SEARCH
from tests.web.signing import providing
from tests.web.test_split import READERS, WEB, Split, splitting

AS_PAGE = {"accept": "text/html"}
LEFT = {"start.stagger": ELSEWHERE["start.stagger"]}
SLOW = "0f0f0f0f"
"""A result whose advice is of settings that root alone may change."""
SECRET = "<graphics passwd='hush'/>"


@pytest.fixture(autouse=True, scope="module")
def as_root() -> None:
    """Only root becomes another user."""
    if os.geteuid() != 0:
        pass_by("only root becomes another user")


@pytest.fixture(scope="module")
def whole() -> Iterator[Split]:
    """A server of a home with something on every page, whose records are root's alone before it starts."""
    folder = Path(tempfile.mkdtemp(prefix="assay-split-", dir="/var/tmp"))
    try:
        folder.chmod(0o755)
        make_home(folder / "home")
        with ExitStack() as stack:
            home = stack.enter_context(whole_home(folder / "home"))
            settings = {"start.stagger": "5 s"}
            write_applied(
                home / "tunings" / APPLIED, Applied("applied", settings, LEFT, None, SECRET, "", ())
            )
            (home / "tunings" / APPLIED / "applied.json").chmod(0o640)
            _keep_slow(home)
            job = folder / "job.sh"
            job.write_text("#!/bin/sh\n")
            job.chmod(0o755)
            work = replace(WORKLOAD, inputs=(str(job),))
            keep_inputs(plan_of((), workloads=(work,)), home / "activities" / ONE)
            for place, note, held in (
                ("drained/node01.example.org.json", {}, False),
                ("assay-0123456789ab.used.lock", {"job": "12"}, True),
            ):
                file = stack.enter_context(open_lock(home / "run" / place))
                said = {"machine": "node01.example.org", "engine": "slurm", "node": "node01", **note}
                file.write(json.dumps(said))
                file.flush()
                assert not held or take_lock(file)
            issuer = stack.enter_context(providing())
            server, _ = stack.enter_context(splitting(folder, issuer))
            yield server
    finally:
        shutil.rmtree(folder)


def _keep_slow(home: Path) -> None:
    plan = replace(plan_with({"memory.hugepages": "none", "host.thp": "madvise"}), id=SLOW)
    trials = [replace(one, activity=SLOW) for one in records_of(plan, *usage_with("slower-cpu"))]
    folder = kept(home / "activities" / SLOW, plan, trials)
    write_host(folder, {})
    with closing(Store(home)) as store:
        store.import_folder(folder)


def test_every_page_is_there(whole: Split) -> None:
    with whole.signed_in("ada") as client:
        wrong = {}
        for path in ADDRESSES:
            answer = client.get(path, headers=AS_PAGE)
            if answer.status_code != (404 if path == NOWHERE else 200):
                wrong[path] = f"{answer.status_code}: {answer.text}"
            twin = path.partition("?")
            as_json = client.get(f"{twin[0] if path != '/' else '/index'}.json{twin[1]}{twin[2]}")
            if as_json.status_code != answer.status_code:
                wrong[f"{path} as JSON"] = f"{as_json.status_code}: {as_json.text}"
        assert wrong == {}


def test_an_activity_is_followed(whole: Split) -> None:
    with (
        whole.signed_in("vera") as client,
        client.stream("GET", f"/activities/{GOES_ON}/events") as events,
    ):
        assert events.status_code == 200
        assert next(events.iter_lines()).startswith("event: ")


@pytest.mark.parametrize(
    "path",
    [
        *(f"/results/{ONE}/report.{form}" for form in ("html", "md", "txt", "pdf")),
        f"/results/{FLEET.id}/report.html",
        f"/results/{ONE}/tables/values.csv",
        f"/results/{ONE}/tables/values.parquet",
        f"/results/{ONE}/trials/0/files/stdout",
        f"/tune/{SEARCH}/export/safe/virt-xml/file",
        f"/tune/{SEARCH}.charts.json",
        f"/results/{ONE}.charts.json",
    ],
)
def test_every_file_is_given(whole: Split, path: str) -> None:
    with whole.signed_in("vera") as client:
        answer = client.get(path)
        assert answer.status_code == 200, answer.text


def test_what_is_applied_is_shown_and_not_its_secrets(whole: Split) -> None:
    file = whole.home / "tunings" / APPLIED / "applied.json"
    assert file.stat().st_mode & 0o777 == 0o600
    script = f"try:\n open({str(file)!r})\n print('yes')\nexcept OSError: print('no')"
    assert whole.as_user(WEB, script, READERS) == "no"
    with whole.signed_in("ada") as admin:
        told = admin.get(f"/tune/{APPLIED}.json")
        assert told.json()["applied"] == {"domain": None, "settings": {"start.stagger": "5 s"}, "left": LEFT}
        assert "rollback" in told.json()["may"]
        assert "hush" not in told.text + admin.get(f"/tune/{APPLIED}", headers=AS_PAGE).text
        assert admin.get(f"/tune/{APPLIED}/verified.json").json()["left"] == LEFT
        assert admin.get(f"/tune/{SEARCH}/verified.json").status_code == 422


def test_what_to_change_is_what_the_command_says(whole: Split) -> None:
    words = [sys.executable, "-m", "assay", "advise", SLOW, "--json"]
    env = {**os.environ, "ASSAY_HOME": str(whole.home)}
    said = subprocess.run(words, env=env, capture_output=True, text=True, check=True)
    with whole.signed_in("vera") as client:
        told = client.get(f"/results/{SLOW}/advice.json").json()
        assert told == json.loads(said.stdout)
        assert "host.thp" in [one["factor"] for one in told["rows"]]


def test_nodes_that_are_held_are_shown_and_one_can_be_given_back(whole: Split) -> None:
    with whole.signed_in("ada") as admin:
        nodes = admin.get("/machines.json").json()["nodes"]
        assert sorted((one["job"] or "", one["used"]) for one in nodes) == [("", False), ("12", True)]
        page = admin.get("/machines", headers=AS_PAGE).text
        assert 'action="/machines/node01.example.org/undrain"' in page


def test_an_older_activity_can_be_gone_on_with(whole: Split) -> None:
    folder = whole.home / "activities" / ONE
    assert (folder.stat().st_gid, folder.stat().st_mode & 0o777) == (READERS, 0o750)
    (copy,) = kept_inputs(folder).values()
    assert copy.stat().st_mode & 0o777 == 0o755
