"""Talk in any language of people, above, below and around the code of a reply."""

from __future__ import annotations

import pytest
from tests.text.conftest import ReadReply

from redline.text.reply import Reply

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


def read(read_reply: ReadReply, language: str, reply: str) -> Reply:
    before, target, after = FILES[language]
    return read_reply(
        reply, target=target, before=before, after=after, language=language
    )


@pytest.mark.parametrize("language", NEW)
@pytest.mark.parametrize("talk", [CHINESE, RUSSIAN, ARABIC])
def test_text_around_a_fence_in_any_script_is_talk(
    read_reply: ReadReply, language: str, talk: str
) -> None:
    text = NEW[language]
    reply = f"{talk}\n```{language}\n{text}```\n{CHINESE_NOTE}\n"
    found = read(read_reply, language, reply)
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
        "Klar!\n\n{text}",
        "{text}\nBuen trabajo!\n",
        "[/INST] {text}</s>",
        "{text}\nHuman: Thanks!\n\nAssistant: You are welcome!\n",
    ],
)
@pytest.mark.parametrize("language", ["swift", "python"])
def test_remarks_below_code_are_cut_off(
    read_reply: ReadReply, language: str, reply: str
) -> None:
    text = NEW[language]
    found = read(read_reply, language, reply.format(text=text))
    assert found.lines is not None
    assert (found.is_understood, "".join(found.lines)) == (True, text)


def test_code_on_both_sides_of_a_fence_is_a_fault(read_reply: ReadReply) -> None:
    found = read(read_reply, "python", "def f(x):\n```\n    return x + 1\n")
    assert not found.is_understood


def test_keys_in_another_script_stay(read_reply: ReadReply) -> None:
    text = "ключ второй:\n  d: 1\n"
    assert read(read_reply, "yaml", text).lines == tuple(text.splitlines(keepends=True))


PAGE = "2. Build:\n\n   ```sh\n   make\n   ```\n"
NEW_PAGE = f"{PAGE}\n3. Check:\n\n   ```sh\n   lantern --version\n   ```\n"
FORM = '  <form action="/send">\n    <button>Send</button>\n  </form>\n'
NEW_FORM = FORM.replace("<button>", '<button type="submit">')


@pytest.mark.parametrize(
    "above", ["Here you go:", "Voici la page :", "更新后的内容\uff1a"]
)
@pytest.mark.parametrize("below", ["", "\nThe numbering goes on with step 3.\n"])
def test_a_page_in_a_fence_as_long_as_its_own_is_taken_out(
    read_reply: ReadReply, above: str, below: str
) -> None:
    reply = f"{above}\n\n```markdown\n{NEW_PAGE}```\n{below}"
    found = read_reply(reply, target=PAGE, after="\n## More\n", language="markdown")
    assert (found.is_understood, "".join(found.lines or ())) == (True, NEW_PAGE)


@pytest.mark.parametrize(
    "reply",
    [
        "Write an example:\n\n```markdown\n# A title\n```\n",
        "I apologize for the confusion.\n\nBuild it first.\n",
        "Build it first.\n\nIch habe nur den Bereich geändert.\n",
        f"<think>\nIt needs a step.\n\n{NEW_PAGE}",
    ],
)
def test_what_may_be_talk_in_a_page_is_uncertain(
    read_reply: ReadReply, reply: str
) -> None:
    found = read_reply(reply, target=PAGE, after="\n## More\n", language="markdown")
    assert not found.is_understood


def test_a_page_with_blocks_is_left_alone(read_reply: ReadReply) -> None:
    reply = "## Commands\n\n```\nmake\n```\n\nThen:\n\n```\nmake test\n```\n"
    found = read_reply(reply, target="make, then make test\n", language="markdown")
    assert (found.is_understood, "".join(found.lines or ())) == (True, reply)


@pytest.mark.parametrize(
    "form",
    [
        "I apologize for the confusion.\n\n{new}",
        "{new}\nIch habe nur den Bereich geändert.\n",
        "---\n{new}---\n",
    ],
)
def test_talk_beside_elements_is_cut_off(read_reply: ReadReply, form: str) -> None:
    found = read_reply(form.format(new=NEW_FORM), target=FORM, language="html")
    assert (found.is_understood, "".join(found.lines or ())) == (True, NEW_FORM)


def test_a_choice_of_options_is_uncertain(read_reply: ReadReply) -> None:
    block = "```swift\n{}```\n"
    text = NEW["swift"]
    other = text.replace("+ 1", "+ 2")
    reply = f"Option 1:\n{block.format(text)}Option 2:\n{block.format(other)}"
    assert not read(read_reply, "swift", reply).is_understood


@pytest.mark.parametrize(
    ("language", "file", "reply"),
    [
        ("html", ("<body>\n", FORM, "</body>\n"), f"<body>\n{NEW_FORM}</body>\n"),
        (
            "yaml",
            ("services:\n", "  web:\n    image: a\n", "volumes:\n  data: b\n"),
            "  web:\n    image: b\nvolumes:\n",
        ),
        (
            "lua",
            ("local function f()\n", "  g()\n", "end\n"),
            "...\n  h()\n...\n",
        ),
    ],
)
def test_a_reply_with_lines_around_the_range_is_cut_or_held(
    read_reply: ReadReply, language: str, file: tuple[str, str, str], reply: str
) -> None:
    before, target, after = file
    found = read_reply(
        reply, target=target, before=before, after=after, language=language
    )
    around = {"<body>", "</body>", "volumes:", "..."}
    text = "".join(found.lines or ())
    assert not found.is_understood or not around & set(text.split())


def test_a_line_that_stands_elsewhere_in_the_file_may_end_a_reply(
    read_reply: ReadReply,
) -> None:
    """Also if it is less deep there than the range begins."""
    target = "            a=1):\n        self.a = a\n"
    after = "\n\nclass B:\n    def __init__(self, b):\n        self.b = b\n"
    reply = "            a=1, b=2):\n        self.a = a\n        self.b = b\n"
    before = "class A:\n    def __init__(self,\n"
    found = read_reply(reply, target=target, before=before, after=after)
    assert (found.is_understood, "".join(found.lines or ())) == (True, reply)
