"""Finds the places related to a change, by syntax and search, without a model.

It finds definitions that the reviewed lines use, callers and tests of what they define,
and configuration that they name. The search runs in its own process: parsing holds the
interpreter for longer than typing may wait.
"""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Sequence

import msgspec

from redline.assist.review.related.related_place import RelatedPlace, RelatedQuestion
from redline.child_environment import child_environment
from redline.findings.scope import ReviewScope, Selection, WholeFiles

logger = logging.getLogger(__name__)

# `-P`: a `redline` package in the editor's working directory must not run.
_COMMAND = (sys.executable, "-P", "-m", "redline.assist.review.related.related_process")

_LIMIT_S = 20.0
"""Limit of the whole search, which normally ends by itself long before."""

_ANSWER = msgspec.json.Decoder(tuple[RelatedPlace, ...])


async def related_places(
    scope: ReviewScope, *, roots: Sequence[str], command: Sequence[str] = _COMMAND
) -> tuple[RelatedPlace, ...]:
    """Search the workspace. Cancelling is safe: the process is killed.

    A search that fails does not raise: it returns no places.

    Args:
        scope: What is reviewed.
        roots: URIs of the workspace folders; without one, a change's own folder.
        command: The command line of the search process.

    Returns:
        A bounded number of places, the closest first; none from ignored files.
    """
    if not roots and not isinstance(scope.target, Selection | WholeFiles):
        roots = (scope.target.root,)
    if not roots or not scope.files:
        return ()
    question = RelatedQuestion(scope=scope, roots=tuple(roots))
    # In a thread: a large scope is megabytes.
    asked = await asyncio.to_thread(msgspec.json.encode, question)
    try:
        async with asyncio.timeout(_LIMIT_S):
            answer = await _asked(asked, command)
        return _ANSWER.decode(answer)
    except (OSError, TimeoutError, msgspec.DecodeError) as exc:
        logger.warning("no related places: %s", exc or type(exc).__name__)
        return ()


async def _asked(question: bytes, command: Sequence[str]) -> bytes:
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        env=child_environment(os.environ),
        start_new_session=True,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )
    try:
        answer, _ = await process.communicate(question)
        return answer
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
