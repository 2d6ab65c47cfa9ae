"""Replays commits of this repository, change by change, before a model with faults.

The changes of a file are made in order. After each, the model is asked for the next one
and answers with it, or with one of the faults of real models. What is shown is compared
to the next version of the file.
"""

from __future__ import annotations

import ast
import asyncio
import difflib
import random
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.assist.fake_model import FakeModel
from tests.assist.in_process import InThisProcess
from tests.assist.suggestions.next_edits.next_edit_services import (
    OneModel,
    next_edits_of,
)
from tests.assist.virtual_time import VirtualTimeLoop

from redline.assist.editor.workspace import Workspace
from redline.assist.suggestions.next_edits.next_edits import NextEdits
from redline.settings.completion import NextEditSettings
from redline.text.document import ContentChange, Document
from redline.text.position import Encoding, Position, Range

ANSWERS = (
    "right", "no edit", "a guess", "undoes", "other blanks", "stale", "no change",
    "cut", "elided", "a key", "worse syntax", "talk",
)  # fmt: skip
_N_FAULTS = 4
"""Of a change, besides the right answer."""

_ROOT = Path(__file__).parents[1]
_URI = "file:///replay/replayed.py"
"""In an empty workspace: imports of an old version may be of modules that are gone."""
_PATH = "replayed.py"
_KEY = "sk-live-4f9aD83kLmQ2vX7tR1wZ0pB6"
_MAX_CHARS = 30_000
_MAX_ADDED, _MAX_REMOVED = 12, 8
_N_OF_COMMIT = 3
_PAUSE_S = 2.0


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines of a file that others replace, in the text at that moment."""

    first: int
    old: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(slots=True)
class Replayed:
    """What was shown."""

    n_commits: int = 0
    n_changes: int = 0
    by_rules: int = 0
    wrong_by_rules: int = 0
    n_undone: int = 0
    n_other: int = 0
    asked: Counter[str] = field(default_factory=Counter)
    good: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)


def replay(seed: int, n_changes: int, *, newest: str) -> Replayed:
    """Replay some changes of the repository's own commits, up to one of them."""
    rng = random.Random(seed)
    replayed = Replayed()
    for name, before, after in _versions(rng, newest):
        hunks = list(_hunks(before, after))
        if len(hunks) < 2:
            continue
        replayed.n_commits += 1
        for number in range(1, min(len(hunks), _N_OF_COMMIT + 1)):
            _replay_change(replayed, rng, name, before, after, hunks, number)
            if replayed.n_changes == n_changes:
                return replayed
    return replayed


def _replay_change(
    replayed: Replayed,
    rng: random.Random,
    name: str,
    before: Sequence[str],
    after: Sequence[str],
    hunks: Sequence[Hunk],
    number: int,
) -> None:
    """Make the change before the numbered one, and ask for that."""
    truth = hunks[number]
    if len(truth.new) > _MAX_ADDED or len(truth.old) > _MAX_REMOVED:
        return
    replayed.n_changes += 1
    faults = rng.sample(ANSWERS[1:], _N_FAULTS)
    for answer in ("right", *faults):
        shown = _run(before, hunks, number, answer)
        if shown is None:
            return
        if shown.rules:
            replayed.by_rules += 1
            wrong = [
                line for line in shown.rules if line.strip() not in _stripped(after)
            ]
            replayed.wrong_by_rules += bool(wrong)
            replayed.notes += [f"rules: {name}: {line!r}" for line in wrong]
            return
        if shown.answer is None:
            continue
        replayed.asked[shown.answer] += 1
        is_right = shown.text == _done(before, hunks, number)
        is_good = is_right if shown.answer == "right" else shown.text is None
        replayed.good[shown.answer] += is_good
        replayed.n_other += shown.text is not None and not is_right
        replayed.n_undone += answer == "undoes" and shown.text is not None
        if not is_good:
            last = hunks[number - 1]
            replayed.notes.append(f"{shown.answer}: {name}: {truth}, after {last}")


