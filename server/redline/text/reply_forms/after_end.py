"""Decides about text after the token that ends a reply."""

from __future__ import annotations

from collections.abc import Sequence

from redline.text.chatter import is_sentence
from redline.text.reply_forms.brackets import depth, ends_like
from redline.text.reply_forms.copies import is_telling
from redline.text.reply_forms.reply_blocks import closes_fence
from redline.text.reply_forms.surroundings import Doubt

_TIMINGS = (
    "llama_perf_sampler_print:",
    "llama_perf_context_print:",
    "llama_print_timings:",
    "common_perf_print:",
)
"""What begins the lines that programs of llama.cpp print below an answer."""


def read_end(
    after: Sequence[str], reply: Sequence[str], target: Sequence[str]
) -> Sequence[str] | Doubt:
    """Return the lines after the token that belong to the reply, perhaps none."""
    rest = [line for line in after if line.strip() and not line.startswith(_TIMINGS)]
    if not rest or closes_fence(reply):
        return ()
    wanted = depth(target)
    own = {line.strip() for line in target}
    is_continued = any(
        line.strip() in own and is_telling([line]) and line not in reply
        for line in rest
    )
    has_end = depth(reply) != wanted == depth([*reply, *rest])
    if has_end or (is_continued and depth([*reply, *rest]) == wanted):
        return after
    is_uncertain = not ends_like(reply, target) or (
        depth(rest) == 0 and not all(map(is_sentence, rest))
    )
    return "unsure" if is_uncertain else ()
