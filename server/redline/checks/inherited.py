"""`compile-error`: members that do not fit the bases that the file declares.

Overridden members that no base has, and abstract members that a class lacks. Read
without a grammar; a class is judged only if the file declares all of its bases.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec import Struct

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import in_brackets
from redline.checks.problem import Problem
from redline.syntax.word_set import word_set

_CLASS = re.compile(
    r"(?<![\w.@:])(?P<kind>class|interface|struct|object|record|trait|enum)\s++"
    r"(?P<name>[A-Z_]\w*+)(?P<head>[^{};=]{0,300})\{"
)
_NAMELESS = {
    "java": re.compile(
        r"\bnew\s++(?P<base>[\w.]++)(?:<[^<>(]*+>)?\([^(){};]*+\)\s*+\{"
    ),
    "kotlin": re.compile(r"\bobject\s*+:(?P<base>[^{};]{0,200})\{"),
}
_OVERRIDE = {
    "java": re.compile(
        r"@Override\b(?:\s*+@\w++(?:\([^()]*+\))?)*+(?:\s++|[\w.,?&]++|<|>|\[\]){0,40}?"
        r"\b(?P<name>\w++)\s*+\("
    ),
    "csharp": re.compile(r"\boverride\s++[^(){};=]{0,200}?\b(?P<name>\w++)\s*+[({=]"),
    "kotlin": re.compile(
        r"\boverride\s++(?:\w++\s++){0,4}?(?:fun|va[lr])\s++(?:<[^<>]*+>\s*+)?(?P<name>\w++)"
    ),
    "cpp": re.compile(
        r"\b(?P<name>\w++)\([^(){};]*+\)\s*+(?:const\s*+|noexcept\s*+)*+override\b"
    ),
    "typescript": re.compile(
        r"\boverride\s++(?:async\s++|readonly\s++)?(?P<name>\w++)\s*+[(<:=]"
    ),
}
_ABSTRACT = {
    "java": re.compile(r"\babstract\s++[^(){};=]{0,200}?\b(?P<name>\w++)\s*+\("),
    "csharp": re.compile(r"\babstract\s++[^(){};=]{0,200}?\b(?P<name>\w++)\s*+[({]"),
    "kotlin": re.compile(
        r"\babstract\s++(?:\w++\s++){0,4}?(?:fun|va[lr])\s++(?P<name>\w++)"
    ),
    "cpp": re.compile(
        r"\bvirtual\s++[^(){};=]{0,200}?\b(?P<name>\w++)\([^(){};]*+\)\s*+"
        r"(?:const\s*+|noexcept\s*+)*+=\s*+0"
    ),
    "typescript": re.compile(
        r"\babstract\s++(?:async\s++|readonly\s++)?(?P<name>\w++)\s*+[(<:]"
    ),
    "php": re.compile(
        r"\babstract\s++[^(){};=]{0,80}?\bfunction\s++(?P<name>\w++)\s*+\("
    ),
}
_BRACKETS = re.compile(r"<[^<>]*+>|\([^()]*+\)")
_WORDS = word_set(
    "public private protected internal virtual implements extends where final sealed by"
    " constructor"
)
_OF_ALL = word_set(
    "toString equals hashCode clone finalize ToString Equals GetHashCode Finalize"
)
_MAX_N_BASES = 20


class _Class(Struct, frozen=True, kw_only=True):
    name: str
    bases: tuple[str, ...]
    body: str
    span: tuple[int, int]
    is_abstract: bool
    """Whether it need not have all members: an interface, too."""
    is_open: bool = False
    """Whether its members are not only those that its text shows."""


def check_inherited(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report what the file did not have before."""
    language = candidate.language_id.removesuffix("react")
    if language not in _ABSTRACT:
        return
    if not _is_worth_it(candidate.text_after):
        return
    found = list(_faults(candidate.code_after, language))
    if not found:
        return
    known = Counter(_faults(candidate.code_before, language))
    for message in dict.fromkeys(found):
        if not known[message] and not _wants_abstract(candidate.instruction, message):
            yield Problem(rule="compile-error", message=message)