@dataclass(frozen=True, slots=True)
class _Shown:
    answer: str | None
    """What the model answered; None: the fault does not apply."""
    text: str | None = None
    """The text with all that is offered; None: nothing is."""
    rules: tuple[str, ...] = ()
    """The lines that the rules would write; the model was not asked then."""


def _run(
    before: Sequence[str], hunks: Sequence[Hunk], number: int, answer: str
) -> _Shown | None:
    """Return what is shown; None: the model was not asked."""

    async def work() -> _Shown | None:
        workspace = Workspace()
        workspace.change_roots(added=["file:///replay"], removed=())
        model = FakeModel()
        next_edits = next_edits_of(
            workspace, NextEditSettings, parser=InThisProcess(), models=OneModel(model)
        )
        first = max(0, number - 2)
        workspace.open(_URI, "python", 1, "".join(_applied(before, hunks[:first])))
        document = workspace.document(_URI)
        for hunk in hunks[first:number]:
            _type(workspace, document, hunk)
            await asyncio.sleep(0)
        await asyncio.sleep(0.01)
        next_edits.next_edit(_URI, None, is_settled=True)
        offered = _offered(next_edits, document)
        if offered is not None:
            await next_edits.aclose()
            return _Shown(None, rules=_changed_lines(document, offered))
        if not next_edits.counter.total.requests:
            await next_edits.aclose()
            return None
        generation = await model.generation()
        truth = hunks[number]
        lines = document.snapshot().lines
        given, reply = _reply(
            answer, truth, hunks[number - 1], lines, generation.prompt
        )
        if reply is not None:
            generation.write(reply)
            generation.finish("length" if given == "cut" else "completed")
            await next_edits.found()
        text = _offered(next_edits, document)
        await next_edits.aclose()
        return _Shown(given if reply is not None else None, text)

    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(work())


