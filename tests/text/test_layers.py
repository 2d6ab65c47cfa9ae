"""Replies that are in another reply: a stream, a page, a quotation, a call."""

from __future__ import annotations

import difflib
import html
import json
from collections.abc import Callable

import pytest

from redline.text.reply import Reply
from redline.text.reply_parser import ReplyParser

BEFORE = "package shelf;\n\nfinal class Jar {\n    private int n;\n\n"
OLD = (
    "    int take(int wanted) {\n"
    "        int taken = Math.min(n, wanted);\n"
    "        n -= taken;\n"
    "        return taken;\n"
    "    }\n"
)
NEW = OLD.replace("min(n, wanted)", "max(0, Math.min(n, wanted))").replace(
    "        n -=", "        assert taken <= n;\n        n -="
)
AFTER = "\n    int left() {\n        return n;\n    }\n}\n"
FIRST = BEFORE.count("\n") + 1


def read(
    reply: str,
    *,
    before: str = BEFORE,
    old: str = OLD,
    after: str = AFTER,
    language: str = "java",
    size: int = 10_000,
) -> Reply:
    parser = ReplyParser(
        format="rewrite",
        target_lines=old.splitlines(keepends=True),
        before=before.splitlines(keepends=True),
        after=after.splitlines(keepends=True),
        language=language,
    )
    for at in range(0, len(reply), size):
        parser.feed(reply[at : at + size])
    return parser.finish()


def pieces(text: str) -> list[str]:
    return [text[at : at + 7] for at in range(0, len(text), 7)]


def fenced(text: str, name: str = "java") -> str:
    return f"```{name}\n{text}```\n"


def each(form: str, text: str) -> str:
    return "".join(
        form.format(line, html.escape(line), n)
        for n, line in enumerate(text.splitlines(), FIRST)
    )


def events(text: str) -> str:
    chunks = ({"choices": [{"delta": {"content": one}}]} for one in pieces(text))
    lines = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
    return lines + "data: [DONE]\n"


def messages(text: str) -> str:
    deltas = ({"type": "text_delta", "text": one} for one in pieces(text))
    return "".join(
        f"event: content_block_delta\ndata: {json.dumps({'delta': delta})}\n\n"
        for delta in deltas
    )


def arguments(text: str) -> str:
    call = json.dumps({"old_str": OLD, "new_str": text})
    return "".join(
        "data: "
        + json.dumps(
            {"choices": [{"delta": {"tool_calls": [{"function": {"arguments": one}}]}}]}
        )
        + "\n\n"
        for one in pieces(call)
    )


def objects(text: str) -> str:
    return "".join(
        json.dumps({"model": "m", "response": one, "done": False}) + "\n"
        for one in pieces(text)
    )


def file_of(text: str) -> list[str]:
    return (BEFORE + text + AFTER).splitlines(keepends=True)


def unified(text: str) -> str:
    return "".join(difflib.unified_diff(file_of(OLD), file_of(text), "a/J", "b/J"))


FORMS: dict[str, Callable[[str], str]] = {
    "events": events,
    "events of a fence": lambda text: events("Here it is:\n\n" + fenced(text)),
    "events of reasoning": lambda text: events(f"<think>\nHm.\n</think>\n{text}"),
    "events of JSON": lambda text: events(fenced(json.dumps({"code": text}), "json")),
    "messages": messages,
    "arguments": arguments,
    "objects": objects,
    "parts of Vercel": lambda text: "".join(
        f"0:{json.dumps(one)}\n" for one in pieces(text)
    ),
    "JSON in JSON": lambda text: json.dumps(json.dumps({"code": text})),
    "a response": lambda text: f"HTTP/1.1 200 OK\nContent-Type: text/plain\n\n{text}",
    "a printed message": lambda text: f"[TextBlock(text={text!r}, type='text')]",
    "a call in a fence": lambda text: fenced(
        f"print(api.replace(old_string={OLD!r}, new_string={text!r}))\n", "tool_code"
    ),
    "a call of Mistral": lambda text: (
        f"[TOOL_CALLS]edit[ARGS]{json.dumps({'new_text': text})}</s>"
    ),
    "a call of Harmony": lambda text: (
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary"
        " to=functions.edit <|constrain|>json<|message|>"
        f"{json.dumps({'new_string': text})}<|call|>"
    ),
    "a call of LFM": lambda text: (
        f"<|tool_call_start|>[edit(new_text={json.dumps(text)})]<|tool_call_end|>"
    ),
    "an action": lambda text: (
        f"Thought: Edit it.\nAction: edit\nAction Input: {json.dumps({'code': text})}"
    ),
    "a diff in a call": lambda text: (
        f"<tool_call>\n{json.dumps({'input': unified(text)})}\n</tool_call>"
    ),
    "a quotation": lambda text: each("> {}\n", text),
    "a quotation of a fence": lambda text: each("> {}\n", "Here:\n" + fenced(text)),
    "lines with breaks": lambda text: each("{1}<br>\n", text).replace("  ", "&nbsp; "),
    "numbers above": lambda text: each("{2}\n{0}\n", text),
    "who wrote it": lambda text: each("3fa1c0de (A B 2026-01-02 {2}) {0}\n", text),
    "LaTeX": lambda text: (
        f"\\begin{{lstlisting}}[language=Java]\n{text}\\end{{lstlisting}}\n"
    ),
    "doubled returns": lambda text: text.replace("\n", "\r\r\n"),
    "soft hyphens": lambda text: text.replace("taken", "ta\u00adken"),
    "buttons": lambda text: f"java\nCopy\nEdit\n{text}",
    "tokens of EXAONE": lambda text: f"[|assistant|]{text}[|endofturn|]",
}


