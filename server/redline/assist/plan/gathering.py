"""Gathers what a planner is shown: the document, related code, and file names."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from msgspec import Struct

from redline.assist.plan.plan_tools import PlanTools
from redline.assist.plan.planned_files import PlanFiles
from redline.assist.review.related.related_places import related_places
from redline.errors import HeldBackError, NotReviewableError
from redline.findings.scope import ReviewedFile, ReviewScope, WholeFiles
from redline.plans.record import PlanRequest
from redline.prompts.blocks import Block, on_one_line
from redline.prompts.redaction import SecretTable, hide_all
from redline.prompts.secrets.cuts import beginning
from redline.syntax.language import language_of
from redline.text.named_files import file_and_definition, named_files

_MAX_FILE_CHARS = 200_000
"""Longest text of a file that is shown."""

_MAX_LISTED = 400
"""Most files of the workspace that are named."""


class PlanBrief(Struct, frozen=True, kw_only=True):
    """What a planner is shown; secrets are hidden."""

    instruction: str
    blocks: tuple[Block, ...]
    table: SecretTable
    """The placeholders for secrets in it."""


async def gather_plan(
    request: PlanRequest, files: PlanFiles, tools: PlanTools
) -> PlanBrief:
    """Read the code that a plan is about.

    Raises:
        HeldBackError: If the document must not be sent.
        NotReviewableError: If it cannot be read, or is in no folder.
    """
    documents = tools.job.documents()
    own = files.path(request.uri) if request.uri else None
    if request.uri and own is None:
        raise NotReviewableError(
            "The document is in no folder of this workspace, and a plan changes files "
            "of one folder.",
            remedy="Open the folder, and plan there.",
        )
    named = [*request.files]
    for name in named_files(request.instruction):
        # Of a definition, the plan reads the whole file.
        named += [name, *filter(None, file_and_definition(name)[:1])]
    paths = list(dict.fromkeys([*([own] if own else []), *named]))
    # First, so that what is written to a file while others are read is noticed.
    listed = await asyncio.to_thread(files.names, _MAX_LISTED)
    read = await asyncio.to_thread(files.read, paths, documents)
    if own is not None and (reason := read[own].reason) is not None:
        raise HeldBackError(f"{own} is not sent to a model: {reason}.")
    blocks = [
        Block(
            title=f"The file {on_one_line(path)}",
            text=beginning(read[path].text or "", _MAX_FILE_CHARS, path=path),
            path=path,
        )
        for path in paths
        if read[path].text is not None
    ]
    blocks += await _related(request, own, read[own].text if own else None, tools)
    names = "\n".join(map(on_one_line, listed))
    blocks.append(Block(title="Files of the workspace", text=names))
    if own is not None and request.first_line is not None:
        last = request.end_line or request.first_line + 1
        place = f"{own}, lines {request.first_line + 1} to {last}"
        blocks.append(Block(title="Selected by the developer", text=place))
    return await tools.job.in_thread(hidden_brief, request.instruction, blocks)


def hidden_brief(
    instruction: str, blocks: list[Block], known: Sequence[str] = ()
) -> PlanBrief:
    """Return what a planner is shown, with secrets hidden.

    Args:
        instruction: What the user asks for.
        blocks: The code, and what was found about it.
        known: Secrets that these texts may show without a sign of it.
    """
    texts = [("", instruction)]
    for block in blocks:
        # A title may name what the code names: any quoted text.
        texts += ("", block.title), (block.path, block.text)
    hidden = hide_all(texts, known=known)
    first, *others = hidden.texts
    return PlanBrief(
        instruction=first,
        blocks=tuple(
            Block(title=title, text=text, path=block.path)
            for block, title, text in zip(
                blocks, others[::2], others[1::2], strict=True
            )
        ),
        table=hidden.table,
    )


async def _related(
    request: PlanRequest, path: str | None, text: str | None, tools: PlanTools
) -> list[Block]:
    if path is None or text is None:
        return []
    language = language_of(path)
    n_lines = text.count("\n") + 1
    span = (0, n_lines)
    if request.first_line is not None:
        first = min(request.first_line, n_lines - 1)
        span = (first, max(first + 1, min(request.end_line or 0, n_lines)))
    scope = ReviewScope(
        target=WholeFiles(uris=(request.uri,)),
        title=path,
        files=(
            ReviewedFile(
                path=path,
                uri=request.uri,
                language=language.value if language else "",
                text=text,
                spans=(span,),
            ),
        ),
    )
    places = await related_places(scope, roots=request.roots)
    return [
        Block(
            title=f"Part of {on_one_line(place.path)}, from line "
            f"{place.first_line + 1} ({place.relation} of {', '.join(place.names)})",
            text=place.text,
            path=place.path,
        )
        for place in places
    ]
