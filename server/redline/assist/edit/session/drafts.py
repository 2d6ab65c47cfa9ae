"""The text of a session so far, as the draft that its next prompt shows."""

from __future__ import annotations

from redline.assist.edit.attempts.attempts import Attempts
from redline.assist.edit.session.edit_ranges import marked_draft
from redline.assist.edit.session.edit_target import EditTarget
from redline.assist.edit.session.offer import Offer
from redline.text.lines import with_line_feeds
from redline.text.region import Region


def draft_of(offer: Offer, attempts: Attempts, edit_target: EditTarget) -> str | None:
    """Return the text written so far; None: nothing."""
    last = attempts.last_turn
    if edit_target.parts and offer.written and offer.shown is not None:
        proposal = (offer.proposal or offer.shown.proposal).range_part
        return marked_draft(edit_target, proposal.new_lines, proposal.hunks)
    if offer.written or last is None:
        return with_line_feeds(offer.written) or None
    # Nothing was written since that attempt began: its own draft is the latest.
    return last.draft


def draft_for(
    region: Region, *, edit_target: EditTarget, offer: Offer, attempts: Attempts
) -> str | None:
    """Return the text at an edit target as a draft of a region around it.

    Returns:
        None if nothing was written, if the edit target is outside the region, or if
        it has several ranges that are not written to the end.
    """
    first = edit_target.first_line - region.first
    end = first + len(edit_target.region.lines)
    if first < 0 or end > len(region.lines):
        return None
    head = region.lines[:first]
    if edit_target.parts and offer.proposal is None:
        return None
    if offer.written:
        tail = region.lines[end:] if offer.proposal is not None else ()
        return with_line_feeds([*head, *offer.written, *tail])
    last = attempts.last_turn
    if last is None or last.draft is None:
        return None
    return with_line_feeds(head) + last.draft
