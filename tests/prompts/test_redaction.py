"""Secrets do not leave, and all comes back exactly."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from redline.prompts.redaction import (
    NO_SECRETS,
    SecretRestorer,
    SecretTable,
    has_withheld,
    hide,
    hide_all,
    hide_parts,
    placeholders_in,
    put_back,
    text_around,
    with_single_lines,
    withholding,
    without_placeholders,
)
from redline.prompts.secrets.index import SecretIndex

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
OTHER = "AKIA" + "ABCD1234EFGH5678"
NAME = "REDLINE_SECRET_"

PIECES = st.sampled_from(
    [
        TOKEN,
        OTHER,
        f'password = "{OTHER}"\n',
        'password = "hunter2!"',
        "hunter2!",
        "https://me:pw1@example.org/\n",
        f"{NAME}000000",
        f"{NAME}000001",
        f"{NAME}00000",
        "REDLINE_SEC",
        "RRE",
        "0",
        "000012",
        '"',
        "\n",
        "-----BEGIN PRIVATE KEY-----\n",
        "Qk1" * 20 + "\n",
        "-----END PRIVATE KEY-----",
        "def f(x):\n    return x\n",
        "é\U0001f600",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=5), max_size=12).map("".join)


@given(texts=st.lists(TEXTS, max_size=4), path=st.sampled_from(["", "a.py", "b.yml"]))
@example(texts=[f"{NAME}000000 {TOKEN}", f"{NAME}000001"], path="")
def test_what_was_hidden_comes_back_exactly(texts: list[str], path: str) -> None:
    """Whatever the texts hold, placeholders of ours included."""
    table = NO_SECRETS
    for text in texts:
        hidden, table = hide(text, table, path=path)
        assert put_back(hidden, table) == text
    # And at the end, by the table of the whole session.
    together = hide_all([(path, text) for text in texts])
    assert [put_back(x, together.table) for x in together.texts] == texts


@given(data=st.data(), text=TEXTS)
def test_it_comes_back_from_pieces_cut_anywhere(data: st.DataObject, text: str) -> None:
    """A reply in pieces gives the same as the whole one."""
    hidden, table = hide(text)
    cuts = data.draw(st.lists(st.integers(0, len(hidden)), max_size=8).map(sorted))
    restorer = SecretRestorer(table)
    at = [0, *cuts, len(hidden)]
    parts = [restorer.feed(hidden[a:b]) for a, b in pairwise(at)]
    assert "".join(parts) + restorer.finish() == text


@given(reply=TEXTS, data=st.data())
def test_any_reply_is_restored_alike_whole_and_in_characters(
    reply: str, data: st.DataObject
) -> None:
    """Placeholders that a model made up, or cut off, are left as they are."""
    table = SecretTable(secrets=(TOKEN, "x" * data.draw(st.integers(1, 9))))
    restorer = SecretRestorer(table)
    parts = [restorer.feed(character) for character in reply]
    assert "".join(parts) + restorer.finish() == put_back(reply, table)


def test_no_more_is_held_back_than_a_placeholder_may_need() -> None:
    """Text that cannot become one is passed on at once."""
    restorer = SecretRestorer(NO_SECRETS)
    assert restorer.feed("return R") == "return "
    assert restorer.feed("ED") == ""
    assert restorer.feed("ONE") == "REDONE"
    assert restorer.feed(f"{NAME}12") == ""
    assert restorer.feed("x") == f"{NAME}12x"


def test_a_secret_is_replaced_in_every_text_that_is_sent() -> None:
    """It may stand in a comment or a message, where nothing marks it."""
    texts = [
        ("a.md", "The pass phrase is correct1horse2battery."),
        ("a.py", 'password = "correct1horse2battery"\n'),
    ]
    hidden = hide_all(texts)
    assert "horse" not in "".join(hidden.texts)
    later, _ = hide("correct1horse2battery", hidden.table)
    assert later == f"{NAME}000000"


def test_a_short_secret_is_replaced_as_a_whole_word() -> None:
    """Six characters may be a part of anything; a model may have moved them, though."""
    hidden, table = hide('password = "abc123"\nabc123456 = 1\n')
    assert hidden == f'password = "{NAME}000000"\nabc123456 = 1\n'
    assert table.secrets == ("abc123",)
    assert hide('connect("abc123")', table) == (f'connect("{NAME}000000")', table)


def test_a_secret_keeps_its_placeholder() -> None:
    """The same through a session, whatever else is met."""
    one, table = hide(f"x = '{TOKEN}'")
    two, table = hide(f"y = '{OTHER}'; x = '{TOKEN}'", table)
    assert one == f"x = '{NAME}000000'"
    assert two == f"y = '{NAME}000001'; x = '{NAME}000000'"


def test_the_marks_around_a_secret_stay() -> None:
    """A model sees what kind of thing is there, and can move it."""
    hidden, table = hide("db = 'postgres://app:s3cr3t@db/app'\n")
    assert hidden == f"db = 'postgres://app:{NAME}000000@db/app'\n"
    moved = f"URL = 'postgres://app:{NAME}000000@db/app'\n"
    assert put_back(moved, table) == "URL = 'postgres://app:s3cr3t@db/app'\n"


def test_a_key_block_becomes_one_line() -> None:
    """Its body is one secret; many lines come back for one."""
    body = "\n".join(["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj" * 2] * 3)
    text = f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n"
    hidden, table = hide(text)
    assert hidden.split("\n")[1:2] == [f"{NAME}000000"]
    assert put_back(hidden, table) == text


def test_a_number_that_was_never_given_is_left() -> None:
    """A model may count on by itself."""
    assert put_back(f"{NAME}000001", SecretTable(secrets=("x",))) == f"{NAME}000001"


def test_a_placeholder_with_a_digit_too_many_is_left() -> None:
    """Also in pieces; the digits behind a secret are hidden with it, or its own
    placeholder would have one."""
    first, second = "Trombone-47-Quartz", "Trombone-47-Quartz2"
    text = f"password = '{first}'\nlogin('{second}')\n"
    sent, table = hide(text, path="a.py")
    assert sent == f"password = '{NAME}000000'\nlogin('{NAME}000001')\n"
    assert put_back(sent, table) == text
    wrong = f"'{NAME}0000000', '{NAME}00000012'"
    assert put_back(wrong, table) == wrong
    restorer = SecretRestorer(table)
    pieces = [restorer.feed(char) for char in f"{wrong} {NAME}000001"]
    assert "".join([*pieces, restorer.finish()]) == f"{wrong} {second}"


def test_prose_names_no_secret() -> None:
    """It is shown and stored, and a link in it would send the secret on."""
    hidden, table = hide(f"x = '{TOKEN}'")
    prose = f"See https://a.b/?c={NAME}000000 and {NAME}000007: {hidden}"
    shown = without_placeholders(prose, table)
    assert shown == f"See https://a.b/?c=[secret] and {NAME}000007: x = '[secret]'"


def test_a_table_does_not_show_its_secrets() -> None:
    """Not in a log, an error or a debugger's line."""
    _, table = hide(TOKEN)
    assert TOKEN not in repr(table)
    assert TOKEN not in repr(hide_all([("", TOKEN)]))


