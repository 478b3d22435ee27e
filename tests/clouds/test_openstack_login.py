"""Logging in to a cloud: as openstacksdk does, by verified TLS, and nothing secret is told."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path

import pytest

from assay.model.errors import AssayError, Exit
from assay.model.platforms.plugin_place import PluginPlace
from assay.platforms.plugin_places import cpus_of
from assay_openstack.cloud import cloud as logged_in
from assay_openstack.cloud import version_of
from assay_openstack.errors import told, words_of
from tests.clouds.cloud import CLOUDS, PASSWORD, Cloud, running, use
from tests.clouds.parts import OWN_WARNINGS, PLAIN

pytestmark = OWN_WARNINGS


def refused() -> AssayError:
    """Return the error of a look at the cloud, which holds no secret and is one line."""
    with pytest.raises(AssayError) as error:
        cpus_of(PluginPlace("openstack", PLAIN))
    assert PASSWORD not in error.value.message + (error.value.hint or "")
    assert "\n" not in error.value.message
    return error.value


def test_credentials_of_the_environment_do_as_well(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OS_CLOUD")
    given = {
        "AUTH_URL": f"{cloud.url}/identity",
        "USERNAME": "bench",
        "PASSWORD": PASSWORD,
        "PROJECT_NAME": "bench",
        "USER_DOMAIN_NAME": "Default",
        "PROJECT_DOMAIN_NAME": "Default",
    }
    for name, value in given.items():
        monkeypatch.setenv(f"OS_{name}", value)
    monkeypatch.setenv("OS_CLIENT_CONFIG_FILE", "/nonexistent")
    assert cpus_of(PluginPlace("openstack", PLAIN)) == 1
    with logged_in() as connection:
        assert version_of(connection) == "Nova API 2.96"


def test_wrong_credentials_are_refused_by_the_cloud(cloud: Cloud, tmp_path: Path) -> None:
    file = tmp_path / "clouds.yaml"
    file.write_text(file.read_text().replace(PASSWORD, "wrong-77"))
    error = refused()
    assert error.message == "cannot log in to the cloud: the cloud refuses the credentials"
    assert (error.exit_code, "wrong-77" in error.message) == (Exit.MISSING, False)
    assert "openstack token issue" in (error.hint or "")


@pytest.mark.parametrize("named", ["nosuch", None])
def test_a_cloud_that_is_not_named_is_asked_for(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch, named: str | None
) -> None:
    if named is None:
        monkeypatch.delenv("OS_CLOUD")
        monkeypatch.setenv("OS_CLIENT_CONFIG_FILE", "/nonexistent")
    else:
        monkeypatch.setenv("OS_CLOUD", named)
    error = refused()
    assert error.message.startswith("cannot log in to the cloud: it is not said how to log in to a cloud: ")
    assert error.exit_code is Exit.MISSING
    assert "export OS_CLOUD=NAME" in (error.hint or "")


def test_a_cloud_that_does_not_answer_is_not_reached(
    cloud: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as taken:  # a port that nobody listens to
        taken.bind(("127.0.0.1", 0))
        use(Cloud(url=f"http://127.0.0.1:{taken.getsockname()[1]}"), tmp_path, monkeypatch)
        error = refused()
    assert error.exit_code is Exit.UNREACHABLE
    assert error.message.startswith("cannot log in to the cloud: nothing answers at http://127.0.0.1:")
    cloud.instead["GET /identity"] = 500, {}
    use(cloud, tmp_path, monkeypatch)
    error = refused()
    assert (error.exit_code, error.hint) == (Exit.UNREACHABLE, "is auth_url right?")


def test_without_tls_only_this_machine_is_asked(
    cloud: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(Cloud(url="http://cloud.site:5000"), tmp_path, monkeypatch)
    error = refused()
    assert error.message == "cannot log in to the cloud: http://cloud.site:5000 is without TLS"
    use(Cloud(url="http://192.0.2.1"), tmp_path, monkeypatch)
    assert "http://192.0.2.1 is without TLS" in refused().message
    use(cloud, tmp_path, monkeypatch, CLOUDS.replace("127.0.0.1", "localhost"))
    token = cloud.reply("keystone-token")
    token["token"]["catalog"][1]["endpoints"][0]["url"] = "http://nova.site:8774/v2.1"
    cloud.instead["POST /identity/v3/auth/tokens"] = 201, token
    assert "http://nova.site:8774 is without TLS" in refused().message, "nor by what the catalogue says"


def test_a_certificate_must_be_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cloud: Cloud) -> None:
    certificate, key = tmp_path / "cloud.pem", tmp_path / "key.pem"
    words = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=cloud"
    )
    own = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate]
    subprocess.run([*words.split(), *own], check=True, capture_output=True)
    authority = tmp_path / "authority.pem"
    authority.write_bytes(certificate.read_bytes())
    certificate.write_bytes(certificate.read_bytes() + key.read_bytes())
    with running(certificate) as by_tls:
        use(by_tls, tmp_path, monkeypatch)
        error = refused()
        assert error.exit_code is Exit.UNREACHABLE
        assert (
            error.message
            == f"cannot log in to the cloud: the certificate of {by_tls.url}/identity is not trusted"
        )
        assert "cacert" in (error.hint or "")
        use(by_tls, tmp_path, monkeypatch, f"{CLOUDS}    verify: false\n")
        error = refused()
        assert error.message == "cannot log in to the cloud: its certificate would not be verified"
        use(by_tls, tmp_path, monkeypatch, f"{CLOUDS}    cacert: {authority}\n")
        assert cpus_of(PluginPlace("openstack", PLAIN)) == 1


def test_words_of_a_service_are_one_line_of_bounded_length() -> None:
    assert words_of(ValueError("")) == "it does not say why"
    assert words_of(ValueError("first.\nsecond")) == "first"
    assert len(words_of(ValueError("x" * 500))) == 200
    with pytest.raises(ZeroDivisionError), told("divide"):
        _ = 1 / 0
