"""Replies that rewrite the range, as models really write them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from redline.text.reply import Reply

Read = Callable[..., Reply]

METHOD = """\
    def total(self, items):
        result = 0
        for item in items:
            result += item.price
        return result
"""
NEW_METHOD = """\
    def total(self, items):
        return sum(item.price for item in items)
"""
MARGIN_METHOD = """\
def total(self, items):
    return sum(item.price for item in items)
"""
FUNCTION = """\
def load(path):
    return open(path).read()
"""
NEW_FUNCTION = """\
def load(path):
    with open(path) as file:
        return file.read()
"""
MODULE = '''\
"""Reads things.

```
load("a")
```
"""
import os
'''
PAGE = """\
# Redline

Install it:

```bash
pip install redline-ls
```
"""
NEW_PAGE = PAGE.replace("Install it", "Install it with pip")
GO = """\
func Total(items []Item) int {
\tsum := 0
\treturn sum
}
"""
NEW_GO = GO.replace("sum := 0", "var sum int")


def fenced(code: str, info: str = "python", fence: str = "```") -> str:
    return f"{fence}{info}\n{code}{fence}\n"


def check(
    read: Read,
    reply: str,
    expected: str | None,
    kinds: str = "",
    *,
    target: str = FUNCTION,
    language: str = "python",
) -> Reply:
    """Compare the new text and the problems' kinds, which are named in one string."""
    found = read(reply, target=target, language=language)
    text = None if found.lines is None else "".join(found.lines)
    assert text == expected
    assert [problem.kind for problem in found.problems] == kinds.split()
    return found


@pytest.mark.parametrize(
    ("reply", "kinds"),
    [
        pytest.param(NEW_FUNCTION, "", id="exact"),
        pytest.param(NEW_FUNCTION.rstrip("\n"), "", id="no-final-newline"),
        pytest.param(NEW_FUNCTION + "\n\n", "blank-lines", id="blank-lines-after"),
        pytest.param("\n\n" + NEW_FUNCTION, "blank-lines", id="blank-lines-before"),
        pytest.param(NEW_FUNCTION.replace("\n", "\r\n"), "", id="crlf-reply"),
        pytest.param(NEW_FUNCTION.replace("\n", "\r"), "", id="cr-reply"),
        pytest.param(fenced(NEW_FUNCTION), "fence", id="fence"),
        pytest.param(fenced(NEW_FUNCTION, ""), "fence", id="bare-fence"),
        pytest.param(fenced(NEW_FUNCTION, "", "~~~"), "fence", id="tildes"),
        pytest.param(fenced(NEW_FUNCTION, "py", "`````"), "fence", id="long-fence"),
        pytest.param(
            fenced(NEW_FUNCTION, 'python title="a.py"'), "fence", id="fence-info"
        ),
        pytest.param(fenced(NEW_FUNCTION).rstrip("\n"), "fence", id="fence-at-end"),
        pytest.param(f"\n\n{fenced(NEW_FUNCTION)}\n\n", "fence", id="fence-in-blanks"),
        pytest.param(NEW_FUNCTION + "```\n", "fence", id="only-the-closing-fence"),
        pytest.param(NEW_FUNCTION + "```\n\n", "fence blank-lines", id="and-blanks"),
        pytest.param(
            "Here is the code:\n\n" + fenced(NEW_FUNCTION),
            "chatter fence",
            id="here-is",
        ),
        pytest.param(
            "Here\u2019s the updated `load()` function:\n" + fenced(NEW_FUNCTION),
            "chatter fence",
            id="heres-with-code-span",
        ),
        pytest.param(
            "The file was never closed, which leaks a handle.\n\n"
            "I changed that:\n\n" + fenced(NEW_FUNCTION),
            "chatter fence",
            id="prose-before-fence",
        ),
        pytest.param(
            "### Updated code\n" + fenced(NEW_FUNCTION), "chatter fence", id="heading"
        ),
        pytest.param(
            "**src/load.py**\n" + fenced(NEW_FUNCTION), "chatter fence", id="bold-path"
        ),
        pytest.param(
            "src/load.py\n" + fenced(NEW_FUNCTION), "chatter fence", id="path"
        ),
        pytest.param(
            fenced(NEW_FUNCTION) + "\nThis closes the file.\n",
            "chatter fence",
            id="prose-after-fence",
        ),
        pytest.param(
            "Sure!\n\n" + fenced(NEW_FUNCTION) + "\n**Why:** it leaked.\n- a\n- b\n",
            "chatter fence",
            id="prose-around",
        ),
        pytest.param(
            "Sure! Here is the function:\n\n" + NEW_FUNCTION,
            "chatter",
            id="certain-chatter-without-fence",
        ),
        pytest.param(
            "Certainly!\nThe file is closed now by a context manager.\n" + NEW_FUNCTION,
            "chatter",
            id="more-chatter-without-fence",
        ),
        pytest.param(fenced(NEW_FUNCTION) + "```\n", "fence", id="stray-second-fence"),
        pytest.param(
            "  ```python\n"
            + "".join(f"  {line}\n" for line in NEW_FUNCTION.splitlines())
            + "  ```\n",
            "fence indentation",
            id="indented-fence",
        ),
    ],
)
def test_what_stands_around_the_code_is_taken_off(
    read_reply: Read, reply: str, kinds: str
) -> None:
    found = check(
        read_reply,
        reply,
        NEW_FUNCTION,
        " ".join(sorted(kinds.split(), key=ORDER.index)),
    )
    assert found.is_understood


