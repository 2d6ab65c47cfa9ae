"""What next edits work with in tests: no editor, and a model that tests speak for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from tests.assist.conftest import FakeTiers
from tests.assist.fake_editor import FakeEditor
from tests.assist.fake_model import FakeModel
from tests.assist.in_process import InThisProcess

from redline.assist.context.gatherer import ContextGatherer
from redline.assist.editor.services import EditorServices
from redline.assist.editor.workspace import Workspace
from redline.assist.privacy.prompt_log import PromptLog
from redline.assist.suggestions.next_edits.next_edits import NextEdits
from redline.prompts.tokens import TokenCounter
from redline.settings.completion import NextEditSettings
from redline.settings.tree import Settings


class OneModel:
    """The model of every language, if there is one."""

    def __init__(self, model: FakeModel | None) -> None:
        self.model = model
        self.is_ready = True

    def next_editor(self, language: str) -> FakeModel | None:
        """Return the model."""
        return self.model


def next_edits_of(
    workspace: Workspace,
    settings: Callable[[], NextEditSettings],
    *,
    parser: InThisProcess,
    models: OneModel | None = None,
    on_change: Callable[[str], None] = lambda uri: None,
    is_edited: Callable[[str, int], bool] = lambda uri, line: False,
    is_completing: Callable[[str, int], bool] = lambda uri, line: False,
) -> NextEdits:
    """Create next edits as the server does."""
    models = models or OneModel(None)
    counter = TokenCounter()
    gatherer = ContextGatherer(workspace, counter)
    services = EditorServices(
        workspace=workspace,
        editor=FakeEditor(workspace),
        tiers=FakeTiers(models.model or FakeModel()),
        settings=lambda: Settings(next_edit=settings()),
        parser=parser,
        cache_key="key",
        sent=PromptLog(counter.about),
        test_turn=asyncio.Lock(),
    )
    return NextEdits(
        services,
        models,
        on_change=on_change,
        is_edited=is_edited,
        is_completing=is_completing,
        recent_edits=gatherer.recent_edits,
        problems=gatherer.problems_in,
    )
