"""`python -m benchmarks.wrapped_edits [OLD NEW]`: right texts in every form of models.

Takes edits that people made, those of `human_edits` or those between two folders, and
writes the new text of each as models do: behind reasoning, in fences that are not
closed, with numbers, as a diff, with the lines around it, and so on. The forms are
written by rules, so a form is the same for all edits, and no edit was chosen for it.
Each reply is read, and *exact* if the text that comes out is the right one, *held* if
the parser says that it is not certain, and *silent* if it is wrong without a problem.
The checks that follow an edit are not run: they find some of the silent ones.
"""

from __future__ import annotations

import difflib
import html
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.human_edits import HumanEdit, edits_between, read_edits
from redline.checks.candidate import CheckedEdit
from redline.syntax.language import language_of
from redline.text.lines import majority_end
from redline.text.reply_parser import ReplyParser

_N_NEAR = 3
"""Lines of the file that come with the range."""

_MIN_N_LINES = 2
"""Lines of a range: of a single line little says which form it is in."""

Form = Callable[[CheckedEdit], "str | None"]
"""Writes the new text of an edit in one form; None: it has no such form."""


def main() -> int:
    """Print how many replies of each form come out right; return 0."""
    names = [Path(one) for one in sys.argv[1:]]
    edits = list(edits_between(*names)) if len(names) == 2 else read_edits()
    counts = judged(edits, FORMS)
    table = Table(box=None, pad_edge=False)
    for column in ("form", "replies", "exact", "held", "silent"):
        table.add_column(column, justify="left" if column == "form" else "right")
    for form in (*FORMS, "all"):
        of_form: Counter[str] = Counter()
        for (name, result), n_replies in counts.items():
            if form in (name, "all"):
                of_form[result] += n_replies
        row = (of_form.total(), of_form["exact"], of_form["held"], of_form["silent"])
        table.add_row(form, *map(str, row))
    Console(width=100).print(table)
    return 0


def judged(
    edits: Iterable[HumanEdit], forms: Mapping[str, Form]
) -> Counter[tuple[str, str]]:
    """Count the outcomes of all edits by form and outcome."""
    counts: Counter[tuple[str, str]] = Counter()
    for edit in edits:
        for candidate in (edit.candidate, edit.narrow_candidate):
            if len(candidate.old_lines) < _MIN_N_LINES or not _text(candidate).strip():
                continue
            for name, form in forms.items():
                if (reply := form(candidate)) is not None:
                    counts[name, outcome(candidate, reply)] += 1
    return counts


def outcome(candidate: CheckedEdit, reply: str) -> str:
    """Read one reply to an edit: `exact`, `held` or `silent`."""
    start, stop = candidate.region_before.start, candidate.region_before.stop
    parser = ReplyParser(
        format="rewrite",
        target_lines=candidate.old_lines,
        before=candidate.before[:start],
        after=candidate.before[stop:],
        line_end=majority_end(candidate.before),
        language=str(language_of(candidate.path) or ""),
    )
    parser.feed(reply)
    found = parser.finish()
    if found.lines is None or not found.is_understood:
        return "held"
    is_exact = "".join(found.lines).strip("\n") == _text(candidate).strip("\n")
    return "exact" if is_exact else "silent"


def _text(candidate: CheckedEdit) -> str:
    return "".join(candidate.new_lines)


def _fenced(text: str, info: str = "") -> str:
    return f"```{info}\n{text.rstrip()}\n```\n"


def _fence_not_opened(candidate: CheckedEdit) -> str:
    """Leave only the language of the opening fence."""
    text = _fenced(_text(candidate), str(language_of(candidate.path) or ""))
    return text.removeprefix("```")


def _name_glued(candidate: CheckedEdit) -> str | None:
    """Write the first line behind the language that the opening fence names."""
    text = _text(candidate)
    if not text.startswith((" ", "\t")):
        return None
    fenced = _fenced(text, str(language_of(candidate.path) or ""))
    return fenced.replace("\n", "", 1)


def _fence_glued_at_end(candidate: CheckedEdit) -> str:
    return f"```\n{_text(candidate).rstrip()}```<end_of_turn>\n"


def _near(candidate: CheckedEdit) -> tuple[list[str], list[str]]:
    start, stop = candidate.region_before.start, candidate.region_before.stop
    before, after = candidate.before[:start], candidate.before[stop:]
    return list(before[-_N_NEAR:]), list(after[:_N_NEAR])


def _numbered(mark: str) -> Form:
    def form(candidate: CheckedEdit) -> str:
        first = candidate.region_before.start + 1
        return "".join(
            f"{first + n:4}{mark}{line}" for n, line in enumerate(candidate.new_lines)
        )

    return form