@pytest.mark.parametrize("name", FORMS)
def test_the_inner_reply_is_read(name: str) -> None:
    found = read(FORMS[name](NEW))
    assert "".join(found.lines or ()) == NEW
    assert found.is_understood


@pytest.mark.parametrize("name", FORMS)
def test_pieces_do_not_matter(name: str) -> None:
    reply = FORMS[name](NEW)
    assert read(reply) == read(reply, size=1) == read(reply, size=5)


@pytest.mark.parametrize("outer", ["events", "a quotation", "a call of Mistral"])
def test_layers_in_a_layer_are_read_or_held(outer: str) -> None:
    for inner, wrap in FORMS.items():
        found = read(FORMS[outer](wrap(NEW)))
        assert "".join(found.lines or ()) == NEW or not found.is_understood, inner


@pytest.mark.parametrize(
    ("language", "before", "old", "new"),
    [
        ("python", 'S = """\\\n', 'data: {"a": 1}\n', 'data: {"a": 2}\n\ndata: {}\n'),
        (
            "plaintext",
            "",
            "data: one\n",
            'data: {"text": "a"}\n\ndata: {"text": "b"}\n',
        ),
        (
            "jsonl",
            '{"text": "a"}\n',
            '{"text": "b"}\n',
            '{"text": "b"}\n{"text": "c"}\n',
        ),
        ("markdown", "# A\n\n", "Be careful.\n", "> Be careful.\n> Always.\n"),
        ("plaintext", "The change:\n\n", "see below\n", "18c18\n< old\n---\n> new\n"),
        ("shellscript", "set -e\n", "sed x\n", "ed -s x <<EOF\n2,3c\nnew\n.\nw\nEOF\n"),
        ("python", "U = (\n", '    "https://a"\n', '    "https://a/?q=a%20b%0Ac"\n'),
        ("python", "D = (\n", '    b""\n', '    b"def f():\\n    return 1\\n"\n'),
        ("latex", "A\n", "B\n", "\\begin{verbatim}\nB\n\\end{verbatim}\n"),
        ("markdown", "# Use\n\n", "make\n", "    $ make\n    $ make test\n"),
        ("plaintext", "", "a\nb\n", "1\na\n2\nb\n"),
    ],
)
def test_what_looks_like_a_layer_stays(
    language: str, before: str, old: str, new: str
) -> None:
    found = read(new, before=before, old=old, after="\nEnd\n", language=language)
    assert "".join(found.lines or ()) == new
    assert found.is_understood


def test_a_prompt_with_a_fence_is_held() -> None:
    """It may be what a model says around its answer, too."""
    found = read(
        "Here is the code:\n\n```python\n{code}\n```\n\nExplain it.\n",
        before='def ask(code):\n    return f"""\n',
        old="Code: {code}\n",
        after='"""\n',
        language="python",
    )
    assert not found.is_understood


def test_a_call_in_reasoning_that_does_not_end_is_none() -> None:
    call = f"<tool_call>\n{json.dumps({'new_text': NEW})}\n</tool_call>"
    assert not read(f"<think>\nPerhaps:\n{call}\nBut no.\n").is_understood


def test_a_shorter_list_of_imports_is_the_files() -> None:
    found = read(
        'package a\n\nimport (\n\t"b"\n)\n\nfunc f() int {\n\treturn b.N + 1\n}\n',
        before='package a\n\nimport (\n\t"b"\n\t"c"\n)\n\nvar d = c.D\n\n',
        old="func f() int {\n\treturn b.N\n}\n",
        after="",
        language="go",
    )
    assert found.lines == ("func f() int {\n", "\treturn b.N + 1\n", "}\n")
