"""The menu of a cursor on a finding."""

from __future__ import annotations

import pytest

from redline.lsp.actions.code_action import at_findings
from redline.lsp.actions.menu import MenuEntry
from redline.lsp.review.review_messages import OpenReportArguments


def action(finding_id: str | None = None, failure: str | None = None) -> MenuEntry:
    return MenuEntry(
        title="",
        kind="",
        command="",
        arguments=OpenReportArguments(),
        finding_id=finding_id,
        failure=failure,
    )


FINDING, FAILED, RUN = action(finding_id="f1"), action(failure="run:0"), action()


@pytest.mark.parametrize(
    ("offered", "kept"),
    [
        ([FINDING, FAILED, RUN], [FINDING, FAILED]),
        ([FINDING, RUN], [FINDING]),
        ([FAILED, RUN], [FAILED, RUN]),
    ],
)
def test_a_failed_test_can_be_debugged_at_a_finding(
    offered: list[MenuEntry], kept: list[MenuEntry]
) -> None:
    """What is about neither is left out where there is a finding."""
    assert at_findings(offered, [], []) == (kept, [])
