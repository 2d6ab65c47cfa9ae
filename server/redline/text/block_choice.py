"""Chooses the block that is the answer, if a reply has several fenced ones."""

from __future__ import annotations

from collections.abc import Sequence

from redline.text.reply_forms.brackets import may_be_whole
from redline.text.reply_forms.likeness import fits
from redline.text.reply_forms.restore import restore
from redline.text.reply_forms.surroundings import Surroundings
from redline.text.reply_forms.versions import are_examples, last_version


def chosen_block(
    blocks: Sequence[Sequence[str]], around: Surroundings, *, is_last_corrected: bool
) -> tuple[list[str], bool]:
    """Return the lines of the block, and whether it is certainly the answer.

    Args:
        blocks: Two or more, in their order.
        around: What they are compared with.
        is_last_corrected: Whether talk says that the last one corrects another.
    """
    last = last_version(blocks, around.target)
    if last is None and is_last_corrected and fits(blocks[-1], around):
        last = blocks[-1] if may_be_whole(blocks[-1], around.target) else None
    if last is not None:
        return list(last), True
    code = list(blocks[0])
    is_sure = _is_in_whole_file(blocks, around)
    return code, is_sure or are_examples(blocks[1:], code, around.target)


def _is_in_whole_file(blocks: Sequence[Sequence[str]], around: Surroundings) -> bool:
    """Whether the second of two blocks is the file, with the first as the range."""
    if len(blocks) != 2 or len(blocks[1]) <= len(blocks[0]):
        return False
    part = restore(blocks[1], around)
    texts = [
        [line.strip() for line in lines if line.strip()]
        for lines in (part.lines, blocks[0])
    ]
    return not part.fault and texts[0] == texts[1]