ORDER = ["chatter", "fence", "indentation", "blank-lines"]


@pytest.mark.parametrize(
    ("reply", "expected", "kinds"),
    [
        pytest.param(
            fenced(NEW_FUNCTION).removesuffix(".read()\n```\n"),
            NEW_FUNCTION.replace(".read()", ""),
            "fence truncated",
            id="unclosed-fence",
        ),
        pytest.param(
            fenced(NEW_FUNCTION) + "\nOr shorter:\n\n" + fenced("load = open\n"),
            NEW_FUNCTION,
            "chatter fence several-blocks",
            id="several-blocks",
        ),
        pytest.param(
            fenced(NEW_FUNCTION) + fenced("b\n") + fenced("c\n"),
            NEW_FUNCTION,
            "fence several-blocks",
            id="three-blocks",
        ),
        pytest.param(
            "x = 1\n\nUse it:\n```python\nload()\n```\n",
            "x = 1\n\nUse it:\n```python\nload()\n```\n",
            "stray-fence stray-fence",
            id="fences-in-bare-code",
        ),
        pytest.param(
            "x = 1\n```\ny = 2\n",
            "x = 1\n```\ny = 2\n",
            "stray-fence",
            id="lone-fence-in-bare-code",
        ),
        pytest.param(
            "I'm sorry, I can't help with that.", None, "no-code", id="refusal"
        ),
        pytest.param(
            "The function already closes the file.\n\nThere is nothing to do here.\n",
            None,
            "no-code",
            id="only-prose",
        ),
        pytest.param("Sorry, I cannot do it", None, "no-code", id="refusal-no-stop"),
        pytest.param("Here is the code:\n", None, "no-code", id="only-an-announcement"),
        pytest.param("", "", "empty", id="empty"),
        pytest.param(" \n\n", "", "empty", id="blank"),
        pytest.param("```python\n```\n", "", "fence empty", id="empty-fence"),
        pytest.param("```python\n\n", "", "fence truncated empty", id="cut-fence"),
    ],
)
def test_what_cannot_be_understood_is_a_fault(
    read_reply: Read, reply: str, expected: str | None, kinds: str
) -> None:
    assert not check(read_reply, reply, expected, kinds).is_understood


def test_a_refusal_is_no_docstring(read_reply: Read) -> None:
    target = "    The path of the file to read.\n"
    check(read_reply, "I'm sorry, I cannot do that.", None, "no-code", target=target)


def test_a_second_fence_is_looked_for_after_blank_lines(read_reply: Read) -> None:
    reply = fenced(NEW_FUNCTION) + "\n```\n\n\n```\n"
    check(read_reply, reply, NEW_FUNCTION, "fence")


