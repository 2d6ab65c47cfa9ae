"""`compile-error`: a class that lacks a member of an interface of the file.

Read without a grammar, for interfaces, protocols and traits whose members stand one
after the other in braces. A class that has a base besides interfaces of the file may
have the member from there, and is not judged; nor is one whose text has the name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import in_brackets, parts
from redline.checks.problem import Problem
from redline.syntax.word_set import word_set

_RULE = "compile-error"
_HEAD = r"[^{};]{0,300}\{"
_CLASS = r"\b(?:class|record|enum)\s++(?P<name>\w++)(?P<head>[^{};]{0,300}?)"
_IMPLEMENTS = re.compile(rf"{_CLASS}\bimplements\b(?P<bases>[^{{}};]{{0,300}})\{{")


class _Language(Struct, frozen=True, kw_only=True):
    interface: re.Pattern[str]
    implementer: re.Pattern[str]
    """Of a class: its name, and `bases`, the list of what it implements."""
    member: re.Pattern[str]
    """A member without a body, as it stands in an interface."""
    opens: re.Pattern[str] = re.compile(r"(?!)")
    """Signs of members that the text of the class does not show."""


_SEMICOLON = re.compile(
    r"\A(?!(?:\w+ )?(?:default|static|private)\b)[^={};()]*+(?<=\w)\("
)
_LANGUAGES = {
    "java": _Language(
        interface=re.compile(rf"(?<!@)\binterface\s+(?P<name>\w+){_HEAD}"),
        implementer=_IMPLEMENTS,
        member=_SEMICOLON,
        opens=re.compile(r"\blombok\b"),
    ),
    "php": _Language(
        interface=re.compile(rf"\binterface\s+(?P<name>\w+){_HEAD}"),
        implementer=_IMPLEMENTS,
        member=_SEMICOLON,
        opens=re.compile(r"^[ \t]*+use \w", re.MULTILINE),
    ),
    "typescript": _Language(
        interface=re.compile(rf"\binterface\s+(?P<name>\w+){_HEAD}"),
        implementer=_IMPLEMENTS,
        member=re.compile(r"\A(?:readonly\s+)?+(?P<name>\w++)(?:<[^<>]*+>)?+[(:]"),
    ),
    "csharp": _Language(
        interface=re.compile(rf"\binterface\s+(?P<name>\w+){_HEAD}"),
        implementer=re.compile(
            r"\b(?:class|struct|record)\s+(?P<name>\w+)(?P<head>[^{};:]{0,300}?)"
            r":(?P<bases>[^{};]{0,300})\{"
        ),
        member=_SEMICOLON,
        opens=re.compile(r"\bpartial\b"),
    ),
    "kotlin": _Language(
        interface=re.compile(rf"(?<!fun )\binterface\s+(?P<name>\w+){_HEAD}"),
        implementer=re.compile(
            r"\b(?:class|object)\s+(?P<name>\w+)"
            r"(?P<head>\s*+(?:\([^()]{0,300}\)\s*+)?):(?P<bases>[^{};]{0,300})\{"
        ),
        member=re.compile(r"\A(?:suspend )?fun (?P<name>\w++)\([^{}=]*+\Z"),
        opens=re.compile(r"\bby\b"),
    ),
    "swift": _Language(
        interface=re.compile(rf"\bprotocol\s+(?P<name>\w+){_HEAD}"),
        implementer=re.compile(
            r"\b(?:class|struct|enum|actor)\s+(?P<name>\w+)(?P<head>)"
            r"\s*:(?P<bases>[^{};]{0,300})\{"
        ),
        member=re.compile(r"\A(?:mutating )?func (?P<name>\w++)\([^{}=]*+\Z"),
        opens=re.compile(r"\bextension\b"),
    ),
    "rust": _Language(
        interface=re.compile(rf"\btrait\s+(?P<name>\w+){_HEAD}"),
        implementer=re.compile(
            r"\bimpl\b(?P<head>(?:<[^<>]*>)?\s+)(?P<bases>\w+)(?:<[^{};]{0,200}>)?\s+for\s+"
            r"(?P<name>\w+)[^{};]{0,300}\{"
        ),
        member=re.compile(
            r"\A(?:async )?(?:unsafe )?fn (?P<name>\w++)[^{};]*+\Z"
            r"|\Atype (?P<type>\w++)[^=]*+\Z"
        ),
        opens=re.compile(r"\w!"),
    ),
}
_LANGUAGES["typescriptreact"] = _LANGUAGES["typescript"]
_LINES = frozenset({"kotlin", "swift", "typescript", "typescriptreact"})
"""Languages in which a member also ends with its line."""


def check_implementers(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report members that classes of the file lack since the edit."""
    language = _LANGUAGES.get(candidate.language_id)
    if language is None or not language.interface.search(candidate.text_after):
        return
    found = list(_lacking(candidate.code_after, candidate.language_id))
    if not found:
        return
    known = Counter(_lacking(candidate.code_before, candidate.language_id))
    for one in dict.fromkeys(found):
        if not known[one]:
            name, interface, member = one
            yield Problem(
                rule=_RULE,
                message=f"`{name}` lacks `{member}`, which `{interface}` of the file"
                " demands.",
            )


