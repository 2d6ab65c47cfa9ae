"""An endpoint exists only for an address that is safe to send a key and code to."""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import trustme

from redline.errors import InsecureEndpointError, ModelRejectedError
from redline.models import model_address as endpoint_module
from redline.models.model_address import ModelAddress, parse_model_address
from redline.settings.tree import Api, ModelSettings


def parsed(
    url: str,
    api: Api = "responses-socket",
    *,
    ca_file: str | None = None,
    proxy: str | None = None,
    environ: dict[str, str] | None = None,
) -> ModelAddress:
    settings = ModelSettings(api=api, url=url, name="m", ca_file=ca_file, proxy=proxy)
    return parse_model_address("spark", settings, environ=environ or {})


@pytest.mark.parametrize(
    ("url", "api", "host", "is_loopback", "is_tls"),
    [
        ("wss://api.example.com/v1/responses", "responses-socket", None, False, True),
        ("https://api.example.com/v1", "responses-http", None, False, True),
        ("wss://api.example.com:8443/v1", "responses-socket", ":8443", False, True),
        ("ws://localhost:9/v1", "responses-socket", "localhost:9", True, False),
        ("ws://127.0.0.2:9/v1", "responses-socket", "127.0.0.2:9", True, False),
        ("http://[::1]:9/v1", "responses-http", "[::1]:9", True, False),
        ("wss://localhost:9/v1", "responses-socket", "localhost:9", True, True),
    ],
)
def test_safe_addresses_are_taken(
    url: str, api: Api, host: str | None, is_loopback: bool, is_tls: bool
) -> None:
    endpoint = parsed(url, api)

    assert endpoint.url == url
    assert endpoint.host.endswith(host or "api.example.com")
    assert (endpoint.is_loopback, endpoint.is_tls) == (is_loopback, is_tls)
    assert (endpoint.ssl_context() is not None) == is_tls


def gateway(url: str, api: Api = "responses-socket") -> ModelAddress:
    settings = ModelSettings(provider="redline-gateway", api=api, url=url, name="m")
    return parse_model_address("team", settings, environ={})


@pytest.mark.parametrize("api", ["responses-socket", "responses-http"])
@pytest.mark.parametrize("schemes", [("https", "http"), ("wss", "ws")])
@pytest.mark.parametrize("path", ["", "/", "/v1/responses", "/team/v1/responses"])
def test_the_address_of_a_gateway_is_enough(
    path: str, schemes: tuple[str, str], api: Api
) -> None:
    """With either scheme; the setting `api` decides between them."""
    whole = path if path.endswith("responses") else "/v1/responses"
    secure, plain = schemes
    remote = gateway(f"{secure}://gateway.example.com:7788{path}", api)
    assert remote.socket_url == f"wss://gateway.example.com:7788{whole}"
    assert remote.http_url == f"https://gateway.example.com:7788{whole}"
    local = gateway(f"{plain}://127.0.0.1:7788{path}", api)
    assert local.socket_url == f"ws://127.0.0.1:7788{whole}"
    assert local.url.startswith("ws" if api == "responses-socket" else "http")


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("gateway.example.com:7788", "begins with https://"),
        ("//gateway.example.com", "begins with https://"),
        ("https://gateway.example.com/v1", "ends in /v1/responses"),
        ("https://gateway.example.com/v1/chat/completions", "can be left out"),
        ("https://:7788", "no host"),
        (" https://gateway.example.com", "space"),
    ],
)
def test_what_is_not_the_address_of_a_gateway_is_refused(url: str, why: str) -> None:
    with pytest.raises(ModelRejectedError, match=why) as caught:
        gateway(url)

    assert "models.team.url" in caught.value.remedy


@pytest.mark.parametrize("scheme", ["http", "ws"])
def test_a_gateway_on_another_machine_needs_tls(scheme: str) -> None:
    """A key and code would cross the network in plain text."""
    with pytest.raises(InsecureEndpointError, match="plain text") as caught:
        gateway(f"{scheme}://gateway.example.com:7788")

    assert f"Use {scheme}s://" in caught.value.remedy


@pytest.mark.parametrize(
    ("url", "api"),
    [
        ("ws://api.example.com/v1", "responses-socket"),
        ("http://api.example.com/v1", "responses-http"),
        ("ws://localhost.evil.com/v1", "responses-socket"),
        ("ws://127.0.0.1.evil.com/v1", "responses-socket"),
        ("ws://0.0.0.0:1/v1", "responses-socket"),
    ],
)
def test_plain_text_to_another_machine_is_refused(url: str, api: Api) -> None:
    with pytest.raises(InsecureEndpointError, match="plain text") as caught:
        parsed(url, api)

    assert "models.spark.url" in caught.value.remedy


def test_tasks_as_data_stay_on_this_machine() -> None:
    settings = ModelSettings(
        api="responses-socket", url="wss://a.example/v1", name="m", task_data=True
    )
    with pytest.raises(InsecureEndpointError, match="another machine") as caught:
        parse_model_address("spark", settings, environ={})

    assert "models.spark.task_data" in caught.value.remedy


