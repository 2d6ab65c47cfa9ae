"""The client's capabilities that Redline defines, as the protocol page has them."""

from __future__ import annotations

from redline.lsp.protocol.message_bases import SentMessage


class InlineCapability(SentMessage, frozen=True):
    """Of `inline`."""

    refresh: bool
    """The client receives `redline/inline/changed`."""


class Capabilities(SentMessage, frozen=True):
    """The client's `experimental.redline`."""

    preview: bool = False
    status: bool = False
    prompt: bool = False
    """The client asks the user for the instruction of a redirect without one."""
    reviews: bool = False
    """The client receives `redline/review`."""
    plan: bool = False
    """The client receives `redline/plan`."""
    tests: bool = False
    """The client receives `redline/tests`."""
    next_edit: bool = False
    """The client shows next edits."""
    inline: InlineCapability | None = None
