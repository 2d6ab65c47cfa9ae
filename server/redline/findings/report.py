"""The report of a review as Markdown, for the editor and for people in general.

Whatever a model or a file has written is data: it can add no links that run commands,
no images and no HTML, and cannot end the block it stands in.
"""

from __future__ import annotations

from redline.findings.reported import ReviewReport


def markdown_report(report: ReviewReport) -> str:
    """Write a report; LF line ends, one at the end."""
    raise NotImplementedError
