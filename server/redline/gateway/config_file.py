"""Reads `gateway.toml`: where to listen, for whom, and in front of which models.

Every problem of the file is found at once. A file with problems is not used: half a
configuration might serve the wrong people.
"""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Mapping
from functools import partial
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from redline.errors import ModelError
from redline.gateway.limits.accounts import UserSettings
from redline.gateway.stored.shared_store import has_store_library, store_url_problem
from redline.models.loopback import is_loopback_host
from redline.models.model_address import parse_model_address
from redline.settings.flatten import flatten
from redline.settings.merge import Merged, merge
from redline.settings.source import SettingProblem, Source
from redline.settings.table_base import SettingsTable
from redline.settings.toml_file import TomlFile, parse_toml, read_toml
from redline.settings.tree import LimitSettings, ModelSettings

_TABLES = ("listen", "metrics", "limits", "store", "upstreams", "users")

_TIME_LIMITS = ("connect_s", "first_delta_s", "stall_s", "generation_s")
"""The settings of `[limits]` that a gateway has, too."""

_SECONDS = {"queue_s": 30.0, "drain_s": 60.0}
"""The other limits of `[limits]`, with their defaults."""

_OWN = ("fallback", "running")
"""What an upstream has besides the settings of its model."""

_PATIENT = {"first_delta_s": 300.0, "stall_s": 300.0, "generation_s": 3_600.0}
"""Their defaults: clients have limits of their own, which are shorter."""

USER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}")

_PLACE = re.compile(r" - at `\$\.?(?P<key>[^`]*)`$")

_Table = TypeVar("_Table", bound=SettingsTable)


class TlsTable(SettingsTable, frozen=True, kw_only=True):
    """The gateway's own certificate."""

    cert: str
    """A PEM file, relative to the folder of the configuration."""
    key: str


class ListenTable(SettingsTable, frozen=True, kw_only=True):
    """Where the gateway listens."""

    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65_535)] = 7788
    tls: TlsTable | None = None
    behind_proxy: tuple[str, ...] = ()
    """The networks of the proxies that end TLS; nobody else may connect."""

    @property
    def is_protected(self) -> bool:
        """Whether what comes from other machines is encrypted up to a trusted one."""
        return self.tls is not None or bool(self.behind_proxy)


class MetricsTable(SettingsTable, frozen=True, kw_only=True):
    """Where metrics are served, to anyone who can connect."""

    port: Annotated[int, Meta(ge=0, le=65_535)]
    host: str = "127.0.0.1"


class StoreTable(SettingsTable, frozen=True, kw_only=True):
    """The store that workers share."""

    url: str
    password_env: str | None = None
    """The environment variable of its password."""
    kept_s: Annotated[float, Meta(ge=1, le=31_536_000)] = 86_400.0
    """How long it holds a response."""


class UserTable(UserSettings, frozen=True, kw_only=True):
    """One user, with the limits of those whose table has none."""

    running: Annotated[int, Meta(ge=1)] = 4
    queued: Annotated[int, Meta(ge=0)] = 8


class _OwnTable(SettingsTable, frozen=True, kw_only=True):
    """What an upstream has besides its model."""

    fallback: str | None = None
    running: Annotated[int, Meta(ge=1)] | None = None


class UpstreamSettings(Struct, frozen=True, kw_only=True):
    """One model behind the gateway."""

    model: ModelSettings
    fallback: str | None = None
    """The upstream that answers if this one fails before any text."""
    running: int | None = None
    """Most requests that it answers at once; None: no limit."""


class GatewayFile(Struct, frozen=True, kw_only=True):
    """A configuration, complete only if it has no problems."""

    path: Path
    listen: ListenTable
    metrics: MetricsTable | None
    """None: they are not served."""
    store: StoreTable | None
    """None: each worker has its own responses in its memory."""
    limits: LimitSettings
    queue_s: float
    """Longest wait of a request for its turn."""
    drain_s: float
    """Longest wait for running answers at the end."""
    upstreams: Mapping[str, UpstreamSettings]
    users: tuple[UserTable, ...]
    problems: tuple[SettingProblem, ...]
    content: bytes
    """The bytes of the file."""

    def resolved(self, name: str) -> Path:
        """Return the path of a file that the configuration names."""
        return self.path.parent / name


