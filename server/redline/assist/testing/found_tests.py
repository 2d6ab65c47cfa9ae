"""The tests of a text, found in a parser process."""

from __future__ import annotations

from msgspec import Struct

from redline.parsing.work import Work
from redline.syntax.language import Language
from redline.syntax.test_functions import FoundTest, test_functions


class TestsQuestion(Struct, frozen=True, kw_only=True):
    text: str
    language: Language


FIND_TESTS: Work[TestsQuestion, list[FoundTest]] = Work(
    function=f"{__name__}:find_tests", result=list[FoundTest]
)


def find_tests(question: TestsQuestion) -> list[FoundTest]:
    """Return the tests of a text; runs in a parser process."""
    return test_functions(question.text, question.language)