def _reply(
    answer: str, truth: Hunk, last: Hunk, lines: Sequence[str], prompt: str
) -> tuple[str, str | None]:
    """Write an answer; a right one that cannot be given is no edit."""
    patch = _patch(truth, lines)
    removed = [line[1:] for line in patch if line[0] in "- "]
    if "\n".join(removed) not in prompt:
        return "no edit", "N\n"
    head = f"H\n@@ {_PATH}\n"
    right = head + "\n".join(patch) + "\n"
    first = truth.new[0] if truth.new else ""
    indent = first[: len(first) - len(first.lstrip())]
    wrong = f"{indent}def (:"
    if answer == "worse syntax" and not _is_code(lines, truth.first, wrong):
        return answer, None
    old = [line for line in patch if line[0] in "- "]
    whole = {
        "right": right,
        "no edit": "N\n",
        "a guess": "L" + right[1:],
        "cut": right[: len(head) + (len(right) - len(head)) // 2],
        "talk": "You could also update the callers of this function.",
    }
    changed = {
        "undoes": _patch(Hunk(last.first, last.new, last.old), lines),
        "other blanks": [_shifted(line) for line in patch],
        "stale": [f"{line}  zq" if line[0] in "- " else line for line in patch],
        "no change": [f"{sign}{line[1:]}" for sign in "-+" for line in old],
        "elided": [*old, f"+{indent}# ... existing code ..."],
        "a key": [*old, f'+{indent}key = "{_KEY}"'],
        "worse syntax": [*old, f"+{wrong}"],
    }
    if answer in whole:
        return answer, whole[answer]
    return answer, head + "\n".join(changed[answer]) + "\n"


def _shifted(line: str) -> str:
    return f"{line[0]}  {line[1:]}" if line[0] in "- " else line


def _is_code(lines: Sequence[str], at: int, wrong: str) -> bool:
    """Whether a wrong line is an error there, and not part of a string."""
    try:
        ast.parse("".join(lines))
    except SyntaxError:
        return True
    try:
        ast.parse("".join([*lines[:at], f"{wrong}\n", *lines[at:]]))
    except SyntaxError:
        return True
    return False


def _patch(hunk: Hunk, lines: Sequence[str]) -> list[str]:
    """Write a change as a model does; an insertion behind a line that stays."""
    patch = [f"-{_bare(line)}" for line in hunk.old]
    if not patch and hunk.first:
        # A place by its lines above, up to one that is not blank.
        first = hunk.first - 1
        while first > 0 and not lines[first].strip():
            first -= 1
        patch = [f" {_bare(line)}" for line in lines[first : hunk.first]]
    return [*patch, *(f"+{_bare(line)}" for line in hunk.new)] or [" "]


def _bare(line: str) -> str:
    return line.rstrip("\n")


def _offered(next_edits: NextEdits, document: Document) -> str | None:
    """Return the text with all offers made; None: there is none."""
    files = next_edits.all_edits(_URI)
    edits = [one for file in files for one in file.edits if not one.is_jump]
    if not edits:
        return None
    text = document.snapshot().text
    copy = Document(
        uri="a", language_id="", version=1, text=text, encoding=Encoding.UTF_32
    )
    for edit in sorted(edits, key=lambda one: one.range.start, reverse=True):
        copy.change(2, [ContentChange(range=edit.range, text=edit.text)])
    return copy.snapshot().text


def _changed_lines(document: Document, offered: str) -> tuple[str, ...]:
    known = {line.strip() for line in document.snapshot().lines}
    return tuple(line for line in offered.split("\n") if line.strip() not in known)


def _stripped(lines: Sequence[str]) -> set[str]:
    return {line.strip() for line in lines}


def _type(workspace: Workspace, document: Document, hunk: Hunk) -> None:
    """Replace the lines of a change; without what stays at their ends."""
    old, new = "".join(hunk.old), "".join(hunk.new)
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    most = min(len(old), len(new)) - head
    while tail < most and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    start = _position(hunk.first, old[:head])
    end = _position(hunk.first, old[: len(old) - tail])
    change = ContentChange(range=Range(start, end), text=new[head : len(new) - tail])
    workspace.change(document.uri, document.version + 1, [change])


def _position(first: int, text: str) -> Position:
    return Position(first + text.count("\n"), len(text.rpartition("\n")[2]))


def _done(before: Sequence[str], hunks: Sequence[Hunk], number: int) -> str:
    return "".join(_applied(before, hunks[: number + 1]))


def _applied(before: Sequence[str], hunks: Sequence[Hunk]) -> list[str]:
    lines = list(before)
    for hunk in hunks:
        lines[hunk.first : hunk.first + len(hunk.old)] = hunk.new
    return lines


def _hunks(before: Sequence[str], after: Sequence[str]) -> Iterator[Hunk]:
    """Yield the changes in order, each at its place after those above it."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, first, end, new_first, new_end in matcher.get_opcodes():
        if tag != "equal":
            old, new = tuple(before[first:end]), tuple(after[new_first:new_end])
            yield Hunk(new_first, old, new)


def full_name(commit: str) -> str:
    """Return a commit's whole hash.

    Raises:
        subprocess.CalledProcessError: If the repository does not have it.
    """
    return _git("rev-parse", "--verify", f"{commit}^{{commit}}").strip()


def _versions(
    rng: random.Random, newest: str
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield a name, and the lines of a file before and after a commit, at random."""
    commits = _git("rev-list", "--no-merges", newest, "--", "server").split()
    rng.shuffle(commits)
    for commit in commits:
        names = _git("diff-tree", "--no-commit-id", "--name-only", "--diff-filter=M",
                     "-r", commit).split("\n")  # fmt: skip
        paths = [name for name in names if name.endswith(".py")]
        if not paths:
            continue
        path = rng.choice(paths)
        before, after = (
            _git("show", f"{one}:{path}") for one in (f"{commit}^", commit)
        )
        if max(len(before), len(after)) <= _MAX_CHARS:
            name = f"{commit[:8]} {path}"
            yield (
                name,
                before.splitlines(keepends=True),
                after.splitlines(keepends=True),
            )


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(_ROOT), *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout
