"""The door to a cloud: logged in as openstacksdk does, by ``clouds.yaml`` or ``OS_*``, over verified TLS."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from assay_openstack.errors import CloudError, told

CALL_S = 60.0
"""A service that has not answered a question by then is lost."""
_SERVICES = ("compute", "image", "network")


@contextmanager
def cloud() -> Iterator[Any]:
    """Log in for one act; threads have a connection each.

    Raises:
        CloudUnreachableError: The cloud does not answer, or its certificate is not trusted.
        CloudError: It is not said which cloud, it refuses the credentials, or TLS is not verified.
    """
    import openstack

    for name in ("keystoneauth", "openstack"):  # what they log would be printed where nobody asks for it
        logging.getLogger(name).addHandler(logging.NullHandler())
    with told("log in to the cloud"):
        connection = openstack.connect(app_name="assay", api_timeout=CALL_S)
        try:
            _require_verified(connection)
            connection.session.get_token()
            _require_safe(_endpoints(connection))
        except BaseException:
            connection.close()
            raise
    try:
        yield connection
    finally:
        connection.close()


def version_of(connection: Any) -> str:
    """Return the newest version of Nova's interface that a cloud speaks, ``Nova API 2.96``."""
    with told("ask Nova for its version"):
        newest = connection.compute.get_endpoint_data().max_microversion
    return "Nova API " + (".".join(map(str, newest)) if newest else "2.0")


def _require_verified(connection: Any) -> None:
    verify, _ = connection.config.get_requests_verify_args()
    if verify is False:
        msg = "cannot log in to the cloud: its certificate would not be verified"
        raise CloudError(
            msg, hint="remove verify: false (OS_INSECURE); cacert: FILE names the site's authority"
        )
    _require_safe([str(connection.config.get_auth_args().get("auth_url") or "")])


def _endpoints(connection: Any) -> list[str]:
    return [str(getattr(connection, name).get_endpoint() or "") for name in _SERVICES]


def _require_safe(addresses: list[str]) -> None:
    """Refuse services that are asked without TLS, on another machine than this one: the token that is sent
    to them opens the project.
    """
    for address in addresses:
        parts = urlsplit(address)
        if parts.scheme == "http" and not _is_here(parts.hostname or ""):
            msg = f"cannot log in to the cloud: {parts.scheme}://{parts.netloc} is without TLS"
            raise CloudError(msg, hint="an address https://… (auth_url, interface: public)")


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
