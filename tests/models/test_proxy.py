"""The proxy is the setting's, else the environment's, and never for this machine."""

from __future__ import annotations

import pytest

from redline.errors import ModelRejectedError
from redline.keys_in_use import REDACTED, redact
from redline.models.proxy import choose_proxy

ENVIRONMENT = {"HTTPS_PROXY": "http://proxy:3128"}


def chosen(
    environ: dict[str, str],
    host: str = "api.example.com",
    *,
    setting: str | None = None,
    port: int | None = None,
) -> str | None:
    return choose_proxy("spark", setting, host, port, environ=environ)


@pytest.mark.parametrize(
    ("environ", "proxy"),
    [
        ({}, None),
        ({"HTTPS_PROXY": "http://p:1"}, "http://p:1"),
        ({"https_proxy": "http://low:1", "HTTPS_PROXY": "http://up:1"}, "http://low:1"),
        ({"ALL_PROXY": "socks5h://p:1"}, "socks5h://p:1"),
        ({"ALL_PROXY": "http://all:1", "HTTPS_PROXY": "http://p:1"}, "http://p:1"),
        ({"HTTP_PROXY": "http://p:1"}, None),
        ({"HTTPS_PROXY": ""}, None),
        ({"HTTPS_PROXY": "p:1"}, "http://p:1"),
    ],
)
def test_the_environment_decides_without_a_setting(
    environ: dict[str, str], proxy: str | None
) -> None:
    assert chosen(environ) == proxy


def test_the_setting_wins_over_the_environment_and_its_exceptions() -> None:
    excepted = ENVIRONMENT | {"NO_PROXY": "*"}

    assert chosen(excepted, setting="http://mine:1") == "http://mine:1"
    assert chosen(ENVIRONMENT, setting="") is None


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.1.1.1", "::1"])
def test_this_machine_is_never_reached_through_a_proxy(host: str) -> None:
    assert chosen(ENVIRONMENT, host) is None
    assert chosen({}, host, setting="http://mine:1") is None


@pytest.mark.parametrize(
    ("host", "port", "no_proxy", "is_direct"),
    [
        ("api.example.com", None, "*", True),
        ("api.example.com", None, "example.com", True),
        ("api.example.com", None, ".example.com", True),
        ("api.example.com", None, "*.example.com", True),
        ("api.example.com", None, "other.org, API.Example.COM ", True),
        ("API.example.com", None, "api.example.com", True),
        ("badexample.com", None, "example.com", False),
        ("api.example.com", None, "example.org", False),
        ("api.example.com", None, "com.", False),
        ("api.example.com", None, ",", False),
        ("api.example.com", None, ".", False),
        ("api.example.com", None, "api.example.com:443", True),
        ("api.example.com", 8443, "api.example.com:443", False),
        ("api.example.com", 8443, "api.example.com:8443", True),
        ("10.1.2.3", None, "10.0.0.0/8", True),
        ("10.1.2.3", None, "10.1.2.3", True),
        ("11.1.2.3", None, "10.0.0.0/8", False),
        ("api.example.com", None, "10.0.0.0/8", False),
        ("fd00::1", None, "fd00::/8", True),
        ("fd00::1", None, "[fd00::1]", True),
        ("fd00::1", None, "nonsense/8", False),
    ],
)
def test_no_proxy_names_exceptions(
    host: str, port: int | None, no_proxy: str, is_direct: bool
) -> None:
    proxy = chosen(ENVIRONMENT | {"NO_PROXY": no_proxy}, host, port=port)

    assert proxy == (None if is_direct else "http://proxy:3128")


@pytest.mark.parametrize(
    "address", ["ftp://me:hunter2@p:1", "http://", "http://p:0", "http://[::1:hunter2"]
)
def test_a_senseless_proxy_is_refused_without_its_password(address: str) -> None:
    with pytest.raises(ModelRejectedError, match="proxy of model spark") as from_env:
        chosen({"HTTPS_PROXY": address})
    with pytest.raises(ModelRejectedError) as from_setting:
        chosen({}, setting=address)

    assert "HTTPS_PROXY" in from_env.value.remedy
    assert "models.spark.proxy" in from_setting.value.remedy
    for error in (from_env.value, from_setting.value):
        assert "hunter2" not in str(error) + error.remedy


def test_the_password_of_a_proxy_is_removed_from_texts() -> None:
    """A proxy that refuses it may repeat it."""
    chosen({"HTTPS_PROXY": "http://me:b%40ttery-staple@proxy:3128"})
    redacted = redact("407: b@ttery-staple is wrong")
    # The last word may be a key of another test of this process.
    assert redacted.startswith(f"407: {REDACTED} is ")
