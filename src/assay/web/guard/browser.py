"""What a browser is told to keep to, and what tells a request of our own pages from that of another site."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from urllib.parse import urlsplit

SECURITY_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
"""Of every answer. Vega's expressions are interpreted, so that the policy needs no ``unsafe-eval``."""
OVER_TLS = {"strict-transport-security": "max-age=31536000"}
"""Of every answer besides, where browsers reach this server by https."""
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
OWN_SITES = frozenset({"same-origin", "none"})
"""What ``Sec-Fetch-Site`` is of a request by a page of ours, and by a person who typed the address."""


def is_own_host(host: str | None, allowed: frozenset[str]) -> bool:
    """Tell whether a request asked for a name of this server: a page of another name that resolves to it
    (DNS rebinding) is not ours.
    """
    return host is not None and host.lower() in allowed


def is_own_origin(origin: str | None, host: str | None) -> bool:
    """Tell whether a request was sent by a page of the host that it asks."""
    if origin is None or host is None:
        return False
    try:
        return urlsplit(origin).netloc.lower() == host.lower()
    except ValueError:  # as of "http://["
        return False


def is_foreign(headers: Mapping[str, str]) -> bool:
    """Tell whether a page of another origin has sent a request, as far as the browser says so: all do since
    2023, to https and to a machine's own loopback.

    Source: Fetch Metadata Request Headers, https://www.w3.org/TR/fetch-metadata/.
    """
    return headers.get("sec-fetch-site", "none") not in OWN_SITES


def is_followed_link(headers: Mapping[str, str]) -> bool:
    """Tell whether a request opens a page for a person to see, in a window and not in a frame."""
    return headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"


def token_of(secret: bytes, who: str) -> str:
    """Return the token that a person's own pages send with what they change."""
    return hmac.digest(secret, who.encode(), "sha256").hex()


def is_token(given: str | None, secret: bytes, who: str) -> bool:
    """Tell whether that is the token of a person."""
    if given is None:
        return False
    return hmac.compare_digest(given.encode(errors="replace"), token_of(secret, who).encode())
