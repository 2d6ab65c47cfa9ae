"""The messages of completions, as msgspec types."""

from __future__ import annotations

from msgspec import Struct

from redline.lsp.protocol.messages import DocumentId, LspPosition, LspRange, LspTextEdit

INVOKED = 1
"""`InlineCompletionTriggerKind.Invoked`; also that of `CompletionTriggerKind`."""


class SelectedCompletion(Struct, frozen=True):
    """`SelectedCompletionInfo`: the selected item of the client's popup."""

    range: LspRange
    text: str


class InlineContext(Struct, frozen=True, rename="camel"):
    """`InlineCompletionContext`."""

    trigger_kind: int = 2
    selected_completion_info: SelectedCompletion | None = None


class InlineCompletionParams(Struct, frozen=True, rename="camel"):
    """The params of `textDocument/inlineCompletion`."""

    text_document: DocumentId
    position: LspPosition
    context: InlineContext = InlineContext()


class InlineItem(Struct, frozen=True, rename="camel", omit_defaults=True):
    """`InlineCompletionItem`."""

    insert_text: str
    range: LspRange
    filter_text: str | None = None


class InlineList(Struct, frozen=True):
    """`InlineCompletionList`."""

    items: tuple[InlineItem, ...]


class CompletionParams(Struct, frozen=True, rename="camel"):
    """The params of `textDocument/completion`."""

    text_document: DocumentId
    position: LspPosition


class PopupItem(Struct, frozen=True, rename="camel"):
    """`CompletionItem`."""

    label: str
    text_edit: LspTextEdit
    filter_text: str
    sort_text: str
    detail: str
    kind: int = 1
    """1: text."""
    insert_text_mode: int = 1
    """1: as it is. The lines have their indentation."""
    preselect: bool = False


class PopupList(Struct, frozen=True, rename="camel"):
    """`CompletionList`."""

    is_incomplete: bool
    items: tuple[PopupItem, ...]
