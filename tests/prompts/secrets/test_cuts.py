"""Texts are cut so that no part of a secret is left, and no value without its name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from redline.prompts.redaction import hide
from redline.prompts.secrets.cuts import beginning, ending

TOKEN = "ghp_k3Jf9aQ2mZ7xW1bT5vN8cR4yL6pH0sD2gUeX"
BODY = "".join(f"{line}{'A1b2C3d4' * 7}\n" for line in range(10, 30))
KEY = f"-----BEGIN PRIVATE KEY-----\n{BODY}-----END PRIVATE KEY-----"
TEXTS = {
    "key": (f"a b\nc = '{TOKEN}' # d\nend of it\n", TOKEN),
    "name and value": (
        "a b\nexport DB_PASSWORD=correcthorse77\nend it\n",
        "correcthorse77",
    ),
    "value on the next line": (
        'a b\npassword = (\n  "hunter2abc"\n)\nend\n',
        "hunter2abc",
    ),
    "name below": (
        '{\n "value": "hunter2abc",\n "name": "PASSWORD"\n}\nend\n',
        "hunter2abc",
    ),
    "setting": ("a: b\npassword: hunter2abc\nc: d\n", "hunter2abc"),
    "private key": (f"a b\n{KEY}\nend\n", BODY),
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("cut", [beginning, ending])
def test_wherever_it_is_cut_no_part_of_a_secret_is_sent(
    name: str, cut: Callable[..., str]
) -> None:
    """Nor a whole one."""
    text, secret = TEXTS[name]
    path = "a.yaml" if name == "setting" else ""
    parts = [part for part in secret.split("\n") if part]
    for n_chars in range(len(text) + 1):
        kept = cut(text, n_chars, path=path)
        assert len(kept) <= n_chars
        assert kept in text
        hidden, _ = hide(kept, path=path)
        for part in parts:
            assert part[:4] not in hidden, n_chars
            assert part[-4:] not in hidden, n_chars


def test_it_is_cut_between_words() -> None:
    """What only another text shows to be a secret is not cut either."""
    assert beginning("the value correcthorse is wrong", 15) == "the value"
    assert beginning("the value correcthorse is wrong", 22) == "the value correcthorse"
    assert ending("the value correcthorse is wrong", 15) == "is wrong"
    assert beginning("correcthorse", 11) == ""
    assert ending("correcthorse", 11) == ""
    assert ending("correct horse", 5) == "horse"
    assert ending("correct horse", 0) == ""
    assert beginning("correct horse", 0) == ""
    assert beginning("horse", 5) == "horse"


def test_a_long_text_is_searched_near_the_cut_only() -> None:
    """Secrets elsewhere are found when the text is hidden."""
    line = "a b\n"
    text = f'k = "{TOKEN}"\n{line * 5_000}k = "{TOKEN}"\n{line * 5_000}k = "{TOKEN}"\n'
    n_chars = text.index(TOKEN, 100) + 8
    assert beginning(text, n_chars) == text[: n_chars - 8 - len(' "')]