def test_a_further_block_of_commands_is_not_read(read_reply: Read) -> None:
    reply = fenced(NEW_FUNCTION) + "\n" + fenced("make\n", "bash") + "Run it.\n"
    assert check(read_reply, reply, NEW_FUNCTION, "chatter fence").is_understood


@pytest.mark.parametrize(
    ("language", "info"), [("python", ""), ("shellscript", "text"), ("python", "bash")]
)
def test_commands_that_may_be_the_answer_are_not_skipped(
    read_reply: Read, language: str, info: str
) -> None:
    """The first block may be the old text, or what the commands print."""
    reply = fenced(NEW_FUNCTION, info) + "\nNow:\n\n" + fenced("make\n", "bash")
    kinds = "chatter fence several-blocks"
    assert not check(
        read_reply, reply, NEW_FUNCTION, kinds, language=language
    ).is_understood


def test_a_stray_fence_names_its_line(read_reply: Read) -> None:
    found = read_reply("\nx = 1\n\n```\ny\n", target=FUNCTION)
    assert [p.line for p in found.problems if p.kind == "stray-fence"] == [2]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("NO CHANGE: it is sorted.", "it is sorted."),
        ("NO CHANGE: it is sorted.\n\nThe list was sorted before.\n", "it is sorted."),
        ("\n  NO CHANGE: it is sorted.\n", "it is sorted."),
        ("**NO CHANGE:** it is sorted.", "it is sorted."),
        ("`NO CHANGE: it is sorted.`", "it is sorted."),
        ("```\nNO CHANGE: it is sorted.\n```\n", "it is sorted."),
        ("Sure!\nNO CHANGE: it is sorted.\n", "it is sorted."),
        ("NO CHANGE:", ""),
    ],
)
def test_a_model_may_decline(read_reply: Read, reply: str, reason: str) -> None:
    found = read_reply(reply, target=FUNCTION)
    assert (found.lines, found.declined, found.problems) == (None, reason, ())
    assert found.is_understood


def test_the_marker_inside_code_is_code(read_reply: Read) -> None:
    code = 'text = """\nNO CHANGE: a\n"""\n'
    assert check(read_reply, code, code).declined is None
    own = "NO CHANGE: own line\n"
    assert check(read_reply, own, own, target=own, language="plaintext").lines


@pytest.mark.parametrize(
    ("reply", "kinds"),
    [
        pytest.param(NEW_METHOD, "", id="right"),
        pytest.param(MARGIN_METHOD, "indentation", id="at-the-margin"),
        pytest.param(NEW_METHOD.strip(), "indentation", id="stripped"),
        pytest.param(fenced(MARGIN_METHOD), "fence indentation", id="margin-in-fence"),
        pytest.param(fenced(NEW_METHOD), "fence", id="right-in-fence"),
        pytest.param(
            fenced(NEW_METHOD.lstrip()),
            "fence indentation",
            id="first-line-lost-in-fence",
        ),
        pytest.param(
            "".join(f"    {line}\n" for line in NEW_METHOD.splitlines()),
            "indentation",
            id="too-deep",
        ),
        pytest.param(
            "".join(f"  {line}\n" for line in MARGIN_METHOD.splitlines()),
            "indentation",
            id="half-way",
        ),
    ],
)
def test_a_methods_indentation_is_restored(
    read_reply: Read, reply: str, kinds: str
) -> None:
    check(read_reply, reply, NEW_METHOD, kinds, target=METHOD)


