"""The engine as a whole: replies in their format, on any input."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.runs import n_runs, stride

from redline.gateway.rules.edit_answer import answer
from redline.gateway.rules.search_blocks import search_blocks
from redline.prompts.edit import EditTask
from redline.text.instruction_comment import InstructionComment
from redline.text.reply import DECLINED, ReplyFormat
from redline.text.reply_parser import ReplyParser


def _task(
    instruction: str,
    target: str,
    *,
    before: str = "",
    after: str = "",
    language: str = "python",
    reply_format: ReplyFormat = "rewrite",
) -> EditTask:
    return EditTask(
        instruction=instruction,
        path="app/thing.py",
        language=language,
        before=before,
        target=target,
        after=after,
        reply_format=reply_format,
    )


def _read(reply: str, target: str, reply_format: ReplyFormat) -> str:
    """Parse a reply like that of a model."""
    parser = ReplyParser(
        format=reply_format, target_lines=target.splitlines(keepends=True)
    )
    parser.feed(reply)
    found = parser.finish()
    assert found.is_understood, found.problems
    assert found.lines is not None
    return "".join(found.lines)


@pytest.mark.parametrize(
    ("instruction", "target", "language", "reason"),
    [
        ("make it fast", "x = 1\n", "python", '"make it fast". It can: add docs'),
        ("make it " + "very " * 99, "x = 1\n", "python", '…"'),
        ("make\nit\nfast", "x\n", "go", '"make it fast". It can: rename a name, '),
        ("add docstrings", "", "python", "no code is selected"),
        ("add docstrings", "\n\n", "python", "no code is selected"),
        ("add docstrings", "def f(:\n", "python", "line 1 of the file"),
        ("add docstrings", "\x00\n", "python", "parsed"),
        ("add docstrings", "x = '\ud800'\n", "python", "not valid Unicode"),
        ("add docstrings", "(" * 5000 + ")" * 5000 + "\n", "python",
         "nested too deeply"),
        ("add docstrings", "-" * 5000 + "x\n", "python", "nested too deeply"),
        ("add docstrings", "x" + "+x" * 5000 + "\n", "python", "nested too deeply"),
        ("add docstrings", "x" + "+x" * 500 + "\n", "python", "nested too deeply"),
        ("add docstrings", "not " * 5000 + "x\n", "python", "nested too deeply"),
        ("remove duplicate lines", "a\n" * 2_000_000, "go", "too long"),
        ("add docstrings", "x = 1\n" * 70_000, "python", "too long to parse"),
        ("comment out and dance", "x = 1\n", "python", "not understand"),
        ("comment out, rename z to y", "x = 1\n", "python", "called `z`"),
        ("use f-strings", "x = 1\n", "python", "nothing to do"),
        ("remove unused imports", "import os\n", "python", "delete it in"),
    ],
)  # fmt: skip
def test_a_refusal_is_one_honest_line(
    instruction: str, target: str, language: str, reason: str
) -> None:
    reply = answer(_task(instruction, target, language=language))
    assert reply.startswith(f"{DECLINED} ")
    assert "\n" not in reply
    assert reason in reply


def test_a_missing_final_newline_stays_missing() -> None:
    assert answer(_task("comment out", "x = 1")) == "# x = 1"
    assert answer(_task("comment out", "x = 1\n")) == "# x = 1\n"
    reply = answer(_task("rename x to y", "x = 1", before="import os", after="print()"))
    assert reply == "y = 1"


def test_several_things_are_done_in_order_or_not_at_all() -> None:
    task = _task(
        "rename x to y, extract 42 as N and add type hints", "def f(x=42): x()\n"
    )
    assert answer(task) == "N = 42\n\ndef f(y=N) -> None: y()\n"


def test_importing_the_engine_does_not_load_what_parses_python() -> None:
    """libcst takes a fifth of a second: only a Python edit pays for it."""
    code = (
        "import sys, redline.gateway.rules.edit_answer; print('libcst' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


LINE = st.sampled_from(["a", "  a", "b", "", "c = 1", "}", "a b", "\x0c", "a\u2028b"])
LINES = st.lists(LINE, min_size=1, max_size=12)


@given(LINES, LINES, st.booleans())
def test_blocks_say_what_a_rewrite_says(
    old: list[str], new: list[str], has_end: bool
) -> None:
    """Read back, the blocks make the new text of the old one."""
    # Without a line end, a last line that is empty is none.
    end = "\n" if has_end else "\nz"
    old_text, new_text = "\n".join(old) + end, "\n".join(new) + end
    blocks = search_blocks(old_text, new_text)
    assert blocks is not None
    target = old_text.split("\n")
    lines = [f"{line}\n" for line in target[:-1]] + target[-1:]
    if old_text != new_text and any(map(str.strip, target)):
        parser = ReplyParser(format="search-replace", target_lines=lines)
        parser.feed(blocks)
        read = parser.finish()
        assert read.lines is not None
        assert "".join(read.lines) == new_text


@pytest.mark.parametrize("line", ["=======", "<<<<<<< HEAD", "  >>>>>>> x", "======"])
def test_lines_that_look_like_marks_cannot_be_written_in_blocks(line: str) -> None:
    task = _task(
        "comment out", f"{line}\n", language="go", reply_format="search-replace"
    )
    assert "marks of search/replace blocks" in answer(task)


INSTRUCTIONS = st.sampled_from(
    [
        "add docstrings and type hints",
        "use f-strings",
        "rename a to b",
        "rename self.a to self.b",
        "extract constant 1 as N",
        "extract constant",
        "sort lines",
        "deduplicate",
        "comment out",
        "uncomment",
        "title case",
        "snake case",
    ]
)
SCRAPS = [
    "def", "class", "a", "self", "(", ")", ":", "[", "]", "{", "}", ".", ",", "=",
    "1", "'a'", '"', "\n", "\n\t", "\n\n", "if", "else", "return", "yield",
    "lambda", "async", "match", "case", "_", "#", "@", "%", "%s", "f'", "'", "'''",
    ":=", "global", "*", "**", "\\", ";", "\xe9", "\r", "\x0c",
]  # fmt: skip
PIECES = st.lists(
    st.sampled_from(SCRAPS),
    max_size=25,
).map(" ".join)


@settings(max_examples=n_runs(75))
@given(
    INSTRUCTIONS,
    PIECES,
    PIECES,
    PIECES,
    st.sampled_from(["python", "go", "markdown", "zz"]),
    st.sampled_from(["rewrite", "search-replace"]),
    st.booleans(),
)
def test_any_text_gets_an_answer(
    instruction: str,
    before: str,
    target: str,
    after: str,
    language: str,
    reply_format: ReplyFormat,
    whole: bool,
) -> None:
    """Nothing raises, and no reply is empty."""
    task = EditTask(
        instruction=instruction,
        path="x.py",
        language=language,
        before=before,
        target=target,
        after=after,
        reply_format=reply_format,
        is_whole_file=whole,
    )
    assert answer(task)


LIBRARY = Path(ast.__file__).parent
MODULES = [
    "_weakrefset", "abc", "bisect", "chunk", "cmd", "code", "codeop", "colorsys",
    "copy", "crypt", "filecmp", "fnmatch", "getpass", "graphlib", "heapq", "imghdr",
    "keyword", "linecache", "netrc", "numbers", "queue", "reprlib", "sched", "shelve",
    "shlex", "string", "struct", "textwrap", "this", "token", "tty", "types",
]  # fmt: skip
SOURCES = [path for m in MODULES if (path := LIBRARY / f"{m}.py").exists()]


class _WithoutDocs(ast.NodeTransformer):
    """Takes docstrings and annotations off, and nothing else."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)
        if isinstance(node, kinds) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
        if isinstance(node, ast.arg):
            node.annotation = None
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
        return node


