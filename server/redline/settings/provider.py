"""One provider: where it is, which hosts its key may go to, and its defaults."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct, field

from redline.settings.known_models import (
    SAFE_CONTEXT_TOKENS,
    SAFE_OUTPUT_TOKENS,
    known_model,
)
from redline.settings.tree import Api, KeySource, ModelSettings, TierName


class DefaultModel(Struct, frozen=True, kw_only=True):
    """The model that fills a tier if only a provider's key is found."""

    name: str
    effort: str | None = None
    sockets: int = 1


class Provider(Struct, frozen=True, kw_only=True):
    """One provider of models, or a server that people run themselves."""

    id: str
    """Its name in the settings."""
    title: str
    """Its name for people."""
    endpoints: Mapping[Api, str]
    """The url of each wire format; the first is the default."""
    more_hosts: tuple[str, ...] = ()
    """Hosts besides those of its endpoints; a leading dot stands for any subdomain."""
    env: tuple[str, ...] = ()
    """Environment variables that may hold its key, the usual one first. Empty: it runs
    on this machine and needs no key."""
    tiers: Mapping[TierName, DefaultModel] = field(default_factory=dict)
    """The default model of each tier, for the tiers that it fills by itself."""
    is_at_any_url: bool = False
    """Whether its url is the user's own: its key goes where the settings say."""
    max_age_s: float | None = None
    """Below the provider's limit on a socket's age; None: as in the settings."""

    @property
    def api(self) -> Api:
        """The wire format that is used unless the settings name another."""
        return next(iter(self.endpoints))

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts that are known as its own; empty: it has none."""
        if self.is_at_any_url:
            return ()
        own = (urlsplit(url).hostname or "" for url in self.endpoints.values())
        return tuple(dict.fromkeys((*own, *self.more_hosts))) if self.env else ()

    @property
    def key(self) -> KeySource | None:
        """Where its key is, unless the settings say otherwise."""
        return KeySource(env=self.env[0]) if self.env else None

    def found_env(self, environ: Mapping[str, str]) -> str | None:
        """Return the variable that holds a key; None if there is none."""
        return next((name for name in self.env if environ.get(name, "").strip()), None)

    def is_own_url(self, url: str) -> bool:
        """Say whether its key may be sent to a url."""
        if self.is_at_any_url:
            return True
        try:
            return is_host_of(urlsplit(url).hostname or "", self.hosts)
        except ValueError:
            return False

    def model(self, default: DefaultModel, *, env: str) -> ModelSettings:
        """Return the settings of a default model, whose key is in a variable."""
        given: dict[str, object] = {"sockets": default.sockets}
        if default.effort is not None:
            given["effort"] = default.effort
        return self.settings(default.name, env=env, **given)

    def settings(self, name: str, *, env: str | None, **given: object) -> ModelSettings:
        """Return the settings of any model of this provider.

        Args:
            name: The model's name at the provider.
            env: The variable that holds the key; None: the usual one, if any.
            given: Settings that differ from the defaults.
        """
        given = {"name": name, "provider": self.id, **given}
        if env is not None:
            given["key"] = KeySource(env=env)
        return msgspec.convert({**self.defaults(given), **given}, ModelSettings)

    def defaults(self, given: Mapping[str, object]) -> dict[str, object]:
        """Return the settings of a model that are not given, as far as it has some.

        Args:
            given: The model's own settings, valid values by name.
        """
        found: dict[str, object] = {"api": self.api}
        for api, endpoint in self.endpoints.items():
            if api == given.get("api", self.api):
                found["url"] = endpoint
        url = given.get("url", found.get("url"))
        if self.key is not None and isinstance(url, str) and self.is_own_url(url):
            found["key"] = self.key
        known = known_model(str(given.get("name", "")))
        found["context_tokens"] = known.context_tokens if known else SAFE_CONTEXT_TOKENS
        found["max_output_tokens"] = (
            known.max_output_tokens if known else SAFE_OUTPUT_TOKENS
        )
        if known and known.effort:
            found["effort"] = known.effort
        if self.max_age_s is not None:
            found["max_age_s"] = self.max_age_s
        return found


def is_host_of(host: str, hosts: tuple[str, ...]) -> bool:
    """Say whether a host is one of several.

    Args:
        host: With or without a port.
        hosts: Names; a leading dot stands for any subdomain.
    """
    name = host.partition(":")[0].lower()
    return any(
        name.endswith(known) if known.startswith(".") else name == known
        for known in hosts
    )
