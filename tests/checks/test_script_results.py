"""Results of functions of JavaScript and TypeScript that callers use as before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.script_results import check_script_results

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

OLD = "»\nfunction parse(text) {\n  return %s;\n}\n«\nfunction use(text) {\n%s}\n"
NEW = "function parse(text) {\n  return %s;\n}\n"
MISFITS = [
    ("[text]", "{ words: [text] }", "  return parse(text).map(String);\n"),
    ("[text]", "new Map()", "  const a = parse(text);\n  return a.join();\n"),
    ("[text]", "{ words: [text] }", "  for (const a of parse(text)) send(a);\n"),
    ("[text]", "{ words: [text] }", "  const [first] = parse(text);\n"),
    ("[text]", "{ words: [text] }", "  return [...parse(text)];\n"),
    ("new Map()", "[text]", "  return parse(text).get(1);\n"),
    ("2", "{ n: 2 }", "  return 3 * parse(text);\n"),
    ("{ a: 1, b: 2 }", "{ a: 1 }", "  const { b } = parse(text);\n  return b;\n"),
    ("{ a: 1, b: 2 }", "{ a: 1 }", "  return parse(text).b;\n"),
]
FITS = [
    ("[text]", "{ words: [text] }", "  return parse(text)?.map;\n"),
    ("[text]", "new Set()", "  return [...parse(text)];\n"),
    ("[text]", "[text, 2]", "  return parse(text).map(String);\n"),
    ("{ a: 1, b: 2 }", "{ a: 1, ...text }", "  return parse(text).b;\n"),
    ("{ a: 1 }", "{ a: 1 }", "  return parse(text).b;\n"),
    ("2", "3", "  return 3 * parse(text);\n"),
    ("[text]", "make(text)", "  return parse(text).map(String);\n"),
]


@pytest.mark.parametrize(("old", "new", "use"), MISFITS)
def test_misfits(old: str, new: str, use: str, make_candidate: MakeCandidate) -> None:
    """The message has the line of the use."""
    candidate = make_candidate(OLD % (old, use), NEW % new, language="javascript")
    found = [one.message for one in check_script_results(candidate)]
    assert len(found) == 1
    assert "line 5" in found[0] or "line 6" in found[0]


@pytest.mark.parametrize(("old", "new", "use"), FITS)
def test_fits(old: str, new: str, use: str, make_candidate: MakeCandidate) -> None:
    """Uses that the new result allows, or of which nothing is known."""
    candidate = make_candidate(OLD % (old, use), NEW % new, language="javascript")
    assert list(check_script_results(candidate)) == []


def test_results_of_several_kinds(make_candidate: MakeCandidate) -> None:
    """Nothing is known of them."""
    before = OLD % ("[text]", "  return parse(text).map(String);\n")
    after = "function parse(text) {\n  if (text) return [];\n  return {};\n}\n"
    candidate = make_candidate(before, after, language="javascript")
    assert list(check_script_results(candidate)) == []
