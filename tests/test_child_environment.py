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
        *("DOCKER_AUTH_CONFIG", "CI_JOB_JWT_V1", "PRIVATE_KEY_PEM", "AUTH_HEADER"),
        *("npm_config_//registry.npmjs.org/:_authToken", "VAULT_UNSEAL_KEY_1"),
        *("MY_TOKEN1", "API_KEY1", "SIGNING_KEYS", "BW_SESSION", "OP_SESSION_my"),
        *("ROOT_PASS_OLD", "AWS_CREDS", "CREDS", "BEARER", "DB_PW", "MNEMONIC"),
        *("SEED_PHRASE", "GCP_SA_JSON", "AZURE_STORAGE_CONNECTION_STRING"),
        *("SLACK_WEBHOOK_URL", "STRIPE_SK", "GOOGLE_SERVICE_ACCOUNT_JSON"),
        *("SSHPASS", "SMTPPASS2", "LDAP_BINDPW", "DBPW"),
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
        *("SSH_ASKPASS", "BYPASS", "PGPASSFILE", "RUNPWD"),
        *("XDG_SESSION_ID", "DESKTOP_SESSION", "DBUS_SESSION_BUS_ADDRESS", "LS_COLORS"),
        *("TOKENIZERS_PARALLELISM", "KEYTIMEOUT", "XAUTHORITY", "GNUPGHOME", "KEYMAP"),
        *("GNOME_KEYRING_CONTROL", "MONKEYTYPE_HOME", "PYTEST_XDIST_WORKER", "SSH_TTY"),
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
        "POSTGRES_URL": "postgresql://db/app?user=app&password=s3cret",
        "BLOB_URL": "https://a.b/c?sv=2024&sig=s3cret",
        "REDIS_URL": "rediss://s3cret@cache:6380/0",
        "REMOTE": "https://ghp_0123456789abcdef@example.org/a.git",
        "SEARCH_URL": "https://a.b/c?page=1&passes=2",
        "SSH_REMOTE": "ssh://git@example.org/a.git",
        "DATABASE": "postgres://continuous-integration@db/app",
        "CACHE": "redis://cache:6379/0",
        "GIT_CONFIG_VALUE_0": url,
        "HOMEPAGE": "https://a.b/c",
    }
    assert child_environment(given).keys() == {
        *("GIT_CONFIG_VALUE_0", "HOMEPAGE", "SEARCH_URL"),
        *("SSH_REMOTE", "DATABASE", "CACHE"),
    }
