"""Replies with the faults of models, each with the expected result, from text files.

A file in `tests/data/replies/` begins with `name: value` lines, then has sections, each
after a line `--- name`:

- `before`: the file; the range to edit is between a line `»` and a line `«`
- `reply`: what the model wrote
- `becomes`: the range's new text, where it matters

`→` stands for a tab. The names: `why` (the purpose of the case), `path`, `language` (by
default from the path), `instruction`, `rules` (ids that must be reported, none for a
right reply), `missed` (those of them that are known to be missed today), `format` (of
the reply), `ends: crlf`, `final-end: no` (the file's last line has no line end),
`reply-end: no` (the same for the reply), `declined: yes` (the reply must be read as a
refusal).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from redline.checks.all_checks import check
from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.python.environment import PythonEnvironment
from redline.checks.reply import check_reply
from redline.syntax.language import language_of
from redline.text.lines import majority_end, split_lines
from redline.text.reply import Reply, ReplyFormat
from redline.text.reply_parser import ReplyParser

FOLDER = Path(__file__).parents[1] / "tests" / "data" / "replies"
WORKSPACE = FOLDER / "workspace"
"""The files around those of the cases."""

_SECTION = re.compile(r"^--- (before|reply|becomes)\n", re.MULTILINE)
_START, _END = "»\n", "«\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyCase:
    """One reply to one edit."""

    name: str
    path: str
    language: str
    instruction: str
    format: ReplyFormat
    rules: frozenset[str]
    """Ids that must be reported; none: the reply is right."""
    missed: frozenset[str]
    """Those of `rules` that are known to miss it today."""
    is_declined: bool
    before: tuple[str, ...]
    region: range
    reply: str
    becomes: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The result of the parser and the checks for a reply."""

    reply: Reply
    problems: tuple[Problem, ...]

    @property
    def rules(self) -> frozenset[str]:
        """The ids of what was reported."""
        return frozenset(problem.rule for problem in self.problems)

    @property
    def text(self) -> str | None:
        """The region's new text, if there is one."""
        return None if self.reply.lines is None else "".join(self.reply.lines)


def reply_cases() -> list[ReplyCase]:
    """Read all cases, sorted by name."""
    return [_read(path) for path in sorted(FOLDER.glob("*.txt"))]


def judge(case: ReplyCase, environment: PythonEnvironment | None = None) -> Verdict:
    """Read a case's reply and check it, as an edit does."""
    old = case.before[case.region.start : case.region.stop]
    parser = ReplyParser(
        format=case.format,
        target_lines=old,
        before=case.before[: case.region.start],
        after=case.before[case.region.stop :],
        line_end=majority_end(case.before),
        language=case.language,
    )
    parser.feed(case.reply)
    reply = parser.finish()
    problems = check_reply(reply.problems, instruction=case.instruction)
    if reply.lines is None:
        return Verdict(reply=reply, problems=problems)
    start, stop = case.region.start, case.region.stop
    candidate = CheckedEdit(
        before=case.before,
        after=(*case.before[:start], *reply.lines, *case.before[stop:]),
        region_before=case.region,
        region_after=range(start, start + len(reply.lines)),
        language=case.language,
        path=case.path,
        instruction=case.instruction,
    )
    found = check(candidate, environment=environment)
    return Verdict(reply=reply, problems=(*problems, *found))


def environment() -> PythonEnvironment:
    """What the cases' workspace can import: itself, and what this program can."""
    return PythonEnvironment([WORKSPACE], configured=Path(sys.prefix))


def _read(path: Path) -> ReplyCase:
    head, *parts = _SECTION.split(path.read_text(encoding="utf-8"))
    names = dict(_names(head))
    end = "\r\n" if names.get("ends") == "crlf" else "\n"
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    texts = {name: text.replace("→", "\t") for name, text in sections.items()}
    before, region = _marked(texts["before"], names, end)
    becomes = texts.get("becomes")
    if becomes is not None:
        becomes = _end(becomes.replace("\n", end), end, names.get("final-end"))
    return ReplyCase(
        name=path.stem,
        path=names["path"],
        language=names.get("language") or str(language_of(names["path"])),
        instruction=names["instruction"],
        format=_format(names.get("format", "rewrite")),
        rules=frozenset(names["rules"].replace(",", " ").split()),
        missed=frozenset(names.get("missed", "").split()),
        is_declined=names.get("declined") == "yes",
        before=before,
        region=region,
        reply=_end(texts["reply"], "\n", names.get("reply-end")),
        becomes=becomes,
    )


def _names(head: str) -> Iterator[tuple[str, str]]:
    for line in head.splitlines():
        name, _, value = line.partition(":")
        yield name, value.strip()


def _marked(
    text: str, names: Mapping[str, str], end: str
) -> tuple[tuple[str, ...], range]:
    head, _, rest = text.partition(_START)
    old, _, tail = rest.partition(_END)
    whole = (head + old + tail).replace("\n", end)
    whole = _end(whole, end, names.get("final-end"))
    start = head.count("\n")
    return tuple(split_lines(whole)), range(start, start + old.count("\n"))


def _end(text: str, end: str, has_end: str | None) -> str:
    return text.removesuffix(end) if has_end == "no" else text


def _format(name: str) -> ReplyFormat:
    return "search-replace" if name == "search-replace" else "rewrite"
