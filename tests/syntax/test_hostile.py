"""Texts that are made to take long are given up."""

from __future__ import annotations

import time

import pytest

from redline.syntax.language import Language
from redline.syntax.outline import Outline, outline
from redline.syntax.tree import parse

N_BYTES = 250_000
"""As much as is read of a workspace's file."""

HOSTILE = {
    (Language.PYTHON, "("),
    (Language.PYTHON, "*"),
    (Language.PYTHON, "- "),
    (Language.PYTHON, "a."),
    (Language.PYTHON, "a+"),
    (Language.JAVASCRIPT, "lambda a:"),
}


@pytest.mark.parametrize(("language", "text"), sorted(HOSTILE))
def test_the_work_on_a_file_is_limited(language: Language, text: str) -> None:
    """Without limits each of these takes a minute or more of the processor."""
    began = time.thread_time()
    tree = parse(text * (N_BYTES // len(text)), language)
    outline(tree)
    assert len(tree.errors) <= 100
    tree.in_comment_or_string(0, N_BYTES // 2)
    assert time.thread_time() - began < 30


def test_what_is_given_up_is_empty() -> None:
    """A part of what a file defines would look as if the rest had been lost."""
    text = "class A { f() { g(); } }\n" + "lambda a:" * 20_000
    assert outline(parse(text, Language.JAVASCRIPT)) == Outline()
