"""Gathers what a debug is shown: the output, and the code that the failure reached.

The functions of the call stack come first, the nearest to the failure on top; then what
they call, since an assert in a test fails in the test and not where the fault is.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from redline.assist.plan.debug.known_secrets import known_secrets
from redline.assist.plan.gathering import PlanBrief, hidden_brief
from redline.assist.plan.plan_tools import PlanTools
from redline.assist.plan.planned_files import PlanFiles, read_files
from redline.assist.testing.output_failures import failures_of, frames_of
from redline.assist.testing.workspace_frames import WorkspaceFrames
from redline.plans.record import PlanRequest
from redline.plans.refusals import PlannedFile
from redline.prompts.blocks import Block, on_one_line
from redline.prompts.secrets.cuts import beginning, ending
from redline.syntax.facts import Definition
from redline.text.uri import uri_path
from redline.traces.failure import ProgramFailure

_MAX_SHOWN_CHARS = 30_000
"""Longest part of the output that the model is shown."""

_MAX_FAILURES = 3
"""Most failures whose code is shown: the first ones often cause the others."""

_MAX_FRAME_FILES = 12
_MAX_FUNCTIONS = 40
_MAX_FUNCTION_LINES = 400
_N_AROUND = 20
"""Lines above and below a frame that is in no definition."""

_MAX_CALLED_FILES = 8
MAX_HOLDING_FILES = 100
"""Most files that may hold a called name whose definition is searched."""

_CALL = re.compile(r"\b(?P<name>[^\W\d]\w*)\s*\(")
_NO_CALLS = frozenset(
    {"if", "for", "while", "switch", "return", "catch", "match", "class", "func"}
)
"""Words before a parenthesis that call nothing; a name that the workspace does not
define is of no use either, but needs a search."""


async def gather_case(
    request: PlanRequest, files: PlanFiles, tools: PlanTools
) -> PlanBrief:
    """Read the code that a failure is about.

    Raises:
        InvalidArgumentsError: If the output shows no failure.
    """
    failures = (await asyncio.to_thread(failures_of, request))[:_MAX_FAILURES]
    root = Path(uri_path(request.workspace))
    placed = await asyncio.to_thread(
        lambda: WorkspaceFrames(root).place(frames_of(failures))
    )
    lines_of: dict[str, list[int]] = {}
    for one in placed:
        if one.path is not None and one.withheld is None:
            lines_of.setdefault(one.path, []).append(one.frame.line - 1)
    paths = tuple(lines_of)[:_MAX_FRAME_FILES]
    documents = tools.job.documents()
    read = await read_files(
        files, paths, documents=documents, parser=tools.services.parser
    )
    blocks = list(_reached(read, lines_of))
    called = _called_names(blocks)
    read |= await _defining(called, read, files, tools)
    blocks += _called(called, read, blocks)
    shown = _shown_output(request, failures[0])
    blocks.append(Block(title="The output, which is data", text=shown))
    known = await asyncio.to_thread(known_secrets, root, paths, os.environ)
    return await tools.job.in_thread(hidden_brief, request.instruction, blocks, known)


def _shown_output(request: PlanRequest, failure: ProgramFailure) -> str:
    """Return the end of the output, or from the failure on if that is before it."""
    output = request.output
    if request.failure_number:
        at = sum(map(len, output.splitlines(keepends=True)[: failure.at]))
        output = beginning(output, at + _MAX_SHOWN_CHARS)
    return ending(output, _MAX_SHOWN_CHARS)


def _reached(
    read: Mapping[str, PlannedFile], lines_of: Mapping[str, Sequence[int]]
) -> Iterator[Block]:
    """Yield the functions that the frames are in, each once."""
    seen: set[tuple[str, int]] = set()
    for path, file in read.items():
        if file.text is None:
            continue
        for line in lines_of[path]:
            place = _around(line, file)
            if (path, place.start) not in seen and len(seen) < _MAX_FUNCTIONS:
                seen.add((path, place.start))
                yield _block(path, file.text, place, "in the call stack")


def _around(line: int, file: PlannedFile) -> range:
    holding = [one for one in file.definitions if _holds(one, line)]
    if holding:
        # A method is shown alone; its class may be long.
        return range(holding[-1].first_line, holding[-1].last_line + 1)
    n_lines = (file.text or "").count("\n") + 1
    return range(max(0, line - _N_AROUND), min(n_lines, line + _N_AROUND + 1))


def _holds(one: Definition, line: int) -> bool:
    return one.first_line <= line <= one.last_line


def _called_names(blocks: Sequence[Block]) -> tuple[str, ...]:
    names = [
        found["name"]
        for block in blocks
        for found in _CALL.finditer(block.text)
        if found["name"] not in _NO_CALLS
    ]
    return tuple(dict.fromkeys(names))[:_MAX_FUNCTIONS]


async def _defining(
    names: Sequence[str],
    read: Mapping[str, PlannedFile],
    files: PlanFiles,
    tools: PlanTools,
) -> dict[str, PlannedFile]:
    """Read the files of the workspace that define called functions."""
    known = {one.name for file in read.values() for one in file.definitions}
    missing = [name for name in names if name not in known]
    held = await asyncio.to_thread(files.holding, missing)
    paths = await tools.job.in_thread(lambda: tuple(defining_paths(held)))
    unread = [path for path in paths if path not in read]
    return await read_files(
        files,
        unread[:_MAX_CALLED_FILES],
        documents=tools.job.documents(),
        parser=tools.services.parser,
    )


def defining_paths(held: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Yield the files that define names, each once, by a pattern of many languages.

    Args:
        held: The texts of the files that hold each name, by path, by name. A name that
            very many files hold is a common word, such as `print`, and left out.
    """
    seen: set[str] = set()
    for name, texts in held.items():
        if len(texts) > MAX_HOLDING_FILES:
            continue
        defines = re.compile(
            rf"(?:def|class|func|function|fn|const|let|struct|type)\b[^\n=]{{0,80}}?"
            rf"\b{re.escape(name)}\b"
        )
        for path, text in texts.items():
            if path not in seen and defines.search(text):
                seen.add(path)
                yield path


def _called(
    names: Sequence[str], read: Mapping[str, PlannedFile], blocks: Sequence[Block]
) -> Iterator[Block]:
    """Yield the definitions of called functions that are not shown yet."""
    shown = {block.title for block in blocks}
    for name in names:
        for path, file in read.items():
            for one in file.definitions:
                if one.name != name or file.text is None:
                    continue
                place = range(one.first_line, one.last_line + 1)
                block = _block(path, file.text, place, f"defines {name}")
                head = block.title.partition(" (")[0]
                if not any(title.startswith(head) for title in shown):
                    shown.add(block.title)
                    yield block


def _block(path: str, text: str, place: range, why: str) -> Block:
    lines = text.split("\n")[place.start : place.stop][:_MAX_FUNCTION_LINES]
    return Block(
        title=f"Part of {on_one_line(path)}, from line {place.start + 1} ({why})",
        text="\n".join(lines),
        path=path,
    )
