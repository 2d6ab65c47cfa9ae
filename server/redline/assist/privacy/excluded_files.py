"""Files that were excluded while a job with their text runs.

A review or a plan reads its files once and asks several models about them, some of them
minutes later, or after a restart. So it looks at the ignore rules before each request.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path

from redline.assist.privacy.git_folders import Stamps
from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.errors import HeldBackError
from redline.text.uri import is_file, uri_path

SendCheck = Callable[[], Awaitable[None]]
"""Raises HeldBackError if a file of a request is excluded now."""

_REMEDY = (
    "It was excluded after the work began. Nothing more of it is sent; start again to "
    "work without it."
)


def send_check(paths: Iterable[str], roots: Sequence[str]) -> SendCheck:
    """Return what refuses to send files that are excluded by then.

    Args:
        paths: The files of a request, each relative to its workspace folder.
        roots: URIs of the workspace folders.
    """
    named = tuple(dict.fromkeys(filter(None, paths)))

    async def check() -> None:
        await asyncio.to_thread(_refuse_excluded, named, roots)

    return check


def _refuse_excluded(paths: Sequence[str], roots: Sequence[str]) -> None:
    rules = IgnoreRules()
    stamps: Stamps = {}
    folders = [Path(uri_path(root)) for root in roots if is_file(root)]
    for path in paths:
        # A path does not say which folder it is of.
        own = [one for one in folders if os.path.exists(one / path)] or folders[:1]
        for folder in own:
            uri = (folder / path).as_uri()
            reason = rules.reason(uri, roots, stamps=stamps)
            if reason is not None:
                raise HeldBackError(
                    f"{path} is not sent to a model any more: {reason}.",
                    remedy=_REMEDY,
                )
