"""What each role may, on every address that changes something; and API tokens."""

from __future__ import annotations

import re
import stat
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from fastapi import APIRouter
from fastapi.routing import APIRoute
from hypothesis import HealthCheck, Phase, given, settings

from assay.activities.tuning.kept import keep_tuning
from assay.machines.address import parse_address
from assay.model.errors import AssayError, UnknownNameError
from assay.model.files.home import mark_home
from assay.model.machines.inventory import Entry
from assay.model.machines.machine import Machine, Reach
from assay.scenes import read_scene
from assay.store.own_scenes import save_scene
from assay.store.store import Store
from assay.web import app
from assay.web.access.person import Person, RefusedError, Role, Scope, scopes_of
from assay.web.access.tokens import PREFIX, Tokens
from assay.web.acts import requests
from assay.web.acts.carry import check_allowed
from assay.web.acts.open_machines import OpenMachines
from assay.web.acts.requests import ACTS, Act
from assay.web.given import post
from assay.web.guard import limits
from assay.web.guard.limits import Rate
from assay.web.views import sign_in
from tests.cli.conftest import home_with_result
from tests.in_gate import in_gate
from tests.report.tunings import tuning
from tests.results.test_outcome import PLAN
from tests.web.homes import SEARCH
from tests.web.signing import Signing, providing, signing

OPEN = "local,@lent"
GOOD: dict[str, Any] = {
    "activity": PLAN.id, "name": "n1", "scene": "quick", "blocks": 3, "ssh": "root@h", "text": "scene: x\n",
    "search": "abcd1234", "factors": "disk", "budget": "1 h", "other": PLAN.id, "domain": "d1",
    "tag": "before",
}  # fmt: skip
"""Values that fit fields of requests, by name."""
ARMS = "baseline: {machine: local}\ntreatment: {platform: guest}"
SEARCHED = f"scene: quick\ntitle: Quick\n{ARMS}\nworkloads: [integer]\n"
KINDS: list[type[Act]] = [
    kind
    for kind in vars(requests).values()
    if isinstance(kind, type) and issubclass(kind, Act) and "kind" in kind.model_fields
]


def every() -> APIRouter:
    """Return an address for every request that there is, whether a page sends it or not."""
    router = APIRouter()
    for kind in KINDS:
        post(router, f"/every/{kind.model_fields['kind'].default}", kind, lambda *_: "/", "done")
    return router


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Signing]:
    home = home_with_result(tmp_path_factory.mktemp("roles") / "home")
    mark_home(home)
    keep_tuning(replace(tuning(), id=GOOD["search"], scene="quick", scene_text=SEARCHED), home)
    store = Store(home)
    store.add_machines([_entry("n1", tags=(("lent", ""),)), _entry("n2"), _entry("vm", guest_of="n2")])
    store.close()
    with pytest.MonkeyPatch.context() as changed, providing() as issuer:
        changed.setattr(app, "ROUTERS", (*app.ROUTERS, every()))
        changed.setattr(limits, "WRITES", Rate(burst=10_000, per_s=100.0))
        changed.setattr(limits, "READS", Rate(burst=10_000, per_s=100.0))
        with signing(home, issuer, f"operators_may_use: '{OPEN}'") as server:
            yield server


def _entry(name: str, **more: Any) -> Entry:
    address = parse_address(f"root@{name}")
    given = {"groups": (), "tags": (), "role": None, "notes": "", "guest_of": None, **more}
    machine = Machine(name, Reach.SSH, address.host, address.user, address.port)
    return Entry(machine, given["groups"], given["tags"], given["role"], given["notes"], given["guest_of"])


def posts(client: httpx.Client) -> list[tuple[str, dict[str, Any], Role | None]]:
    """Return every address that changes something, with a body that fits and the role that it takes."""
    found = []
    for path, of in client.get("/openapi.json").json()["paths"].items():
        for method, told in of.items():
            if method == "get":
                continue
            assert method == "post", f"{method} {path}"
            content = told.get("requestBody", {}).get("content", {})
            needed = content.get("application/json", {}).get("schema", {}).get("required", ())
            body = {name: GOOD[name] for name in needed}
            said = re.search(r"Takes the role (\w+)\.", told.get("description", ""))
            filled = re.sub(r"\{(\w+)\}", lambda word: str(GOOD[word[1]]), path)
            found.append((filled, body, None if said is None else Role[said[1].upper()]))
    return found