def _lacking(code: str, language_id: str) -> Iterator[tuple[str, str, str]]:
    """Yield a class, its interface, and the member that it lacks."""
    language = _LANGUAGES[language_id]
    found_interfaces = list(_interfaces(code, language, language_id))
    counts = Counter(name for name, _ in found_interfaces)
    interfaces = {name: one for name, one in found_interfaces if counts[name] == 1}
    for found in language.implementer.finditer(code):
        body = in_brackets(code, found.end() - 1)
        before = code[max(0, found.start() - 40) : found.start()].rpartition("\n")[2]
        if body is None or re.search(r"\babstract\b", before):
            continue
        bases = _bases(found["bases"])
        is_derived = re.search(r"\bextends\b", found["head"])
        if is_derived or any(base not in interfaces for base in bases):
            continue
        if language.opens.search(f"{found['bases']} {before} {body}"):
            continue
        for base in bases:
            for member in interfaces[base]:
                if not _has_member(member, found[0], body, language_id):
                    yield found["name"], base, member


def _has_member(member: str, head: str, body: str, language_id: str) -> bool:
    """Whether a class declares a member, or may declare it."""
    if re.search(rf"\b{member}\b", head):
        return True
    if language_id in ("java", "csharp"):
        method = rf"(?P<type>\S+)\s+(?:\w+\.)?{member}\s*(?:<[^<>]*>)?\("
        types = (one["type"] for one in re.finditer(method, body))
        return any(
            one not in _NO_TYPES and re.fullmatch(r"[\w>\]?)]", one[-1])
            for one in types
        )
    word = _DECLARING.get(language_id, "")
    return re.search(rf"{word}\b{member}\b", body) is not None


_NO_TYPES = word_set("return await throw new else yield case do => -> in and or not is")
_DECLARING = {
    "php": r"\bfunction\s+&?",
    "kotlin": r"\bfun\s+(?:<[^<>]*>\s*)?",
    "swift": r"\bfunc\s+",
}
"""What stands in front of the name of a method."""


def _bases(written: str) -> list[str]:
    """Return the names of a list of types."""
    clause = re.split(r"\bwhere\b", written)[0]
    return [one.strip() for one in parts(clause)]


def _interfaces(
    code: str, language: _Language, language_id: str
) -> Iterator[tuple[str, list[str]]]:
    for found in language.interface.finditer(code):
        body = in_brackets(code, found.end() - 1)
        if body is None or (language_id == "rust" and "!" in body):
            continue
        name = found["name"]
        if language_id == "swift" and re.search(rf"\bextension\s+{name}\b", code):
            continue
        names = [
            _member_name(one)
            for part in _members(body, language_id)
            if (one := language.member.match(part))
        ]
        yield name, list(dict.fromkeys(names))


def _member_name(found: re.Match[str]) -> str:
    """Return the name that a group has, or that is last in front of the bracket."""
    named = next(filter(None, found.groupdict().values()), "")
    words = re.findall(r"\w+", found[0])
    return named or (words[-1] if words else "")


def _members(body: str, language_id: str) -> Iterator[str]:
    """Yield the members that have no body, without their brackets' insides."""
    depth, start = 0, 0
    for at, sign in enumerate(body):
        depth += (sign in "({[") - (sign in ")}]")
        is_end = sign == ";" or (sign == "\n" and language_id in _LINES)
        if depth == 0 and (is_end or sign == "}"):
            part = body[start:at].strip()
            start = at + 1
            if is_end and part:
                yield _without_annotations(part)
    if language_id in _LINES and depth == 0:
        yield _without_annotations(body[start:].strip())


def _without_annotations(part: str) -> str:
    """Remove annotations, attributes and modifiers in front of a member."""
    return _IN_FRONT.sub("", part)


_IN_FRONT = re.compile(
    r"\A(?:(?:@\w++(?:\([^()]*+\))?|#?\[[^\]]*+\]|public|abstract|open)\s++)*+"
)
