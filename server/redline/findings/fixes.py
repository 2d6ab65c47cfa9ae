"""The new text of a finding's lines: what a model proposes, and the file with it."""

from __future__ import annotations

from collections.abc import Sequence

from redline.findings.finding import Claim, Finding


def proposed_fix(claim: Claim, lines: Sequence[str], span: range) -> str | None:
    """Turn what a claim proposes into the new text of whole lines.

    Its fences are taken off, and it is moved to the indentation of the lines if the
    quote has lost it.

    Args:
        claim: Quotes the lines in one of the ways that `locate` knows.
        lines: The file's, with or without their ends.
        span: The quoted lines.

    Returns:
        LF line ends, without the last one; empty: remove the lines. None if nothing is
        proposed or nothing would change.
    """
    raise NotImplementedError


def with_fix(lines: Sequence[str], span: range, new_text: str) -> list[str]:
    """Put the new text of some lines into a file.

    Args:
        lines: The file's, ends kept.
        span: Which of them are replaced.
        new_text: See `Fix.new_text`.

    Returns:
        The file's lines after; the new ones have the end that most others have.
    """
    raise NotImplementedError


def fixed_span(finding: Finding, lines: Sequence[str]) -> range | None:
    """Find a finding's lines in a text that may have changed since.

    Returns:
        The place of its quote, the nearest to where it was if there are several; None
        if it is gone.
    """
    raise NotImplementedError
