"""What carried a reply has changed its characters, or put something around it."""

from __future__ import annotations

import json
import quopri
from collections.abc import Callable
from textwrap import indent

import pytest
from tests.text.reply_reading import read_reply

from redline.text.reply import Reply
from redline.text.reply_parser import ReplyParser

BEFORE = "local shop = {}\nlocal motto = 'Käse'\n\n"
OLD = "function shop.sum(list)\n  local sum = 0\n  for _, one in ipairs(list) do\n"
OLD += "    sum = sum + one.price\n  end\n  return sum\nend\n"
NEW = OLD.replace("= 0", "= start_of_sum").replace("one.price", "one.price * 2")
AFTER = "\nreturn shop\n"


def read(reply: str, *, old: str = OLD, language: str = "lua") -> Reply:
    return read_reply(reply, old, before=BEFORE, after=AFTER, language=language)


def _letters(text: str) -> str:
    return text.replace(" ", "\u0120").replace("\n", "\u010a")


def _lines_in(form: str) -> Callable[[str], str]:
    return lambda text: "".join(form.format(line) for line in text.splitlines())


def _yaml(text: str) -> str:
    return f"explanation: doubled\ncode: |\n{indent(text, '  ')}"


WRAPPERS: dict[str, Callable[[str], str]] = {
    "colours": lambda text: f"\x1b[0m{text.replace('local', chr(27) + '[32mlocal')}",
    "colours without the first character": lambda text: f"[0m{text}[0m",
    "letters of a tokenizer": _letters,
    "pieces": lambda text: text.replace(" ", "\u2581"),
    "bytes": lambda text: text.replace("\n", "<0x0A>"),
    "visible blanks": lambda text: text.replace(" ", "\u00b7"),
    "marks at line ends": _lines_in("{}\u00b6\n"),
    "no-break blanks": lambda text: text.replace(" ", "\u00a0"),
    "escaped line ends": lambda text: text.replace("\n", "\\n"),
    "Markdown's escapes": lambda text: text.replace("_", "\\_").replace("*", "\\*"),
    "a mail": lambda text: quopri.encodestring(text.encode()).decode(),
    "doubled indentation": lambda text: text.replace("  ", "    "),
    "quotation": _lines_in("> {}\n"),
    "markers": lambda text: (
        f"-- <<< BEGIN SELECTION >>>\n{text}-- <<< END SELECTION >>>"
    ),
    "words around": lambda text: f"=== start of code ===\n{text}=== end of code ===\n",
    "apostrophes": lambda text: f"'''\n{text}'''\n",
    "lines": lambda text: f"-----\n{text}-----\n",
    "LaTeX": lambda text: f"\\begin{{lstlisting}}\n{text}\\end{{lstlisting}}\n",
    "Org": lambda text: f"#+begin_src lua\n{text}#+end_src\n",
    "BBCode": lambda text: f"[code=lua]\n{text}[/code]\n",
    "a wiki": lambda text: f'<syntaxhighlight lang="lua">\n{text}</syntaxhighlight>\n',
    "AsciiDoc": lambda text: f"[source,lua]\n----\n{text}----\n",
    "HTML": lambda text: f'<pre><code class="language-lua">{text}</code></pre>\n',
    "CDATA": lambda text: f"<r>\n<why>x</why>\n<new><![CDATA[\n{text}]]></new>\n</r>",
    "a parameter": lambda text: (
        '<invoke name="edit"><parameter name="path">a.lua</parameter>'
        f'<parameter name="new_text">{text}</parameter></invoke>'
    ),
    "YAML": _yaml,
    "a call of Python": lambda text: f'edit(path="a", new_text="""{text}""")\n',
    "JSON": lambda text: json.dumps({"choices": [{"message": {"content": text}}]}),
    "JSON of lines": lambda text: json.dumps(text.splitlines()),
    "a cell": lambda text: json.dumps({"source": text.splitlines(keepends=True)}),
    "a tool call": lambda text: (
        "<tool_call>\n"
        + json.dumps({"name": "edit", "arguments": {"new_text": text}})
        + "\n</tool_call>"
    ),
    "a page's button": lambda text: f"lua\nCopy code\n{text}",
    "a label": lambda text: f"Answer:\n{text}",
    "a speaker": lambda text: f"Assistant: \u200b{text}",
    "a header without its tokens": lambda text: (
        f"analysisDouble the price.assistantfinal{text}"
    ),
}


