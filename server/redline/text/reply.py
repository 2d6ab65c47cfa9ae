"""The content of a model's reply to an edit, and its problems.

Values only; `reply_parser` creates them. Bad input from a model is expected, so all of
it is a value here: nothing raises.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

ReplyFormat = Literal["rewrite", "search-replace", "ranges"]
"""The form of a reply: the whole range rewritten, blocks that replace parts, or several
numbered ranges rewritten."""

DECLINED = "NO CHANGE:"
"""The start of a reply that changes nothing and gives a reason."""

NoteKind = Literal[
    "fence",  # Markdown fences around the code were taken off
    "chatter",  # prose around the code was left out
    "indentation",  # the range's indentation was restored
    "blank-lines",  # the range's blank lines at its borders were restored
    "form",  # the range's text was read from another form: a diff, the whole file
]
"""What the parser has repaired: worth counting, no reason to hold the edit back."""

FaultKind = Literal[
    # There is text, but it is not to be applied unseen.
    "empty",  # nothing came: a deletion only if the instruction asked for one
    "truncated",  # a fence was opened and never closed: the end may be missing
    "several-blocks",  # more than one fenced block came; the first was taken
    "stray-fence",  # a Markdown fence is inside the code
    "uncertain",  # the reply has another form, and the range's text is a guess
    # There is no text.
    "no-code",  # prose came, and no code
    "reasoning",  # reasoning came that does not end, and no code
    "too-long",  # more came than the parser may keep
    "no-block",  # no search/replace block came
    "unterminated",  # a block without one of its three markers
    "empty-search",  # a block that does not say what it replaces
    "not-found",  # a block's search text is not in the range
    "ambiguous",  # ... is there more than once
    "overlapping",  # ... overlaps an earlier block's
    "out-of-order",  # ... stands before an earlier block's
    "no-range",  # none of the numbered ranges came
    # One of several ranges has no text.
    "repeated",  # a range came twice, with different text
    "unknown-range",  # a range with a number that was not given
]
"""What the parser could not understand, or only a person can judge."""

ReplyKind = NoteKind | FaultKind

_NOTES = frozenset(get_args(NoteKind))
# Models like to write the marker in bold or as code.
_DECLINED_LINE = re.compile(rf"\s*[*_`]*{DECLINED}(?P<reason>.*)$")


class ReplyProblem(Struct, frozen=True, kw_only=True):
    kind: ReplyKind
    message: str
    """A sentence for the user, which can also be sent back to the model."""
    line: int | None = None
    """Index in `Reply.lines`, if the problem has a place there."""
    block: int | None = None
    """Number of the search/replace block, counted from one."""

    @property
    def is_fault(self) -> bool:
        """Whether the reply must not be applied unseen; otherwise it is only a note."""
        return self.kind not in _NOTES


class Reply(Struct, frozen=True, kw_only=True):
    """A whole reply, as far as it is understood."""

    lines: tuple[str, ...] | None
    """The range's whole new text, ends kept. None: there is no usable text, because the
    model declined or because of a fault."""
    problems: tuple[ReplyProblem, ...] = ()
    imports: tuple[str, ...] = ()
    """Lines of imports in front of the range's text, which are not a part of it."""
    declined: str | None = None
    """The model's reason for changing nothing, if it declined; may be empty. Then there
    are no lines and no problems."""
    left: str | None = None
    """Which of several ranges stay as they are, as sentences; None: none of them."""

    @property
    def is_understood(self) -> bool:
        """Whether there is no fault: lines or refusal are as the model meant."""
        return not any(problem.is_fault for problem in self.problems)

    def with_reasons(self, change: Callable[[str], str]) -> Reply:
        """Return it with the words of the model about what stays as it is changed."""
        return replace(
            self,
            declined=self.declined and change(self.declined),
            left=self.left and change(self.left),
        )


def read_decline(line: str) -> str | None:
    """Return the reason in a line that declines; None for other lines."""
    found = _DECLINED_LINE.match(line)
    return found["reason"].strip(" \t*_`") if found else None
