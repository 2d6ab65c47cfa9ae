"""Finds the files that a change has to do with, by syntax and search, without a model.

Looked for are the definitions that the lines in question use, the callers of what they
define, the tests of it, and the configuration it names. The search runs in a process of
its own: parsing holds the interpreter for longer than typing may wait.
"""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Sequence

import msgspec

from redline.assist.review.related.related_place import RelatedPlace, RelatedQuestion
from redline.findings.scope import ReviewScope, Selection, WholeFiles

logger = logging.getLogger(__name__)

# `-P`: a `redline` in the folder that the editor is started from must not run.
_COMMAND = (sys.executable, "-P", "-m", "redline.assist.review.related.related_process")

_LIMIT_S = 20.0
"""For the whole of it; it comes to an end by itself long before."""

_ANSWER = msgspec.json.Decoder(tuple[RelatedPlace, ...])


async def related_places(
    scope: ReviewScope, *, roots: Sequence[str], command: Sequence[str] = _COMMAND
) -> tuple[RelatedPlace, ...]:
    """Search the workspace. Cancelling is safe: the process is ended.

    A search that fails is no failure: nothing is found then.

    Args:
        scope: What is reviewed.
        roots: URIs of the workspace folders; without one, a change's own folder.
        command: How the searching process is started.

    Returns:
        The closest first, a bounded number of them; nothing that is held back.
    """
    if not roots and not isinstance(scope.target, Selection | WholeFiles):
        roots = (scope.target.root,)
    if not roots or not scope.files:
        return ()
    question = RelatedQuestion(scope=scope, roots=tuple(roots))
    # Megabytes, when much is reviewed.
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