def test_every_address_that_changes_something_is_in_the_api(site: Signing) -> None:
    routes = [route for router in (*app.ROUTERS, sign_in.router) for route in router.routes]
    changing = [r for r in routes if isinstance(r, APIRoute) and not r.methods <= {"GET", "HEAD"}]
    assert changing
    assert all(route.methods == {"POST"} and route.include_in_schema for route in changing)
    with site.signed_in("vera") as viewer:
        listed = {path for path, _, role in posts(viewer) if role is not None}
        assert len(listed) + 1 == len(changing)


def test_the_api_says_of_each_address_which_role_it_takes(site: Signing) -> None:
    with site.signed_in("ada") as admin:
        told = admin.get("/api.json").json()["addresses"]
        page = admin.get("/api").text
    roles = {}
    for one in told:
        said = re.fullmatch(r"Takes the role (\w+)\.", one["more"])
        assert said, one["path"]
        roles[one["method"], one["path"]] = Role[said[1].upper()]
    assert roles["GET", "/audit.json"] is Role.ADMIN
    assert roles["GET", "/scenes/{scene}/plan.json"] is Role.OPERATOR
    assert page.count("Takes the role admin.") == [*roles.values()].count(Role.ADMIN)
    with site.signed_in("vera") as viewer:
        for (method, path), role in roles.items():
            if method == "GET" and not path.endswith("/events"):
                filled = re.sub(r"\{(\w+)\}", lambda word: str(GOOD.get(word[1], "0")), path)
                refused = viewer.get(filled).status_code == 403
                assert refused is (role > Role.VIEWER), path


def test_a_viewer_changes_nothing(site: Signing) -> None:
    with site.signed_in("vera") as viewer:
        for path, body, role in posts(viewer):
            if role is None:
                assert path == "/sign-out"
                continue
            before = len(site.carrier.run)
            for accept in ("application/json", "text/html"):
                answer = _post(site, viewer, path, body, accept=accept)
                assert answer.status_code == 403, f"{path}: {answer.text}"
            assert len(site.carrier.run) == before, path


def test_what_is_evaluated_is_what_was_planned(site: Signing) -> None:
    wish = {
        "on": "local", "against": "n1", "blocks": "4", "precision": "2 %", "time_budget": "8 h",
        "drain": "slurm",
    }  # fmt: skip
    with site.signed_in("otto") as operator:
        planned = operator.get("/scenes/quick/plan", params=wish, headers={"accept": "text/html"})
        assert planned.status_code == 200, planned.text
        hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', planned.text))
        assert {name: value for name, value in hidden.items() if name != "token"} == wish
        assert site.post(operator, "/scenes/quick/evaluate", **wish).status_code == 200
    plan, evaluated = site.carrier.run[-2:]
    assert isinstance(plan, requests.PlanScene)
    assert isinstance(evaluated, requests.EvaluateScene)
    assert evaluated.options() == plan.options()
    assert "--drain=slurm" in plan.options()


def test_a_viewer_sees_the_plan_that_a_scene_declares_and_has_no_machine_asked(site: Signing) -> None:
    with site.signed_in("vera") as viewer:
        before = len(site.carrier.run)
        declared = viewer.get("/scenes/cache-mode.json").json()["declared"]
        page = viewer.get("/scenes/cache-mode", headers={"accept": "text/html"}).text
        assert (declared["blocks"], declared["trials"], len(declared["arms"])) == (6, 30, 4)
        assert "30 trials in 6 blocks" in page
        assert re.findall(r'<li><span class="cell arm-(\d)">(\w)</span> ', page) == [
            ("0", "A"),
            ("1", "B"),
            ("2", "C"),
            ("3", "D"),
        ]
        assert viewer.get("/scenes/cache-mode/plan.json").status_code == 403
        assert len(site.carrier.run) == before


def test_an_operator_may_what_the_role_says(site: Signing) -> None:
    with site.signed_in("otto") as operator:
        for path, body, role in posts(operator):
            if role is None:
                continue
            before = len(site.carrier.run)
            answer = _post(site, operator, path, body)
            if role is Role.OPERATOR:
                assert answer.status_code in {200, 202}, f"{path}: {answer.text}"
                assert len(site.carrier.run) == before + 1 or not path.startswith("/every/"), path
            else:
                assert answer.status_code == 403, f"{path}: {answer.text}"
                assert len(site.carrier.run) == before, path


def _post(
    site: Signing, client: httpx.Client, path: str, body: dict[str, Any], accept: str = "application/json"
) -> httpx.Response:
    token = client.get("/me.json").json()["token"]
    headers = {"origin": site.at, "x-assay-token": token, "accept": accept}
    return client.post(path, json=body, headers=headers)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_no_request_is_for_a_viewer(kind: type[Act]) -> None:
    assert kind.role >= Role.OPERATOR


