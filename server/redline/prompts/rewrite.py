"""The prompts of models that rewrite the lines around the cursor, by family.

These models take no instructions: they continue a text of a fixed form with the lines
as they will be. A text that holds a mark of the family is not sent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from msgspec import Struct

from redline.prompts.message import RawPrompt

_CURSOR = "<|user_cursor|>"
_CURRENT, _UPDATED = "<<<<<<< CURRENT", ">>>>>>> UPDATED"
_SEED = ("<[fim-suffix]>", "<[fim-prefix]>", "<[fim-middle]>")
_FILE_SEP, _END_OF_TEXT = "<|file_sep|>", "<|endoftext|>"


class RewriteTask(Struct, frozen=True, kw_only=True):
    """What a model is shown; secrets are replaced already."""

    path: str
    edits: Sequence[str]
    """The last changes, the newest last: the path in the first line, then what
    `write_edit` of the form has written."""
    above: str
    """The lines above those that are rewritten; with line ends, or empty."""
    earlier: str
    """The lines to rewrite as they were before the last change."""
    left: str
    """These lines as they are, up to the cursor."""
    right: str
    """What follows the cursor in them; without the last line end."""
    below: str
    """The lines below them."""


class WrittenChange(Struct, frozen=True, kw_only=True):
    """One change, as an argument of `write_edit`."""

    first: int
    """Its first line, from 0."""
    above: str
    """The line above it."""
    old: Sequence[str]
    """Lines without ends, as `new`."""
    new: Sequence[str]


class RewriteForm(Struct, frozen=True, kw_only=True):
    """How one family of models is asked to rewrite lines."""

    names: str
    """A pattern of the names of its models, in lower case."""
    n_lines: int
    """How many lines above and below the cursor's are rewritten."""
    marks: tuple[str, ...]
    """What no text may hold."""
    stops: tuple[str, ...]
    write: Callable[[RewriteTask], str]
    write_edit: Callable[[WrittenChange], str]
    nothing: str = ""
    """What the model answers if nothing is to be changed; empty: the same lines."""

    def prompt(self, task: RewriteTask) -> RawPrompt:
        return RawPrompt(text=self.write(task), stops=self.stops)

    def is_safe(self, texts: Sequence[str]) -> bool:
        """Whether no text holds a mark of the family."""
        return not any(mark in text for mark in self.marks for text in texts)

    def lines(self, reply: str) -> str | None:
        """Return the rewritten lines of a reply; None: it changes nothing."""
        ends = (reply.find(stop) for stop in self.stops)
        end = min((at for at in ends if at >= 0), default=len(reply))
        text = reply[:end].replace(_CURSOR, "")
        is_nothing = self.nothing and text.strip().startswith(self.nothing)
        return None if is_nothing or not text.strip() else text


def rewrite_form(name: str) -> RewriteForm | None:
    """Return the form of a model by its name; None: it does not rewrite."""
    lower = name.lower()
    return next((one for one in _FORMS if re.search(one.names, lower)), None)


def _zeta(task: RewriteTask) -> str:
    """Write the prompt of Zeta 2 (Zed, `zeta_prompt`, July 2026): the text below
    first, then the changes, and last the file with the lines to rewrite."""
    changes = "\n".join(_diff(*_head_and_rest(edit)) for edit in task.edits)
    history = f"<filename>edit_history\n{changes}\n\n" if changes else ""
    return (
        f"<[fim-suffix]>\n{task.below}\n<[fim-prefix]>{history}"
        f"<filename>{task.path}\n{task.above}{_CURRENT}\n"
        f"{task.left}{_CURSOR}{task.right}\n=======\n<[fim-middle]>"
    )


def _diff(path: str, text: str) -> str:
    return f"--- a/{path}\n+++ b/{path}\n{text}"


def _diff_text(change: WrittenChange) -> str:
    first = change.first + 1
    removed = [f"-{line}" for line in change.old]
    added = [f"+{line}" for line in change.new]
    sizes = f"@@ -{first},{len(removed)} +{first},{len(added)} @@"
    return "\n".join((sizes, *removed, *added))


def _sweep(task: RewriteTask) -> str:
    """Write the prompt of Sweep's next-edit models (their page at Hugging Face): each
    change, then the lines before the last change and as they are."""
    parts = [
        f"{_FILE_SEP}{path}.diff\n{text}"
        for path, text in map(_head_and_rest, task.edits)
    ]
    parts += [
        f"{_FILE_SEP}original/{task.path}\n{task.earlier}",
        f"{_FILE_SEP}current/{task.path}\n{task.left}{task.right}",
        f"{_FILE_SEP}updated/{task.path}\n",
    ]
    return "\n".join(parts)


def _texts(change: WrittenChange) -> str:
    original = ("original:", change.above, *change.old)
    return "\n".join((*original, "updated:", change.above, *change.new))


def _head_and_rest(edit: str) -> tuple[str, str]:
    path, _, text = edit.partition("\n")
    return path, text


_FORMS = (
    RewriteForm(
        names=r"zeta-?2(?![.\d]|-1)",
        n_lines=8,
        marks=(*_SEED, "<filename>", _CURSOR, _CURRENT, _UPDATED),
        stops=(_UPDATED, "<[end▁of▁sentence]>"),
        write=_zeta,
        write_edit=_diff_text,
        nothing="NO_EDITS",
    ),
    RewriteForm(
        names=r"sweep.{0,20}next-?edit",
        n_lines=10,
        marks=(_FILE_SEP, _END_OF_TEXT),
        stops=(_FILE_SEP, _END_OF_TEXT),
        write=_sweep,
        write_edit=_texts,
    ),
)
