"""Formats the usage report for users and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from redline.cli.reports.usage_report import UsageReport
from redline.routing.experience import Experience
from redline.store.automatic_usage import AutomaticKind, AutomaticTotals
from redline.store.totals import DraftTotals, OpinionTotals, Totals

NONE = "-"
"""Shown if there is nothing to measure."""

_COLUMNS = (
    "tasks",
    "accepted",
    "time p50",
    "time p90",
    "rework",
    "cost/accepted",
    "cost",
)

_KINDS: Mapping[AutomaticKind, str] = {
    "completion": "completions",
    "next-edit": "next edits",
}

_DRAFT_COLUMNS = (
    "drafts",
    "unchanged",
    "repaired",
    "escalated",
    "unfinished",
    "cost",
)

_OPINION_COLUMNS = (
    "opinions",
    "agreed",
    "rework",
    "overruled",
    "kept",
    "changed",
    "lowered",
    "late",
    "unread",
)

_PLAN_COLUMNS = ("requests", "input", "cached", "output", "wasted", "cost")

_PLAN_LEGEND = """\
requests: plans and debugs, each of their steps, and their reviews; the rest: tokens"""

_UNASKED_COLUMNS = (
    "requests",
    "shown",
    "at once",
    "accepted",
    "input",
    "cached",
    "output",
    "cost",
)

_UNASKED_LEGEND = """\
at once: shown from the cache or by rules, without waiting for a model
input, cached, output: tokens; cost: US dollars"""

_LEGEND = """\
time: from the request until the result was there
rework: share of accepted edits that were undone or edited again within a minute
cost: US dollars; per accepted edit, what all tasks of the row cost together"""


_DRAFT_LEGEND = """\
unchanged, repaired, escalated: shares of the drafts with a result: used as drafted,
changed by the standard tier, written by a higher tier
cost: US dollars of the drafted tasks, review included"""


_OPINION_LEGEND = """\
agreed: the opinion named the edit's tier; rework as above, of these alone
overruled: it named another one, and the edit was left to its own
kept, changed: a higher tier went over the edit and kept or changed it
lowered: a lower tier wrote the edit"""


def text_page(report: UsageReport) -> str:
    """Return the report as plain text, with a final newline."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: UsageReport) -> Iterator[str]:
    yield from report.notes
    if report.overall is None and not report.unasked:
        yield f"No usage since {report.since} in {report.file}."
        yield "It is counted while an editor uses Redline: run an edit and ask again."
        return
    yield f"Usage since {report.since}, from {report.file}"
    if report.overall is not None:
        yield from _task_lines(report, report.overall)
    if report.unasked:
        yield from _automatic_lines(report.unasked)


def _task_lines(report: UsageReport, overall: Totals) -> Iterator[str]:
    yield ""
    rows = [(m.tier or "", *_cells(m)) for m in report.tiers]
    yield from _table(
        ("tier", *_COLUMNS), [*rows, ("all", *_cells(overall))], n_names=1
    )
    yield ""
    rows = [(m.day or "", m.tier or "", *_cells(m)) for m in report.tiers_by_day]
    yield from _table(("day", "tier", *_COLUMNS), rows, n_names=2)
    yield ""
    yield _LEGEND
    if overall.unpriced:
        yield (
            f"not in the cost: {overall.unpriced} of {overall.tasks} "
            "tasks, by models whose price is not known"
        )
    if report.plans:
        yield ""
        rows = [(m.kind or "", m.tier or "", *_plan_cells(m)) for m in report.plans]
        yield from _table(("", "tier", *_PLAN_COLUMNS), rows, n_names=2)
        yield ""
        yield _PLAN_LEGEND
    if report.drafts:
        yield ""
        rows = [(drafts.model, *_draft_cells(drafts)) for drafts in report.drafts]
        yield from _table(("draft model", *_DRAFT_COLUMNS), rows, n_names=1)
        yield ""
        yield _DRAFT_LEGEND
    if report.experience.n_fast:
        yield ""
        yield _experience_line(report.experience)
    if report.opinions is not None:
        yield ""
        yield from _table(
            ("", *_OPINION_COLUMNS),
            [("second", *_opinion_cells(report.opinions))],
            n_names=1,
        )
        yield ""
        yield _OPINION_LEGEND


def _automatic_lines(automatic: Sequence[AutomaticTotals]) -> Iterator[str]:
    yield ""
    rows = [
        (_KINDS[one.kind], one.tier or NONE, one.model or NONE, *_automatic_cells(one))
        for one in automatic
    ]
    head = ("", "tier", "model", *_UNASKED_COLUMNS)
    yield from _table(head, rows, n_names=3)
    yield ""
    yield _UNASKED_LEGEND
    if n_unpriced := sum(one.unpriced for one in automatic):
        yield f"not in the cost: {n_unpriced} replies of models without a known price"


def _automatic_cells(totals: AutomaticTotals) -> tuple[str, ...]:
    return (
        str(totals.requests),
        str(totals.shown),
        str(totals.at_once),
        str(totals.accepted),
        str(totals.input_tokens),
        str(totals.cached_tokens),
        str(totals.output_tokens),
        _dollars(totals.cost),
    )


def _cells(totals: Totals) -> tuple[str, ...]:
    return (
        str(totals.tasks),
        str(totals.accepted),
        _seconds(totals.task_p50_s),
        _seconds(totals.task_p90_s),
        _per_cent(totals.rework_share),
        _dollars(totals.cost_per_accepted),
        _dollars(totals.cost),
    )


def _plan_cells(totals: Totals) -> tuple[str, ...]:
    return (
        str(totals.tasks),
        str(totals.input_tokens),
        str(totals.cached_tokens),
        str(totals.output_tokens),
        str(totals.wasted_tokens),
        _dollars(totals.cost),
    )


def _draft_cells(drafts: DraftTotals) -> tuple[str, ...]:
    return (
        str(drafts.drafts),
        _per_cent(drafts.unchanged_share),
        _per_cent(drafts.repaired_share),
        _per_cent(drafts.escalated_share),
        str(drafts.unfinished),
        _dollars(drafts.cost),
    )


def _experience_line(experience: Experience) -> str:
    return (
        f"routing: {experience.n_fast_failed} of {experience.n_fast} edits by the fast "
        f"tier were not kept as they were, which shifts its score by "
        f"{experience.shift:+.2f}; second opinions are taken to be right in "
        f"{experience.reliability:.0%}"
    )


def _opinion_cells(opinions: OpinionTotals) -> tuple[str, ...]:
    return (
        str(opinions.opinions),
        str(opinions.agreed),
        _per_cent(opinions.agreed_rework_share),
        str(opinions.overruled),
        str(opinions.kept),
        str(opinions.changed),
        str(opinions.lowered),
        str(opinions.late),
        str(opinions.unread),
    )


def _table(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, n_names: int
) -> Iterator[str]:
    """Yield aligned lines: names to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for row in (head, *rows):
        cells = (
            cell.ljust(width) if i < n_names else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells)


def _seconds(seconds: float | None) -> str:
    return NONE if seconds is None else f"{seconds:.2f} s"


def _per_cent(share: float | None) -> str:
    return NONE if share is None else f"{share:.1%}"


def _dollars(dollars: float | None) -> str:
    # An edit of the fast tier may cost a few hundredths of a cent.
    return NONE if dollars is None else f"${dollars:.5f}"
