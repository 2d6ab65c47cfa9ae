"""Replies that are diffs without the usual signs of one, and texts that look alike."""

from __future__ import annotations

import pytest

from redline.text.reply import Reply
from redline.text.reply_parser import ReplyParser

SQL = ["SELECT a\n", "FROM b\n", "WHERE c;\n"]


def read(
    reply: str, *, target: list[str], language: str, before: tuple[str, ...] = ()
) -> Reply:
    """Read a reply for a range that begins behind some lines."""
    parser = ReplyParser(
        format="rewrite",
        target_lines=target,
        before=before,
        after=["\n"],
        language=language,
    )
    parser.feed(reply)
    return parser.finish()


@pytest.mark.parametrize("fence", ["", "```diff\n"])
def test_a_diff_of_the_whole_range_is_applied(fence: str) -> None:
    body = " SELECT a\n FROM b\n-WHERE c;\n+WHERE c\n+ORDER BY a;\n"
    end = "```\n" if fence else ""
    found = read(fence + body + end, target=SQL, language="sql")
    assert found.is_understood
    assert found.lines == ("SELECT a\n", "FROM b\n", "WHERE c\n", "ORDER BY a;\n")


def test_lines_that_are_added_before_the_range() -> None:
    body = "+int f() {\n+    return 1;\n+}\n int g() {\n"
    found = read(body, target=["int g() {\n"], language="java")
    assert found.is_understood
    assert found.lines == ("int f() {\n", "    return 1;\n", "}\n", "int g() {\n")


def test_a_diff_with_names_of_files_in_a_file_with_a_sample_of_one() -> None:
    """A text of the file has a hunk, and the range has none."""
    before = ("A = '''\n", "@@ -1 +1 @@\n", "-a\n", "'''\n")
    body = "--- a/f.py\n+++ b/f.py\n@@ -5,2 +5,3 @@\n def f():\n+    g()\n     h()\n"
    target = ["def f():\n", "    h()\n"]
    found = read(body, target=target, language="python", before=before)
    assert found.is_understood
    assert found.lines == ("def f():\n", "    g()\n", "    h()\n")


def test_a_list_in_text_is_none() -> None:
    body = " a\n- b\n+ c\n"
    found = read(body, target=["a\n", " b\n"], language="markdown")
    assert found.lines != ("a\n", " c\n") or not found.is_understood


def test_a_method_in_the_blocks_around_it() -> None:
    """In Ruby, where a word closes each of them."""
    before = ("module M\n", "  class C\n", "    def a; end\n", "\n")
    target = ["    def f\n", "      1\n", "    end\n"]
    body = "module M\n  class C\n    def f\n      2\n    end\n  end\nend\n"
    found = read(body, target=target, language="ruby", before=before)
    assert found.lines == ("    def f\n", "      2\n", "    end\n")


@pytest.mark.parametrize(
    ("language", "body"),
    [
        ("python", 'A = """\\\n```python\nf()\n```\n"""\n'),
        ("shellscript", "cat <<'EOT'\n```\nf\n```\nEOT\n"),
        ("csharp", "/// <summary>Of <c>a</c>.</summary>\nint f() { return 1; }\n"),
        (
            "python",
            'def f():\n    a = """\\\n@@ -1 +1 @@\n-a\n b\n"""\n    b()\n',
        ),
    ],
)
def test_signs_within_texts_are_text(language: str, body: str) -> None:
    """Fences and diffs in strings and here-documents, tags in comments."""
    found = read(body, target=["g()\n"], language=language, before=("one\n",))
    assert found.is_understood
    assert "".join(found.lines or ()) == body


MARKDOWN = ["```sh\n", "make all\n", "```\n"]


@pytest.mark.parametrize("name", ["diff", "patch"])
def test_a_block_with_a_diff_on_a_page_is_text(name: str) -> None:
    """Its lines may be those of the range, with and without signs."""
    reply = "".join(MARKDOWN) + f"\n```{name}\n-make all\n+make all test\n```\n"
    found = read(reply, target=MARKDOWN, language="markdown")
    assert (found.is_understood, "".join(found.lines or ())) == (True, reply)


def test_a_page_that_is_a_block_with_a_diff_is_uncertain() -> None:
    reply = "```diff\n make\n-all\n+all test\n```\n"
    target = ["make\n", "all\n"]
    assert not read(reply, target=target, language="markdown").is_understood
