"""Signs that were escaped or replaced in a whole reply."""

from __future__ import annotations

import pytest
from tests.text.reply_reading import read_reply

BEFORE = "import { login } from './api'\n\n"
OLD = "function f(a) {\n  return a['x'] - 1;\n}\n"
NEW = (
    'function f(a, b) {\n  if (a >= b && b) return "x" + b - 1;\n  return a => b;\n}\n'
)


def read(reply: str, *, old: str = OLD, language: str = "typescript") -> str:
    found = read_reply(
        reply,
        old,
        before=f'{BEFORE}const name = "f";\nx = a < 1;\n',
        after="\nf();\n",
        language=language,
    )
    assert found.lines is not None
    assert found.is_understood
    return "".join(found.lines)


@pytest.mark.parametrize(
    "reply",
    [
        NEW.replace("(", "\uff08").replace(")", "\uff09"),
        NEW.replace("(a >=", "\uff08a >=").replace("b)", "b\uff09"),
        NEW.replace(", ", "\uff0c"),
        NEW.replace(";", "\uff1b"),
        NEW.replace(" - ", " \u2212 "),
        NEW.replace(">=", "\u2265").replace("=>", "\u21d2"),
        NEW.replace(">", "\\u003e").replace("&", "\\u0026"),
        NEW.replace('"', '\\"'),
        NEW.replace("&", "&amp;amp;").replace(">", "&amp;gt;"),
        NEW.replace("if", "\u0456f"),
        NEW.replace("\n", "\\n\n"),
    ],
)
def test_the_signs_of_code_are_restored(reply: str) -> None:
    assert read(reply) == NEW


@pytest.mark.parametrize(
    "text",
    [
        'function f(a) {\n  return "\uff08a\uff09";\n}\n',
        'function f(a) {\n  return "\\u003c" + a;\n}\n',
        'function f(a) {\n  return "say \\"a\\"";\n}\n',
        "function f(a) {\n  return a; // \u2192 a \u2212 b\n}\n",
    ],
)
def test_signs_of_strings_and_comments_stay(text: str) -> None:
    assert read(text) == text


def test_a_docstring_with_escaped_quotes_is_restored() -> None:
    old = "def f(a):\n    return a\n"
    new = 'def f(a):\n    """Return a."""\n    return a + 1\n'
    reply = new.replace('"""', '\\"\\"\\"')
    assert read(reply + "<|eot_id|>", old=old, language="python") == new


@pytest.mark.parametrize(
    "reply",
    [
        "Thinking...\nAdd b.\n...done thinking.\n\n{new}",
        "<|begin_of_thought|>\nAdd b.\n<|end_of_thought|>\n{new}",
        "{new}<eos>",
        "{new}[end of text]",
        "{new}[/INST]",
        "<code>\n{new}</code>\n<explanation>\nI added b.\n</explanation>",
    ],
)
@pytest.mark.parametrize("language", ["typescript", "rust"])
def test_thoughts_and_tokens_of_more_models_are_removed(
    reply: str, language: str
) -> None:
    assert read(reply.replace("{new}", NEW), language=language) == NEW


@pytest.mark.parametrize(
    ("old", "reply", "new"),
    [
        ('v: ["1", "2"]\n', "v: [\u201c1\u201d, \u201c3\u201d]\n", 'v: ["1", "3"]\n'),
        ('v: ["1"]\n', "v: [\u201c1\u201d]\nw: it\u2019s\n", 'v: ["1"]\nw: it\'s\n'),
        ("title: It\n", "title: It\u2019s\n", "title: It\u2019s\n"),
    ],
)
def test_quotation_marks_in_data_are_plain_if_a_value_of_the_range_shows_it(
    old: str, reply: str, new: str
) -> None:
    assert read(reply, old=old, language="yaml") == new
