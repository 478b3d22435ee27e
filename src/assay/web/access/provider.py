"""The provider of OpenID Connect: where people sign in, and what its tokens say of them.

Source: OpenID Connect Core 1.0, 3.1.2 and 3.1.3.7; RFC 7636 (PKCE); RFC 9207 (``iss`` of the answer).
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from assay.model.errors import AssayError, Exit
from assay.web.access.file import SignIn

ALGORITHMS = (
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
)  # fmt: skip
"""Of signatures that are believed: by a key of the provider, never by a shared secret, never none."""
TIMEOUT_S = 10.0
KEYS_S = 60.0
"""Keys are asked for anew at most as often, where a token names one that is not known."""
LEEWAY_S = 60
"""Clocks of two machines may differ as much."""
_SHOWN = 200


class ProviderError(AssayError):
    """The provider does not answer, or not as expected."""

    exit_code = Exit.UNREACHABLE


class NotSignedInError(AssayError):
    """A sign-in that came to nothing, or a token that proves nothing."""


@dataclass(frozen=True)
class Begun:
    """A sign-in that has begun.

    Attributes:
        address: Where the browser goes.
        state: What it brings back.
        nonce: What the ID token has to hold.
        verifier: What proves that the code is exchanged by who asked for it.
    """

    address: str
    state: str
    nonce: str
    verifier: str


class Provider:
    """A provider; its addresses and keys are asked for when they are needed first.

    Args:
        sign_in: What is known of it.
        callback: Where it sends browsers back to.
    """

    def __init__(self, sign_in: SignIn, callback: str) -> None:
        self._known, self._callback = sign_in, callback
        self._metadata: dict[str, Any] | None = None
        self._keys: dict[str, Any] | None = None
        self._keys_at = 0.0
        self._lock = threading.Lock()

    def begin(self) -> Begun:
        """Begin a sign-in.

        Raises:
            ProviderError: The provider does not answer.
        """
        from authlib.common.security import generate_token

        state, nonce, verifier = generate_token(43), generate_token(43), generate_token(64)
        with self._client() as client:
            address, _ = client.create_authorization_url(
                self._endpoint("authorization_endpoint"), state=state, nonce=nonce, code_verifier=verifier
            )
        return Begun(address, state, nonce, verifier)

    def finish(self, begun: Begun, answer: Mapping[str, str]) -> tuple[str, dict[str, Any]]:
        """Return the ID token of a sign-in, and its claims.

        Args:
            begun: The sign-in; its state was compared with the answer's.
            answer: Parameters that the browser has brought back.

        Raises:
            NotSignedInError: The provider has refused, or its token is not for this sign-in.
            ProviderError: It does not answer.
        """
        if "error" in answer:
            told = ": ".join(answer[name] for name in ("error", "error_description") if answer.get(name))
            msg = f"cannot sign in: the provider says {_plain(told)}"
            raise NotSignedInError(msg)
        if answer.get("iss", self._known.issuer) != self._known.issuer or not answer.get("code"):
            msg = "cannot sign in: that is no answer of the provider"
            raise NotSignedInError(msg)
        token = self._exchange(answer["code"], begun.verifier)
        proof = token.get("id_token")
        if not isinstance(proof, str):
            msg = "cannot sign in: the provider gave no ID token"
            raise NotSignedInError(msg)
        return proof, self._claims(proof, {"nonce": begun.nonce, "access_token": token.get("access_token")})

    def claims(self, proof: str, *, most_age_s: float) -> dict[str, Any]:
        """Return the claims of an ID token whose sign-in is not older than that.

        Raises:
            NotSignedInError: It is not one of the provider's for us, or older.
            ProviderError: The provider does not answer.
        """
        return self._claims(proof, {}, most_age_s=most_age_s)

    def _exchange(self, code: str, verifier: str) -> dict[str, Any]:
        from authlib.common.errors import AuthlibBaseError

        address = self._endpoint("token_endpoint")
        try:
            with self._client() as client:
                return dict(client.fetch_token(address, code=code, code_verifier=verifier))
        except AuthlibBaseError as error:
            told = ": ".join(part for part in (error.error, error.description) if part)
            msg = f"cannot sign in: the provider says {_plain(told)}"
            raise NotSignedInError(msg) from error
        except (httpx.HTTPError, ValueError, TypeError) as error:
            raise _no_answer(address, error) from error

    def _claims(
        self, proof: str, expected: dict[str, Any], *, most_age_s: float | None = None
    ) -> dict[str, Any]:
        """Return the claims of a token of the provider's for us; with an age in the place of its own end."""
        from authlib.oidc.core import CodeIDToken
        from joserfc.errors import JoseError

        try:
            token = self._decoded(proof)
            options = {name: {"essential": True, "value": value} for name, value in self._ours()}
            params = {"client_id": self._known.client_id, **expected}
            claims = CodeIDToken(token.claims, token.header, options, params)
            now = int(time.time())
            if most_age_s is not None:
                issued = claims.get("iat")
                if (
                    not isinstance(issued, int | float)
                    or not -LEEWAY_S <= now - issued <= most_age_s + LEEWAY_S
                ):
                    msg = "cannot tell who that is: the sign-in is too old"
                    raise NotSignedInError(msg)
                now = int(issued)
            claims.validate(now=now, leeway=LEEWAY_S)
        except (JoseError, ValueError, TypeError, KeyError) as error:
            why = getattr(error, "error", None) or type(error).__name__
            msg = f"cannot sign in: the ID token is not for this ({_plain(str(why))})"
            raise NotSignedInError(msg) from error
        return dict(claims)

    def _ours(self) -> tuple[tuple[str, str], ...]:
        return ("iss", self._known.issuer), ("aud", self._known.client_id)

    def _decoded(self, proof: str) -> Any:
        """Return a token that a key of the provider has signed; keys may be newer than those known."""
        from joserfc.errors import BadSignatureError, InvalidKeyIdError

        try:
            return self._by_keys(proof, self._key_set(anew=False))
        except (InvalidKeyIdError, BadSignatureError):
            return self._by_keys(proof, self._key_set(anew=True))

    @staticmethod
    def _by_keys(proof: str, keys: dict[str, Any]) -> Any:
        from joserfc import jwt
        from joserfc.jwk import KeySet
        from joserfc.jws import JWSRegistry

        registry = JWSRegistry(algorithms=list(ALGORITHMS), strict_check_header=False)
        return jwt.decode(proof, key=KeySet.import_key_set(keys), registry=registry)  # type: ignore[arg-type]

    def _key_set(self, *, anew: bool) -> dict[str, Any]:
        address = self._endpoint("jwks_uri")
        with self._lock:
            if self._keys is None or (anew and time.monotonic() - self._keys_at > KEYS_S):
                self._keys, self._keys_at = _fetched(address), time.monotonic()
            return self._keys

    def _endpoint(self, name: str) -> str:
        """Return an address of the provider's; raises ``ProviderError``."""
        issuer = self._known.issuer
        with self._lock:
            if self._metadata is None:
                found = _fetched(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
                if found.get("issuer") != issuer:
                    msg = f"cannot use {issuer}: it calls itself {_plain(str(found.get('issuer')))}"
                    raise ProviderError(msg, hint="write the issuer as the provider does, slash for slash")
                self._metadata = found
        address = self._metadata.get(name)
        if not isinstance(address, str) or not address.startswith((issuer.partition(":")[0] + ":", "https:")):
            msg = f"cannot use {issuer}: expected an address as {name}, got {address!r}"
            raise ProviderError(msg)
        return address

    def _client(self) -> Any:
        from authlib.deprecate import AuthlibDeprecationWarning

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AuthlibDeprecationWarning)  # it would rather have httpx2
            from authlib.integrations.httpx_client import OAuth2Client

        known = self._known
        return OAuth2Client(
            known.client_id, known.secret, scope=" ".join(known.scopes), redirect_uri=self._callback,
            code_challenge_method="S256", timeout=TIMEOUT_S,
        )  # fmt: skip


def _fetched(address: str) -> dict[str, Any]:
    try:
        answer = httpx.get(address, timeout=TIMEOUT_S).raise_for_status().json()
    except (httpx.HTTPError, ValueError) as error:
        raise _no_answer(address, error) from error
    if not isinstance(answer, dict):
        raise _no_answer(address, TypeError("expected a JSON object"))
    return answer


def _no_answer(address: str, error: Exception) -> ProviderError:
    return ProviderError(f"cannot sign in: {address} does not answer as expected: {_plain(str(error))}")


def _plain(text: str) -> str:
    """Return what somebody else has said, in one line that is not long."""
    return "".join(letter if letter.isprintable() else " " for letter in text)[:_SHOWN].strip()
