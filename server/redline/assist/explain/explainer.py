"""Explanations: one generation about a range, as Markdown. Nothing is changed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from msgspec import Struct

from redline.assist.editor.services import EditorServices
from redline.assist.explain.explanation_run import ExplanationRun
from redline.assist.privacy.prompt_log import SentPrompt
from redline.assist.privacy.timely_rules import TimelyRules
from redline.assist.usage.recorder import Ledger
from redline.errors import ReplyNotUnderstoodError
from redline.keys_in_use import without_known_keys
from redline.models.interface import GenerationRequest
from redline.prompts.explain import QUESTION, ExplainTask, explain_prompt
from redline.prompts.message import Prompt
from redline.prompts.redaction import (
    SecretTable,
    hide_all,
    text_around,
    without_placeholders,
)
from redline.prompts.surrounding_lines import gather_surrounding_lines
from redline.prompts.tokens import most_tokens
from redline.routing.route import Route, Tier, route
from redline.routing.task import Task
from redline.text.document import Snapshot
from redline.text.lines import with_line_feeds
from redline.text.markdown import harmless
from redline.text.position import Range
from redline.text.region import Region, widen

HOW_TO_CONFIGURE = """\
# Configure a model

No model is configured. The built-in rules do what follows from the code alone; to
explain code, write it, test it, simplify it or convert it, Redline asks a model.

Write into `config.toml` in your user's configuration folder (`redline doctor` prints
the path):

```toml
[models.luna]
api = "responses-socket"
url = "wss://api.openai.com/v1/responses"
name = "gpt-6-luna"
key = { env = "OPENAI_API_KEY" }

[tiers]
fast = "luna"
```

The key is read from the environment variable, or from a command or your system's
keyring. A model on your own machine needs none:

```toml
[models.local]
api = "responses-http"
url = "http://127.0.0.1:11434/v1/responses"
name = "qwen3-coder:30b"

[tiers]
fast = "local"
```

`redline doctor` then says whether it answers.
"""


_FOLLOW_INTERVAL_S = 0.1
"""Shortest time between two texts: people read about four updates a second."""


class ExplainedRange(Struct, frozen=True, kw_only=True):
    """A model's explanation of a range."""

    markdown: str
    tier: Tier


class Explainer:
    """Asks models for explanations of code."""

    def __init__(self, services: EditorServices, ledger: Ledger) -> None:
        self._workspace = services.workspace
        self._editor = services.editor
        self._tiers = services.tiers
        self._settings = services.settings
        self._cache_key = services.cache_key
        self._sent = services.sent
        self._ledger = ledger
        self._ignore_rules = TimelyRules()

    async def explain(
        self,
        snapshot: Snapshot,
        selection: Range,
        *,
        question: str | None = None,
        progress_token: str | int | None = None,
        on_text: Callable[[ExplainedRange], None] | None = None,
    ) -> ExplainedRange:
        """Explain a range of an open document.

        Cancelling is safe: the generation is stopped. Without a model, the answer says
        how to configure one.

        Args:
            snapshot: The document.
            selection: In code points, clamped; widened to whole lines.
            question: The user's question; None: what the code does, and what to know.
            progress_token: The client's, if it has one.
            on_text: Receives the explanation so far, whole lines of it, as it comes.

        Raises:
            HeldBackError: If the document must not be sent to a model.
            OutdatedError: If the user stops it.
            ModelError: If no model could answer.
        """
        queued_at, asked_at = time.time(), asyncio.get_running_loop().time()
        await self._tiers.ready()
        region = widen(snapshot.lines, selection)
        route = self._route(snapshot, region)
        model = self._tiers.choose(route.tier).model
        if not model.describe().is_model:
            return ExplainedRange(markdown=HOW_TO_CONFIGURE, tier=route.tier)
        name = self._workspace.relative_path(snapshot.uri)
        await self._ignore_rules.refuse(snapshot.uri, self._workspace.roots, name)
        prompt, table = await asyncio.to_thread(
            self._prompt, snapshot, region, question
        )
        request = GenerationRequest(
            prompt=prompt, cache_key=self._cache_key, kind="edit"
        )
        follow = None
        if on_text is not None:
            follow = _LineFollower(on_text, table, route.tier)
        explaining = ExplanationRun(
            model=model,
            request=request,
            route=route,
            queued_at=queued_at,
            asked_at=asked_at,
            on_text=follow,
        )
        self._sent.note(
            SentPrompt(session_id=explaining.id, model=model.describe(), prompt=prompt)
        )
        async with model.start(request) as generation:
            progress = self._editor.start_progress(
                "Redline: explain", progress_token, generation.stop
            )
            try:
                await explaining.read(generation)
            finally:
                progress.end("Done.")
                self._ledger.record(explaining.usage(generation, len(region.lines)))
        return ExplainedRange(
            markdown=_finished(explaining.answer.text, table), tier=route.tier
        )

    def _route(self, snapshot: Snapshot, region: Region) -> Route:
        task = Task(
            instruction="Explain this code.",
            path=self._workspace.relative_path(snapshot.uri),
            language=snapshot.language_id,
            code=region.text,
            kind="explain",
        )
        return route(task, settings=self._settings().routing, asked=None)

    def _prompt(
        self, snapshot: Snapshot, region: Region, question: str | None
    ) -> tuple[Prompt, SecretTable]:
        """Write the prompt; runs in a thread, since the search for secrets is slow."""
        first, end = region.first, region.first + len(region.lines)
        around = gather_surrounding_lines(
            snapshot.lines,
            first,
            end,
            budget=self._settings().edit.context_tokens,
            count=most_tokens,
        )
        path = self._workspace.relative_path(snapshot.uri)
        texts = (around.before, with_line_feeds(region.lines), around.after)
        asked = ("", question or QUESTION)
        hidden = hide_all(
            [*((path, text) for text in texts), asked],
            wholes=[(path, text_around(snapshot.lines, first, end))],
        )
        task = ExplainTask(
            path=hidden.paths[0],
            language=snapshot.language_id,
            before=hidden.texts[0],
            target=hidden.texts[1],
            after=hidden.texts[2],
            question=hidden.texts[3],
        )
        return explain_prompt(task), hidden.table


class _LineFollower:
    """Hands out the whole lines of an explanation while it is written.

    A key or a placeholder in a line that is not whole cannot be recognised yet.
    """

    def __init__(
        self,
        on_text: Callable[[ExplainedRange], None],
        table: SecretTable,
        tier: Tier,
    ) -> None:
        self._on_text = on_text
        self._table = table
        self._tier = tier
        self._shown = ""
        self._next_at = 0.0

    def __call__(self, text: str) -> None:
        """Take the whole text so far."""
        lines = text[: text.rfind("\n") + 1]
        now = asyncio.get_running_loop().time()
        if now < self._next_at or not lines.strip() or lines == self._shown:
            return
        self._shown, self._next_at = lines, now + _FOLLOW_INTERVAL_S
        markdown = _finished(lines, self._table)
        self._on_text(ExplainedRange(markdown=markdown, tier=self._tier))


def _finished(text: str, table: SecretTable) -> str:
    if not text.strip():
        raise ReplyNotUnderstoodError("The model's answer is empty.")
    prose = without_placeholders(text.strip(), table)
    return harmless(without_known_keys(prose)) + "\n"
