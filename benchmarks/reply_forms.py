"""`python -m benchmarks.reply_forms [SET]`: replies in other forms than the plain text.

Each file of `tests/data/reply_forms/SET/` is one edit with several replies. All replies
mean the same text, and most of them are wrapped, repeated or garbled as models do it. A
reply is *exact* if the text that is offered is the right one, *held* if a problem is
reported, and *silent* if a wrong text is offered without a problem, which is the worst
that can happen. The result must not depend on how the reply is cut into deltas:
`--cut` splits each reply at every place.

The edits of `human_edits` are replies in the plain form, whose text must not be
changed: the whole function is the range, then only its changed lines.

A file has a line `path: ...`, then sections, each after a line `--- name`: `before`
(the file, with the range between a line `»` and a line `«`), `wanted` (the range's
right text), and any number of `reply KIND`, or `reply KIND (hold)` if nothing can be
made of it. The last line end of a reply belongs to the file of the case; `␍` is a
carriage return.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from rich.console import Console
from rich.table import Table

from benchmarks.human_edits import HumanEdit, read_edits
from benchmarks.reply_cases import ReplyCase, judge
from redline.syntax.language import language_of
from redline.text.lines import majority_end, split_lines
from redline.text.reply import Reply
from redline.text.reply_parser import ReplyParser

FOLDER = Path(__file__).parents[1] / "tests" / "data" / "reply_forms"
INSTRUCTION = "improve this"

Outcome = Literal["exact", "held", "silent"]

_SECTION = re.compile(
    r"^--- (before|wanted|reply [a-z-]+(?: \(hold\))?)\n", re.MULTILINE
)
_OTHER_LANGUAGES = {
    ".css": "css",
    ".diff": "diff",
    ".html": "html",
    ".json": "json",
    ".md": "markdown",
    ".txt": "plaintext",
    ".yml": "yaml",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BadReply:
    """A reply, and what should become of it."""

    name: str
    kind: str
    case: ReplyCase
    wanted: str
    is_lost: bool
    """Whether nothing can be made of it, so that it must be held."""

    @property
    def is_right(self) -> bool:
        """Whether the reply is in no bad form at all."""
        return self.kind == "right"


def main() -> int:
    """Print the outcomes; return 1 if a wrong text is offered without a problem."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reply_forms")
    parser.add_argument("set", nargs="?", help="the name of a set; by default all")
    parser.add_argument("--cut", action="store_true", help="cut at every place")
    arguments = parser.parse_args()
    console = Console(width=100)
    silent = 0
    for folder in sorted(FOLDER.iterdir()):
        if arguments.set not in (None, folder.name):
            continue
        judged = [(reply, outcome(reply)) for reply in read_set(folder)]
        _print(console, folder.name, judged)
        silent += sum(result[0] == "silent" for _, result in judged)
        if arguments.cut:
            for reply in read_set(folder):
                if not is_same_in_pieces(reply.case):
                    console.print(f"depends on the pieces: {reply.name}")
                    silent += 1
    edits = read_edits()
    changed = [name for edit in edits for name in changed_texts(edit)]
    console.print(f"{len(changed)} of {2 * len(edits)} right texts of people changed")
    for name in changed:
        console.print(name, markup=False)
    return 1 if silent else 0


def is_same_in_pieces(case: ReplyCase) -> bool:
    """Whether every way to cut a reply in two, and single characters, give the same."""
    text = case.reply
    whole = read_in_pieces(case, [text])
    cuts = ([text[:at], text[at:]] for at in range(1, len(text)))
    return all(read_in_pieces(case, pieces) == whole for pieces in (*cuts, list(text)))


def read_in_pieces(case: ReplyCase, pieces: Iterable[str]) -> Reply:
    """Read a reply that arrives in these pieces."""
    start, stop = case.region.start, case.region.stop
    parser = ReplyParser(
        format=case.format,
        target_lines=case.before[start:stop],
        before=case.before[:start],
        after=case.before[stop:],
        line_end=majority_end(case.before),
        language=case.language,
    )
    for piece in pieces:
        parser.feed(piece)
    return parser.finish()