@pytest.mark.parametrize(
    ("fields", "closed"),
    [
        ({"kind": "evaluate", "scene": "quick"}, None),
        ({"kind": "evaluate", "scene": "quick", "on": "n1"}, None),
        ({"kind": "evaluate", "scene": "quick", "on": "local,n1"}, None),
        ({"kind": "evaluate", "scene": "quick", "on": "n2"}, "n2"),
        ({"kind": "evaluate", "scene": "quick", "on": "n[1-2]"}, "n2"),
        ({"kind": "evaluate", "scene": "quick", "against": "n2"}, "n2"),
        ({"kind": "plan", "scene": "quick", "against": "n2"}, "n2"),
        ({"kind": "evaluate", "scene": "quick", "on": "vm"}, "n2"),
        ({"kind": "machine-check", "name": "n2"}, "n2"),
        ({"kind": "machine-facts", "name": "n1"}, None),
        ({"kind": "machine-undrain", "name": "n2"}, "n2"),
        ({"kind": "activity-resume", "activity": PLAN.id}, None),
        ({"kind": "tune", "scene": "quick", "factors": "disk", "budget": "1 h"}, None),
        ({"kind": "scene-save", "text": "scene: x"}, None),
        ({"kind": "evaluate", "scene": "two"}, "n2"),
    ],
)
def test_an_operator_uses_machines_that_are_open(
    site: Signing, fields: dict[str, str], closed: str | None
) -> None:
    together = "baseline: {machine: n1}\ntreatment: {machine: n1, with: [n2]}"
    data = "data: {size: 4 MiB, files: 2, content: root}"
    work = f"workloads: [{{use: root-analysis, placement: {{copies: 2}}}}]\n{data}"
    text = f"scene: two\ntitle: Two\n{together}\n{work}\n"
    save_scene(site.home, "two", text, by="ada")
    store = Store(site.home)
    act = ACTS.validate_python(fields)
    try:
        for person in (_person(Role.OPERATOR), _person(Role.ADMIN)):
            if closed is None or person.role is Role.ADMIN:
                OpenMachines(store, OPEN).check(act, person)
                continue
            with pytest.raises(RefusedError, match="not open to operators"):
                OpenMachines(store, OPEN).check(act, person)
    finally:
        store.close()


def test_no_machine_is_open_where_none_is_named(site: Signing) -> None:
    store = Store(site.home)
    try:
        for fields in (
            {"kind": "evaluate", "scene": "quick"},
            {"kind": "activity-stop", "activity": PLAN.id},
            {"kind": "scene-save", "text": "scene: x"},
        ):
            with pytest.raises(RefusedError):
                OpenMachines(store, None).check(ACTS.validate_python(fields), _person(Role.OPERATOR))
    finally:
        store.close()


def test_an_own_scene_is_found_in_the_home(site: Signing) -> None:
    arms = "baseline: {machine: local}\ntreatment: {machine: n2}"
    text = f"scene: mine\ntitle: Mine\n{arms}\nworkloads: [integer]\n"
    save_scene(site.home, "mine", text, by="ada")
    act = ACTS.validate_python({"kind": "evaluate", "scene": "mine"})
    store = Store(site.home)
    try:
        with pytest.raises(RefusedError, match="the machine n2"):
            OpenMachines(store, "local").check(act, _person(Role.OPERATOR))
        OpenMachines(store, "local,n2").check(act, _person(Role.OPERATOR))
    finally:
        store.close()


@pytest.mark.parametrize("kind", ["tune-resume", "tune-measure", "tune-extend"])
def test_a_search_is_gone_on_with_where_all_its_machines_are_open(site: Signing, kind: str) -> None:
    arms = "baseline: {machine: local}\ntreatment: {machine: n1}"
    text = f"scene: mine\ntitle: Mine\n{arms}\nworkloads: [integer]\n"
    keep_tuning(replace(tuning(), scene="mine", scene_text=text, also="n2"), site.home)
    blocks = {"blocks": 3} if kind == "tune-extend" else {}
    act = ACTS.validate_python({"kind": kind, "search": SEARCH, **blocks})
    store = Store(site.home)
    try:
        for who, closed in (("local", "n1"), ("local,n1", "n2"), ("n1,n2", "local")):
            with pytest.raises(RefusedError, match=f"the machine {closed}"):
                OpenMachines(store, who).check(act, _person(Role.OPERATOR))
        OpenMachines(store, "local,n1,n2").check(act, _person(Role.OPERATOR))
    finally:
        store.close()


