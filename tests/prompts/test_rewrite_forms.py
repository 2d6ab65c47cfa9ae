"""The prompts of models that rewrite lines, and their replies."""

from __future__ import annotations

import pytest

from redline.prompts.rewrite import (
    RewriteForm,
    RewriteTask,
    WrittenChange,
    rewrite_form,
)

CHANGE = WrittenChange(
    first=1, above="def f():", old=("    a = 1",), new=("    b = 1",)
)


def form_of(name: str) -> RewriteForm:
    form = rewrite_form(name)
    assert form is not None
    return form


def task_of(form: RewriteForm) -> RewriteTask:
    return RewriteTask(
        path="src/a.py",
        edits=[f"src/a.py\n{form.write_edit(CHANGE)}"],
        above="import x\n",
        earlier="def f():\n    a = 1\n    return a",
        left="def f():\n    b",
        right=" = 1\n    return a",
        below="\nf()\n",
    )


SWEEP = """\
<|file_sep|>src/a.py.diff
original:
def f():
    a = 1
updated:
def f():
    b = 1
<|file_sep|>original/src/a.py
def f():
    a = 1
    return a
<|file_sep|>current/src/a.py
def f():
    b = 1
    return a
<|file_sep|>updated/src/a.py
"""
ZETA = """\
<[fim-suffix]>

f()

<[fim-prefix]><filename>edit_history
--- a/src/a.py
+++ b/src/a.py
@@ -2,1 +2,1 @@
-    a = 1
+    b = 1

<filename>src/a.py
import x
<<<<<<< CURRENT
def f():
    b<|user_cursor|> = 1
    return a
=======
<[fim-middle]>"""


@pytest.mark.parametrize(
    ("name", "text", "stop"),
    [
        ("sweepai/sweep-next-edit-1.5B", SWEEP, "<|file_sep|>"),
        ("zed-industries/zeta-2", ZETA, ">>>>>>> UPDATED"),
        ("zeta-2-Q8_0.gguf", ZETA, ">>>>>>> UPDATED"),
    ],
)
def test_prompts(name: str, text: str, stop: str) -> None:
    form = form_of(name)
    prompt = form.prompt(task_of(form))
    assert prompt.text == text
    assert stop in prompt.stops


@pytest.mark.parametrize(
    "name", ["qwen2.5-coder", "zeta", "zeta-2.1", "zeta-2-1", "sweep", "gpt-6-luna"]
)
def test_models_of_other_forms(name: str) -> None:
    assert rewrite_form(name) is None


@pytest.mark.parametrize(
    ("name", "reply", "lines"),
    [
        ("sweep-next-edit", "a\nb\n", "a\nb\n"),
        ("sweep-next-edit", "a\n<|file_sep|>other\n", "a\n"),
        ("sweep-next-edit", "  \n", None),
        ("zeta2", "a\n<|user_cursor|>b\n>>>>>>> UPDATED\nc", "a\nb\n"),
        ("zeta2", "NO_EDITS\n>>>>>>> UPDATED\n", None),
    ],
)
def test_replies(name: str, reply: str, lines: str | None) -> None:
    assert form_of(name).lines(reply) == lines


@pytest.mark.parametrize(
    ("name", "text"),
    [("zeta-2", "x = '<|user_cursor|>'"), ("sweep-next-edit", "<|file_sep|>a")],
)
def test_a_text_with_a_mark(name: str, text: str) -> None:
    """It is not sent: the model would read it as its own."""
    assert not form_of(name).is_safe(["a", text])
    assert form_of(name).is_safe(["a", "b"])