@pytest.mark.parametrize(
    "url",
    [
        "ws://localhost@evil.com/v1",
        "wss://user:hunter2@api.example.com/v1",
        "wss://api.example.com/v1?key=hunter2",
        "wss://api.example.com/v1?API_KEY=hunter2",
        "wss://api.example.com/v1?model=a&access_token=",
    ],
)
def test_credentials_in_the_address_are_refused_and_not_shown(url: str) -> None:
    with pytest.raises(InsecureEndpointError) as caught:
        parsed(url)

    assert "hunter2" not in str(caught.value) + caught.value.remedy


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("https://api.example.com/v1", "begins with wss://"),
        ("api.example.com/v1", "begins with wss://"),
        ("file:///etc/passwd", "begins with wss://"),
        ("wss:///v1", "no host"),
        ("wss://host/v1#x", "fragment"),
        ("wss://host:0/v1", "port"),
        ("wss://host:99999/v1", "[Pp]ort"),
        ("wss://host:x/v1", "[Pp]ort"),
        ("wss://[::1/v1", "host or its port"),
        ("ws://localhost\\@evil.com/v1", "backslash"),
        ("ws://local\thost/v1", "control"),
        (" wss://host/v1", "space"),
        ("wss://host/v1\r\nX: y", "control"),
        ("", "begins with wss://"),
    ],
)
def test_a_senseless_address_is_refused_and_says_where_it_stands(
    url: str, why: str
) -> None:
    with pytest.raises(ModelRejectedError, match=why) as caught:
        parsed(url)

    assert "models.spark.url" in caught.value.remedy


def test_socket_and_http_addresses_lead_to_each_other() -> None:
    socket = parsed("wss://api.example.com:8/v1/responses?api-version=1")
    http = parsed("http://127.0.0.1:9/v1/responses", "responses-http")

    assert socket.http_url == "https://api.example.com:8/v1/responses?api-version=1"
    assert socket.socket_url == socket.url
    assert http.socket_url == "ws://127.0.0.1:9/v1/responses"
    assert http.http_url == http.url


def test_the_tls_context_is_shared_and_wants_tls_1_2_and_a_certificate() -> None:
    context = parsed("wss://a.example.com/v1").ssl_context()

    assert context is not None
    assert context is parsed("wss://b.example.com/v1").ssl_context()
    assert context.minimum_version == ssl.TLSVersion.TLSv1_2
    assert context.verify_mode == ssl.CERT_REQUIRED
    assert context.check_hostname


def test_a_ca_file_is_trusted_instead_of_the_system(tmp_path: Path) -> None:
    authority = tmp_path / "ca.pem"
    comment = "# Zertifizierungsstelle für uns\n".encode()
    authority.write_bytes(comment + trustme.CA().cert_pem.bytes())

    context = parsed("wss://host/v1", ca_file=str(authority)).ssl_context()

    assert context is not None
    assert [c["subject"] for c in context.get_ca_certs()] != []
    assert len(context.get_ca_certs()) == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda path: None,
        os.mkfifo,
        os.mkdir,
        lambda path: path.write_text(""),
        lambda path: path.write_text("no certificate"),
        lambda path: path.write_bytes(b"\xff\xfe"),
        lambda path: path.symlink_to("/dev/zero"),
    ],
    ids=["missing", "pipe", "folder", "empty", "text", "bytes", "device"],
)
def test_a_ca_file_that_is_none_is_named(
    tmp_path: Path, make: Callable[[Path], object]
) -> None:
    """A pipe would hold the whole server up."""
    make(tmp_path / "none.pem")
    endpoint = parsed("wss://host/v1", ca_file=str(tmp_path / "none.pem"))

    with pytest.raises(ModelRejectedError, match=r"none\.pem"):
        endpoint.ssl_context()


def test_the_proxys_password_does_not_show() -> None:
    endpoint = parsed("wss://host/v1", proxy="http://me:hunter2@proxy:3128")

    assert endpoint.proxy == "http://me:hunter2@proxy:3128"
    assert "hunter2" not in repr(endpoint)


@pytest.fixture
def fresh_contexts() -> Iterator[None]:
    """Forget contexts built for another environment, before and after."""
    endpoint_module._tls_context.cache_clear()
    yield
    endpoint_module._tls_context.cache_clear()


@pytest.mark.usefixtures("fresh_contexts")
def test_ssl_cert_file_is_honoured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = tmp_path / "ca.pem"
    trustme.CA(organization_name="Only us").cert_pem.write_to_path(str(authority))
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "empty"))

    context = parsed("wss://host/v1").ssl_context()

    assert context is not None
    assert "Only us" in str(context.get_ca_certs())
    assert len(context.get_ca_certs()) == 1


@pytest.mark.usefixtures("fresh_contexts")
def test_without_authorities_of_the_system_the_bundled_list_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "none"))

    context = parsed("wss://host/v1").ssl_context()

    assert context is not None
    assert len(context.get_ca_certs()) > 50
    assert context.verify_mode == ssl.CERT_REQUIRED
    assert context.minimum_version == ssl.TLSVersion.TLSv1_2
