"""The definitions of a file, by name: to list them, and to show one to the model."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from redline.errors import ParserEndedError
from redline.parsing.work import Work, WorkRunner
from redline.syntax.language import Language, language_of
from redline.syntax.tree import parse

_MAX_N_CHARS = 1_000_000
"""Longest file that is parsed for this: the user waits for it."""


class DefinitionLines(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    """The qualified name."""
    first_line: int
    last_line: int


class DefinitionsQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """The text whose definitions are looked for."""

    text: str
    language: Language


_DEFINITIONS: Work[DefinitionsQuestion, list[DefinitionLines]] = Work(
    function=f"{__name__}:find_definitions", result=list[DefinitionLines]
)


def find_definitions(question: DefinitionsQuestion) -> list[DefinitionLines]:
    """Return all definitions of a text, in order; runs in a parser process."""
    return [
        DefinitionLines(
            name=each.qualified_name,
            first_line=each.first_line,
            last_line=each.last_line,
        )
        for each in parse(question.text, question.language).definitions
    ]


async def definitions_of(
    path: str, text: str, parser: WorkRunner
) -> Sequence[DefinitionLines]:
    """Return all definitions of a file, in order; none if it cannot be parsed.

    Args:
        path: Its suffix says its language.
        text: LF line ends.
        parser: Runs the parser.
    """
    language = language_of(path)
    if language is None or len(text) > _MAX_N_CHARS:
        return ()
    question = DefinitionsQuestion(text=text, language=language)
    try:
        return await parser.run(_DEFINITIONS, question)
    except ParserEndedError:
        return ()