def test_a_request_that_names_no_machine_takes_this_one(site: Signing) -> None:
    class Anything(Act):
        def words(self) -> list[str]:
            return []

    store = Store(site.home)
    try:
        OpenMachines(store, "local").check(Anything(), _person(Role.OPERATOR))
        with pytest.raises(RefusedError, match="the machine local"):
            OpenMachines(store, "n1").check(Anything(), _person(Role.OPERATOR))
    finally:
        store.close()


@pytest.mark.parametrize(
    ("arms", "who", "closed"),
    [
        ("baseline: {machine: n1}\ntreatment: {platform: guest}", "n1", "local"),
        ("baseline: {machine: n1}\ntreatment: {platform: guest}", "local", "n1"),
        ("baseline: {machine: n1}\ntreatment: {platform: guest}", "local,n1", None),
        ("baseline: {machine: local}\ntreatment: {machine: n2}", "local", "n2"),
        ("baseline: {machine: local}\ntreatment: {machine: n2}", "local,n2", None),
        ("baseline: {machine: local}\ntreatment: {machine: vm}", "local,vm", "n2"),
    ],
)
def test_a_scene_of_the_sites_own_takes_this_machine_and_those_that_it_names(
    site: Signing, arms: str, who: str, closed: str | None
) -> None:
    text = f"scene: mine\ntitle: Mine\n{arms}\nworkloads: [integer]\n"
    scene = read_scene(text.encode(), file="mine.yaml")
    store = Store(site.home)
    act = ACTS.validate_python({"kind": "evaluate", "scene": "mine"})
    machines = OpenMachines(store, who, scene=lambda _: scene)
    try:
        if closed is None:
            machines.check(act, _person(Role.OPERATOR))
            return
        with pytest.raises(RefusedError, match=f"the machine {closed} is not open"):
            machines.check(act, _person(Role.OPERATOR))
    finally:
        store.close()


def _person(role: Role, scopes: frozenset[Scope] | None = None) -> Person:
    return Person("p", role, "k", scopes=scopes_of(role) if scopes is None else scopes)


def test_a_token_is_shown_once_and_only_its_digest_is_kept(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path / "serve")
    secret, token = tokens.add("grafana", Role.VIEWER, (), days=1)
    file = tmp_path / "serve" / "tokens.json"
    assert secret.startswith(PREFIX)
    assert len(secret) >= 43 + len(PREFIX)
    assert secret not in file.read_text()
    assert secret.removeprefix(PREFIX) not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert token.scopes == ("read",)
    found = tokens.person(secret)
    assert found is not None
    assert (found.role, found.by_token) == (Role.VIEWER, True)
    assert tokens.listed()[0].used is not None
    for wrong in (secret[:-1], secret + "x", PREFIX, "", token.digest):
        assert tokens.person(wrong) is None


def test_a_token_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = Tokens(tmp_path / "serve")
    secret, _ = tokens.add("a", Role.ADMIN, (), days=2)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 2 * 86400 - 5)
    assert tokens.person(secret) is not None
    monkeypatch.setattr(time, "time", lambda: now + 2 * 86400 + 5)
    assert tokens.person(secret) is None


def test_a_token_that_was_removed_is_unknown(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path / "serve")
    secret, _ = tokens.add("a", Role.ADMIN, (), days=2)
    with pytest.raises(AssayError, match="the name is taken"):
        tokens.add("a", Role.VIEWER, (), days=2)
    with pytest.raises(UnknownNameError):
        tokens.remove("b")
    tokens.remove("a")
    assert tokens.person(secret) is None
    assert tokens.listed() == ()


def test_a_token_has_no_scope_that_its_role_has_not(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path / "serve")
    for role, scope in ((Role.VIEWER, Scope.RUN), (Role.OPERATOR, Scope.MANAGE)):
        with pytest.raises(AssayError, match=f"has no scope '{scope}'"):
            tokens.add("a", role, {scope}, days=1)
    for name in ("", "-x", "a b", "x" * 65, "a\n"):
        with pytest.raises(AssayError, match="cannot call a token"):
            tokens.add(name, Role.VIEWER, (), days=1)


def test_a_scope_limits_what_a_role_may() -> None:
    run, manage = (
        ACTS.validate_python({"kind": "evaluate", "scene": "q"}),
        ACTS.validate_python({"kind": "machine-remove", "name": "n"}),
    )
    check_allowed(manage, _person(Role.ADMIN, frozenset({Scope.MANAGE})))
    check_allowed(run, _person(Role.ADMIN, frozenset({Scope.RUN})))
    for act, scope in ((run, Scope.MANAGE), (manage, Scope.RUN), (run, Scope.READ)):
        with pytest.raises(RefusedError, match="takes the scope"):
            check_allowed(act, _person(Role.ADMIN, frozenset({scope})))