def changed_texts(edit: HumanEdit) -> Iterator[str]:
    """Yield the edit's name for each range whose right text comes out differently."""
    for candidate in (edit.candidate, edit.narrow_candidate):
        case = ReplyCase(
            name=edit.name,
            path=edit.path,
            language=_language(edit.path),
            instruction="",
            format="rewrite",
            rules=frozenset(),
            missed=frozenset(),
            is_declined=False,
            before=tuple(candidate.before),
            region=candidate.region_before,
            reply="".join(candidate.new_lines),
            becomes=None,
        )
        reply = read_in_pieces(case, [case.reply])
        # The range's own blank lines at its borders are restored.
        is_same = "".join(reply.lines or ()).strip("\n") == case.reply.strip("\n")
        if case.reply.strip() and not (is_same and reply.is_understood):
            kinds = " ".join(problem.kind for problem in reply.problems)
            yield f"{edit.path} {edit.name} {case.region}: {kinds}"


def outcome(reply: BadReply) -> tuple[Outcome, str]:
    """Return what becomes of a reply, and the rules that hold it."""
    verdict = judge(reply.case)
    if verdict.problems or verdict.text is None:
        return "held", " ".join(sorted(verdict.rules))
    return ("exact" if verdict.text == reply.wanted else "silent"), ""


def is_good(reply: BadReply, result: Outcome) -> bool:
    """Whether the outcome is the best that is possible."""
    return result == ("held" if reply.is_lost else "exact")


def read_set(folder: Path) -> list[BadReply]:
    """Read all replies of a set, sorted by file."""
    return [reply for path in sorted(folder.glob("*.txt")) for reply in _read(path)]


def _print(
    console: Console,
    name: str,
    judged: Sequence[tuple[BadReply, tuple[Outcome, str]]],
) -> None:
    table = Table(box=None, pad_edge=False, title=f"set {name}")
    for column in ("kind", "replies", "exact", "held", "silent"):
        table.add_column(column, justify="left" if column == "kind" else "right")
    kinds = sorted({_row(reply) for reply, _ in judged})
    for kind in (*kinds, "all"):
        results = Counter(
            result[0] for reply, result in judged if kind in (_row(reply), "all")
        )
        counts = (results["exact"], results["held"], results["silent"])
        table.add_row(kind, str(results.total()), *map(str, counts))
    console.print(table)
    for reply, (result, rules) in judged:
        if not is_good(reply, result):
            console.print(f"{result}: {reply.name} {reply.kind} {rules}", markup=False)


def _row(reply: BadReply) -> str:
    return f"{reply.kind} (hold)" if reply.is_lost else reply.kind


def _read(path: Path) -> Iterator[BadReply]:
    text = path.read_text(encoding="utf-8").replace("␍", "\r")
    head, *parts = _SECTION.split(text)
    sections = list(zip(parts[::2], parts[1::2], strict=True))
    (_, marked), (_, wanted), *replies = sections
    source = head.removeprefix("path:").strip()
    before, _, rest = marked.partition("»\n")
    old, _, after = rest.partition("«\n")
    lines = tuple(split_lines(before + old + after))
    start = before.count("\n")
    for at, (section, reply) in enumerate(replies):
        kind = section.removeprefix("reply ")
        yield BadReply(
            name=f"{path.stem}:{at + 1}",
            kind=kind.removesuffix(" (hold)"),
            case=ReplyCase(
                name=path.stem,
                path=source,
                language=_language(source),
                instruction=INSTRUCTION,
                format="rewrite",
                rules=frozenset(),
                missed=frozenset(),
                is_declined=False,
                before=lines,
                region=range(start, start + old.count("\n")),
                reply=reply.removesuffix("\n"),
                becomes=wanted,
            ),
            wanted=wanted,
            is_lost=kind.endswith("(hold)"),
        )


def _language(path: str) -> str:
    language = language_of(path)
    return str(language) if language else _OTHER_LANGUAGES[PurePosixPath(path).suffix]


if __name__ == "__main__":
    sys.exit(main())