@pytest.mark.parametrize("text", ["", "x = 1\n", "R", "REDLINE_SECRET_", "\n\n"])
def test_a_text_without_secrets_is_itself(text: str) -> None:
    """Nothing to hide, nothing changed, nothing remembered."""
    assert hide(text) == (text, NO_SECRETS)


def test_many_secrets_take_no_more_time_each() -> None:
    """The time grows with their number, not its square: it would be minutes here."""
    secrets = tuple(f"{n:06d}-{n * 7919:012d}" for n in range(50_000))
    text = "\n".join(secrets)
    hidden, table = hide(text, SecretTable(secrets=secrets))
    assert hidden.count(NAME) == len(secrets)
    assert put_back(hidden, table) == text


def test_the_longest_of_several_known_secrets_is_replaced() -> None:
    """A secret that begins with another one stays whole."""
    known = SecretTable(secrets=("hunter2!", "hunter2!-and-more", "pw1", "pw1.b"))
    text = "hunter2!-and-more hunter2!-and xhunter2!x pw1.b pw1.c xpw1 pw1"
    assert hide(text, known)[0] == (
        f"{NAME}000001 {NAME}000000-and x{NAME}000000x {NAME}000003 {NAME}000002.c"
        f" xpw1 {NAME}000002"
    )


@pytest.mark.parametrize(
    ("message", "hidden"),
    [
        ("`hunter2` is not defined anywhere.", "`[secret]` is not defined anywhere."),
        ("`Correct9` is gone, `Horse7` too.", "`[secret]` is gone, `[secret]` too."),
        ("`x.hunter2` has no `y`.", "`x.[secret]` has no `y`."),
        ("`shown` is not defined.", "`shown` is not defined."),
        ("`hunter` and `9` stay: `other`.", "`[secret]` and `9` stay: `other`."),
    ],
)
def test_words_of_secrets_in_messages(message: str, hidden: str) -> None:
    """Those of the text beside the message are known already."""
    table = SecretTable(secrets=("hunter2-Correct9.Horse7/shown",))
    assert hide_parts(message, table, beside="shown = 1") == hidden
    assert hide_parts(message, NO_SECRETS, beside="") == message


def test_an_empty_secret_is_nowhere() -> None:
    index = SecretIndex(["", "hunter22"], re.compile("(?!)"))
    assert list(index.spans("a hunter22")) == [(2, 10)]