def _bare(source: str) -> str:
    return ast.dump(_WithoutDocs().visit(ast.parse(source)))


def _middle(source: str) -> tuple[str, str, str]:
    """Cut a module at definitions, so that the range is about its middle third."""
    lines = source.splitlines(keepends=True)
    starts = [i for i, line in enumerate(lines) if line.startswith(("def ", "class "))]
    starts = [0, *starts, len(lines)]
    first, last = starts[len(starts) // 3], starts[max(1, 2 * len(starts) // 3)]
    parts = lines[:first], lines[first:last], lines[last:]
    before, target, after = ("".join(part) for part in parts)
    return before, target, after


@pytest.mark.parametrize("path", SOURCES[:: stride(4)], ids=lambda path: path.stem)
def test_real_modules_keep_their_meaning(path: Path) -> None:
    """Docstrings and hints add nothing but themselves, to the range alone; the reply
    is read as it was meant, and a second edit finds nothing to do."""
    before, target, after = _middle(path.read_text(encoding="utf-8"))
    instruction = "add docstrings and type hints"
    task = _task(instruction, target, before=before, after=after)
    reply = answer(task)
    if reply.startswith(DECLINED):
        assert "nothing to do" in reply or "no code is selected" in reply
        return
    assert _bare(before + reply + after) == _bare(before + target + after)
    assert _read(reply, target, "rewrite") == reply
    blocks = answer(
        _task(
            instruction,
            target,
            before=before,
            after=after,
            reply_format="search-replace",
        )
    )
    assert _read(blocks, target, "search-replace") == reply
    again = answer(_task(instruction, reply, before=before, after=after))
    assert "nothing to do" in again


@pytest.mark.parametrize(
    "path", [p for p in SOURCES if p.stem in ("chunk", "heapq", "types")]
)
@pytest.mark.parametrize("instruction", ["use f-strings", "fix lint", "sort imports"])
def test_real_modules_still_parse(path: Path, instruction: str) -> None:
    """For every edit; a second edit finds nothing to do."""
    source = path.read_text(encoding="utf-8")
    reply = answer(_task(instruction, source))
    if not reply.startswith(DECLINED):
        ast.parse(reply)
        assert answer(_task(instruction, reply)).startswith(DECLINED)


MARKED = (
    "<<<<<<< RANGE 1\ndef f(total):\n    return total\n>>>>>>> RANGE 1\n"
    "\n\nx = 1\n"
    "<<<<<<< RANGE 2\n# redline: rename total to price\ntotal = 2\n"
    ">>>>>>> RANGE 2\n"
)


def test_each_range_has_its_answer() -> None:
    """By its own instruction, and without the comment that it was in."""
    comment = InstructionComment(lines=("# redline: rename total to price",))
    task = _task(
        "Range 1: rename total to amount\nRange 2: rename total to price",
        MARKED,
        reply_format="ranges",
    )
    reply = answer(replace(task, range_comments=((), (comment,))))
    assert reply == (
        "<<<<<<< RANGE 1\ndef f(amount):\n    return amount\n>>>>>>> RANGE 1\n"
        "<<<<<<< RANGE 2\nprice = 2\n>>>>>>> RANGE 2\n"
    )


def test_a_range_is_declined_on_its_own() -> None:
    """With the reason, beside the answers of the others."""
    task = _task(
        "Range 1: rename total to amount\nRange 2: invent something",
        MARKED,
        reply_format="ranges",
    )
    first, second = answer(task).split("<<<<<<< RANGE 2\n")
    assert "return amount" in first
    assert second.startswith(DECLINED)
    assert "invent something" in second
