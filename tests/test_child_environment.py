"""The environment of child processes."""

from __future__ import annotations

import pytest

from redline.child_environment import child_environment
from redline.models.keys import CachedKey
from redline.settings.providers import PROVIDERS
from redline.settings.tree import KeySource

KEY_NAMES = [name for provider in PROVIDERS for name in provider.env]


@pytest.mark.parametrize(
    "name",
    [
        *KEY_NAMES,
        *(
            "openai_api_key",
            "MY_KEY",
            "KEY",
            "OPENAI_APIKEY_2",
            "AWS_SECRET_ACCESS_KEY",
        ),
        *("LLMKEY", "NPM_AUTH", "Authorization", "PASSPHRASE", "MYSQL_PWD", "JWT"),
        *("GITHUB_TOKEN", "DB_PASSWORD", "MYSQL_PWD_PASSWD", "GH_PAT", "HTTPS_PROXY"),
    ],
)
def test_secrets_are_left_out(name: str) -> None:
    """The keys of all providers, and what is named like a secret."""
    assert child_environment({name: "x", "HOME": "/h"}) == {"HOME": "/h"}


@pytest.mark.parametrize(
    "name",
    [
        *("PATH", "HOME", "PWD", "OLDPWD", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV"),
        *(
            "CONDA_PREFIX",
            "SYSTEMROOT",
            "LOCALAPPDATA",
            "XDG_CONFIG_HOME",
            "PYTHONUTF8",
        ),
        *(
            "GIT_CONFIG_COUNT",
            "GIT_CONFIG_KEY_0",
            "GIT_CONFIG_VALUE_0",
            "SSH_AUTH_SOCK",
        ),
        *("LD_LIBRARY_PATH", "GIT_ASKPASS", "COMPASS", "TIKTOKEN_CACHE_DIR"),
    ],
)
def test_the_rest_stays(name: str) -> None:
    """Children find their programs, folders and settings."""
    assert child_environment({name: "x"}) == {name: "x"}


def test_the_places_of_keys_are_left_out() -> None:
    """A variable that the settings name as one, whatever it is called."""
    environ = {"ZEBRA": "x", "HOME": "/h"}
    assert child_environment(environ) == environ
    CachedKey(KeySource(env="ZEBRA"), environ={})
    assert child_environment(environ) == {"HOME": "/h"}


def test_addresses_with_a_password_are_left_out() -> None:
    """Git's numbered variables stay: it fails if one is missing."""
    url = "postgres://app:s3cret@db/app"
    given = {
        "DATABASE_URL": url,
        "GIT_CONFIG_VALUE_0": url,
        "HOMEPAGE": "https://a.b/c",
    }
    assert child_environment(given).keys() == {"GIT_CONFIG_VALUE_0", "HOMEPAGE"}