def test_a_secret_of_another_file_is_not_put_back() -> None:
    """In one piece or several, and only where it is not in the file as well."""
    hidden = hide_all([("a.py", f"a = '{TOKEN}'"), ("b.py", f"b = '{OTHER}'")])
    own = placeholders_in(hidden.texts[:1])
    table = withholding(hidden.table, own=own)
    reply = "\n".join(hidden.texts)
    restored = f"a = '{TOKEN}'\nb = '{NAME}000001'"
    assert put_back(reply, table) == restored
    restorer = SecretRestorer(table)
    assert "".join(map(restorer.feed, reply)) + restorer.finish() == restored
    assert has_withheld(restored, table)
    assert not has_withheld(hidden.texts[0], table)
    whole = withholding(hidden.table, own=own, text=f"x = 1\nc = '{OTHER}'\n")
    assert put_back(reply, whole) == f"a = '{TOKEN}'\nb = '{OTHER}'"


def test_lines_of_a_key_belong_to_its_file() -> None:
    """A diff shows them one by one."""
    lines = ["-----BEGIN PRIVATE KEY-----", "Qk1" * 20, "-----END PRIVATE KEY-----"]
    text = "\n".join(lines)
    _, table = hide(text)
    table = with_single_lines(table)
    assert withholding(table, own=(), text=f"a\n{text}\n").withheld == frozenset()
    assert len(withholding(table, own=(), text="a\n").withheld) == len(table.secrets)


KEY_ROW = "QmFzZTY0IGtleSBtYXRlcmlhbCBmb3IgYSB0ZXN0IG9ubHkgMTIzNDU2Nzg5MDEy"
PARTS_OF_A_SECRET = [
    ("a.py", "password = (\n", '    "hunter2abc"\n', ")\n"),
    ("a.js", "const cfg = {\n  password:\n", '    "hunter2abc",\n', "}\n"),
    ("a.json", '{"name": "DB_PASSWORD",\n', '"value": "hunter2abc"\n', "}"),
    ("a.yaml", "env:\n  - name: DB_PASSWORD\n", "    value: hunter2abc\n", ""),
    ("a.sh", "mysql -u root \\\n", "  -phunter2abc \\\n", "  db\n"),
    ("a.sh", "curl https://x/y \\\n", "  -u bob:hunter2abc \\\n", "  -v\n"),
    (
        "a.py",
        f'K = """-----BEGIN PRIVATE KEY-----\n{KEY_ROW}\n',
        "hunter2abc==\n",
        '-----END PRIVATE KEY-----\n"""\n',
    ),
    ("a.ppk", f"Private-Lines: 2\n{KEY_ROW}\n", "hunter2abc==\n", ""),
    ("a.yaml", "", "data:\n  a: hunter2abc\n", "kind: Secret\n"),
    ("a.yaml", "kind: Secret\ndata:\n  a: |\n    x\n", "    hunter2abc\n", ""),
]


@pytest.mark.parametrize(("path", "before", "part", "after"), PARTS_OF_A_SECRET)
def test_a_secret_that_only_other_lines_show_is_replaced(
    path: str, before: str, part: str, after: str
) -> None:
    """Its name may be in another part, or in lines that are not sent."""
    whole = before + part + after
    for texts in ((before, part, after), (part,)):
        hidden = hide_all([(path, text) for text in texts], wholes=[(path, whole)])
        assert "hunter2abc" not in "".join(hidden.texts)
        assert tuple(put_back(text, hidden.table) for text in hidden.texts) == texts


def test_secrets_of_lines_that_are_not_sent_are_not_counted() -> None:
    """A reply could name them by a placeholder that the prompt does not have."""
    part, whole = "x = 1\n", 'x = 1\npassword = "hunter2abc"\n'
    hidden = hide_all([("a.py", part)], wholes=[("a.py", whole)])
    assert hidden.texts == (part,)
    assert hidden.table == NO_SECRETS


def test_a_long_document_is_searched_around_the_lines_that_are_sent() -> None:
    """A search of all would take too long."""
    lines = [f"{number}\r\n" for number in range(5_000)]
    found = text_around(lines, 2_000, 2_010).split("\n")
    assert (found[0], found[-2]) == ("1000", "3009")
    assert text_around(lines[:900], 500, 510) == "".join(
        f"{number}\n" for number in range(900)
    )


def test_secrets_that_are_known_from_elsewhere() -> None:
    """They are replaced where they occur, and those that do not are not counted."""
    hidden = hide_all(
        [("", "It printed correcthorse and battery.")],
        known=["elsewhere", "correcthorse"],
    )
    assert hidden.texts == ("It printed REDLINE_SECRET_000000 and battery.",)
    assert hidden.table.secrets == ("correcthorse",)
