"""Next edits as they are offered to the editor."""

from __future__ import annotations

from msgspec import Struct

from redline.next_edits.next_edit import NextEdit
from redline.text.document import Document


class OfferedEdit(Struct, frozen=True, kw_only=True):
    """The next edit of a document."""

    id: str
    edit: NextEdit
    n_left: int
    """How many follow it."""
    document: Document
    """Where it is, which may be another file."""
    is_open: bool
    """Whether the editor has that file open."""


class FileEdits(Struct, frozen=True, kw_only=True):
    document: Document
    is_open: bool
    edits: tuple[NextEdit, ...]