def load_gateway_file(
    path: Path,
    *,
    content: bytes | None = None,
    environ: Mapping[str, str] | None = None,
) -> GatewayFile:
    """Read and check a configuration; never fails.

    Args:
        path: The file.
        content: Its bytes, if another process has read it; None: it is read now.
        environ: The environment, for proxies; None: the process's own.
    """
    file = read_toml(path) if content is None else parse_toml(path, content)
    return _Reading(file, os.environ if environ is None else environ).result()


class _Reading:
    """The state of one reading."""

    def __init__(self, file: TomlFile, environ: Mapping[str, str]) -> None:
        self._file = file
        self._environ = environ
        self._problems: list[SettingProblem] = []

    def result(self) -> GatewayFile:
        file = self._file
        if file.state == "absent":
            self._report("", "this file does not exist")
        if file.problem is not None:
            self._problems.append(file.problem)
        if file.state == "read":
            for name in file.values.keys() - set(_TABLES):
                self._report(name, f"expected one of {', '.join(_TABLES)}")
        listen = self._table("listen", ListenTable) or ListenTable()
        has_metrics = "metrics" in file.values
        metrics = self._table("metrics", MetricsTable) if has_metrics else None
        has_store = "store" in file.values
        store = self._table("store", StoreTable) if has_store else None
        users = self._users()
        limits, upstreams = self._upstreams()
        if file.state == "read":
            self._check_listen(listen)
            self._check_store(store)
            self._check_users(users)
            self._check_upstreams(upstreams)
        return GatewayFile(
            path=file.path,
            listen=listen,
            metrics=metrics,
            store=store,
            limits=limits,
            queue_s=self._seconds("queue_s"),
            drain_s=self._seconds("drain_s"),
            upstreams=upstreams,
            users=users,
            problems=tuple(self._problems),
            content=file.content,
        )

    # Reading.

    def _table(self, name: str, kind: type[_Table]) -> _Table | None:
        return self._converted(name, self._file.values.get(name, {}), kind)

    def _converted(self, key: str, value: object, kind: type[_Table]) -> _Table | None:
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            place = _PLACE.search(str(error))
            inner = place["key"] if place else ""
            message = _PLACE.sub("", str(error))
            self._report(".".join(filter(None, (key, inner))), message)
            return None

    def _users(self) -> tuple[UserTable, ...]:
        given = self._file.values.get("users", [])
        if not isinstance(given, list):
            self._report("users", "expected tables, each as `[[users]]`")
            return ()
        read = (
            self._converted(f"users[{number}]", each, UserTable)
            for number, each in enumerate(given, start=1)
        )
        return tuple(user for user in read if user is not None)

    def _upstreams(self) -> tuple[LimitSettings, dict[str, UpstreamSettings]]:
        given = self._file.values.get("upstreams", {})
        if not isinstance(given, Mapping):
            self._report("upstreams", "expected tables, each as `[upstreams.NAME]`")
            given = {}
        tables = {name: each for name, each in given.items() if _is_table(each)}
        for name in given.keys() - tables.keys():
            self._report(f"upstreams.{name}", "expected a table")
        merged = self._merged(tables)
        upstreams = {
            name: UpstreamSettings(model=model, **self._own(name, tables[name]))
            for name, model in merged.settings.models.items()
        }
        return merged.settings.limits, upstreams

    def _merged(self, tables: Mapping[str, Mapping[str, object]]) -> Merged:
        """Read the models as those of the settings are read."""
        models = {
            name: {key: value for key, value in table.items() if key not in _OWN}
            for name, table in tables.items()
        }
        limits = self._file.values.get("limits", {})
        if not isinstance(limits, Mapping):
            self._report("limits", "expected a table")
            limits = {}
        words = (*_TIME_LIMITS, *_SECONDS)
        for name in limits.keys() - set(words):
            self._report(f"limits.{name}", f"expected one of {', '.join(words)}")
        known = {name: limits[name] for name in limits.keys() & set(_TIME_LIMITS)}
        merged = merge(
            [
                Source(kind="user", name="", values=flatten({"limits": _PATIENT})),
                Source(
                    kind="user",
                    name=str(self._file.path),
                    values=flatten({"models": models, "limits": known}),
                    lines={_in_settings(k): at for k, at in self._file.lines.items()},
                ),
            ]
        )
        self._problems += [
            replace(each, key=_in_gateway(each.key)) for each in merged.problems
        ]
        return merged

    def _own(
        self, name: str, table: Mapping[str, object]
    ) -> dict[str, Any]:  # Values of the fields' own types.
        """Read what an upstream has besides its model."""
        own = {key: table[key] for key in _OWN if key in table}
        read = self._converted(f"upstreams.{name}", own, _OwnTable)
        return msgspec.structs.asdict(read) if read else {}

    def _seconds(self, name: str) -> float:
        limits = self._file.values.get("limits", {})
        given = limits.get(name) if isinstance(limits, Mapping) else None
        if given is None:
            return _SECONDS[name]
        if isinstance(given, int | float) and given > 0:
            return float(given)
        self._report(f"limits.{name}", "expected a number of seconds above 0")
        return _SECONDS[name]

    # Checking.

    def _check_listen(self, listen: ListenTable) -> None:
        if not is_loopback_host(listen.host) and not listen.is_protected:
            self._report(
                "listen.host",
                "other machines can connect only with `tls`, or with `behind_proxy` if"
                " a proxy ends TLS",
            )
        for network in listen.behind_proxy:
            try:
                ip_network(network)
            except ValueError:
                self._report(
                    "listen.behind_proxy", "expected networks such as `10.0.0.0/8`"
                )
        if listen.tls is not None:
            self._check_tls(listen.tls)

    def _check_tls(self, tls: TlsTable) -> None:
        folder = self._file.path.parent
        names = {"cert": tls.cert, "key": tls.key}
        missing = [key for key in names if not (folder / names[key]).is_file()]
        for key in missing:
            self._report(f"listen.tls.{key}", "there is no such file")
        if missing:
            return
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            # A password that is needed must not be asked for on the terminal.
            context.load_cert_chain(
                folder / tls.cert, folder / tls.key, password=lambda: b""
            )
        except OSError as error:
            # Errors of TLS are among them.
            self._report(
                "listen.tls",
                "the files are no PEM certificate and its key, without a password:"
                f" {error.strerror or error}",
            )

    def _check_store(self, store: StoreTable | None) -> None:
        if store is None:
            return
        if (problem := store_url_problem(store.url)) is not None:
            self._report("store.url", problem)
        if not has_store_library():
            self._report(
                "store", "install the client library: pip install 'redline-ls[valkey]'"
            )
        if store.password_env and not self._environ.get(store.password_env):
            self._report(
                "store.password_env", f"the variable {store.password_env} is not set"
            )

    def _check_users(self, users: tuple[UserTable, ...]) -> None:
        if not self._file.values.get("users"):
            self._report("users", "add one by `redline gateway add-user`")
        for what, values in (
            ("name", [user.name for user in users]),
            ("key_sha256", [user.key_sha256 for user in users]),
        ):
            if len(set(values)) < len(values):
                self._report("users", f"two users have the same `{what}`")
        for user in users:
            if not USER_NAME.fullmatch(user.name):
                self._report("users.name", "expected letters, digits and `_.@-`")

    def _check_upstreams(self, upstreams: Mapping[str, UpstreamSettings]) -> None:
        if not self._file.values.get("upstreams"):
            self._report("upstreams", "add one as `[upstreams.NAME]`")
        for name, upstream in upstreams.items():
            report = partial(self._report, f"upstreams.{name}")
            if upstream.model.api == "fim":
                report("`fim` fills gaps; clients of a gateway send chat messages")
            if upstream.fallback == name or (
                upstream.fallback is not None and upstream.fallback not in upstreams
            ):
                report("`fallback` must name another upstream")
            try:
                address = parse_model_address(
                    name, upstream.model, environ=self._environ
                )
                address.ssl_context()
            except ModelError as error:
                report(str(error))

    def _report(self, key: str, message: str) -> None:
        source = Source(
            kind="user", name=str(self._file.path), values={}, lines=self._file.lines
        )
        self._problems.append(
            SettingProblem(
                key=key,
                source=source.name,
                message=message,
                line=source.line_of(key),
            )
        )


def _is_table(value: object) -> bool:
    return isinstance(value, Mapping)


def _in_settings(key: str) -> str:
    return "models." + key[len("upstreams.") :] if key.startswith("upstreams.") else key


def _in_gateway(key: str) -> str:
    return "upstreams." + key[len("models.") :] if key.startswith("models.") else key
