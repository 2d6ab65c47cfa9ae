"""Talk is distinguished from code."""

from __future__ import annotations

import pytest

from redline.text.chatter import (
    is_certain_chatter,
    is_greeting,
    is_sentence,
    may_be_talk,
)

CERTAIN = """\
Sure! Here is the code:
Sure, here's the updated function:
Certainly! I have rewritten it.
Of course.
Here is the code:
Here's the refactored version of `load(path)`:
Here are the changes:
I've updated the function to use a list.
I will rewrite it as follows:
Let me know what you think!
Below is the rewritten method:
The updated code is below:
Updated function:
This is the complete file:
The following is the new version:
Okay:
""".splitlines()

SENTENCES = """\
The bug was that the file is never closed.
- It now closes the file when done.
1. The first thing to do is this:
I'm sorry, I can't help with that
Unfortunately that is not possible
`load` now closes the file it opened.
""".splitlines()

CODE = """\
def sure():
okay = True
ok, err := load()
Sure(x);
class Here(Is):
Here = {
sure: true,
I = 1
if Here is The.Code:
return here
SELECT * FROM users
END IF.
x
-> Result<T>:
let me = 1
""".splitlines()


@pytest.mark.parametrize("line", CERTAIN)
def test_what_is_said_to_the_user_is_certain(line: str) -> None:
    assert is_certain_chatter(line)


@pytest.mark.parametrize("line", SENTENCES)
def test_a_sentence_reads_as_one(line: str) -> None:
    assert is_sentence(line)
    assert may_be_talk(line)


@pytest.mark.parametrize("line", CODE)
def test_code_is_neither(line: str) -> None:
    assert not is_sentence(line)
    assert not is_certain_chatter(line)


@pytest.mark.parametrize("line", ["# Title", "**src/a.py**", "`src/a.py`:", "I did:"])
def test_titles_and_paths_may_announce_a_fence(line: str) -> None:
    assert may_be_talk(line)


@pytest.mark.parametrize("line", ["x = 1", "return a", "    # deep", "}", "import os"])
def test_code_announces_nothing(line: str) -> None:
    assert not may_be_talk(line)


def test_a_greeting_announces() -> None:
    assert is_greeting("Sure, here it is:")
    assert not is_greeting("Sure, here it is.")
    assert not is_greeting("Here is the list:")
