"""Replies that are exactly right, of real files: nothing of them may be lost.

A reader that takes off what models write around code can also take off a line that
belongs to it. So this benchmark takes parts of real files as new texts, makes the texts
before small edits of them, answers each with exactly the new text, in the plainest
forms, and compares what Redline would offer:

- `exact`: the new text
- `held`: a problem is reported, so that nothing is applied without a question
- `unchanged`: the old text, of which an edit says that the model changed nothing
- `blank`: the new text with other blank lines
- `indented`: the new text with another indentation
- `lost`: another text, without a problem

`python -m benchmarks.exact_replies` takes the files of the replies in `tests/data` and
some of this repository. `python -m benchmarks.exact_replies FOLDER...` takes the files
below the folders. The same seed gives the same edits. It exits with 1 if a text is
lost.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Literal

from redline.checks.check_process import check_edit
from redline.checks.edit_question import CheckedFolders, EditCheck
from redline.checks.reply import check_reply
from redline.syntax.language import language_of
from redline.text.lines import majority_end, split_lines
from redline.text.reply_parser import ReplyParser

ROOT = Path(__file__).parents[1]
DATA = ROOT / "tests" / "data"

_MAX_BYTES = 60_000
_MAX_LINE_CHARS = 500
"""Files with longer lines are generated."""
_MAX_N_SHOWN = 40
_N_LINES = (1, 1, 2, 3, 5, 9, 20, 60)
"""Lengths of ranges."""
_PIECE = 17
"""Characters of a delta: few borders are where a line ends."""
_TRIES = 20
_SHARE_OF_WHOLE_FILES = 0.1
_MAX_N_LINES = 250
"""Of a file that is edited as a whole."""
_WORD = re.compile(r"[^\W\d_]{3,}")

_LANGUAGES = {
    suffix: names.split()
    for suffix, names in {
        ".md": "markdown",
        ".txt": "plaintext text unknown",
        ".rst": "restructuredtext rst",
        ".tex": "latex tex",
        ".html": "html htmldjango",
        ".htm": "html",
        ".xml": "xml",
        ".svg": "xml svg",
        ".css": "css",
        ".scss": "scss",
        ".less": "less",
        ".vue": "vue",
        ".svelte": "svelte",
        ".astro": "astro",
        ".json": "json jsonc",
        ".yaml": "yaml",
        ".yml": "yaml",
        ".toml": "toml",
        ".ini": "ini dosini",
        ".cfg": "ini cfg",
        ".conf": "conf properties",
        ".properties": "properties",
        ".service": "systemd ini",
        ".sql": "sql",
        ".lua": "lua",
        ".vim": "vim viml",
        ".el": "elisp emacs-lisp lisp",
        ".scm": "scheme",
        ".pl": "perl",
        ".pm": "perl",
        ".pod": "pod",
        ".tcl": "tcl",
        ".awk": "awk",
        ".cmake": "cmake",
        ".mk": "make makefile",
        ".s": "asm",
        ".f90": "fortran",
        ".ps1": "powershell ps1",
        ".bat": "bat dosbatch",
        ".cmd": "bat",
        ".patch": "diff",
        ".diff": "diff",
        ".kt": "kotlin",
        ".swift": "swift",
        ".scala": "scala",
        ".dart": "dart",
        ".ex": "elixir",
        ".exs": "elixir",
        ".hs": "haskell",
        ".jl": "julia",
        ".r": "r",
        ".tf": "terraform hcl",
        ".proto": "proto",
        ".graphql": "graphql",
        ".nix": "nix",
        ".zig": "zig",
        ".csv": "csv",
        ".po": "po",
        ".1": "nroff man",
        ".ipynb": "json",
    }.items()
}
"""What editors call the language of a file that has no grammar here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactReply:
    """An edit and its new text, which the reply has exactly."""

    path: str
    language: str
    lines: tuple[str, ...]
    """The file's, with their ends."""
    first: int
    end: int
    new: tuple[str, ...]
    instruction: str
    kind: str
    """What the edit does, and the form of the reply."""
    reply: str

    @property
    def expected(self) -> str:
        """The file after the edit."""
        return "".join((*self.lines[: self.first], *self.new, *self.lines[self.end :]))


