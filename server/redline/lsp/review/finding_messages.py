"""Converts findings and reviews to messages of the protocol."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from redline.assist.review.shown.shown_findings import FindingView
from redline.findings.finding import Severity
from redline.findings.review import Review
from redline.findings.scope import named_missed
from redline.lsp.client import status_messages
from redline.lsp.client.diagnostics import (
    ERROR,
    INFORMATION,
    WARNING,
    Location,
    LspDiagnostic,
    RelatedInformation,
)
from redline.lsp.protocol.messages import wire_client_range
from redline.lsp.review import review_messages
from redline.printable import printable
from redline.text.markdown import harmless, plain_message

_SEVERITIES: dict[Severity, int] = {
    "critical": ERROR,
    "high": ERROR,
    "medium": WARNING,
    "low": INFORMATION,
}


def diagnostic(view: FindingView, *, shows_related: bool) -> LspDiagnostic:
    finding, span = view.finding, wire_client_range(view.range)
    related: tuple[RelatedInformation, ...] | UnsetType = UNSET
    if shows_related and finding.evidence:
        place = Location(view.uri, span)
        related = tuple(
            RelatedInformation(place, plain_message(one)) for one in finding.evidence
        )
    return LspDiagnostic(
        range=span,
        message=plain_message(
            f"{finding.title}\n\n{_first_paragraph(finding.explanation)}".strip()
        ),
        severity=_SEVERITIES[finding.severity],
        source="redline",
        code=finding.category,
        related_information=related,
        data=review_messages.FindingData(
            finding_id=finding.id, review_id=finding.review_id
        ),
    )


def finding_info(view: FindingView) -> review_messages.Finding:
    """Convert a finding to a value of `redline/reviews`."""
    finding = view.finding
    return review_messages.Finding(
        id=finding.id,
        review_id=finding.review_id,
        uri=view.uri,
        file=printable(finding.file),
        range=wire_client_range(view.range),
        quote=finding.quote,
        severity=finding.severity,
        category=finding.category,
        title=plain_message(finding.title),
        explanation=harmless(finding.explanation),
        rule=finding.rule,
        confidence=finding.confidence,
        evidence=tuple(map(plain_message, finding.evidence)),
        fix=UNSET if finding.fix is None else finding.fix.new_text,
        state=finding.state,
    )


def review_status(review: Review) -> status_messages.ReviewStatus:
    """Convert a review's state to the value of `redline/review`."""
    return status_messages.ReviewStatus(
        review_id=review.id,
        state=review.state,
        scope=plain_message(review.scope),
        step=review.step,
        percentage=review.percentage,
        findings=review.n_findings,
        dropped=review.n_dropped,
        message=plain_message(full_message(review)),
        has_model=review.has_model,
        cost=review.cost,
        created_at=review.created_at,
        ended_at=review.ended_at,
        same_as=review.same_as,
        left_out=tuple(
            status_messages.NotReviewed(
                path=printable(one.path),
                reason=plain_message(one.reason),
                by_rule=one.by_rule,
            )
            for one in review.left_out
        ),
        partial=review.is_partial,
        live=review.request.is_live,
    )


def full_message(review: Review) -> str:
    """Return a review's message, with the files that were not reviewed."""
    missed = named_missed(review.left_out) if review.has_ended else ""
    return f"{review.message} {missed}".strip()


def _first_paragraph(explanation: str) -> str:
    """Return an explanation up to its first blank line."""
    return explanation.strip().split("\n\n", 1)[0].strip()
