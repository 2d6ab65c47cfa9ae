"""Decides which claims are shown: those about lines that are there and in question.

A claim is dropped, with the reason, if it lacks something, is about an unknown file,
quotes what is not in the file, is about lines that are not in question, says what was
said before, is about style, or was dismissed before. Severity and category are from the
fixed lists whatever the model wrote.
"""

from __future__ import annotations

from collections.abc import Iterable

from redline.findings.finding import Claim, Dismissal, Dropped, Finding
from redline.findings.scope import ReviewScope


class Judge:
    """Judges the claims of one review, in the order in which they come.

    The same claims in the same order give the same findings, ids included, so an answer
    that is read again after a restart changes nothing.
    """

    def __init__(
        self,
        scope: ReviewScope,
        *,
        review_id: str,
        dismissed: Iterable[Dismissal] = (),
        known: Iterable[Finding] = (),
        trusts_rules: bool = False,
    ) -> None:
        """Begin with what is known.

        Args:
            scope: The texts, and which of their lines are in question.
            review_id: Whose findings they become.
            dismissed: What is not to be shown again.
            known: Findings of answers of the same review that were judged before a
                restart; not of the answer that is judged now.
            trusts_rules: Whether the answers are a linter's, so that the rule that a
                claim names is one.
        """
        raise NotImplementedError

    def judge(self, claim: Claim) -> Finding | Dropped:
        """Decide on one claim; its text may hold secrets, put back by the caller."""
        raise NotImplementedError
