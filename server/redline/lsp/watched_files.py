"""`workspace/didChangeWatchedFiles`: source files that change outside of the editor."""

from __future__ import annotations

import logging
from collections.abc import Callable

from msgspec import Raw, Struct

from redline.assist.held_back import IGNORE_FILES
from redline.errors import RedlineError
from redline.lsp.endpoint import Endpoint
from redline.syntax.language import SUFFIXES

_METHOD = "workspace/didChangeWatchedFiles"
_ANSWER_LIMIT_S = 10.0

logger = logging.getLogger(__name__)


class _Watcher(Struct, frozen=True, rename="camel"):
    glob_pattern: str


class _Watchers(Struct, frozen=True):
    watchers: list[_Watcher]


class _Registration(Struct, frozen=True, rename="camel"):
    id: str
    method: str
    register_options: _Watchers


class _RegistrationParams(Struct, frozen=True):
    registrations: list[_Registration]


def serve_watched_files(endpoint: Endpoint, on_change: Callable[[], None]) -> None:
    """Call back when the editor tells of files that have changed."""
    # Which files is looked up on disk: by then there may be more.
    endpoint.on_notification(_METHOD, Raw, lambda _: on_change())


async def watch_files(endpoint: Endpoint) -> None:
    """Ask the editor to watch the files that are read for context."""
    suffixes = ",".join(suffix.removeprefix(".") for suffix in SUFFIXES)
    patterns = (f"**/*.{{{suffixes}}}", *(f"**/{name}" for name in IGNORE_FILES))
    registration = _Registration(
        id="redline-files",
        method=_METHOD,
        register_options=_Watchers([_Watcher(pattern) for pattern in patterns]),
    )
    try:
        await endpoint.request(
            "client/registerCapability",
            _RegistrationParams([registration]),
            object,
            timeout_s=_ANSWER_LIMIT_S,
        )
    except RedlineError as exc:
        logger.warning("the editor does not watch files: %s", exc)
