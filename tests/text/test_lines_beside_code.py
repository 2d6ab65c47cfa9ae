"""Lines and signs around a reply that terminals, pages, mails and logs leave."""

from __future__ import annotations

import pytest
from tests.text.reply_reading import read_reply

from redline.text.reply import Reply

BEFORE = "import os\n\n\nclass Cache:\n"
OLD = "    def get(self, key):\n        value = self.data[key]\n        return value\n"
NEW = (
    "    def get(self, key):\n        value = self.data.get(key)\n"
    "        self.n_reads += 1\n        return value\n"
)
AFTER = "\n    def clear(self):\n        self.data = {}\n"


def read(reply: str, old: str = OLD, language: str = "python") -> Reply:
    """Read a reply to an edit of the range."""
    return read_reply(reply, old, before=BEFORE, after=AFTER, language=language)


def text(reply: Reply) -> str:
    """Return the new text; empty if there is none, or a fault."""
    return "".join(reply.lines or ()) if reply.is_understood else ""


@pytest.mark.parametrize(
    "reply",
    [
        f"5\n6\n7\n\n{NEW}",
        f"{NEW}5\n6\n7\n8\n",
        f"# filepath: src/cache.py\n{NEW}",
        f"# src/cache.py:5-7\n{NEW}",
        f"# Here's the updated code:\n{NEW}",
        f"src/cache.py:\n\n{NEW}",
        f"$ cat src/cache.py\n{NEW}$\n",
        f"user@host:~/src$ sed -n 5,8p cache.py\n{NEW}user@host:~/src$\n",
        f"{NEW}(END)\n",
        f'{NEW}~\n~\n"cache.py" 4L, 120B\n',
        f"{NEW}\n[Process exited with code 0]\n",
        f"{NEW}\n# Usage example:\n\n```\ncache.get(1)\n```\n",
        f"{NEW}\n**Changes:**\n1. Rewrote the body\n2. Kept the name\n",
    ],
)
def test_lines_that_are_no_code_are_cut_off(reply: str) -> None:
    """They are recognized by their form, and the rest fits the range."""
    assert text(read(reply)) == NEW


@pytest.mark.parametrize(
    "reply",
    [
        f'<antArtifact identifier="a" type="code">\n{NEW}</antArtifact>\n',
        f"{{{{< highlight python >}}}}\n{NEW}{{{{< /highlight >}}}}\n",
        f"{{{{{{#!python\n{NEW}}}}}}}\n",
        f"--part1\n{NEW}--part1--\n",
    ],
)
def test_pairs_of_other_programs_are_cut_off(reply: str) -> None:
    """The last line names the first one."""
    assert text(read(reply)) == NEW


def test_what_was_asked_for_stays() -> None:
    """The rest is the unchanged range: the user wanted what is around it."""
    commented = "".join(f"    # {line}\n" for line in OLD.splitlines())
    assert text(read(commented)) == commented
    prefixed = "ALPHA = 1\nBETA = 2\nGAMMA = 3\n"
    exported = "export ALPHA = 1\nexport BETA = 2\nexport DELTA = 3\n"
    assert text(read(exported, prefixed, "javascript")) == exported


def test_two_versions_are_held() -> None:
    """The unchanged range stands behind its new text."""
    assert text(read(f"{NEW}\n{OLD}")) == ""
    assert text(read(f"Find:\n{OLD}\nReplace with:\n{NEW}")) == NEW


def test_a_deeper_text_of_any_language_is_as_deep_as_its_range() -> None:
    """No line is as deep as the range, whose first line no other is less deep than."""
    old = '  if (kind === "a") {\n    go();\n  }\n'
    new = '      const isA = kind === "a";\n      if (isA) go();\n'
    lifted = '  const isA = kind === "a";\n  if (isA) go();\n'
    assert text(read(new, old, "javascript")) == lifted


def test_separators_of_lines_and_blanks_of_pages_are_read() -> None:
    """Neither is in the file."""
    assert text(read(NEW.strip("\n").replace("\n", "\u2028"))) == NEW
    assert text(read(NEW.replace("\n", "\u2028"))) == NEW
    assert text(read(NEW.replace("    ", "&nbsp;" * 4))) == NEW


def test_a_line_of_the_range_stays_as_deep_as_it_is() -> None:
    """A deeper one may be all that is left of it."""
    old = "def f(n):\n    return n\n"
    assert text(read("    return n\n", old, "c")) == "    return n\n"


def test_a_mark_without_a_blank_begins_a_block_that_is_not_whole() -> None:
    reply = read("<<<<<<<SEARCH\n        return value\n")
    assert not reply.is_understood