Result = Literal["exact", "held", "unchanged", "blank", "indented", "lost"]


def main() -> int:
    """Print the results by language, and what was lost."""
    parser = argparse.ArgumentParser(prog="exact_replies", description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--edits", type=int, default=4_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    files = files_in(options.folders) if options.folders else own_files()
    by_language: dict[str, Counter[Result]] = defaultdict(Counter)
    shown = 0
    for reply in exact_replies(files, chance, options.edits):
        result, after = judge(reply)
        by_language[reply.language][result] += 1
        if result == "lost" and shown < _MAX_N_SHOWN:
            shown += 1
            print(f"lost: {reply.path}, {reply.language}, {reply.kind}")
            print(f"  {reply.reply!r}")
            changes = unified_diff(split_lines(reply.expected), split_lines(after), n=1)
            print(*(f"    {line!r}" for line in islice(changes, 2, None)), sep="\n")
    total: Counter[Result] = sum(by_language.values(), Counter())
    for language, counts in sorted(by_language.items()):
        print(f"{language:24} {dict(counts)}")
    print(f"{total.total()} replies: {dict(total)}")
    return 1 if total["lost"] else 0


def judge(reply: ExactReply) -> tuple[Result, str]:
    """Read and check a reply, as an edit does.

    Returns:
        The result, and the file as it would be.
    """
    old = reply.lines[reply.first : reply.end]
    line_end = majority_end(reply.lines)
    parser = ReplyParser(
        format="rewrite",
        target_lines=old,
        before=reply.lines[: reply.first],
        after=reply.lines[reply.end :],
        line_end=line_end,
        language=reply.language,
        lifts_imports=True,
    )
    for at in range(0, len(reply.reply), _PIECE):
        parser.feed(reply.reply[at : at + _PIECE])
    read = parser.finish()
    if read.lines is None:
        return "held", ""
    lifted = [text + line_end for text in read.imports]
    after = "".join(
        (
            *reply.lines[: reply.first],
            *lifted,
            *read.lines,
            *reply.lines[reply.end :],
        )
    )
    if after == reply.expected:
        return "exact", after
    if after == "".join(reply.lines):
        return "unchanged", after
    problems = check_reply(read.problems, instruction=reply.instruction)
    verdict = check_edit(
        EditCheck(
            before=list(reply.lines),
            first=reply.first,
            n_old=len(old),
            new=(*lifted, *read.lines),
            language=reply.language,
            path=reply.path,
            instruction=reply.instruction,
            kind="rewrite",
            reply_problems=problems,
            environment=CheckedFolders(roots=()),
        )
    )
    if verdict.problems:
        return "held", after
    if _full_lines(after) == _full_lines(reply.expected):
        return "blank", after
    is_indented = after.split() == reply.expected.split()
    return ("indented" if is_indented else "lost"), after


def _full_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def files_in(folders: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """Yield the paths of the files below folders, and no text yet."""
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix and path.is_file() and path.stat().st_size <= _MAX_BYTES:
                yield path.as_posix(), ""


def own_files() -> Iterator[tuple[str, str]]:
    """Yield the paths and texts of files that come with the repository."""
    for path in sorted(DATA.glob("replies_unseen*.jsonl")):
        for line in path.read_bytes().splitlines():
            case = json.loads(line)
            yield case["path"], case["file"]
    for folder in ("docs", "editors/nvim", "editors/emacs", "server/redline/text"):
        yield from files_in([ROOT / folder])


def exact_replies(
    files: Iterable[tuple[str, str]], chance: random.Random, n_edits: int
) -> Iterator[ExactReply]:
    """Yield edits of files, of all suffixes alike; fewer if the files are too few."""
    by_suffix: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for path, text in files:
        if _languages(path):
            by_suffix[PurePosixPath(path).suffix].append((path, text))
    suffixes = sorted(by_suffix)
    n_made = n_tried = 0
    while n_made < n_edits and n_tried < _TRIES * n_edits:
        n_tried += 1
        path, text = chance.choice(by_suffix[chance.choice(suffixes)])
        reply = _reply(path, text or _read(path), chance)
        if reply is not None:
            n_made += 1
            yield reply


def _read(path: str) -> str:
    try:
        return Path(path).read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return ""


def _languages(path: str) -> Sequence[str]:
    known = language_of(path)
    return [str(known)] if known else _LANGUAGES.get(PurePosixPath(path).suffix, [])


def _reply(path: str, text: str, chance: random.Random) -> ExactReply | None:
    """Make an edit whose result is a file; None if this one cannot be edited."""
    lines = [line for line in split_lines(text) if line]
    if not lines or not text.endswith("\n") or "\r" in text or text[0] == "\ufeff":
        return None
    if max(map(len, lines)) > _MAX_LINE_CHARS:
        return None
    n_lines = min(chance.choice(_N_LINES), len(lines))
    first = chance.randrange(len(lines) - n_lines + 1)
    if chance.random() < _SHARE_OF_WHOLE_FILES and len(lines) < _MAX_N_LINES:
        first, n_lines = 0, len(lines)
    new = [line.removesuffix("\n") for line in lines[first : first + n_lines]]
    spoilt = _spoilt(new, text, chance)
    if spoilt is None or not any(map(str.strip, new)):
        return None
    old, kind, instruction = spoilt
    form, reply = _formed("\n".join(new), path, chance)
    return ExactReply(
        path=path,
        language=chance.choice(_languages(path)),
        lines=(
            *lines[:first],
            *(f"{line}\n" for line in old),
            *lines[first + n_lines :],
        ),
        first=first,
        end=first + len(old),
        new=tuple(f"{line}\n" for line in new),
        instruction=instruction,
        kind=f"{kind}, {form}",
        reply=reply,
    )


def _spoilt(
    new: Sequence[str], text: str, chance: random.Random
) -> tuple[list[str], str, str] | None:
    """Return the lines before an edit, what it does, and its instruction."""
    old = list(new)
    at = chance.randrange(len(old))
    words = _WORD.findall(old[at])
    match chance.choice(("word", "word", "word", "typo", "remove", "add", "move")):
        case "word" if words:
            word = chance.choice(words)
            other = chance.choice(sorted(set(_WORD.findall(text)) - {word}) or ["item"])
            old[at] = old[at].replace(word, other, 1)
            return old, "word", f"replace {other} by {word}"
        case "typo" if words:
            word = chance.choice(words)
            old[at] = old[at].replace(word, word[1] + word[0] + word[2:], 1)
            return (old, "typo", "correct the typo") if old != new else None
        case "remove" if words:
            line = old[at].replace(chance.choice(words), "another", 1)
            old.insert(chance.choice((0, at, len(old))), line)
            return old, "remove", "remove the line that is not needed"
        case "add" if len(old) > 1:
            del old[chance.choice((0, at, len(old) - 1))]
            return old, "add", "add the line that is missing"
        case "move" if len(old) > 1:
            old.insert(chance.randrange(len(old)), old.pop(at))
            return (old, "move", "reorder the lines") if old != new else None
    return None


def _formed(text: str, path: str, chance: random.Random) -> tuple[str, str]:
    """Return a form that models use, and the text in it."""
    form = chance.choice(("bare", "bare without end", "fenced", "between sentences"))
    if form.startswith("bare"):
        return form, text if form.endswith("end") else f"{text}\n"
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    block = f"{fence}{PurePosixPath(path).suffix[1:]}\n{text}\n{fence}\n"
    if form == "fenced":
        return form, block
    note = "I changed only what you asked for."
    return form, f"Here is the updated code:\n\n{block}\n{note}\n"


if __name__ == "__main__":
    sys.exit(main())
