"""Replies that repeat the headings of their prompt."""

from __future__ import annotations

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
    "shellscript": (
        "set -eu\n",
        "tar czf $a data\necho done\n",
        "exit 0\n",
        'tar czf "$a" data\necho done\n',
    ),
    "css": (
        "a { color: red; }\n\n",
        ".b {\n  margin: 0;\n}\n",
        "\np { top: 0; }\n",
        ".b {\n  margin: 0;\n  top: 0;\n}\n",
    ),
}
FORMS = [
    "### Instruction:\nuse the other one\n\n### Response:\n{}\n### End",
    "### Instruction:\nuse the other one\n\n### Response:\n{}",
    "### Task: use the other one\n\n### Input:\n\n### Output:\n{}\n### Task:\nmore",
    "### User\nuse the other one\n\n### Assistant\n{}",
    "### Response:\n{}\n### End\n",
    "Human: use the other one\n\nAssistant:\n{}\n\nHuman: thanks",
]


@pytest.mark.parametrize("language", sorted(FILES))
@pytest.mark.parametrize("form", FORMS)
def test_headings_of_turns_are_removed(
    read_reply: ReadReply, language: str, form: str
) -> None:
    new = FILES[language][3]
    assert read_in(read_reply, FILES[language], language, form.format(new)) == (
        True,
        new,
    )


def test_turns_below_the_code_are_removed(read_reply: ReadReply) -> None:
    new = FILES["go"][3]
    reply = f"{new}\n### Instruction:\nAnother one.\n\n### Response:\nfunc d() {{}}\n"
    assert read_in(read_reply, FILES["go"], "go", reply) == (True, new)
    assert read_in(read_reply, FILES["go"], "go", f"{new}\n### End\n") == (True, new)


def test_what_may_be_a_comment_is_doubtful(read_reply: ReadReply) -> None:
    new = FILES["python"][3]
    assert (
        read_in(read_reply, FILES["python"], "python", f"{new}\n### End\n")[0] is False
    )


def test_comments_above_code_of_the_range_are_doubtful(read_reply: ReadReply) -> None:
    new = "### Request\nlimit = 1\nwait = 2\n\n### Response\nlimit_back = 3\n"
    target = "limit = 1\nwait = 2\nlimit_back = 3\n"
    found = read_reply(new, target=target, before="import os\n\n")
    assert found.is_understood is False


def test_two_answers_are_doubtful(read_reply: ReadReply) -> None:
    new = FILES["go"][3]
    reply = f"### Response:\n{new}\n### Response:\n{new.replace('2', '3')}"
    assert read_in(read_reply, FILES["go"], "go", reply)[0] is False


def test_headings_of_the_file_are_kept(read_reply: ReadReply) -> None:
    before = "### Input\na = 1\n\n### Output\nb = 2\n\n### End\n\n"
    new = "c = 4\n\n### End\n"
    found = read_reply(new, target="c = 3\n", before=before)
    assert (found.is_understood, "".join(found.lines or ())) == (True, new)


def test_sections_of_markdown_are_kept(read_reply: ReadReply) -> None:
    new = "Send it.\n\n### Request\n\nOne line.\n\n### Response\n\nAn object.\n"
    found = read_reply(
        new, target="Send it.\n", before="# API\n\n", language="markdown"
    )
    assert (found.is_understood, "".join(found.lines or ())) == (True, new)


@pytest.mark.parametrize("language", sorted(FILES))
@pytest.mark.parametrize(
    "end",
    [
        "</s>[INST] Now a test. [/INST] Sure:\n\nx = 1",
        "\n<|endoftext|>Human: Write a poem.\n\nThe sea is wide,\nthe sea is deep.",
        "\n<|im_end|>\nUser: and now?",
    ],
)
def test_another_turn_behind_the_end_is_removed(
    read_reply: ReadReply, language: str, end: str
) -> None:
    new = FILES[language][3]
    reply = f"{new.rstrip()}{end}"
    assert read_in(read_reply, FILES[language], language, reply) == (True, new)
