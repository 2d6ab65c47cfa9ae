"""The filters of a reply, in their order.

`read_reply` reads a reply as far as it has arrived; `fit` fits what is left of it to
the cursor when something is to be shown.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from redline.completion.balance import balance
from redline.completion.decode import ReplyForm, decode
from redline.completion.drop import before_elision, is_worthless
from redline.completion.indent import fit_indent
from redline.completion.place import Place
from redline.completion.present import present
from redline.completion.rest import join_rest
from redline.completion.stop import stop
from redline.text.hidden_characters import hidden_characters

HasSecret = Callable[[str], bool]
"""Whether a line holds a private value that the model must not write."""


class ReplyReading(Struct, frozen=True, kw_only=True):
    """What a reply inserts at the cursor that it was written for."""

    text: str
    """Its last line may be incomplete unless the reply is over."""
    n_left: int = 0
    """White space before the cursor that it replaces."""
    is_over: bool = False
    """Whether the text will not grow."""


class Insertion(Struct, frozen=True, kw_only=True):
    """A text to show at the cursor."""

    text: str
    n_left: int = 0
    """Characters before the cursor that it replaces."""
    n_right: int = 0
    """Characters after the cursor that it replaces."""
    n_cut: int = 0
    """Characters of its last line, as the reply has it, that are not shown."""
    may_grow: bool = False
    is_withdrawn: bool = False
    """Whether lines that are shown no longer fit: nothing may replace them."""


def read_reply(
    reply: str,
    place: Place,
    *,
    form: ReplyForm,
    is_whole: bool,
    has_secret: HasSecret = lambda line: False,
) -> ReplyReading:
    """Read a reply as far as it has arrived.

    Args:
        reply: Everything that the model has written.
        place: The cursor that the model was shown.
        form: How the reply joins the cursor's line.
        is_whole: Whether nothing will follow.
        has_secret: Judges each line; a reply with a secret is dropped, as is one with
            hidden characters.
    """
    if form == "text":
        return ReplyReading(text=reply, is_over=is_whole)
    decoded = decode(reply, place, form=form, is_whole=is_whole)
    if not decoded:
        return ReplyReading(text="", is_over=is_whole)
    if next(hidden_characters(decoded), None) is not None:
        return ReplyReading(text="", is_over=True)
    is_absolute = form == "insertion" or _repeats_margin(reply, place)
    indented = fit_indent(decoded, place, is_absolute=is_absolute)
    lines = indented.text.split("\n")
    tail = [] if is_whole else [lines.pop()]
    complete = before_elision(lines, place.language)
    stopped = stop(complete, place, n_left=indented.n_left)
    kept = [*stopped.lines]
    if any(
        has_secret(place.left + line if at == 0 else line)
        for at, line in enumerate(kept)
    ):
        return ReplyReading(text="", is_over=True)
    is_cut = stopped.has_ended or len(kept) < len(lines)
    if is_cut or is_whole:
        return ReplyReading(
            text="\n".join(kept).rstrip("\n"), n_left=indented.n_left, is_over=True
        )
    if stopped.n_held:
        # Without its end, their first line counts as one that is still arriving.
        kept, tail = kept[: len(kept) - stopped.n_held + 1], []
    return ReplyReading(text="\n".join(kept + tail), n_left=indented.n_left)


def _repeats_margin(reply: str, place: Place) -> bool:
    """Whether a reply begins the cursor's line again with its indentation."""
    if place.left[:1] not in (" ", "\t") or place.is_blank or place.openings.closers:
        return False
    return f"\n{place.left}" in f"\n{reply}"


def fit(
    text: str,
    place: Place,
    *,
    is_over: bool,
    n_left: int = 0,
    is_invoked: bool = False,
    is_one_line: bool = False,
    n_shown: int = 0,
    n_cut: int = 0,
) -> Insertion | None:
    """Fit a text to the cursor.

    Args:
        text: What would be inserted.
        place: The cursor.
        is_over: Whether the text will not grow.
        n_left: The white space before the cursor that it replaces.
        is_invoked: Whether the user asked for it.
        is_one_line: Whether it must end with the cursor's line.
        n_shown: The lines of it that are shown already; they stay.
        n_cut: Characters of the last of them that are not shown.

    Returns:
        What to show; an empty text: nothing is worth showing; None: not known yet.
    """
    shown = present(
        text,
        place,
        is_over=is_over,
        is_invoked=is_invoked,
        is_one_line=is_one_line,
        n_shown=n_shown,
    )
    if shown is None:
        return None
    joined = join_rest(shown.text, place)
    fitted = balance(joined.text, place)
    if joined.text.count("\n") >= n_shown - 1 >= 0:
        as_shown = "\n".join(joined.text.split("\n")[:n_shown])
        fitted = max(fitted, as_shown[: len(as_shown) - n_cut], key=len)
    if fitted != joined.text:
        joined = join_rest(fitted, place)
    if joined.text.count("\n") < n_shown - 1:
        return Insertion(text="", is_withdrawn=True)
    if is_worthless(joined.text, place, was_shown=n_shown > 0):
        return Insertion(text="")
    last_line = text.split("\n")[joined.text.count("\n")].rstrip()
    return Insertion(
        text=joined.text,
        n_left=n_left,
        n_right=joined.n_right,
        n_cut=len(last_line) - len(joined.text.rpartition("\n")[2]),
        may_grow=shown.may_grow,
    )
