"""The steps that read a form of reply each, in their order.

A further form is a function with the signature of a step, and a line in one of these
tables. It looks for its sign first: most replies have none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from redline.text.reply_forms import (
    characters,
    depths,
    elided,
    enclosed,
    file_head,
    json_comments,
    leftovers,
    numbers,
    pages,
    patch,
    prompts,
    prose,
    stray_fences,
    versions,
)
from redline.text.reply_forms.surroundings import Doubt, Surroundings

Step = Callable[[Sequence[str], Surroundings], list[str] | Doubt | None]
"""Returns the lines without its form; None if they do not have it, "unsure" if they may
have it."""

Sign = Callable[[Sequence[str], Surroundings], bool]
"""Whether lines have a sign for which the reply is held."""

BEFORE_EXCERPT: tuple[Step, ...] = (
    stray_fences.page_in_fence,  # A page of Markdown in a fence below a text.
    stray_fences.unbalanced_page,  # One with a fence too many.
    patch.fenced_on_page,  # A diff of the page, in a fence.
    prose.without_talk_on_page,  # Sentences beside elements of HTML.
    prose.talk_beside_text,  # An apology or a report beside a text for people.
    numbers.without_numbers,  # The numbers of lines.
    prompts.without_prompts,  # The prompts of an interactive shell.
    characters.straightened,  # Typographic quotation marks.
    json_comments.without_comments,  # Comments of JSON.
    json_comments.without_outer_object,  # The objects around members of JSON.
    pages.without_page,  # The page around elements of HTML.
    file_head.without_file_head,  # The package and the imports of the file.
    versions.below_label,  # All but the last of several labelled versions.
    versions.without_copies,  # Definitions of the file beside the answer.
    elided.without_elisions,  # Comments in place of the code around the range.
    enclosed.with_plain_header,  # The header around the range, over several lines.
)
"""What is read before the range's part is cut out of a reply, or a diff is applied."""

AFTER_EXCERPT: tuple[Step, ...] = (
    json_comments.unwrapped,  # Braces around members of JSON.
    json_comments.without_last_commas,  # Commas behind last members.
    characters.reindented,  # Tabs for spaces, or spaces for tabs.
    depths.rescaled,  # Steps of indentation of another width.
    depths.lifted,  # Indentation that all lines have too much of.
)
"""What is read of the range's part."""

SIGNS_OF_MORE: tuple[Sign, ...] = (
    enclosed.begins_with_header,  # A header of what is around the range.
    enclosed.has_outer_line,  # A line that is less deep than the range.
)
"""What shows that a part still has lines from around the range."""

SIGNS_OF_DOUBT: tuple[Sign, ...] = (
    characters.has_odd_sign,  # A sign that no code has.
    versions.is_stuck,  # The same line again and again.
    leftovers.has_leftovers,  # What other programs write; the range twice.
)
"""What shows that a text is in a form that nothing reads."""
