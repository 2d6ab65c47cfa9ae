"""Writes what became of a plan: as a diff, or as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from stat import S_IXUSR

import msgspec

from redline.assist.plan.application import AppliedFile, edited_text
from redline.cli.edit.edit_report import show_diff, write_raw
from redline.cli.plan.plan_job import PlanReport
from redline.cli.terminal.exit_codes import EXIT_DONE, EXIT_NOT_DONE, EXIT_PROBLEMS
from redline.cli.terminal.progress_bar import ProgressBar
from redline.plans.record import PlanRecord
from redline.printable import json_page, printable, printable_line
from redline.text.unified_diff import unified_diff

_SCHEMA = 1


def plan_exit_code(report: PlanReport) -> int:
    match report.record.state:
        case "held":
            return EXIT_PROBLEMS
        case "ready" | "applied" if not report.problem:
            return EXIT_DONE
        case _:
            return EXIT_NOT_DONE


def write_plan_report(
    report: PlanReport,
    progress: ProgressBar,
    *,
    as_json: bool,
    more: Mapping[str, object],
) -> None:
    """Write the diff or the JSON to standard output, and the rest beside it."""
    diff = "".join(map(_diff, report.files))
    if as_json:
        write_raw(json_page({**more, **_data(report, diff)}))
        return
    if report.record.cause:
        write_raw(_cause(report.record))
    if report.record.state == "planned":
        write_raw(printable(report.document))
    if diff:
        show_diff(diff)
    for line in _warnings(report):
        progress.warn(line)
    if summary := _summary(report):
        progress.say(summary)


def _diff(file: AppliedFile) -> str:
    before = None if file.before is None else file.mark + file.snapshot.text
    after = None if file.after is None else file.mark + edited_text(file)
    return unified_diff(
        before,
        after,
        path=file.path,
        old_path=file.old_path,
        is_executable=bool((file.permissions or 0) & S_IXUSR),
    )


def _warnings(report: PlanReport) -> Iterator[str]:
    record = report.record
    for step in record.steps:
        for problem in step.problems:
            yield printable_line(f"{step.id}: {problem.rule}: {problem.message}")
        if step.message:
            yield printable_line(f"{step.id}: {step.message}")
    for finding in record.findings:
        mark = " (fixed)" if finding.is_fixed else ""
        place = f"{finding.file}:{finding.line + 1}"
        yield printable_line(f"{place}: {finding.severity}: {finding.title}{mark}")
    if report.problem:
        yield printable_line(report.problem)
    match record.state:
        case "planned":
            yield "The plan has questions; answer them in the instruction."
        case "held":
            what = record.request.kind
            yield printable_line(
                f"The {what} is held, and not written. {record.message}"
            )
        case "ready" | "applied" if record.message:
            yield printable_line(record.message)
        case "failed":
            yield printable_line(record.message)


def _summary(report: PlanReport) -> str:
    record = report.record
    parts = []
    if report.written and not report.problem:
        parts.append(f"Wrote {', '.join(report.written)}.")
    elif record.state == "ready" and not report.problem:
        parts.append(f"{len(report.files)} files; --apply writes them.")
    n_input = sum(use.input_n_tokens for use in record.uses)
    n_output = sum(use.output_n_tokens for use in record.uses)
    if n_input or n_output:
        cost = "" if record.cost is None else f", ${record.cost:.4f}"
        parts.append(f"{n_input:,} tokens in, {n_output:,} out{cost}.")
    return printable_line(" ".join(parts))


def _cause(record: PlanRecord) -> str:
    """Write the cause of a failure, with the lines that show it."""
    mark = "" if record.evidence else " (a guess)"
    lines = [f"Cause{mark}: {printable_line(record.cause)}"]
    for one in record.evidence:
        lines += [f"  {printable_line(one.file)}:"]
        lines += [f"    {printable(line)}" for line in one.quote.split("\n")]
    if record.evidence:
        lines.append(f"Confidence: {record.confidence}. Proved: {record.proved}.")
    return "\n".join([*lines, "", ""])


def _data(report: PlanReport, diff: str) -> dict[str, object]:
    record = report.record
    steps = {one.id: one for one in (record.plan.steps if record.plan else ())}
    return {
        "schema": _SCHEMA,
        "plan_id": record.id,
        "kind": record.request.kind,
        "state": record.state,
        "summary": record.plan.summary if record.plan else "",
        "cause": record.cause,
        "evidence": [msgspec.to_builtins(one) for one in record.evidence],
        "confidence": record.confidence,
        "proved": record.proved,
        "questions": record.plan.questions if record.plan else (),
        "message": record.message or report.problem,
        "steps": [
            {
                "id": one.id,
                "file": steps[one.id].file,
                "state": one.state,
                "tier": one.tier,
                "problems": [
                    {"rule": each.rule, "message": each.message, "line": each.line}
                    for each in one.problems
                ],
            }
            for one in record.steps
            if one.id in steps
        ],
        "findings": [msgspec.to_builtins(one) for one in record.findings],
        "written": report.written,
        "usage": [msgspec.to_builtins(one) for one in record.uses],
        "cost": record.cost,
        "estimate": record.estimate,
        "diff": diff,
    }
