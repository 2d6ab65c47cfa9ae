"""Marks of sources, tokens of the beginning, and encodings of a reply's text."""

from __future__ import annotations

import base64
import json

import pytest
from tests.text.conftest import ReadReply, read_in

FILES = {
    "python": (
        "import os\n\n\n",
        "def f(x):\n    return x\n",
        "\n\nprint(f(1))\n",
        "def f(x):\n    return x + os.getpid()\n",
    ),
    "go": (
        "package a\n\n",
        "func b() int {\n\treturn 1\n}\n",
        "\nfunc c() {}\n",
        "func b() int {\n\tc()\n\treturn 2\n}\n",
    ),
    "yaml": (
        "jobs:\n",
        "  node: [18]\n  run: test\n",
        "  shell: bash\n",
        "  node: [18, 20]\n  run: test\n",
    ),
    "sql": (
        "CREATE TABLE a (b INT);\n",
        "CREATE INDEX a_b ON a(b);\n",
        "DROP TABLE c;\n",
        "CREATE UNIQUE INDEX a_b ON a(b);\n",
    ),
    "markdown": (
        "# Shop\n\n",
        "It opens at nine.\n",
        "\nIt closes at six.\n",
        "It opens at ten.\n",
    ),
}
CODE = sorted(set(FILES) - {"markdown"})
MARKS = (
    "\u30105\u2020shop.py\u3011",
    "\u30104:0\u2020L3-L9\u3011",
    "\ue200cite\ue202turn0search3\ue202turn1file0\ue201",
    "[cite: 1, 12]",
    ":contentReference[oaicite:2]{index=2}",
)


@pytest.mark.parametrize("language", sorted(FILES))
@pytest.mark.parametrize("mark", MARKS)
def test_marks_of_sources_are_removed(
    read_reply: ReadReply, language: str, mark: str
) -> None:
    new = FILES[language][3]
    assert read_in(
        read_reply, FILES[language], language, f"{new.rstrip()}{mark}\n"
    ) == (True, new)
    assert read_in(
        read_reply, FILES[language], language, f"{new.rstrip()} {mark}{mark}"
    ) == (True, new)
    assert read_in(read_reply, FILES[language], language, f"{new}{mark}\n") == (
        True,
        new,
    )
    assert read_in(read_reply, FILES[language], language, f"[cite_start]{new}") == (
        True,
        new,
    )


@pytest.mark.parametrize(
    ("language", "sign"), [("python", "#"), ("go", "//"), ("sql", "--"), ("yaml", "#")]
)
def test_a_comment_of_a_mark_alone_is_removed(
    read_reply: ReadReply, language: str, sign: str
) -> None:
    new = FILES[language][3]
    reply = f"{sign} {MARKS[0]}\n{new.rstrip()}  {sign} {MARKS[1]}\n"
    assert read_in(read_reply, FILES[language], language, reply) == (True, new)


def test_a_mark_in_a_string_is_doubtful(read_reply: ReadReply) -> None:
    reply = f'def f(x):\n    return x.replace("{MARKS[0]}", "")\n'
    assert read_in(read_reply, FILES["python"], "python", reply) == (False, reply)


def test_marks_that_the_file_has_are_kept(read_reply: ReadReply) -> None:
    target, new = f"It is open.{MARKS[0]}\n", f"It is closed.{MARKS[1]}\n"
    found = read_reply(new, target=target, before="# Shop\n\n", language="markdown")
    assert (found.is_understood, "".join(found.lines or ())) == (True, new)


@pytest.mark.parametrize("language", CODE)
@pytest.mark.parametrize("form", ["<s>{}", "<s> {}", "<bos>{}", "<s>\n{}</s>"])
def test_a_token_of_the_beginning_is_removed(
    read_reply: ReadReply, language: str, form: str
) -> None:
    new = FILES[language][3]
    assert read_in(read_reply, FILES[language], language, form.format(new)) == (
        True,
        new,
    )


@pytest.mark.parametrize("language", sorted(FILES))
@pytest.mark.parametrize("end", ["", "\n"])
def test_a_token_that_names_the_response_has_no_role_behind_it(
    read_reply: ReadReply, language: str, end: str
) -> None:
    new = FILES[language][3]
    reply = f"<|START_THINKING|>One more.<|END_THINKING|>{end}<|START_RESPONSE|>{end}"
    reply += f"{new.rstrip()}<|END_RESPONSE|>"
    assert read_in(read_reply, FILES[language], language, reply) == (True, new)


@pytest.mark.parametrize("language", CODE)
def test_timings_below_the_end_are_left_out(
    read_reply: ReadReply, language: str
) -> None:
    new = FILES[language][3]
    reply = f"{new.rstrip()} [end of text]\n\n\n"
    reply += "llama_perf_context_print:        load time =     311.40 ms\n"
    reply += "llama_print_timings:       total time =    2210.66 ms /   101 tokens\n"
    assert read_in(read_reply, FILES[language], language, reply) == (True, new)


def test_a_tag_of_struck_text_is_kept(read_reply: ReadReply) -> None:
    new = "<s>one</s>\n<s>two\n</s>\n"
    found = read_reply(new, target="<p>one</p>\n", before="<div>\n", language="html")
    assert (found.is_understood, "".join(found.lines or ())) == (True, new)


@pytest.mark.parametrize("language", CODE)
@pytest.mark.parametrize(
    "fields", [{"encoding": "base64"}, {"path": "a/b", "encoding": "base64"}, {}]
)
def test_a_text_in_base64_in_json_is_decoded(
    read_reply: ReadReply, language: str, fields: dict[str, str]
) -> None:
    new = FILES[language][3]
    text = base64.b64encode(new.encode()).decode()
    reply = json.dumps({**fields, "content": text})
    assert read_in(read_reply, FILES[language], language, reply) == (True, new)


def test_base64_of_another_text_is_doubtful(read_reply: ReadReply) -> None:
    text = base64.b64encode(b"quite another text\nof two lines\n").decode()
    reply = json.dumps({"encoding": "base64", "content": text})
    assert read_in(read_reply, FILES["go"], "go", reply)[0] is False


def test_marks_of_prose_in_sql(read_reply: ReadReply) -> None:
    """Quotation marks of strings, and the dash of a comment that the range has."""
    own = "-- hot ones\nINSERT INTO a VALUES ('b');\n"
    new = "-- hot ones\nINSERT INTO a VALUES ('b');\nINSERT INTO a VALUES ('c');\n"
    odd = new.replace("--", "\u2014").replace("('", "(\u2018").replace("')", "\u2019)")
    file = ("CREATE TABLE a (b TEXT);\n", own, "SELECT 1;\n", new)
    assert read_in(read_reply, file, "sql", odd) == (True, new)
