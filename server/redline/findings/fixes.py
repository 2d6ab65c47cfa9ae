"""Turns a model's proposal into new text for a finding's lines, and applies it."""

from __future__ import annotations

from collections.abc import Sequence

from redline.findings.finding import Claim
from redline.text.lines import line_end, majority_end, strip_end
from redline.text.reply_parser import ReplyParser


def proposed_fix(claim: Claim, lines: Sequence[str], span: range) -> str | None:
    """Turn a claim's proposal into the new text of whole lines.

    Fences are removed, and lost indentation is restored. If the quote is a part of a
    line, only that part is replaced.

    Args:
        claim: Its quote matches the lines in one of the ways of `locate`.
        lines: The file's, with or without their ends.
        span: The quoted lines.

    Returns:
        LF line ends, none at the end. None if there is no proposal, it cannot be read,
        or it changes nothing.
    """
    if claim.fix is None:
        return None
    old = [strip_end(line) for line in lines[span.start : span.stop]]
    parser = ReplyParser(
        format="rewrite", target_lines=[f"{line}\n" for line in _around(claim, old)]
    )
    parser.feed(claim.fix)
    reply = parser.finish()
    if reply.lines is None or not reply.is_understood:
        return None
    new_text = _whole(claim, old, "".join(reply.lines).removesuffix("\n"))
    return None if new_text == "\n".join(old) else new_text


def with_fix(lines: Sequence[str], span: range, new_text: str) -> list[str]:
    """Replace some lines of a file.

    Args:
        lines: The file's, with their ends.
        span: The lines to replace.
        new_text: See `Fix.new_text`.

    Returns:
        The new lines of the file; inserted ones get the most common line end.
    """
    end = majority_end(lines)
    new_lines = [line + end for line in new_text.split("\n")] if new_text else []
    if new_lines and span.stop == len(lines):
        last_end = line_end(lines[-1])
        new_lines[-1] = strip_end(new_lines[-1]) + last_end
    return [*lines[: span.start], *new_lines, *lines[span.stop :]]


def _part(claim: Claim, old: Sequence[str]) -> str:
    """Return the quoted part of a line; empty if the claim quotes whole lines."""
    part = claim.quote.strip()
    is_part = len(old) == 1 and part != old[0].strip() and part in old[0]
    return part if is_part else ""


def _around(claim: Claim, old: Sequence[str]) -> Sequence[str]:
    """Return the text that the proposal replaces: whole lines, or a part of one."""
    part = _part(claim, old)
    return [part] if part else old


def _whole(claim: Claim, old: Sequence[str], new_text: str) -> str:
    part = _part(claim, old)
    if not part:
        return new_text
    before, _, after = old[0].partition(part)
    if before.strip() and new_text.strip().startswith(before.strip()):
        # The quote is a part of the line, the proposal is the whole line.
        indent = old[0][: len(old[0]) - len(old[0].lstrip())]
        return indent + new_text.strip()
    return before + new_text.strip() + after
