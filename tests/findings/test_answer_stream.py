"""Answers as models write them, in any chunks."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import ClassVar, SupportsIndex

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.findings.answer_stream import Ending, FindingStream
from redline.findings.finding import Claim
from redline.findings.object_stream import MAX_OBJECT_CHARS, MAX_TRIES

FIRST = {
    "file": "a.py",
    "quote": 'if x == "}":\n    y = {"file": [1]}',
    "severity": "high",
    "category": "correctness",
    "title": "The brace is lost",
    "explanation": 'Of `]}, {"quote": 1}` and \\d+ nothing is left.',
    "fix": None,
}
SECOND = FIRST | {"quote": "z = 'ä\\n'", "title": "Another", "fix": "z = 2"}


def claims_of(*findings: dict[str, str | None]) -> list[Claim]:
    """The expected claims."""
    return msgspec.convert(findings, list[Claim])


def read(text: str, cuts: list[int] | None = None) -> tuple[list[Claim], Ending]:
    """Read an answer that arrives in pieces."""
    stream = FindingStream()
    claims: list[Claim] = []
    for begin, end in pairwise([0, *(cuts or []), len(text)]):
        claims += stream.feed(text[begin:end])
    return claims + stream.close(), stream.ending


def written(*findings: dict[str, str | None], indent: int | None = None) -> str:
    """A valid answer."""
    return json.dumps({"findings": findings}, indent=indent, ensure_ascii=False)


LOOSE = {
    "file": "a.py",
    "quote": 'print("a", b)',
    "severity": "high",
    "category": "correctness",
    "title": "T",
    "explanation": 'It says "no".',
    "fix": None,
}

RIGHT = [
    written(FIRST, SECOND),
    written(FIRST, SECOND, indent=2),
    f"My review {{x}} of [1]:\n```json\n{written(FIRST, SECOND)}\n```\nDone {{.}}",
    f"<think>Perhaps {{'a': 1}} or {{\"b\": 2}}?</think>{written(FIRST, SECOND)}",
    json.dumps([FIRST, SECOND]),
    f"{json.dumps(FIRST)}\n{json.dumps(SECOND)}\n",
    json.dumps({"summary": "two", "findings": [FIRST, SECOND], "n": 2}),
    json.dumps({"review": {"findings": [{"id": 7} | FIRST, {"id": 8} | SECOND]}}),
    written(FIRST, SECOND).replace("}]}", "},]}"),
    written(FIRST, SECOND).replace('"title"', '"summary"').replace('quote"', 'code"'),
]


@pytest.mark.parametrize("answer", RIGHT)
def test_both_findings_are_read(answer: str) -> None:
    """Whatever is around them."""
    claims, ending = read(answer)
    # The last answer calls fields otherwise, inside of its texts as well.
    expected = claims_of(FIRST, SECOND)
    if '"code"' in answer:
        assert [one.title for one in claims] == ["The brace is lost", "Another"]
    else:
        assert claims == expected
    assert ending == "whole"


BROKEN = {
    "quotes": '{"findings": [{"file": "a.py", "quote": "print("a", b)", "severity":'
    ' "high", "category": "correctness", "title": "T", "explanation": "It says "no".",'
    ' "fix": null}]}',
    "no comma": '{"findings": [{"file": "a.py", "quote": "print(\\"a\\", b)"\n'
    '"severity": "high"\n"category": "correctness"\n"title": "T"\n'
    '"explanation": "It says \\"no\\"."\n"fix": null}]}',
    "Python": "{'findings': [{'file': 'a.py', 'quote': 'print(\"a\", b)', 'severity':"
    " 'high', 'category': 'correctness', 'title': 'T', 'explanation':"
    " 'It says \"no\".', 'fix': None}]}",
    "comma too many": '{"findings": [{"file": "a.py", "quote": "print(\\"a\\", b)",,'
    '"severity": "high", "category": "correctness", "title": "T",'
    ' "explanation": "It says \\"no\\".", "fix": null,},]}',
    "no brace": '{"findings": [{"file": "a.py", "quote": "print(\\"a\\", b)",'
    '"severity": "high", "category": "correctness", "title": "T",'
    ' "explanation": "It says \\"no\\".", "fix": null, {"file": "b", "title": "c"}]}',
    "location": '{"findings": [{"location": {"path": "a.py"}, "code":'
    ' ["print(\\"a\\", b)"], "severity": "high", "category": "correctness",'
    ' "title": "T", "description": "It says \\"no\\".", "suggestion": ""}]}',
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_answer_is_read_as_it_was_meant(how: str) -> None:
    """Nothing is invented."""
    claims, _ = read(BROKEN[how])
    assert claims[0] == claims_of(LOOSE)[0]


@pytest.mark.parametrize(
    ("answer", "ending"),
    [
        ('{"findings": []}', "whole"),
        ("[]", "whole"),
        ('```json\n{"findings": [ ]}\n```', "whole"),
        ('{"summary": "fine", "findings": []}', "whole"),
        ("I found nothing.", "no-answer"),
        ("", "no-answer"),
        ("{}", "no-answer"),
        ('{"findings": [', "cut"),
        ('{"findings": [{"file', "cut"),
        ('{"findings": [{"file": "a.p', "cut"),
    ],
)
def test_an_answer_without_findings(answer: str, ending: Ending) -> None:
    """No findings is not the same as no answer or a cut one."""
    assert read(answer) == ([], ending)


def test_an_answer_that_is_cut_keeps_what_is_whole() -> None:
    """The first finding is complete, and the second has its complete fields."""
    answer = written(FIRST, SECOND)
    first_end = answer.index('}, {"file": "a.py", "quote": "z') + 1
    for end in range(first_end, len(answer) - 2):
        claims, ending = read(answer[:end])
        assert claims[0] == claims_of(FIRST)[0]
        assert ending == "cut"
        for claim in claims[1:]:
            for name in ("quote", "severity", "title", "explanation", "fix"):
                assert getattr(claim, name) in ("", None, SECOND[name])


def test_a_new_start_ends_what_was_begun() -> None:
    """If a model starts again, its second answer counts."""
    begun = written(FIRST)[:60]
    claims, _ = read(f"{begun}\nSorry:\n{written(SECOND)}")
    assert claims[-1] == claims_of(SECOND)[0]


def test_a_finding_is_told_with_its_last_brace() -> None:
    """Not when the answer ends."""
    answer = written(FIRST, SECOND)
    end = answer.index('}, {"file": "a.py", "quote": "z') + 1
    stream = FindingStream()
    assert stream.feed(answer[: end - 1]) == []
    assert stream.feed(answer[end - 1 : end]) == claims_of(FIRST)


def test_what_is_endless_is_given_up() -> None:
    """The next finding is still read."""
    endless = FIRST | {"explanation": "x" * MAX_OBJECT_CHARS}
    claims, _ = read(written(endless, SECOND))
    assert claims == claims_of(SECOND)


def test_a_broken_object_without_end_is_given_up() -> None:
    """After some braces; the next finding is still read."""
    endless = '{"file": "a", "quote": "x"y"' + '"}, ' * (2 * MAX_TRIES)
    claims, _ = read(f'{{"findings": [{endless}' + written(SECOND))
    assert claims[-1] == claims_of(SECOND)[0]


def test_a_loop_of_a_model_is_passed_over() -> None:
    """Before, every start was read separately: 40,000 characters took 20 s."""
    loop = '{"a":1,"b":' * (4 * MAX_OBJECT_CHARS // 11) + " " * MAX_OBJECT_CHARS
    claims, ending = read(loop + written(FIRST))
    assert (claims, ending) == (claims_of(FIRST), "whole")


def test_lists_in_a_finding_are_a_part_of_it() -> None:
    """Unlike findings in a named list."""
    more = FIRST | {"steps": [{"line": 1, "title": "x"}], "refs": {"file": "b"}}
    claims, ending = read(json.dumps({"findings": [more, SECOND]}))
    assert claims == claims_of(FIRST, SECOND)
    assert ending == "whole"


def test_half_a_character_is_replaced() -> None:
    """A lone surrogate cannot be stored; a pair is one character."""
    answer = written(FIRST).replace("The brace", r"\ud83d\ude00 \ud83d The brace")
    for text in (answer, answer.replace('"high",', '"high"')):
        (claim,) = read(text)[0]
        assert claim.title == "\U0001f600 \ufffd The brace is lost"


def test_a_finding_takes_nothing_from_the_one_after_it() -> None:
    """A malformed finding without an end keeps its own fields."""
    first = '{"file": "a.py", "title": "A" "quote": "x" y'
    second = '"file": "b.py", "title": "B", "explanation": "C"}'
    (claim,) = read(f"[{first}, {second}]")[0]
    assert (claim.file, claim.title, claim.explanation) == ("a.py", "A", "")


def test_line_feeds_are_one_kind() -> None:
    """Quotes are compared with lines without ends."""
    claims, _ = read(written(FIRST | {"quote": "a\r\nb"}))
    assert claims[0].quote == "a\nb"


@pytest.mark.parametrize(
    ("written_as", "line"), [("12", 12), ('"12-14"', 12), ("[3, 4]", 3), ("null", None)]
)
def test_a_line_is_read_however_it_is_written(
    written_as: str, line: int | None
) -> None:
    """It is only a hint."""
    answer = written(FIRST).replace('"fix"', f'"line": {written_as}, "fix"')
    assert read(answer)[0][0].line == line


ANSWERS = [*RIGHT, *BROKEN.values(), written(FIRST, SECOND)[:-90]]
NOISE = st.text(alphabet='{}[]"\\:, \n`ftquoile', max_size=60)


@given(st.sampled_from(ANSWERS), NOISE, st.data())
def test_any_chunking_gives_the_same(
    answer: str, noise: str, data: st.DataObject
) -> None:
    """Cut at any places, with anything in between."""
    at = data.draw(st.integers(0, len(answer)))
    text = answer[:at] + noise + answer[at:]
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    whole = read(text)
    assert read(text, cuts) == whole
    assert read(text, list(range(len(text)))) == whole


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    """Nothing raises."""
    read(text)


class CountedText(str):
    """A text that counts the characters of the parts which are taken of it.

    Joining texts, and a part that is the whole, do not count.
    """

    __slots__ = ()
    n_copied: ClassVar[int] = 0

    def __getitem__(self, key: SupportsIndex | slice) -> CountedText:
        part = super().__getitem__(key)
        return self if part == self else self._counted(part)

    def __add__(self, other: str) -> CountedText:
        return CountedText(super().__add__(other))

    def __radd__(self, other: str) -> CountedText:
        return CountedText(other.__add__(self))

    def lstrip(self, chars: str | None = None) -> CountedText:
        # What is left out is read, too.
        CountedText.n_copied += len(self)
        return CountedText(super().lstrip(chars))

    def rstrip(self, chars: str | None = None) -> CountedText:
        return self._counted(super().rstrip(chars))

    @staticmethod
    def _counted(text: str) -> CountedText:
        CountedText.n_copied += len(text)
        return CountedText(text)


def n_copied(text: str, n_chars: int) -> int:
    """Return how many characters are copied to read an answer in pieces."""
    CountedText.n_copied = 0
    stream = FindingStream()
    for at in range(0, len(text), n_chars):
        stream.feed(CountedText(text[at : at + n_chars]))
    stream.close()
    return CountedText.n_copied


@pytest.mark.parametrize(
    ("start", "unit", "n_chars"),
    [("{'title': 'a'}", " ", 4), ("", "{'title':}", 1_000_000)],
)
def test_the_work_on_a_hostile_answer_is_linear(
    start: str, unit: str, n_chars: int
) -> None:
    """White space after a brace was read again with each piece, and the rest of the
    text copied for each brace."""
    few, many = (n_copied(start + unit * n, n_chars) for n in (4_000, 30_000))
    assert many < 15 * few
