"""A fragment of HTML that came within a page of its own."""

from __future__ import annotations

from textwrap import dedent

import pytest
from tests.text.conftest import ReadReply

HEAD = '<!doctype html>\n<html lang="en">\n<head>\n  <title>Shop</title>\n'
LINK = '  <link rel="stylesheet" href="shop.css">\n'
BODY = "</head>\n<body>\n  <main>\n"
LIST = "    <ul>\n      <li>Bread</li>\n      <li>Cheese</li>\n    </ul>\n"
REST = "    <p>We are open.</p>\n  </main>\n</body>\n</html>\n"
NEW = LIST.replace("Bread", "Rye bread").replace("<ul>", '<ul class="food">')
FORMS = [
    "<!DOCTYPE html>\n<html>\n<body>\n{}</body>\n</html>\n",
    "<!DOCTYPE html>\n<html><body>\n{}</body></html>\n",
    '<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Food</title>\n</head>\n'
    "<body>\n\n{}\n</body>\n</html>",
    "<body>\n{}</body>\n",
    "```html\n<!DOCTYPE html>\n<html>\n<body>\n{}</body>\n</html>\n```\n",
]


@pytest.mark.parametrize("language", ["html", "vue", "svelte"])
@pytest.mark.parametrize("form", FORMS)
def test_the_page_around_a_part_is_removed(
    read_reply: ReadReply, language: str, form: str
) -> None:
    found = read_reply(
        form.format(NEW),
        target=LIST,
        before=HEAD + LINK + BODY,
        after=REST,
        language=language,
    )
    assert (found.is_understood, "".join(found.lines or ())) == (True, NEW)


def test_a_part_of_the_head_is_taken_out(read_reply: ReadReply) -> None:
    new = LINK.replace("shop.css", "food.css") + LINK.replace("shop.css", "print.css")
    found = read_reply(
        f"<!DOCTYPE html>\n<html>\n<head>\n{new}</head>\n</html>\n",
        target=LINK,
        before=HEAD,
        after=BODY + LIST + REST,
        language="html",
    )
    assert (found.is_understood, "".join(found.lines or ())) == (True, new)


@pytest.mark.parametrize(
    ("before", "reply"),
    [
        (HEAD + BODY, "<html>\n<body>\n<p>Closed</p>\n</body>\n</html>\n"),
        (
            HEAD + BODY,
            "<html>\n<head>\n<style>li { top: 0; }</style>\n</head>\n"
            f"<body>\n{NEW}</body>\n</html>\n",
        ),
        ("<!-- food -->\n", f"<html>\n<body>\n{NEW}</body>\n</html>\n"),
    ],
)
def test_what_may_be_more_than_a_page_is_doubtful(
    read_reply: ReadReply, before: str, reply: str
) -> None:
    found = read_reply(reply, target=LIST, before=before, after=REST, language="html")
    assert found.is_understood is False


def test_a_whole_file_may_become_a_page(read_reply: ReadReply) -> None:
    target = dedent(LIST)
    new = f"<!DOCTYPE html>\n<html>\n<body>\n{target}</body>\n</html>\n"
    found = read_reply(new, target=target, language="html")
    assert (found.is_understood, "".join(found.lines or ())) == (True, new)


def test_a_copy_of_the_file_is_read_as_one(read_reply: ReadReply) -> None:
    before = HEAD + LINK + BODY
    found = read_reply(
        before + NEW + REST, target=LIST, before=before, after=REST, language="html"
    )
    assert (found.is_understood, "".join(found.lines or ())) == (True, NEW)
