"""Right replies whose border lines look like talk, frames or values of a tool."""

from __future__ import annotations

import pytest
from tests.text.reply_reading import read_reply


@pytest.mark.parametrize(
    ("language", "old", "reply"),
    [
        # The first and the last paragraph of a text are no talk.
        (
            "gitcommit",
            "Fix the tpyo in the parser\n\nThis changes x:\n\n- a\n",
            "Fix the typo in the parser\n\nThis changes x:\n\n- a\n",
        ),
        (
            "chatmode",
            "The server strats with\n\nserve\n\nLet me know if you have questions.\n",
            "The server starts with\n\nserve\n\nLet me know if you have questions.\n",
        ),
        # Tags of a template.
        (
            "htmldjango",
            '<div class="main">\n  <p>one</p>\n',
            '<div class="other">\n  <p>one</p>\n',
        ),
        ("twig", "<ul>\n  <li>x</li>\n</ul>\n", "<ol>\n  <li>x</li>\n</ol>\n"),
        ("svg", '<rect x="1"/>\n<rect x="2"/>\n', '<rect x="1"/>\n<circle r="2"/>\n'),
        (
            "javascript",
            '    <main className="main">\n      <h1>Title one</h1>\n',
            '    <main className="main">\n      <h1>Title two</h1>\n',
        ),
        ("javascript", '  <img src="a" />\n', '  <Image src="a" />\n'),
        # A list of YAML and the argument of a call are not those of a tool.
        ("python", 'post({"content": "a\\nb"})\n', 'post({"content": "a\\nc"})\n'),
        (
            "yaml",
            '  script: ["make", "make install"]\n',
            '  script: ["make", "make install", "make check"]\n',
        ),
        ("yaml", "  needs: a\n", '  needs: ["a", "test"]\n'),
        (
            "dockerfile",
            'CMD ["python", "app.py"]\n',
            'ENTRYPOINT ["python", "app.py"]\n',
        ),
    ],
)
def test_they_are_taken_as_they_are(language: str, old: str, reply: str) -> None:
    """The whole reply is the range's new text."""
    found = read_reply(reply, old, language=language)
    assert "".join(found.lines or ()) == reply
    assert not [one for one in found.problems if one.is_fault]


@pytest.mark.parametrize(
    ("language", "old", "reply"),
    [
        (
            "markdown",
            "# The tpyo\n\n*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n"
            "*** End Patch\n\nIt ends here, always.\n",
            "# The typo\n\n*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n"
            "*** End Patch\n\nIt ends here, always.\n",
        ),
        (
            "cmake",
            "Find the Xerces liberies.\n\nImported targets\n^^^^^^^^\n",
            "Find the Xerces libraries.\n\nImported targets\n^^^^^^^^\n",
        ),
        ("python", "<ul>\n<li>x</li>\n</ul>\n", "<ol>\n<li>x</li>\n</ol>\n"),
        ("rust", "<li>x</li>\n", "<ul>\n<li>x</li>\n</ul>\n"),
        (
            "shellscript",
            "### Setup ###\nexport A=1\nrun\n",
            "### Install ###\nexport A=1\nrun\n",
        ),
        ("python", "# app.py\nx = 1\n", "# main.py\nx = 1\n"),
        ("lua", "--- Setup ---\nrun()\n", "--- Install ---\nrun()\n"),
    ],
)
def test_they_are_held_where_a_form_takes_them_off(
    language: str, old: str, reply: str
) -> None:
    """Nothing of the range is lost without a problem."""
    found = read_reply(reply, old, before='text = f"""\n', language=language)
    assert "".join(found.lines or ()) == reply or any(
        one.is_fault for one in found.problems
    )


@pytest.mark.parametrize(
    ("language", "old", "reply"),
    [
        ("python", "        done()\n        a = 1\n", "    done()\n    a = 1\n"),
        ("markdown", "- b\n", "  - b\n"),
        ("makefile", "    cc a.c\n", "\tcc a.c\n"),
        ("html", "  <p>x</p>\n", "    <p>x</p>\n"),
    ],
)
def test_an_indentation_may_be_all_that_changes(
    language: str, old: str, reply: str
) -> None:
    """It is not restored then."""
    assert "".join(read_reply(reply, old, language=language).lines or ()) == reply


def test_what_the_reply_quotes_is_not_missed() -> None:
    """Old lines beside the new ones, and another version in a fence, may go."""
    old = "    total = sum(values)\n    return total\n"
    new = "    return math.fsum(values)\n"
    diff = "@@ -1,2 +1,1 @@\n-    total = sum(values)\n-    return total\n+" + new
    versions = (
        "```python\n    return sum(values) or 0.0\n```\n\nWait, that is wrong."
        f" Corrected version:\n\n```python\n{new}```\n"
    )
    for reply in (diff, versions):
        found = read_reply(reply, old, language="python")
        assert "".join(found.lines or ()) == new
        assert not [one for one in found.problems if one.is_fault]


@pytest.mark.parametrize(
    ("language", "before", "old", "after", "reply"),
    [
        # A line that moves to the border, where the file has the same one.
        (
            "lua",
            "    nl()\n",
            "    for _, x in ipairs(items) do\n      item(x)\n    nl()\n    end\n",
            "",
            "    nl()\n    for _, x in ipairs(items) do\n      item(x)\n    end\n",
        ),
        # The members of a file that was not whole.
        (
            "json",
            "",
            '  "name": "a",\n{\n  "log": {\n    "level": 1\n  }\n}\n',
            "",
            '{\n  "name": "a",\n  "log": {\n    "level": 1\n  }\n}\n',
        ),
        # The first line of a second file in a diff.
        (
            "diff",
            "",
            "--- a/clint.conf\n+++ b/client.conf\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n"
            "--- a/b.conf\n+++ b/b.conf\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n",
            "",
            "--- a/client.conf\n+++ b/client.conf\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n"
            "--- a/b.conf\n+++ b/b.conf\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n",
        ),
        # A line that is like the one next to the range.
        (
            "awk",
            "# if changing files\nfilename != FILENAME {\n",
            "  set = FILENAME\n  hold = $0\n  next\n}\n",
            "",
            "  filename = FILENAME\n  hold = $0\n  next\n}\n",
        ),
        (
            "viml",
            "endif\n",
            "if has('patch')\n  CompilerSet shiftwidth=zig\\ test\\ \\%:S\n",
            "else\n  CompilerSet makeprg=zig\\ test\\ \\%\nendif\n",
            "if has('patch')\n  CompilerSet makeprg=zig\\ test\\ \\%:S\n",
        ),
        # A table of equal rows.
        (
            "c",
            "    first,\n",
            "    item,\n" + 6 * "    NULL,\n",
            6 * "    NULL,\n" + "};\n",
            7 * "    NULL,\n",
        ),
    ],
)
def test_the_ranges_lines_are_no_copies_of_those_around(
    language: str, before: str, old: str, after: str, reply: str
) -> None:
    """They are left, or the reply is held."""
    found = read_reply(reply, old, before=before, after=after, language=language)
    assert "".join(found.lines or ()) == reply or any(
        one.is_fault for one in found.problems
    )
