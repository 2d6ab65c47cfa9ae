"""The new text of a finding's lines: what a model proposes, and the file with it."""

from __future__ import annotations

from collections.abc import Sequence

from redline.findings.finding import Claim
from redline.text.lines import line_end, majority_end, strip_end
from redline.text.reply_parser import ReplyParser


def proposed_fix(claim: Claim, lines: Sequence[str], span: range) -> str | None:
    """Turn what a claim proposes into the new text of whole lines.

    Fences are taken off, and the indentation that it has lost is given back. Of a quote
    that is a part of a line, that part is replaced.

    Args:
        claim: Quotes the lines in one of the ways that `locate` knows.
        lines: The file's, with or without their ends.
        span: The quoted lines.

    Returns:
        LF line ends, without the last one. None if nothing is proposed, it cannot be
        understood, or nothing would change.
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
    """Put the new text of some lines into a file.

    Args:
        lines: The file's, ends kept.
        span: Which of them are replaced.
        new_text: See `Fix.new_text`.

    Returns:
        The file's lines after; the new ones have the end that most others have.
    """
    end = majority_end(lines)
    new_lines = [line + end for line in new_text.split("\n")] if new_text else []
    if new_lines and span.stop == len(lines):
        last_end = line_end(lines[-1])
        new_lines[-1] = strip_end(new_lines[-1]) + last_end
    return [*lines[: span.start], *new_lines, *lines[span.stop :]]


def _part(claim: Claim, old: Sequence[str]) -> str:
    """Return what the claim quotes of one line; empty if it quotes whole lines."""
    part = claim.quote.strip()
    is_part = len(old) == 1 and part != old[0].strip() and part in old[0]
    return part if is_part else ""


def _around(claim: Claim, old: Sequence[str]) -> Sequence[str]:
    """Return the lines that the proposal is written as."""
    part = _part(claim, old)
    return [part] if part else old


def _whole(claim: Claim, old: Sequence[str], new_text: str) -> str:
    part = _part(claim, old)
    if not part:
        return new_text
    before, _, after = old[0].partition(part)
    if before.strip() and new_text.strip().startswith(before.strip()):
        # The quote is a part, its new text is the line.
        indent = old[0][: len(old[0]) - len(old[0].lstrip())]
        return indent + new_text.strip()
    return before + new_text.strip() + after