@pytest.mark.parametrize(
    ("target", "reply", "expected", "kinds"),
    [
        pytest.param(
            "    return a\n", "return b", "    return b\n", "indentation", id="one-line"
        ),
        pytest.param(
            "        a = 1\n        b = 2\n",
            "    c = 3\n    d = 4\n",
            "    c = 3\n    d = 4\n",
            "",
            id="no-evidence",
        ),
        pytest.param(
            "        a = 1\n    return a\n",
            "    if a:\n        a = 1\n    return a\n",
            "    if a:\n        a = 1\n    return a\n",
            "",
            id="a-shallower-line-before",
        ),
        pytest.param(
            "        a = 1\n    return a\n",
            "a = 2\n    return a + 1\n",
            "        a = 2\n    return a + 1\n",
            "indentation",
            id="first-line-lost-of-a-dipping-range",
        ),
        pytest.param(
            "        a = 1\n    return a\n",
            "a = 2\nreturn a + 1\n",
            "        a = 2\n        return a + 1\n",
            "indentation",
            id="margin-of-a-dipping-range",
        ),
        pytest.param(
            "    a = 1\n    b = 2\n",
            "a = 3\n    c = 2\n",
            "    a = 3\n    c = 2\n",
            "indentation",
            id="first-line-lost-no-opener",
        ),
        pytest.param(
            "    # The sum:\n    a = 1\n",
            "# The total:\n    b = 1",
            "    # The total:\n    b = 1\n",
            "indentation",
            id="a-comment-opens-nothing",
        ),
        pytest.param(
            "    @property\n    def a(self):\n        return 1\n",
            "@property\ndef a(self):\n    return 2\n",
            "    @property\n    def a(self):\n        return 2\n",
            "indentation",
            id="decorator",
        ),
        pytest.param(
            "\tif a {\n\t\treturn\n\t}\n",
            "if a {\n\tpanic()\n}\n",
            "\tif a {\n\t\tpanic()\n\t}\n",
            "indentation",
            id="tabs",
        ),
        pytest.param(
            "\ta()\n\tb()\n",
            "    a(1)\n    b(1)\n",
            "\ta(1)\n\tb(1)\n",
            "form",
            id="spaces-for-tabs",
        ),
        pytest.param(
            "def a():\n    pass\n",
            "    def a():\n        return\n  # out\n",
            "    def a():\n        return\n  # out\n",
            "",
            id="not-constant",
        ),
        pytest.param(
            "def alpha():\n    return 1\n\n\ndef beta():\n    return 2\n",
            "    def gamma():\n        return 3\n\n    def beta():\n        x\n",
            "def gamma():\n    return 3\n\ndef beta():\n    x\n",
            "indentation",
            id="evidence-from-a-later-line",
        ),
        pytest.param(
            "def a():\n    pass\n",
            "".join(f"    x{n} = {n}\n" for n in range(9)),
            "".join(f"    x{n} = {n}\n" for n in range(9)),
            "",
            id="no-evidence-in-many-lines",
        ),
        pytest.param(
            "    foo(a)\n    )\n",
            "foo(b)\n)\n",
            "    foo(b)\n    )\n",
            "indentation",
            id="brackets-prove-nothing",
        ),
        pytest.param(
            "",
            "        a = 1\n",
            "        a = 1\n",
            "",
            id="insertion-has-no-indentation-to-restore",
        ),
        pytest.param(
            "    if a:\n        b()\n\n        c()\n",
            "if a:\n    b()\n   \n    d()\n",
            "    if a:\n        b()\n   \n        d()\n",
            "indentation",
            id="blank-lines-stay-as-they-are",
        ),
        pytest.param(
            "def a():\n    begin()\n",
            "    def a():\n        begin()\n  end()\n",
            "def a():\n    begin()\nend()\n",
            "indentation",
            id="a-line-with-less-than-is-removed",
        ),
    ],
)
def test_indentation_is_shifted_only_on_evidence(
    read_reply: Read, target: str, reply: str, expected: str, kinds: str
) -> None:
    check(read_reply, reply, expected, kinds, target=target)


@pytest.mark.parametrize(
    ("target", "reply", "expected", "kinds"),
    [
        pytest.param("\n\na\n\n", "b", "\n\nb\n\n", "blank-lines", id="restored"),
        pytest.param("a\n  \n", "b\n\n", "b\n\n", "", id="the-same-number"),
        pytest.param("a\n", "\nb\n\n", "b\n", "blank-lines", id="left-out"),
        pytest.param("a\n\n", "```\nb\n```", "b\n\n", "fence blank-lines", id="fence"),
        pytest.param("a\n", "```\n\nb\n\n```", "\nb\n\n", "fence", id="meant"),
        pytest.param("", "\n\nb\n\n", "\n\nb\n\n", "", id="insertion"),
        pytest.param("\n", "b\n", "b\n", "", id="blank-range"),
        pytest.param("a\nb\n", "a\n\n\nb\n", "a\n\n\nb\n", "", id="in-the-middle"),
        pytest.param("a", "b\n", "b", "", id="range-without-final-end"),
        pytest.param("a\nb", "a\nb\nc\n", "a\nb\nc", "", id="longer-without-end"),
        pytest.param("a\nb", "", "", "empty", id="nothing-without-end"),
    ],
)
def test_blank_lines_and_the_final_end_follow_the_range(
    read_reply: Read, target: str, reply: str, expected: str, kinds: str
) -> None:
    check(read_reply, reply, expected, kinds, target=target)


