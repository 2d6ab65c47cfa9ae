"""A model's Markdown runs nothing and fetches nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from redline.text.markdown import harmless, plain_message


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("see [it](command:rm?%5B%5D)", "see [it] (command:rm?%5B%5D)"),
        ("see [it]( command:rm)", "see [it] ( command:rm)"),
        ("see [it](<command:rm>)", "see [it] (&lt;command:rm>)"),
        ("see [it](&#99;ommand:rm)", "see [it] (&#99;ommand:rm)"),
        ("see [it](c\\ommand:rm)", "see [it] (c\\ommand:rm)"),
        ("see [it](file:///etc/passwd)", "see [it] (file:///etc/passwd)"),
        ("see [it][1]\n\n[1]: command:rm", "see [it][1]\n\n\\[1]: command:rm"),
        ("see <command:rm>", "see &lt;command:rm>"),
        ("![x](https://evil/?q=1)", "! [x](https://evil/?q=1)"),
        ('<a href="command:rm">x</a>', '&lt;a href="command:rm">x&lt;/a>'),
        (
            "see [it](a.py), [it](src) and [it](#a)",
            "see [it] (a.py), [it] (src) and [it] (#a)",
        ),
        ("see [it](/etc/passwd)", "see [it] (/etc/passwd)"),
        (
            "see [it](//host/share) `[x](//host)`",
            "see [it] (//host/share) `[x] (//host)`",
        ),
        ("see [it](<my b.py>)", "see [it] (<my b.py>)"),
        ("<details open>x</details>", "&lt;details open>x&lt;/details>"),
        ("<textarea>, <H1> and <br/>", "&lt;textarea>, &lt;H1> and &lt;br/>"),
        ("<!-- <?php", "&lt;!-- &lt;?php"),
        ("x `a\n[y](b)`", "x `a\n[y] (b)`"),
        ("\\`[y](b)`", "\\`[y] (b)`"),
        ("| ` | [y](b) | ` |", "| ` | [y] (b) | ` |"),
        ("- ```\n  ```\n[y](b)", "- ```\n  ```\n[y] (b)"),
        ("```\n    ```\n```\n[y](b)", "```\n    ```\n```\n[y] (b)"),
        ("<script>x()</script>", "&lt;script>x()&lt;/script>"),
        ("<img src=x />", "&lt;img src=x />"),
    ],
)
def test_what_could_do_something_is_words(written: str, shown: str) -> None:
    assert harmless(written) == shown


@pytest.mark.parametrize(
    "written",
    [
        "It calls `f(a)[0](b)` and [the docs](https://docs.python.org/3/).",
        "`List<A>`, `std::vector<std::string>`, `a < b`, <https://example.org>",
        "- one\n- *two*\n\n```python\nx[1:2]\nhandlers[name](event)\n```\n",
        "~~~~html\n<b>x</b>\n```\n[x](a)\n~~~\n~~~~\nIt is `<b>`, ``f[0](a.b)``.",
        "```jsx\nreturn <b>{f[0](a.b)}</b>;",
        "It returns List<String>, Vec<u8> or Promise<void>; a < b and c > d.",
    ],
)
def test_plain_words_and_code_stay(written: str) -> None:
    assert harmless(written) == written


@pytest.mark.parametrize("shown", [harmless, plain_message])
@pytest.mark.parametrize("scheme", ["command:evil", "file:///etc/passwd", "vscode://x"])
def test_links_and_controls_in_any_text_are_words(
    shown: Callable[[str], str], scheme: str
) -> None:
    """Editors follow links in plain messages, too."""
    text = shown(f"\x1b[31m[x]({scheme}) \u202e[y]( {scheme})")
    assert "](" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_a_plain_message_stays_plain() -> None:
    """Nothing renders it, so nothing is escaped."""
    text = "`List<A>` is <b>, see [the docs](https://docs.python.org/3/)\n\nf(a)[0](b)"
    assert plain_message(text) == text
