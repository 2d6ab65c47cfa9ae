"""What the server passes to the rooms that it loads when they are first needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from redline.assist.edit.edits import Edits
from redline.assist.editor.services import EditorServices
from redline.assist.usage.recorder import Ledger
from redline.lsp.client.diagnostics import DiagnosticBoard
from redline.lsp.client.progress import ProgressRegistry
from redline.lsp.initialize import Client
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.prompts.tokens import TokenCounter

if TYPE_CHECKING:
    from redline.assist.testing.test_runs import FailedOutput


class RoomServices(Struct, frozen=True, kw_only=True):
    """The services that reviews, plans and test runs of one editor need."""

    endpoint: Endpoint
    client: Client
    services: EditorServices
    edits: Edits
    counter: TokenCounter
    progress: ProgressRegistry
    diagnostics: DiagnosticBoard
    ledger: Ledger
    """Records their usage."""
    failed_output: Callable[[str], FailedOutput]
    """Returns the output of a failure of a test run, by its id."""
    on_change: Callable[[], None]
    """Called when a review starts, progresses or ends."""
    on_trouble: Callable[[str], None]
    """Receives a sentence for the user if reviews or plans cannot be stored."""
    on_recovery: Callable[[str], None]
    """Receives such a sentence once it no longer holds."""