def _wants_abstract(instruction: str, message: str) -> bool:
    """Whether a lack is asked for, since the classes are written afterwards."""
    return "lacks" in message and _ABSTRACT_WISH.search(instruction) is not None


_ABSTRACT_WISH = re.compile(r"\babstract|\bpure virtual|\bcontract\b", re.IGNORECASE)


def _is_worth_it(text: str) -> bool:
    return any(word in text for word in ("verride", "abstract", "= 0"))


def _faults(code: str, language: str) -> Iterator[str]:
    classes = list(_classes(code, language))
    counts = Counter(one.name for one in classes)
    by_name = {one.name: one for one in classes if counts[one.name] == 1}
    for one in classes:
        bases = _all_bases(one, by_name)
        if bases:
            yield from _overrides(one, bases, classes, language)
            yield from _lacking(one, bases, classes, language)


def _overrides(
    one: _Class, bases: list[_Class], classes: list[_Class], language: str
) -> Iterator[str]:
    """Yield the members that override nothing."""
    form = _OVERRIDE.get(language)
    if form is None:
        return
    own = _own_text(one, classes)
    for found in form.finditer(own):
        name = found["name"]
        word = rf"\b{name}\b"
        if name in _OF_ALL or any(re.search(word, base.body) for base in bases):
            continue
        yield f"`{one.name}.{name}` overrides nothing that its bases have."


def _lacking(
    one: _Class, bases: list[_Class], classes: list[_Class], language: str
) -> Iterator[str]:
    """Yield the abstract members that nothing implements."""
    if one.is_abstract:
        return
    for base in bases:
        for found in _ABSTRACT[language].finditer(_own_text(base, classes)):
            name = found["name"]
            word = rf"\b{name}\b"
            others = [other.body for other in bases if other is not base]
            if not any(re.search(word, body) for body in (one.body, *others)):
                yield (
                    f"`{one.name}` lacks `{name}`, which is abstract in `{base.name}`."
                )


def _classes(code: str, language: str) -> Iterator[_Class]:
    for found in _CLASS.finditer(code):
        body = in_brackets(code, found.end() - 1)
        if body is None:
            continue
        before = code[max(0, found.start() - 60) : found.start()]
        before = re.split(r"[;{}\n]", before)[-1]
        is_abstract = found["kind"] in ("interface", "trait", "enum") or (
            "abstract" in before or _ABSTRACT[language].search(body) is not None
        )
        yield _Class(
            name=found["name"],
            bases=_bases(found["head"], language),
            body=body,
            span=(found.end(), found.end() + len(body)),
            is_abstract=is_abstract,
            is_open=found["kind"] == "enum" or "partial" in before,
        )
    nameless = _NAMELESS.get(language)
    for found in nameless.finditer(code) if nameless else ():
        body = in_brackets(code, found.end() - 1) or ""
        yield _Class(
            name="",
            bases=("",),
            body=body,
            span=(found.end(), found.end() + len(body)),
            is_abstract=True,
        )


def _bases(head: str, language: str) -> tuple[str, ...]:
    plain = _BRACKETS.sub(" ", _BRACKETS.sub(" ", head))
    plain = re.split(r"\bwhere\b", plain)[0]
    if language in ("csharp", "kotlin", "cpp"):
        plain = plain.partition(":")[2]
    elif not re.search(r"\b(?:extends|implements)\b", plain):
        return ()
    return tuple(one for one in re.findall(r"[\w.:\\]+", plain) if one not in _WORDS)


def _all_bases(one: _Class, by_name: Mapping[str, _Class]) -> list[_Class]:
    """Return the bases and theirs; none if one is not of the file."""
    found: list[_Class] = []
    waiting = list(one.bases)
    if one.is_open:
        return []
    while waiting and len(found) < _MAX_N_BASES:
        base = by_name.get(waiting.pop())
        if base is None or base.is_open:
            return []
        found.append(base)
        waiting.extend(base.bases)
    return found


def _own_text(one: _Class, classes: list[_Class]) -> str:
    """Return the text of a class without the classes in it."""
    text, start = one.body, one.span[0]
    for other in classes:
        first, last = other.span
        if start < first and last <= one.span[1]:
            inside = " " * (last - first)
            text = text[: first - start] + inside + text[last - start :]
    return text
