"""Replies as calls of tools, with a fence within a line, or with changed lines."""

from __future__ import annotations

import json

import pytest
from tests.text.conftest import ReadReply

from redline.text.reply import Reply

FILES = {
    "typescript": (
        "const a = 1;\n\n",
        "function f(b: number) {\n  if (b) {\n    return b;\n  }\n  return a;\n}\n",
        "\nf(2);\n",
    ),
    "lua": (
        "local shop = {}\n\n",
        "function shop.f(b)\n  if b then\n    return b\n  end\n  return 1\nend\n",
        "\nreturn shop\n",
    ),
}
NEW = {
    "typescript": (
        "function f(b: number) {\n  if (b > 0) {\n    return b;\n  }\n  return a;\n}\n"
    ),
    "lua": (
        "function shop.f(b)\n  if b > 0 then\n    return b\n  end\n  return 1\nend\n"
    ),
}


def read(read_reply: ReadReply, language: str, reply: str) -> Reply:
    before, target, after = FILES[language]
    return read_reply(
        reply, target=target, before=before, after=after, language=language
    )


@pytest.mark.parametrize(
    "form",
    [
        "[TOOL_CALLS]edit{json}",
        '[TOOL_CALLS][{"name": "edit", "arguments": {json}}]',
        "functions.edit({json})",
        "<function=edit>{json}</function>",
        '{"name": "edit", "arguments": {text_of_json}}',
        "<|tool_call_begin|>functions.edit:0<|tool_call_argument_begin|>{json}"
        "<|tool_call_end|>",
        "edit\n```json\n{json}\n```",
        "{python}",
        "<function=edit>\n<parameter=path>\na.b\n</parameter>\n<parameter=new_text>\n"
        "{new}</parameter>\n</function>",
        "edit\n<arg_key>path</arg_key>\n<arg_value>a.b</arg_value>\n<arg_key>new_text"
        "</arg_key>\n<arg_value>{new}</arg_value>",
        "<rewritten_range>{new}</rewritten_range>",
    ],
)
@pytest.mark.parametrize("language", NEW)
def test_the_text_in_the_call_of_a_tool_is_taken_out(
    read_reply: ReadReply, language: str, form: str
) -> None:
    new = NEW[language]
    value = {"path": "a.b", "old_text": FILES[language][1], "new_text": new}
    reply = (
        form.replace("{json}", json.dumps(value))
        .replace("{text_of_json}", json.dumps(json.dumps(value)))
        .replace("{python}", repr(value))
        .replace("{new}", new)
    )
    check(read_reply, language, reply)


@pytest.mark.parametrize(
    "form",
    [
        "```{language}\n{new}```",
        "```{language}\n{stripped}```",
        "```{new}```\n",
        "```{language} {new}```\n",
        "src/shop/a.ts\n{new}",
        "File: src/shop/a.ts\n{new}",
        "Lines 3-8:\n{new}",
        "%%writefile src/shop/a.ts\n{new}",
    ],
)
@pytest.mark.parametrize("language", NEW)
def test_fences_within_a_line_and_places_are_cut_off(
    read_reply: ReadReply, language: str, form: str
) -> None:
    new = NEW[language]
    check(
        read_reply,
        language,
        form.format(new=new, language=language, stripped=new.rstrip()),
    )


@pytest.mark.parametrize("language", NEW)
def test_signs_and_blanks_of_all_lines_are_removed(
    read_reply: ReadReply, language: str
) -> None:
    lines = NEW[language].splitlines()
    check(read_reply, language, "".join(f"+{line}\n" for line in lines))
    check(read_reply, language, "".join(f"+ {line}\n" for line in lines))
    check(read_reply, language, "".join(f"{line}  \n" for line in lines))
    check(read_reply, language, "\n\n".join(lines))


@pytest.mark.parametrize("language", NEW)
def test_a_reply_that_does_not_get_on_is_uncertain(
    read_reply: ReadReply, language: str
) -> None:
    lines = NEW[language].splitlines(keepends=True)
    assert not read(read_reply, language, "".join([lines[0], *lines])).is_understood
    assert not read(
        read_reply, language, "".join([*lines[:2], *lines[1:2] * 9])
    ).is_understood


def check(read_reply: ReadReply, language: str, reply: str) -> None:
    found = read(read_reply, language, reply)
    assert found.lines is not None
    assert (found.is_understood, "".join(found.lines)) == (True, NEW[language])


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (r"'{head}\n  return \d\nend'", r"  return \d"),
        (r"'{head}\n  return \x41\u0042\nend'", "  return AB"),
        ("""\'\'\'{head}\n  return \\'a\\'\nend\'\'\'""", "  return 'a'"),
        (r'"{head}\n  return 1\nend", "note": None,', "  return 1"),
    ],
)
def test_a_dictionary_of_python_is_read_without_a_warning(
    read_reply: ReadReply, written: str, text: str
) -> None:
    """Its escapes may be some that Python warns of."""
    head = "function shop.f(b)"
    reply = "{'path': 'a.lua', 'new_text': " + written.format(head=head) + "}"
    found = read(read_reply, "lua", reply)
    assert found.lines == (f"{head}\n", f"{text}\n", "end\n")
    assert found.is_understood
