"""`compile-error`: members that are private, or that keep their value.

`x.member` where `x` is a parameter whose type the file declares, outside of that type,
if the member is private; and what is set to such a member, or to that of the object
itself, if it is declared to keep its value. Read without a grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import in_brackets
from redline.checks.problem import Problem

_RULE = "compile-error"
_USE = re.compile(
    r"(?<![\w>$])(?<!(?<!\.)\.)(?P<owner>[a-z_]\w*+)(?:\.|->)(?P<name>[A-Za-z_]\w*+)(?!\s*+[(\w])"
    r"(?P<set>\s*+(?:[-+*/]|\?\?|\|\|)?=(?![=>]))?"
)
_TYPE = re.compile(
    r"\b(?:class|struct|actor)\s++(?P<name>[A-Z]\w*+)(?P<head>[^{};=]{0,400})\{"
)
_COLON = r"(?<![\w.]){}\s*+:\s*+(?:inout\s+)?(?P<type>[A-Z]\w*+)(?=\s*+[,)=])"
_SPACE = r"(?<![\w.])(?P<type>[A-Z]\w*+)(?:\s*+[&*])?\s++{}(?=\s*+[,)])"
_PARAMETER = {
    **dict.fromkeys(("typescript", "kotlin", "swift"), _COLON),
    **dict.fromkeys(("csharp", "cpp", "java"), _SPACE),
}
_PRIVATE = {
    "typescript": r"\bprivate\s+(?:static\s+|readonly\s+)*{}\b",
    "kotlin": r"\bprivate\s+(?:va[lr]|lateinit\s+var)\s+{}\b",
    "swift": r"\bprivate\s+(?:let|var)\s+{}\b",
    "csharp": r"\bprivate\s[^;{{}}()=]*\b{}\s*[;={{]",
    "java": r"\bprivate\s[^;{{}}()=]*\b{}\s*[;=]",
}
_FIXED = {
    "typescript": r"\breadonly\s+{}\b",
    "kotlin": r"\bval\s+{}\b",
    "swift": r"\blet\s+{}\b",
}
_DECLARED = {
    "typescript": r"(?<![\w.]){}\s*[?!]?[:=]",
    "kotlin": r"\bva[lr]\s+{}\b",
    "swift": r"\b(?:let|var)\s+{}\b",
    "csharp": r"[\w>\]?]\s+{}\s*(?:[;{{]|=(?!=))",
    "java": r"[\w>\]]\s+{}\s*(?:;|=(?!=))",
}


def check_hidden_members(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the first use that the compiler refuses."""
    language = candidate.language_id.removesuffix("react")
    if language not in _PARAMETER or not candidate.introduced:
        return
    if not _may_be_found(candidate, language):
        return
    code = candidate.code_after
    lines = code.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    types = {one["name"]: one for one in _TYPE.finditer(code)}
    for number, _ in candidate.introduced:
        at = candidate.region_after.start + number
        for found in _USE.finditer(lines[at]):
            place = starts[at] + found.start()
            kind = _type_of(found["owner"], code[:place], language)
            if kind not in types:
                continue
            message = _judge(found, types[kind], code, place, language)
            if message:
                yield Problem(rule=_RULE, message=message, line=number)
                return


def _may_be_found(candidate: CheckedEdit, language: str) -> bool:
    """Whether a parameter of a type of the file is used in a new line."""
    text = candidate.text_after
    uses = (one for _, line in candidate.introduced for one in _USE.finditer(line))
    for owner in {one["owner"] for one in uses}:
        form = _PARAMETER[language].format(re.escape(owner))
        kinds = {one["type"] for one in re.finditer(form, text)}
        if any(
            re.search(rf"\b(?:class|struct|actor)\s+{kind}\b", text) for kind in kinds
        ):
            return True
    return False


def _type_of(owner: str, above: str, language: str) -> str:
    """Return the type of the parameter that a name is, of the nearest function."""
    form = _PARAMETER[language].format(re.escape(owner))
    found = list(re.finditer(form, above[-_MAX_N_ABOVE:]))
    if not found:
        return ""
    between = above[-_MAX_N_ABOVE:][found[-1].end() :]
    set_again = rf"\b(?:let|var|val|const|for|auto|catch)\b[^;\n]*\b{owner}\b"
    is_left = between.count("}") > between.count("{")
    return "" if is_left or re.search(set_again, between) else found[-1]["type"]


_MAX_N_ABOVE = 3_000


def _judge(
    found: re.Match[str],
    declared: re.Match[str],
    code: str,
    place: int,
    language: str,
) -> str:
    start = declared.end() - 1
    inside = in_brackets(code, start)
    if inside is None:
        return ""
    body = declared["head"] + inside
    name, kind = found["name"], declared["name"]
    is_inside = start <= place <= start + len(inside)
    if language == "cpp":
        is_hidden = not is_inside and _is_private_in_cpp(name, declared, inside, code)
        return f"`{name}` of `{kind}` is private." if is_hidden else ""
    if len(re.findall(_DECLARED[language].format(name), body)) > 1:
        return ""
    is_seen = is_inside or (language == "java" and _is_nested(declared, code))
    if not is_seen and re.search(_PRIVATE[language].format(name), body):
        return f"`{name}` of `{kind}` is private."
    fixed = _FIXED.get(language, "(?!)").format(name) if found["set"] else "(?!)"
    is_fixed = re.search(fixed, body) is not None
    return f"`{name}` of `{kind}` cannot be set again." if is_fixed else ""


def _is_nested(declared: re.Match[str], code: str) -> bool:
    """Whether a type is in another one, which sees what is private in it."""
    before = code[: declared.start()]
    return before.count("{") > before.count("}")


def _is_private_in_cpp(
    name: str, declared: re.Match[str], inside: str, code: str
) -> bool:
    """Whether a member is only declared in a private part of a class."""
    if "friend" in inside or not re.match(r"class\b", declared[0]):
        return False
    parts = re.split(r"\b(public|private|protected)\s*:", f"private:{inside}")
    spots = [
        access
        for access, part in zip(parts[1::2], parts[2::2], strict=True)
        if re.search(rf"[\w>](?<!\breturn)\s+[*&]?{name}\s*(?:;|=(?!=)|\{{)", part)
    ]
    has_parts_outside = f"{declared['name']}::" in code
    return spots == ["private"] and not has_parts_outside
