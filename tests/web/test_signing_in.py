"""Signing in with a real provider, sessions and their end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage

from assay.model.files.home import mark_home
from assay.web.access.provider import NotSignedInError, Provider, ProviderError
from assay.web.access.sessions import Kept
from assay.web.guard import limits
from assay.web.guard.limits import Rate
from tests.cli.conftest import home_with_result
from tests.in_gate import in_gate
from tests.web.signing import Signing, authorize, cookie_of, providing, signing


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    with providing() as at:
        yield at


@pytest.fixture(scope="module")
def site(issuer: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Signing]:
    home = home_with_result(tmp_path_factory.mktemp("site") / "home")
    mark_home(home)
    with signing(home, issuer, "operators_may_use: local") as server:
        yield server


def audited(site: Signing) -> list[dict[str, object]]:
    return [json.loads(line) for line in (site.home / "serve" / "audit.jsonl").read_text().splitlines()]


@pytest.mark.parametrize(("sub", "role"), [("vera", "viewer"), ("otto", "operator"), ("ada", "admin")])
def test_the_groups_that_the_provider_tells_make_the_role(site: Signing, sub: str, role: str) -> None:
    with site.signed_in(sub) as client:
        told = client.get("/me.json").json()
        assert (told["name"], told["role"]) == (sub.title(), role)
        assert client.get("/", headers={"accept": "text/html"}).status_code == 200
    assert {"who": sub.title(), "subject": sub, "role": role, "event": "sign-in"}.items() <= audited(site)[
        -1
    ].items()


@pytest.mark.parametrize("sub", ["nobody", "none"])
def test_nobody_has_a_role_by_default(site: Signing, sub: str) -> None:
    with site.client() as client:
        answer = client.get(site.authorized(client, sub))
        assert answer.status_code == 403
        assert "no role here" in answer.json()["error"]
        assert client.get("/me.json").status_code == 401
    assert audited(site)[-1]["event"] == "sign-in refused"


def test_who_is_unknown_is_shown_the_way_and_nothing_else(site: Signing) -> None:
    with site.client() as client:
        assert client.get("/results.json").status_code == 401
        shown = client.get("/results", headers={"accept": "text/html"})
        assert (shown.status_code, shown.headers["location"]) == (303, "/sign-in")
        page = client.get("/sign-in", headers={"accept": "text/html"})
        assert page.status_code == 200
        assert 'href="/sign-in/start"' in page.text
        assert "/results" not in page.text
        for path in ("/openapi.json", "/api", "/audit.json", "/sign-out"):
            assert client.get(path).status_code in {303, 401}, path


def test_a_sign_in_asks_for_a_code_with_state_nonce_and_a_challenge(site: Signing) -> None:
    with site.client() as client:
        begun = client.get("/sign-in/start")
        asked = {k: v[0] for k, v in parse_qs(urlsplit(begun.headers["location"]).query).items()}
        assert asked["response_type"] == "code"
        assert asked["redirect_uri"] == f"{site.at}/sign-in/callback"
        assert asked["code_challenge_method"] == "S256"
        assert asked["client_id"] == "assay"
        assert "openid" in asked["scope"].split()
        assert all(len(asked[name]) >= 43 for name in ("state", "nonce", "code_challenge"))
        cookie = cookie_of(begun, "assay-sign-in")
        assert all(word in cookie for word in ("HttpOnly", "SameSite=lax", "Path=/"))
        assert asked["state"] not in cookie


def test_a_state_of_another_browser_is_refused(site: Signing) -> None:
    with site.client() as mine, site.client() as theirs:
        back = site.authorized(theirs, "ada")
        assert mine.get(back).status_code == 422, "a browser that began none"
        site.authorized(mine, "vera")
        assert mine.get(back).status_code == 422, "one that began another"
        assert mine.get("/me.json").status_code == 401


def test_a_sign_in_ends_once(site: Signing) -> None:
    with site.client() as client:
        back = site.authorized(client, "vera")
        assert client.get(back).status_code == 303
        assert client.get(back).status_code == 422


def test_an_answer_of_another_issuer_is_refused(site: Signing) -> None:
    with site.client() as client:
        back = site.authorized(client, "vera")
        assert client.get(f"{back}&iss=https%3A%2F%2Fevil.example").status_code == 422


def test_a_refusal_of_the_provider_is_one_line(site: Signing) -> None:
    with site.client() as client:
        answer = client.get(site.authorized(client, "denied"))
        state = parse_qs(urlsplit(client.get("/sign-in/start").headers["location"]).query)["state"][0]
        hostile = {"state": state, "error": "<script>alert(1)</script>\r\nx", "error_description": "y" * 999}
        page = client.get(f"/sign-in/callback?{urlencode(hostile)}", headers={"accept": "text/html"})
    assert answer.status_code == 422
    assert len(answer.json()["error"].splitlines()) == 1
    assert "<script>alert" not in page.text
    assert "y" * 300 not in page.text


def test_a_wrong_code_is_one_line(site: Signing) -> None:
    with site.client() as client:
        parts = urlsplit(site.authorized(client, "ada"))
        state = parse_qs(parts.query)["state"][0]
        forged = urlunsplit(parts._replace(query=urlencode({"code": "guessed", "state": state})))
        answer = client.get(forged)
        assert answer.status_code == 422
        assert "the provider says invalid_grant" in answer.json()["error"]


def test_a_token_of_another_sign_in_is_refused(site: Signing, issuer: str) -> None:
    provider = Provider(site.rules.sign_in, f"{site.at}/sign-in/callback")
    begun = provider.begin()
    back = parse_qs(urlsplit(authorize(begun.address, "ada")).query)
    other = replace(begun, nonce="another")
    with pytest.raises(NotSignedInError, match=r"not for this \(invalid_claim\)"):
        provider.finish(other, {name: values[0] for name, values in back.items()})


def test_a_token_is_believed_by_its_signature_client_issuer_and_age(site: Signing, issuer: str) -> None:
    provider = Provider(site.rules.sign_in, f"{site.at}/sign-in/callback")
    begun = provider.begin()
    back = {k: v[0] for k, v in parse_qs(urlsplit(authorize(begun.address, "ada")).query).items()}
    proof, claims = provider.finish(begun, back)
    assert claims["sub"] == "ada"
    assert provider.claims(proof, most_age_s=60)["groups"] == ["farm-admins"]
    with pytest.raises(NotSignedInError, match="too old"):
        provider.claims(proof, most_age_s=-100)
    head, body, signature = proof.split(".")
    for wrong in (
        f"{head}.{body}.{'A' * len(signature)}",
        f"{head}.{body}.",
        "a.b.c",
        "",
        f"e30.{body}.",
        body,
    ):
        with pytest.raises(NotSignedInError):
            provider.claims(wrong, most_age_s=60)
    other = Provider(replace(site.rules.sign_in, client_id="another"), "")
    with pytest.raises(NotSignedInError):
        other.claims(proof, most_age_s=60)
    with providing() as elsewhere, pytest.raises(NotSignedInError):
        Provider(replace(site.rules.sign_in, issuer=elsewhere), "").claims(proof, most_age_s=60)


def test_a_token_signed_by_a_shared_secret_is_not_believed(site: Signing, issuer: str) -> None:
    from joserfc import jwt
    from joserfc.jwk import OctKey

    now = 4_000_000_000
    claims = {"iss": issuer, "aud": "assay", "sub": "ada", "iat": now, "exp": now, "groups": ["farm-admins"]}
    forged = jwt.encode({"alg": "HS256"}, claims, OctKey.import_key("hush" * 8))
    provider = Provider(site.rules.sign_in, "")
    with pytest.raises(NotSignedInError):
        provider.claims(forged, most_age_s=1e12)


def test_a_provider_that_does_not_answer_is_one_line(site: Signing, issuer: str) -> None:
    away = Provider(replace(site.rules.sign_in, issuer="http://127.0.0.1:9"), "")
    with pytest.raises(ProviderError, match="does not answer as expected"):
        away.begin()
    other = Provider(replace(site.rules.sign_in, issuer=issuer.replace("127.0.0.1", "localhost") + "/"), "")
    with pytest.raises(ProviderError, match="calls itself"):
        other.begin()


def test_a_session_has_a_new_id_after_each_sign_in(site: Signing) -> None:
    with site.client() as client:
        client.cookies.set("assay", "known-to-somebody-else", domain="127.0.0.1", path="/")
        answer = client.get(site.authorized(client, "vera"))
        first = cookie_of(answer, "assay")
        assert "known-to-somebody-else" not in first
        assert all(word in first for word in ("HttpOnly", "SameSite=lax", "Path=/"))
    with site.client() as fixed:
        fixed.cookies.set("assay", "known-to-somebody-else", domain="127.0.0.1", path="/")
        assert fixed.get("/me.json").status_code == 401
    with site.signed_in("vera") as client:
        before = client.cookies["assay"]
        client.get(site.authorized(client, "otto"))
        assert client.cookies["assay"] != before
        with site.client() as old:
            old.cookies.set("assay", before, domain="127.0.0.1", path="/")
            assert old.get("/me.json").status_code == 401, "the session before has ended"


def test_signing_out_ends_the_session(site: Signing) -> None:
    with site.signed_in("vera") as client:
        kept = client.cookies["assay"]
        assert client.get("/sign-out").status_code == 405
        assert client.post("/sign-out").status_code == 403, "only a page of ours signs out"
        assert site.post(client, "/sign-out").status_code == 303
        client.cookies.set("assay", kept, domain="127.0.0.1", path="/")
        assert client.get("/me.json").status_code == 401
    assert audited(site)[-1]["event"] == "sign-out"


def test_a_session_ends_by_itself() -> None:
    now = 0.0
    kept = Kept[str](100, 30, clock=lambda: now)
    name = kept.put(lambda digest: f"of {digest}")
    for at in (20.0, 45.0, 70.0, 95.0):
        now = at
        assert (kept.get(name) or "").startswith("of ")
    now = 100.0
    assert kept.get(name) is None, "its lifetime is over"
    name = kept.put(lambda _: "x")
    now = 131.0
    assert kept.get(name) is None, "it was not used"
    now = 132.0
    assert kept.get(kept.put(lambda _: "x")) == "x"


def test_ids_of_sessions_are_not_kept() -> None:
    kept = Kept[str](100)
    name = kept.put(lambda digest: digest)
    assert name not in repr(vars(kept))
    assert name != kept.get(name)
    assert kept.take(name) is not None
    assert kept.get(name) is None


def test_the_token_of_one_session_serves_no_other(site: Signing) -> None:
    with site.signed_in("ada") as mine, site.signed_in("ada") as other:
        token = other.get("/me.json").json()["token"]
        headers = {"origin": site.at, "x-assay-token": token}
        assert mine.post("/machines", json={"name": "n9", "ssh": "h"}, headers=headers).status_code == 403


def test_cookies_are_bound_to_the_host_where_it_is_reached_by_https(site: Signing, tmp_path: Path) -> None:
    from starlette.responses import Response

    from assay.web.access.signed_in import SignedIn

    rules = replace(site.rules, url="https://assay.example.org")
    response = Response()
    SignedIn(rules, Provider(rules.sign_in, ""), None).begin(response)  # type: ignore[arg-type]
    cookie = response.headers["set-cookie"]
    assert cookie.startswith("__Host-assay-sign-in=")
    assert "Secure" in cookie
    assert "omain" not in cookie


def test_where_a_sign_in_leads_is_not_said_by_a_request(site: Signing) -> None:
    with site.client() as client:
        begun = client.get("/sign-in/start?next=https://evil.example&redirect_uri=https://evil.example")
        assert "evil" not in begun.headers["location"]
        back = site.authorized(client, "vera") + "&next=//evil.example"
        assert client.get(back).headers["location"] == "/"


def test_what_a_client_says_of_its_address_is_not_believed(site: Signing) -> None:
    with site.signed_in("vera") as client:
        forged = {"x-forwarded-for": "10.0.0.1", "x-forwarded-proto": "https", "x-forwarded-host": "evil"}
        assert client.get("/me.json", headers=forged).status_code == 200
        assert client.get("/me.json", headers={"host": "evil.example"}).status_code == 421


def test_each_entry_of_the_audit_log_is_on_its_page_for_admins_alone(site: Signing) -> None:
    with site.signed_in("ada") as admin:
        assert site.post(admin, "/machines", name="n1", ssh="root@h").status_code == 200
        entries = admin.get("/audit.json").json()["entries"]
        assert (entries[0]["what"], entries[0]["who"], entries[0]["outcome"]) == (
            "machine-add",
            "Ada",
            "done",
        )
        assert ["name", "n1"] in entries[0]["fields"]
        assert "machine-add" in admin.get("/audit", headers={"accept": "text/html"}).text
    for sub in ("vera", "otto"):
        with site.signed_in(sub) as client:
            assert client.get("/audit.json").status_code == 403
            assert client.get("/audit", headers={"accept": "text/html"}).status_code == 403


def test_proofs_are_shown_nowhere(site: Signing) -> None:
    with site.signed_in("ada") as admin:
        shown = [admin.get(path).text for path in ("/me.json", "/", "/audit", "/audit.json")]
        log = (site.home / "serve" / "audit.jsonl").read_text()
        for text in (*shown, log):
            assert admin.cookies["assay"] not in text
            assert "eyJ" not in text, "a token of the provider's"


def test_unknown_people_are_limited(
    site: Signing, issuer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "READS", Rate(burst=5, per_s=0.001))
    monkeypatch.setattr(limits, "SIGN_INS", Rate(burst=5, per_s=0.001))
    home = tmp_path / "home"
    home.mkdir()
    mark_home(home)
    with signing(home, issuer) as other, other.client() as client:
        for path in ("/results.json", "/sign-in"):
            codes = [client.get(path).status_code for _ in range(7)]
            assert codes[-1] == 429, path
            assert codes[0] != 429


def test_a_person_is_limited_in_all_sessions_together(
    issuer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "READS", Rate(burst=5, per_s=0.001))
    home = home_with_result(tmp_path / "home")
    mark_home(home)
    with signing(home, issuer) as site, ExitStack() as stack:
        veras = [stack.enter_context(site.signed_in("vera")) for _ in range(4)]
        otto = stack.enter_context(site.signed_in("otto"))
        codes = [vera.get("/results.json").status_code for vera in veras for _ in range(2)]
        assert codes == [200] * 5 + [429] * 3
        assert otto.get("/results.json").status_code == 200


def test_a_proxy_that_is_named_is_believed_whom_it_asks_for(
    issuer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SIGN_INS", Rate(burst=2, per_s=0.001))
    home = tmp_path / "home"
    home.mkdir()
    mark_home(home)
    for more, other in ((("proxies: [127.0.0.1]",), 200), ((), 429), (("proxies: [192.0.2.1]",), 429)):
        with signing(home, issuer, *more) as site, site.client() as client:
            first, second = {"x-forwarded-for": "192.0.2.7"}, {"x-forwarded-for": "192.0.2.8"}
            assert [client.get("/sign-in", headers=first).status_code for _ in range(3)] == [200, 200, 429]
            assert client.get("/sign-in", headers=second).status_code == other


@pytest.mark.live
@pytest.mark.parametrize("scheme", in_gate(["light", "dark"], 1))
def test_a_browser_signs_in_and_out_and_complains_of_nothing(
    site: Signing, browser: Browser, scheme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    context = browser.new_context(color_scheme=scheme, viewport={"width": 420, "height": 900})
    page = context.new_page()
    said: list[str] = []

    def heard(message: ConsoleMessage) -> None:
        if message.location["url"].startswith(site.at):  # and not what the provider's own page lacks
            said.append(message.text)

    page.on("console", heard)
    page.goto(f"{site.at}/results")
    assert page.url == f"{site.at}/sign-in"
    page.get_by_role("link", name="Sign in").click()
    page.fill("input[name=sub]", "ada")
    page.get_by_role("button", name="Authorize").click()
    page.get_by_role("heading", name="Overview").wait_for()
    page.get_by_role("link", name="Audit log").click()
    page.get_by_role("heading", name="Audit log").wait_for()
    root = "document.documentElement"
    assert page.evaluate(f"{root}.scrollWidth - {root}.clientWidth") <= 0
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("status").wait_for()
    assert page.url.startswith(f"{site.at}/sign-in")
    assert page.evaluate(f"{root}.scrollWidth - {root}.clientWidth") <= 0
    page.goto(f"{site.at}/audit")
    assert page.url == f"{site.at}/sign-in"
    assert said == []
    context.close()
    free = browser.new_context(bypass_csp=True, color_scheme=scheme)
    page = free.new_page()
    page.goto(f"{site.at}/sign-in")
    found = Axe().run(page).response["violations"]
    assert [one["id"] for one in found if one["impact"] in {"serious", "critical"}] == []
    free.close()
