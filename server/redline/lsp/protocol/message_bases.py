"""The kinds of messages of Redline's own protocol on top of LSP.

Their reference is `docs/reference/protocol.md`; a test compares the two. The types are
in the modules `*_messages`; `XArguments` are those of the command `redline.x`, and
`XResult` is its result. Names on the wire are camel case; positions are in the
negotiated encoding; durations are seconds; sizes say their unit.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Tier = Literal["fast", "standard", "deep"]


class SentMessage(Struct, frozen=True, rename="camel"):
    """What the server sends."""


class SparseMessage(SentMessage, frozen=True, omit_defaults=True):
    """The same without the fields that have their default."""


class CommandArguments(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """What a client sends to a command.

    Unknown arguments are an error, so that a misspelt option is not ignored.
    """


class SparseArguments(CommandArguments, frozen=True, omit_defaults=True):
    """The same; in code actions, which contain it, without the defaults."""


class NoArguments(CommandArguments, frozen=True):
    """Arguments of commands that take none."""
