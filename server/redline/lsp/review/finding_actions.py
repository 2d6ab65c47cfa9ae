"""The menu entries for the findings at a place."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from redline.assist.actions.kinds import QUICK_FIX, REVIEW, is_wanted
from redline.assist.review.shown.shown_findings import FindingView, ShownFindings
from redline.lsp.actions.menu import MenuEntry
from redline.lsp.protocol import names
from redline.lsp.protocol.messages import LspRange
from redline.lsp.review import review_messages
from redline.text.markdown import plain_message

_MAX_TITLE = 60

_MAX_FINDINGS = 10
"""Findings that the menu offers entries for; a longer menu is not read."""


def finding_actions(
    shown: ShownFindings, uri: str, place: LspRange, only: Collection[str] | None
) -> list[MenuEntry]:
    """Build the menu entries for the findings at a place.

    Args:
        shown: The findings.
        uri: An open document.
        place: In the client's units.
        only: The kinds that the client wants; None: all.
    """
    views = [view for view in shown.in_file(uri) if _is_at(view, place)]
    views = views[:_MAX_FINDINGS]
    reviews = {view.finding.review_id for view in views}
    n_fixes = {review_id: _n_fixes(shown.of_review(review_id)) for review_id in reviews}
    actions: list[MenuEntry] = []
    for view in views:
        known = [(each.command, each.arguments) for each in actions]
        # Findings of one review share the entries about all of it.
        actions += [
            action
            for action in _of(view, n_fixes[view.finding.review_id])
            if (action.command, action.arguments) not in known
        ]
    return [action for action in actions if is_wanted(action.kind, only)]


def _of(view: FindingView, n_fixes: int) -> Iterator[MenuEntry]:
    finding = view.finding
    one, review, title = finding.id, finding.review_id, _short(finding.title)

    def action(
        title: str, kind: str, command: str, arguments: Struct, *, first: bool = False
    ) -> MenuEntry:
        return MenuEntry(
            title=title,
            kind=kind,
            command=command,
            arguments=arguments,
            finding_id=one,
            is_preferred=first,
        )

    if finding.fix is not None:
        fix = review_messages.ApplyFixArguments(finding_id=one)
        yield action(f"Apply fix: {title}", QUICK_FIX, names.APPLY_FIX, fix, first=True)
        if n_fixes > 1:
            every = f"Apply all {n_fixes} fixes of this review"
            fixes = review_messages.ApplyFixArguments(review_id=review)
            yield action(every, QUICK_FIX, names.APPLY_FIX, fixes)
    report = review_messages.OpenReportArguments(finding_id=one)
    yield action(f"Explain: {title}", REVIEW, names.OPEN_REPORT, report)
    dismissal = review_messages.DismissArguments(finding_id=one)
    yield action(f"Dismiss: {title}", REVIEW, names.DISMISS, dismissal)
    whole = review_messages.OpenReportArguments(review_id=review)
    yield action("Open the report of this review", REVIEW, names.OPEN_REPORT, whole)


def _is_at(view: FindingView, place: LspRange) -> bool:
    first, last = view.range.start.line, view.range.end.line
    return place.start.line <= last and first <= place.end.line


def _n_fixes(views: Sequence[FindingView]) -> int:
    return sum(view.finding.fix is not None for view in views)


def _short(title: str) -> str:
    title = plain_message(title)
    return title if len(title) <= _MAX_TITLE else f"{title[: _MAX_TITLE - 1]}…"
