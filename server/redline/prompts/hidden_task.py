"""A task with its secrets replaced by placeholders everywhere.

They are replaced before the prompt is written: a key that the range's border cuts is
hidden on both sides of it, and no title or fence is taken for a part of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from redline.prompts.edit import EditTask
from redline.prompts.redaction import NO_SECRETS, SecretTable, hide_all
from redline.text.instruction_comment import InstructionComment


class HiddenTask(Struct, frozen=True, kw_only=True):
    """A task without its secrets, and the table to restore them."""

    task: EditTask
    others: tuple[str, ...]
    """Other texts of the same prompt, in the order given."""
    table: SecretTable


def hide_task(
    task: EditTask,
    *,
    others: Sequence[str] = (),
    document: str = "",
    known: Sequence[str] = (),
    table: SecretTable = NO_SECRETS,
) -> HiddenTask:
    """Replace the secrets of a task and of other texts of its prompt.

    Args:
        task: The task to send.
        others: Further texts of the same prompt, about the task's file.
        document: The text around the range that is searched, too; see `text_around`.
        known: Secrets that the context may show without a sign of it.
        table: The secrets that the session has hidden so far.
    """
    context = task.context
    blocks = (*context.head, *context.tail)
    hidden = hide_all(
        [
            (task.path, task.before),
            (task.path, task.target),
            (task.path, task.after),
            (task.path, task.draft or ""),
            ("", task.instruction),
            ("", task.earlier or ""),
            ("", task.image_description or ""),
            *((block.path, block.text) for block in blocks),
            *(("", block.title) for block in blocks),
            *((task.path, text) for text in others),
            *(("", text) for text in task.assumes),
            *((task.path, text) for text in _parts(task.from_comment)),
        ],
        table,
        wholes=[
            (task.path, document),
            # The range may have been edited since.
            (task.path, f"{task.before}{task.target}{task.after}"),
        ],
        known=known,
    )
    if not hidden.table.secrets:
        return HiddenTask(task=task, others=tuple(others), table=hidden.table)
    before, target, after, draft, instruction, earlier, images, *rest = hidden.texts
    left = iter(rest)
    texts = tuple(islice(left, len(blocks)))
    titles = tuple(islice(left, len(blocks)))
    shown_others = tuple(islice(left, len(others)))
    assumes = tuple(islice(left, len(task.assumes)))
    n_head = len(context.head)
    shown = tuple(
        replace(block, title=title, text=text)
        for block, title, text in zip(blocks, titles, texts, strict=True)
    )
    return HiddenTask(
        task=replace(
            task,
            path=hidden.paths[0],
            before=before,
            target=target,
            after=after,
            draft=None if task.draft is None else draft,
            instruction=instruction,
            earlier=None if task.earlier is None else earlier,
            image_description=None if task.image_description is None else images,
            assumes=assumes,
            from_comment=_with_parts(task.from_comment, tuple(left)),
            context=replace(context, head=shown[:n_head], tail=shown[n_head:]),
        ),
        others=shown_others,
        table=hidden.table,
    )


def _parts(comment: InstructionComment | None) -> Sequence[str]:
    """Return the lines of a comment, and the code beside it."""
    return () if comment is None else (*comment.lines, *comment.kept)


def _with_parts(
    comment: InstructionComment | None, parts: Sequence[str]
) -> InstructionComment | None:
    if comment is None:
        return None
    n_lines = len(comment.lines)
    return InstructionComment(lines=tuple(parts[:n_lines]), kept=tuple(parts[n_lines:]))
