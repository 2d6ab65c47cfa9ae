"""Explanations: one generation about a range, as Markdown. Nothing is changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from redline.assist.editor import Editor
from redline.assist.held_back import HeldBack
from redline.assist.tiers import Tiers
from redline.assist.workspace import Workspace
from redline.errors import (
    HeldBackError,
    ModelRejectedError,
    OutdatedError,
    ReplyNotUnderstoodError,
)
from redline.models.interface import (
    Delta,
    Finish,
    Generation,
    GenerationRequest,
    Restart,
)
from redline.prompts.explain import QUESTION, ExplainTask, explain_prompt
from redline.prompts.message import Prompt
from redline.prompts.secrets import SecretTable, hide_all, put_back
from redline.prompts.surroundings import gather_surroundings, with_line_feeds
from redline.prompts.tokens import most_tokens
from redline.routing.route import Tier, route
from redline.routing.task import Task
from redline.settings.tree import Settings
from redline.text.document import Snapshot
from redline.text.markdown import harmless
from redline.text.position import Range
from redline.text.region import Region, widen

_MAX_CHARS = 20_000
"""Of an answer that is meant to have two hundred words."""

_REASON_N_CHARS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What a model says about a range."""

    markdown: str
    tier: Tier


class Explainer:
    """Asks models about code."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        editor: Editor,
        tiers: Tiers,
        settings: Callable[[], Settings],
        cache_key: str,
    ) -> None:
        self._workspace = workspace
        self._editor = editor
        self._tiers = tiers
        self._settings = settings
        self._cache_key = cache_key
        self._held_back = HeldBack()

    async def explain(
        self,
        snapshot: Snapshot,
        selection: Range,
        *,
        question: str | None = None,
        progress_token: str | int | None = None,
    ) -> Explanation:
        """Explain a range of an open document.

        Cancelling is safe: the generation is stopped.

        Args:
            snapshot: The document.
            selection: In code points, clamped; widened to whole lines.
            question: What to answer; None: what it does, and what to know of it.
            progress_token: The client's, if it has one.

        Raises:
            HeldBackError: If the document must not be sent to a model.
            OutdatedError: If the user stops it.
            ModelError: If no model could answer.
        """
        await self._tiers.ready()
        region = widen(snapshot.lines, selection)
        tier = self._route(snapshot, region)
        model = self._tiers.choose(tier).model
        if model.describe().is_model:
            self._refuse_held_back(snapshot.uri)
        prompt, table = await asyncio.to_thread(
            self._prompt, snapshot, region, question
        )
        request = GenerationRequest(prompt=prompt, cache_key=self._cache_key)
        async with model.start(request) as generation:
            progress = self._editor.start_progress(
                "Redline: explain", progress_token, generation.stop
            )
            try:
                text = await _read(generation)
            finally:
                progress.end("Done.")
        return Explanation(markdown=_finished(text, table), tier=tier)

    def _route(self, snapshot: Snapshot, region: Region) -> Tier:
        task = Task(
            instruction="Explain this code.",
            path=self._workspace.relative_path(snapshot.uri),
            language=snapshot.language_id,
            code=region.text,
            kind="explain",
        )
        return route(task, settings=self._settings().routing, asked=None).tier

    def _refuse_held_back(self, uri: str) -> None:
        reason = self._held_back.reason(uri, self._workspace.roots)
        if reason is not None:
            name = self._workspace.relative_path(uri)
            raise HeldBackError(f"{name} is not sent to a model: {reason}.")

    def _prompt(
        self, snapshot: Snapshot, region: Region, question: str | None
    ) -> tuple[Prompt, SecretTable]:
        """Write the prompt; in a thread, since looking for secrets takes a while."""
        around = gather_surroundings(
            snapshot.lines,
            region.first,
            region.first + len(region.lines),
            budget=self._settings().edit.context_tokens,
            count=most_tokens,
        )
        path = self._workspace.relative_path(snapshot.uri)
        texts = (around.before, with_line_feeds(region.lines), around.after)
        asked = ("", question or QUESTION)
        hidden = hide_all([*((path, text) for text in texts), asked])
        task = ExplainTask(
            path=path,
            language=snapshot.language_id,
            before=hidden.texts[0],
            target=hidden.texts[1],
            after=hidden.texts[2],
            question=hidden.texts[3],
        )
        return explain_prompt(task), hidden.table


async def _read(generation: Generation) -> str:
    """Read a whole answer.

    Raises:
        ModelError: If there is none.
        OutdatedError: If it was stopped.
    """
    text = refusal = ""
    async for event in generation:
        match event:
            case Delta(kind="text"):
                text = (text + event.text)[:_MAX_CHARS]
            case Delta(kind="refusal"):
                refusal = (refusal + event.text)[:_REASON_N_CHARS]
            case Delta():
                pass
            case Restart():
                text = event.text[:_MAX_CHARS]
            case Finish():
                _raise_for(event, refusal="" if text else refusal)
    return text


def _raise_for(finish: Finish, *, refusal: str) -> None:
    if finish.error is not None:
        raise finish.error
    if finish.reason == "stopped":
        raise OutdatedError("The explanation was stopped.")
    if refusal or finish.reason == "filtered":
        words = " ".join(refusal.split()).rstrip(".") or "it refused"
        raise ModelRejectedError(
            f"The model did not answer: {words}.", remedy="Ask in other words."
        )


def _finished(text: str, table: SecretTable) -> str:
    if not text.strip():
        raise ReplyNotUnderstoodError("The model's answer is empty.")
    return harmless(put_back(text.strip(), table)) + "\n"
