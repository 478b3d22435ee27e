"""What a cloud says when it fails, as errors of assay: one line, a hint, an exit code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from assay import AssayError, Exit

_LONGEST = 200
_FROM_URL = re.compile(r"^.*?: https?://\S+?, ")
"""What the SDK puts before the words of a service: ``Client Error for url: …, ``."""


class CloudError(AssayError):
    """A cloud does not give what was asked for: a quota, no host, a right, a service that it lacks."""

    exit_code = Exit.MISSING


class CloudUnreachableError(AssayError):
    """A cloud, or an instance, cannot be reached, or its certificate is refused."""

    exit_code = Exit.UNREACHABLE


LOGIN = "export OS_CLOUD=NAME, a name in clouds.yaml, or OS_* of the site; then: openstack token issue"
QUOTA = "openstack quota show --usage: delete what is not needed, or a smaller flavor"
HOSTS = "openstack hypervisor list: has a host room for the flavor, and do zone, aggregate and flavor agree?"
RIGHTS = "zone: ZONE:HOST and aggregate are for administrators of the cloud, or for whom its policy lets"


@contextmanager
def told(doing: str) -> Iterator[None]:
    """Turn the errors of openstacksdk into ours while inside.

    Args:
        doing: What is being done, for the message: ``cannot <doing>: …``.

    Raises:
        CloudUnreachableError: No service answers, or not by the certificate that is trusted.
        CloudError: The cloud refuses, or it is not said which one is meant.
    """
    from keystoneauth1.exceptions import ClientException
    from openstack.exceptions import SDKException

    try:
        yield
    except (ClientException, SDKException) as error:
        raise _ours(doing, error) from error


def _ours(doing: str, error: Exception) -> AssayError:
    from keystoneauth1 import exceptions as login
    from openstack import exceptions as cloud

    why, status = words_of(error), getattr(error, "status_code", None) or getattr(error, "http_status", None)
    if isinstance(error, login.ConnectionError | login.DiscoveryFailure):
        return _unreachable(doing, str(error))
    if status == 401:
        return CloudError(f"cannot {doing}: the cloud refuses the credentials", hint=LOGIN)
    if isinstance(error, cloud.ConfigException | login.MissingRequiredOptions | login.NoMatchingPlugin):
        return CloudError(f"cannot {doing}: it is not said how to log in to a cloud: {why}", hint=LOGIN)
    return CloudError(f"cannot {doing}: {why}", hint=_hint(status, why))


def _unreachable(doing: str, said: str) -> CloudUnreachableError:
    if silent := re.search(r"Unable to establish connection to (\S+?):? ", said):
        hint = "is auth_url right, and is the cloud reached from here?"
        return CloudUnreachableError(f"cannot {doing}: nothing answers at {silent[1]}", hint=hint)
    if shown := re.search(r"SSL exception connecting to (\S+?):? ", said):
        hint = "cacert: FILE in clouds.yaml (OS_CACERT) names the site's own authority"
        return CloudUnreachableError(
            f"cannot {doing}: the certificate of {shown[1]} is not trusted", hint=hint
        )
    return CloudUnreachableError(f"cannot {doing}: {_one_line(said)}", hint="is auth_url right?")


def _hint(status: int | None, why: str) -> str | None:
    if "uota" in why or status == 413:
        return QUOTA
    if "No valid host" in why:
        return HOSTS
    return RIGHTS if status == 403 else None


def failed(doing: str, why: str) -> CloudError:
    """Return the error of an instance that Nova gave up, with what it says of it."""
    said = _one_line(why)
    return CloudError(f"cannot {doing}: {said}", hint=_hint(None, said))


def words_of(error: Exception) -> str:
    """Return what a service said of an error, in one line."""
    return _one_line(_FROM_URL.sub("", str(getattr(error, "details", None) or error)))


def _one_line(text: str) -> str:
    lines = text.strip().splitlines() or ["it does not say why"]
    return lines[0][:_LONGEST].rstrip(". ")