def _around(n_before: int, n_after: int) -> Form:
    def form(candidate: CheckedEdit) -> str | None:
        before, after = _near(candidate)
        lines = [
            *before[len(before) - n_before :],
            *candidate.new_lines,
            *after[:n_after],
        ]
        has_all = len(before) >= n_before and len(after) >= n_after
        return _fenced("".join(lines)) if has_all else None

    return form


def _diff(candidate: CheckedEdit) -> str:
    return "".join(_diff_lines(candidate))


def _signed(candidate: CheckedEdit) -> str:
    return _fenced("".join(list(_diff_lines(candidate))[3:]), "diff")


def _diff_lines(candidate: CheckedEdit) -> Iterator[str]:
    return difflib.unified_diff(
        list(candidate.before), list(candidate.after), "a/file", "b/file"
    )


def _file_in_fence(candidate: CheckedEdit) -> str:
    return _fenced("".join(candidate.after))


def _class_around(candidate: CheckedEdit) -> str | None:
    tree = candidate.tree_after
    outer = None if tree is None else tree.enclosing(candidate.region_after)
    if outer is None:
        return None
    lines = candidate.after[outer.first_line : outer.last_line + 1]
    return None if len(lines) <= len(candidate.new_lines) else _fenced("".join(lines))


def _escaped(candidate: CheckedEdit) -> str | None:
    text = _text(candidate)
    is_whole = not any(sign in "".join(candidate.before) for sign in ("&lt;", "&amp;"))
    return html.escape(text) if is_whole and any(map(text.__contains__, "<>")) else None


def _in_json(candidate: CheckedEdit) -> str:
    return json.dumps({"new_text": _text(candidate)})


def _in_call(candidate: CheckedEdit) -> str:
    call = {"name": "edit", "arguments": {"path": "a", "new_text": _text(candidate)}}
    return f"<tool_call>\n{json.dumps(call)}\n</tool_call>\n"


def _two_versions(candidate: CheckedEdit) -> str:
    old = "".join(candidate.old_lines)
    return f"{_fenced(old)}\nNo, that is wrong. Better:\n\n{_fenced(_text(candidate))}"


def _with_token_inside(candidate: CheckedEdit) -> str:
    lines = [line.rstrip("\n") for line in candidate.new_lines]
    middle = len(lines) // 2
    lines[middle] += "<|fim_pad|>"
    return _fenced("\n".join(lines))


def _wrapped(before: str, after: str = "") -> Form:
    return lambda candidate: before + _text(candidate).rstrip("\n") + "\n" + after


FORMS: dict[str, Form] = {
    "plain": _text,
    "fence": lambda candidate: _fenced(_text(candidate)),
    "fence-not-closed": _wrapped("```\n"),
    "fence-not-opened": _fence_not_opened,
    "fence-glued": _name_glued,
    "fence-in-fence": _wrapped("````markdown\nHere it is:\n```\n", "```\n````\n"),
    "think": _wrapped("<think>\nLet me see.\n</think>\n"),
    "think-not-opened": _wrapped("The range must change.\n</think>\n\n"),
    "think-other-tag": _wrapped("<reasoning>\nx = 1?\n</reasoning>\n"),
    "answer-tag": _wrapped("<answer>\n", "</answer>\n"),
    "square-tag": _wrapped("[CODE]\n", "[/CODE]\n"),
    "markers": _wrapped("// BEGIN: ed8c6549bwf9\n", "// END: ed8c6549bwf9\n"),
    "command": _wrapped("cat > a <<'EOF'\n", "EOF\n"),
    "token-at-end": _wrapped("", "<|im_end|>\n"),
    "token-after-fence": _wrapped("```\n", "```<|eot_id|>\n"),
    "token-after-glued-fence": _fence_glued_at_end,
    "token-then-dialogue": _wrapped("```\n", "```<|endoftext|>User: And now?\n\nNo.\n"),
    "token-inside": _with_token_inside,
    "byte-order-mark": _wrapped("\ufeff"),
    "apology": _wrapped("I apologize for the confusion. Here is the code:\n\n"),
    "apology-and-fence": _wrapped("Sorry about that, here it is:\n```\n", "```\n"),
    "note-after-fence": _wrapped("```\n", "```\nNote that I kept the names.\n"),
    "two-versions": _two_versions,
    "numbers-bar": _numbered(" | "),
    "numbers-colon": _numbered(": "),
    "numbers-tab": _numbered("\t"),
    "lines-before": _around(_N_NEAR, 0),
    "lines-after": _around(0, _N_NEAR),
    "lines-around": _around(1, 1),
    "whole-file": _file_in_fence,
    "definition-around": _class_around,
    "diff": _diff,
    "signed-lines": _signed,
    "entities": _escaped,
    "json": _in_json,
    "tool-call": _in_call,
}
"""What models write, by name."""


if __name__ == "__main__":
    sys.exit(main())
