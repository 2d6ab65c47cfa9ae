"""The environment of child processes."""

from __future__ import annotations

import pytest

from redline.child_environment import child_environment
from redline.settings.providers import PROVIDERS

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