def test_a_program_asks_with_a_token_and_without_a_page(site: Signing) -> None:
    tokens = Tokens(site.home / "serve")
    whole, _ = tokens.add("whole", Role.OPERATOR, (), days=1)
    blind, _ = tokens.add("blind", Role.OPERATOR, {Scope.RUN}, days=1)
    look, _ = tokens.add("look", Role.OPERATOR, {Scope.READ}, days=1)
    asked = {"scene": "quick", "blocks": 3}
    path = "/every/evaluate"
    for secret, reads, runs in ((whole, 200, 200), (blind, 403, 200), (look, 200, 403)):
        with site.client(authorization=f"Bearer {secret}") as client:
            assert client.get("/results.json").status_code == reads
            assert client.post(path, json=asked).status_code == runs
    with site.client(authorization=f"Bearer {whole}") as client:
        assert client.get("/me.json").json() == {"name": "token whole", "role": "operator", "token": ""}
        assert client.post("/machines", json={"name": "n", "ssh": "h"}).status_code == 403
        assert client.get("/audit.json").status_code == 403
    tokens.remove("whole")
    for wrong in (f"Bearer {whole}", "Bearer assay_x", f"Basic {look}", look):
        with site.client(authorization=wrong) as client:
            assert client.get("/results.json").status_code == 401, wrong


def test_a_wrong_token_is_not_saved_by_a_session(site: Signing) -> None:
    with site.signed_in("ada") as client:
        assert client.get("/me.json", headers={"authorization": "Bearer assay_no"}).status_code == 401


@pytest.mark.parametrize(
    ("sub", "role", "examples"),
    in_gate([("otto", Role.OPERATOR, 3), ("vera", Role.VIEWER, 25), ("otto", Role.OPERATOR, 25)], 1),
)
def test_no_request_that_fits_the_api_or_not_is_a_bug(
    site: Signing, sub: str, role: Role, examples: int
) -> None:
    secret, _ = Tokens(site.home / "serve").add(f"fuzz-{sub}-{examples}", role, (), days=1)
    with site.client(authorization=f"Bearer {secret}") as client:
        api = client.get("/openapi.json").json()
        statuses = _statuses(site, client, api, examples)
    assert 429 not in statuses
    assert statuses >= {200, 403, 422}


HOSTILE = (
    {"origin": "http://elsewhere.example"},
    {"origin": "null"},
    {"x-assay-token": "0" * 64},
    {"x-assay-token": ""},
    {"host": "elsewhere.example"},
    {"host": ""},
    {"cookie": "assay=0; __Host-assay=1"},
    {"authorization": "Bearer assay_0"},
)
"""What another site's page, or who guesses, would send with a request that is good otherwise."""


@pytest.mark.parametrize("headers", in_gate(HOSTILE, 1), ids=str)
def test_no_header_of_somebody_elses_gets_anything_changed(site: Signing, headers: dict[str, str]) -> None:
    with site.signed_in("ada") as client:
        good = {"origin": site.at, "x-assay-token": client.get("/me.json").json()["token"]}
        api, before = client.get("/openapi.json").json(), len(site.carrier.run)
        if "cookie" in headers:
            client.cookies.clear()
        client.headers.update({**good, **headers})
        changing = {path: {"post": of["post"]} for path, of in api["paths"].items() if "post" in of}
        statuses = _statuses(site, client, {**api, "paths": changing}, 3)
    assert len(site.carrier.run) == before
    assert statuses <= {400, 401, 403, 404, 405, 413, 415, 421, 422}


def _statuses(site: Signing, client: httpx.Client, api: dict[str, Any], examples: int) -> set[int]:
    """Send requests that fit each operation or not, and return the statuses of the answers: none is of a bug.

    Nothing that is asked for is run, so that no machine can be out of reach either.
    """
    schema = schemathesis.openapi.from_dict(api)
    schema.config.base_url = site.at
    statuses: set[int] = set()
    for found in schema.get_all_operations():
        operation = found.ok()

        @settings(
            max_examples=examples, deadline=None, derandomize=True, database=None, phases=[Phase.generate],
            suppress_health_check=[*HealthCheck],
        )  # fmt: skip
        @given(case=operation.as_strategy())
        def ask(case: schemathesis.Case) -> None:
            words = case.as_transport_kwargs(base_url=site.at)
            sent = {k: v for k, v in words.items() if k in {"method", "url", "params", "json", "data"}}
            answer = client.request(**sent)
            assert answer.status_code < 500, f"{sent}: {answer.text}"
            statuses.add(answer.status_code)

        ask()
    return statuses