@pytest.mark.parametrize("name", WRAPPERS)
def test_the_text_is_read(name: str) -> None:
    found = read(WRAPPERS[name](NEW))
    assert "".join(found.lines or ()) == NEW
    assert found.is_understood


@pytest.mark.parametrize("outer", WRAPPERS)
def test_one_wrapper_in_another_is_read_or_held(outer: str) -> None:
    """Text of a wrapper never comes into the file without a problem."""
    if outer in OF_CODE:
        return
    for inner, wrap in WRAPPERS.items():
        if inner != outer and inner not in OF_REPLIES:
            found = read(WRAPPERS[outer](wrap(NEW).rstrip("\n") + "\n"))
            assert "".join(found.lines or ()) == NEW or not found.is_understood, inner


OF_CODE = {
    "a speaker",
    "doubled indentation",
    "escaped line ends",
    "Markdown's escapes",
}
"""Forms of code, and of no text that is in another form already."""
OF_REPLIES = {
    "a header without its tokens",
    "bytes",
    "escaped line ends",
    "letters of a tokenizer",
}
"""Forms of a whole reply, and of nothing in it."""


@pytest.mark.parametrize(
    "name", ["quotation", "markers", "a label", "apostrophes", "BBCode"]
)
def test_what_was_asked_for_stays(name: str) -> None:
    """If the text in a form is the unchanged range, the user asked for the form."""
    reply = WRAPPERS[name](OLD)
    assert "".join(read(reply).lines or ()).strip() == reply.strip()


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ('motto = "KÃ¤se"\n', 'motto = "Käse"\n'),
        ('motto = "Ka\u0308se"\n', 'motto = "Käse"\n'),
        ('motto = "K\ufffdse, K\ufffdse"\n', 'motto = "Käse, Käse"\n'),
        ('motto = "K?se"\n', 'motto = "Käse"\n'),
    ],
)
def test_letters_are_read_again(reply: str, text: str) -> None:
    assert "".join(read(reply, old='motto = "a"\n').lines or ()) == text


def test_a_letter_that_is_lost_is_held() -> None:
    assert not read('motto = "sch\ufffdn"\n', old='motto = "a"\n').is_understood


@pytest.mark.parametrize(
    ("language", "old", "reply"),
    [
        ("python", "x = 1\n", 'text = """\ncode\n"""\n'),
        ("python", 'S = "a"\n', 'S = "a\\nb"\n'),
        ("c", "x = f();\n", "result:\nx = g();\n"),
        ("ruby", "a = 1\n", "begin\n  a = 2\nend\n"),
        ("yaml", "a: 1\n", "code: |\n  a: 2\n"),
        ("sql", "SELECT 1;\n", "BEGIN;\nSELECT 2;\nEND;\n"),
        ("javascript", "a = /x/;\n", "a = /\\[x\\]\\*/;\n"),
        ("typescriptreact", "<p>a</p>\n", "<b>\n  <p>a b</p>\n</b>\n"),
        ("shellscript", "ls\n", "grep a\\*b x\n"),
        ("markdown", "Text.\n", "> Text.\n> More.\n"),
        ("lua", "x = 1\n", "-- x\n-- y\n"),
    ],
)
def test_code_that_looks_like_a_form_stays(language: str, old: str, reply: str) -> None:
    found = read(reply, old=old, language=language)
    assert "".join(found.lines or ()) == reply
    assert found.is_understood


def test_lost_indentation_is_held() -> None:
    old = "  if (a) {\n    f(b);\n  }\n"
    new = "  if (a) {\n    f(b);\n    if (c) {\n      g(c);\n    }\n  }\n"
    margin = "".join(line.lstrip() + "\n" for line in new.splitlines())
    assert not read(margin, old=old, language="java").is_understood


def test_lines_before_letters_that_are_read_again_are_final() -> None:
    """Those with such letters, and all below, are only certain in the end."""
    parser = ReplyParser(
        format="rewrite",
        target_lines=OLD.splitlines(keepends=True),
        before=BEFORE.splitlines(keepends=True),
        language="lua",
    )
    reply = NEW.replace("  return sum\n", "  motto = 'f\u00c3\u00bcr'\n  return sum\n")
    fed = [line for char in reply for line in parser.feed(char)]
    found = parser.finish()
    assert found.lines is not None
    assert "".join(found.lines) == reply.replace("\u00c3\u00bc", "\u00fc")
    assert fed == NEW.splitlines(keepends=True)[: len(fed)]
    assert len(fed) > 3