@pytest.mark.parametrize(
    ("target", "reply", "expected", "kinds", "language"),
    [
        pytest.param(PAGE, NEW_PAGE, NEW_PAGE, "", "markdown", id="page"),
        pytest.param(
            PAGE,
            fenced(NEW_PAGE, "markdown"),
            NEW_PAGE,
            "fence",
            "markdown",
            id="page-in-a-fence",
        ),
        pytest.param(
            PAGE,
            fenced(NEW_PAGE, "md", "````"),
            NEW_PAGE,
            "fence",
            "markdown",
            id="page-in-a-longer-fence",
        ),
        pytest.param(
            PAGE,
            fenced(NEW_PAGE, "markdown") + "I named the tool.\n",
            NEW_PAGE,
            "chatter fence",
            "markdown",
            id="page-in-a-fence-and-prose",
        ),
        pytest.param(
            PAGE,
            fenced("# Redline\n\n```\nmake\n```\n", "markdown"),
            "# Redline\n\n```\nmake\n```\n",
            "fence",
            "markdown",
            id="bare-inner-fence",
        ),
        pytest.param(
            PAGE,
            fenced("# Redline\n", "markdown") + "Build it:\n```bash\nmake\n```\n",
            "# Redline\n",
            "chatter fence several-blocks",
            "markdown",
            id="a-second-block-after-a-page",
        ),
        pytest.param(
            PAGE,
            "```markdown\n# Redline\n\n```bash\nmake\n```\n",
            "# Redline\n\n```bash\nmake\n```\n",
            "fence truncated",
            "markdown",
            id="page-cut",
        ),
        pytest.param(
            "```bash\nmake\n```\n",
            "```bash\nmake all\n```\n",
            "```bash\nmake all\n```\n",
            "",
            "markdown",
            id="range-that-is-a-fenced-block",
        ),
        pytest.param(
            "```bash\nmake\n```\n",
            "```markdown\n```bash\nmake all\n```\n```\n",
            "```bash\nmake all\n```\n",
            "fence",
            "markdown",
            id="fenced-block-in-a-fence",
        ),
        pytest.param(
            "```bash\nmake\n```\n",
            "````\n```bash\nmake all\n```\n````\n",
            "```bash\nmake all\n```\n",
            "fence",
            "markdown",
            id="fenced-block-in-a-longer-fence",
        ),
        pytest.param(
            "make\n",
            "```bash\nmake\n```\n",
            "```bash\nmake\n```\n",
            "",
            "markdown",
            id="a-code-block-that-was-asked-for",
        ),
        pytest.param(
            "Here is the list:\n- a\n",
            "Here is the list:\n- a\n- b\n",
            "Here is the list:\n- a\n- b\n",
            "",
            "markdown",
            id="prose-that-is-content",
        ),
        pytest.param(
            "A list.\n",
            "Here is the list.\n\n- a\n- b\n",
            "Here is the list.\n\n- a\n- b\n",
            "",
            "markdown",
            id="new-prose-is-content",
        ),
        pytest.param(
            "A list.\n",
            "Sure, here is the new paragraph:\n\nA longer list.\n",
            "A longer list.\n",
            "chatter",
            "markdown",
            id="a-greeting-is-not",
        ),
        pytest.param(
            "Title\n~~~~~\n",
            "New title\n~~~~~~~~~\n",
            "New title\n~~~~~~~~~\n",
            "",
            "restructuredtext",
            id="underlined-title",
        ),
        pytest.param(
            "~~~~~\nTitle\n~~~~~\n",
            "~~~~~~\nTitles\n~~~~~~\n",
            "~~~~~~\nTitles\n~~~~~~\n",
            "",
            "restructuredtext",
            id="overlined-title",
        ),
        pytest.param(
            "~~~~~\nTitle\n~~~~~\n",
            "~~~~~\nOther\n~~~~~\n",
            "~~~~~\nOther\n~~~~~\n",
            "",
            "",
            id="overlined-title-of-unknown-language",
        ),
        pytest.param(
            MODULE,
            MODULE + "import re\n",
            MODULE + "import re\n",
            "",
            "python",
            id="docstring-with-a-fence",
        ),
        pytest.param(
            MODULE,
            fenced(MODULE + "import re\n"),
            MODULE + "import re\n",
            "fence",
            "python",
            id="docstring-with-a-fence-in-a-fence",
        ),
        pytest.param(
            "def f():\n    pass\n",
            fenced('def f():\n    """Do.\n\n    ```\n    f()\n    ```\n    """\n'),
            'def f():\n    """Do.\n\n    ```\n    f()\n    ```\n    """\n',
            "fence",
            "python",
            id="new-docstring-with-a-fence",
        ),
        pytest.param(
            "def f():\n    pass\n",
            fenced('def f():\n    """Do.\n\n    ```py\n    f()\n    ```\n    """\n'),
            'def f():\n    """Do.\n\n    ```py\n    f()\n    ```\n    """\n',
            "fence",
            "python",
            id="new-docstring-with-a-named-fence",
        ),
        pytest.param(
            "def f():\n    pass\n",
            "```python\ndef f():\n    return 1\n    ```\n",
            "def f():\n    return 1\n",
            "fence",
            "python",
            id="closing-fence-indented-as-the-code",
        ),
        pytest.param(
            "def f():\n    pass\n",
            "```python\ndef f():\n    '''\n    ```\n    '''\n```\nIt is odd.\n",
            "def f():\n    '''\n    ```\n    '''\n",
            "chatter fence",
            "python",
            id="lone-inner-fence",
        ),
        pytest.param(
            "code\n```\n",
            "code2\n```\n",
            "code2\n```\n",
            "",
            "markdown",
            id="half-a-block",
        ),
        pytest.param(
            "a\n",
            "a\n```bash\nmake\n```\n",
            "a\n```bash\nmake\n```\n",
            "",
            "markdown",
            id="a-block-added",
        ),
        pytest.param(
            "a\n",
            "a\n```\n```\nb\n",
            "a\n```\n```\nb\n",
            "",
            "markdown",
            id="an-empty-block",
        ),
        pytest.param(
            "# old\n",
            "# a new comment\n",
            "# a new comment\n",
            "",
            "python",
            id="a-comment-is-no-heading",
        ),
        pytest.param(
            "# old\n",
            "# a new\n# comment\n",
            "# a new\n# comment\n",
            "",
            "python",
            id="comments-are-no-headings",
        ),
        pytest.param(
            "    The path of the file to read.\n",
            "    The path of the file.\n",
            "    The path of the file.\n",
            "",
            "python",
            id="a-line-of-a-docstring",
        ),
        pytest.param(
            "    The path of the file to read.\n",
            "The path of the file.",
            "    The path of the file.\n",
            "indentation",
            "python",
            id="a-line-of-a-docstring-stripped",
        ),
        pytest.param(
            "END.\n",
            "END IF.\n",
            "END IF.\n",
            "",
            "cobol",
            id="short-sentences-are-code",
        ),
        pytest.param(GO, NEW_GO, NEW_GO, "", "go", id="go"),
        pytest.param(
            GO,
            "I changed it:\n" + fenced(NEW_GO, "go"),
            NEW_GO,
            "chatter fence",
            "go",
            id="go-in-a-fence",
        ),
    ],
)
def test_code_that_looks_like_a_wrapping_survives(
    read_reply: Read, target: str, reply: str, expected: str, kinds: str, language: str
) -> None:
    check(read_reply, reply, expected, kinds, target=target, language=language)
