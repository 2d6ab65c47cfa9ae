"""Talk in any language of people, above, below and around the code of a reply."""

from __future__ import annotations

import pytest

from redline.text.reply import Reply
from redline.text.reply_parser import ReplyParser

FILES = {
    "swift": (
        "struct View {\n",
        "    var done: Int {\n        count\n    }\n",
        "\n    var x = 1\n}\n",
    ),
    "python": ("import os\n\n\n", "def f(x):\n    return x\n", "\n\nprint(f(1))\n"),
    "html": (
        "<body>\n",
        "  <p>\n    One\n  </p>\n",
        "</body>\n",
    ),
    "yaml": ("a: 1\n", "ключ: b\n", "c: 2\n"),
}
NEW = {
    "swift": "    var done: Int { count + 1 }\n",
    "python": "def f(x):\n    return x + 1\n",
    "html": "  <p>\n    Two\n  </p>\n",
}
CHINESE = "修改后的代码\uff1a"
CHINESE_NOTE = "使用 `filter` 更简洁。"
RUSSIAN = "Вот исправленный код:"
ARABIC = "إليك الكود المعدل:"


def read(language: str, reply: str, pieces: int) -> Reply:
    before, old, after = (part.splitlines(keepends=True) for part in FILES[language])
    parser = ReplyParser(
        format="rewrite",
        target_lines=old,
        before=before,
        after=after,
        language=language,
    )
    for at in range(0, len(reply), pieces):
        parser.feed(reply[at : at + pieces])
    return parser.finish()


@pytest.mark.parametrize("pieces", [1, 7, 10_000])
@pytest.mark.parametrize("language", NEW)
@pytest.mark.parametrize("talk", [CHINESE, RUSSIAN, ARABIC])
def test_text_around_a_fence_in_any_script_is_talk(
    language: str, talk: str, pieces: int
) -> None:
    text = NEW[language]
    reply = f"{talk}\n```{language}\n{text}```\n{CHINESE_NOTE}\n"
    found = read(language, reply, pieces)
    assert found.lines is not None
    assert (found.is_understood, "".join(found.lines)) == (True, text)


@pytest.mark.parametrize(
    "reply",
    [
        "{text}```\n\n**What changed**\n\n- `x` is added\n- One more\n",
        "{text}```\nThis adds one.\n",
        "{text}\n**Changes:**\n\n- one is added\n",
        "{text}\n" + CHINESE_NOTE + "\n",
        CHINESE + "\n{text}",
        "The range now reads\n```\n{text}```\nThis handles the edge case\n",
        "{text}\nAdicionei a verificação.\n",
        "{text}\nThis handles the edge case\n",
        "{text}\nHuman: Thanks!\n\nAssistant: You are welcome!\n",
    ],
)
@pytest.mark.parametrize("language", ["swift", "python"])
def test_remarks_below_code_are_cut_off(language: str, reply: str) -> None:
    text = NEW[language]
    found = read(language, reply.format(text=text), 5)
    assert found.lines is not None
    assert (found.is_understood, "".join(found.lines)) == (True, text)


def test_code_on_both_sides_of_a_fence_is_a_fault() -> None:
    found = read("python", "def f(x):\n```\n    return x + 1\n", 5)
    assert not found.is_understood


def test_keys_in_another_script_stay() -> None:
    text = "ключ второй:\n  d: 1\n"
    assert read("yaml", text, 5).lines == tuple(text.splitlines(keepends=True))
