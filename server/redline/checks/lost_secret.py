"""`lost-secret`: a secret of the range is gone, and what it was assigned to is not.

A model sees a placeholder instead of a secret (`prompts/redaction.py`). If it writes
`""` or `[REDACTED]` there, the edit would delete the only copy of a password.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.text.lines import split_lines

_MASKING = re.compile(
    r"(?i)\b(?:redact|mask|censor|anonymi|scrub|saniti|obfuscat|placeholder|hard-?\s?cod)"
)
"""Instructions that hide a secret, even if they do not name it."""

_REMOVING = re.compile(
    r"(?i)\b(?:hid(?:e|ing)|blank|empt|clear|remov|delet|drop|eras|strip|reset|replac"
    r"|dummy|fake|example|sample|template|mock|stub|leak|expos|plain ?text|commit)"
)
"""Everyday words: they are about a secret only if the instruction also names it."""

_SECRET_WORD = re.compile(
    r"(?i)(?<![a-z])(?:pass(?:word|wd|phrase|code)?|pwd?|secret|token|(?:api)?key"
    r"|credential|value|literal)s?(?![a-z])"
)

_READING = re.compile(
    r"(?i)\b(?:env|environ|config|setting|vault|key ?ring|key ?chain|secret|credential"
    r"|parameter|param|argument|prompt|getpass|secur|inject|load|read|fetch|get|ask"
    r"|variable|constant|const|extract|move|rotat|generat|random|new|chang|updat|set"
    r"|use|pass\b|switch|make|convert|instead|rewrit|external|caller|decid|literal"
    r"|source\b|(?:12|twelve).factor|S10[567]\b|hash|(?:en|de)crypt|(?:en|de)code"
    r"|encoding|escap|flags?\b|interactive|templat|dataclass|interface\b|schema)"
)
"""Instructions that may be to take a secret from elsewhere."""

_PARAMETER = re.compile(r"(?i)\b(?:caller|param|argument|option)")
"""Instructions that may be to let callers pass a secret."""

_SIGNATURE = re.compile(r"\s*(?:\w+ )*(?:def|function|func|fn|fun) ")

_ENVIRONMENT = re.compile(
    r"(?i)environ\b|getenv|environmentvariable|\benv(?:!|::|\?\.|[.(\[])|\$_?env\b"
    r"|\$\{\{ ?(?:secrets|env|vars)\.|(?-i:\$\{?[A-Z][A-Z_]{2})"
    r"|(?<![a-z])(?:app)?(?:settings?|config(?:uration)?|cfg)(?:\(\))?(?:\?|!)?(?:\.|\[|->|::)"
    r"|\bargs?\.|\.parse_args\(|\bgetpass\(|(?<![\w.])input\(|\.read(?:_text|line)?\("
    r"|\bkeyring\.|\{\{ ?[.\w]"
)
"""A value that is read from the environment, settings, arguments, a file or a user."""

_POLICY = re.compile(r"(?i)(?:policy|policies|strength)$")
"""The end of the name of a rule for passwords, which is no secret."""

_BLANK = re.compile(
    r"(?i)[\W_]*$|[\s:=(,>]*\w{0,2}([\"'`])\s*\1"
    r"|[\W_]*(?:redacted|hidden|removed|masked|omitted|censored|your[_ -]|my[_ -]?pass"
    r"|change[_ -]?(?:me|it)|placeholder|insert|enter|todo|none\b|null\b|nil\b|x{3,}"
    r"|redline)|[\s:=(,>\"'`]*[*.\u2022_-]{3,}"
)
"""What a secret is not: nothing, a mask, or a word in its place."""

_STRING = re.compile(r"[\s:=(,>]*[bfrul@]{0,3}([\"'`])((?:(?!\1)[^${])+)\1")
_STRINGS = re.compile(r"([\"'`])((?:(?!\1).)*)\1")
_NAME = re.compile(r"[^\W\d][\w-]{2,}")
_ASSIGNED = r"[\"'\]]*\s*(?::=|=>|<-|=(?!=)|:[^=:]*=(?!=)|:)"
_JOINT = re.compile(r"[\"'`]\s*(?:[+.\\]\s*)?[bfru]{0,2}[\"'`]")
"""What stands between two adjacent literals, whose value is that of one."""
_MIN_INSIDE = 8
"""A shorter secret counts as itself only as a whole word, as in `prompts`."""

_MARK = "\0"


def check_lost_secrets(candidate: CheckedEdit) -> Iterable[Problem]:
    """Report secrets that are gone although their assignment is still there."""
    old_text, new_text = "".join(candidate.old_lines), "".join(candidate.after)
    lost = [
        each
        for each in candidate.secrets
        if _has(old_text, each)
        and not _has(new_text, each)
        and not _has(_JOINT.sub("", new_text), each)
        and not any(form in new_text for form in _encoded(each))
    ]
    if not lost or _MASKING.search(candidate.instruction):
        return
    is_removing = _REMOVING.search(candidate.instruction) is not None
    old = split_lines(_marked(old_text, lost))
    seen: set[int] = set()
    for line, head in _places(old):
        name = _name_of(head)
        owner = _owner_of(head, old[line - 1] if line else "")
        if is_removing and _names_secret(candidate.instruction, owner):
            continue
        is_policy = _POLICY.search(owner) is not None
        for number, rest in _assignments(candidate, old, line, head):
            if number in seen or (is_policy and not _BLANK.match(rest)):
                continue
            if _is_lost(rest, number, candidate):
                seen.add(number)
                yield Problem(rule="lost-secret", message=_message(name), line=number)


def _has(text: str, secret: str) -> bool:
    return secret in text and _pattern(secret).search(text) is not None


def _encoded(secret: str) -> Iterator[str]:
    """Yield the forms in which a secret is still there, if they differ from it."""
    in_base64 = b64encode(secret.encode()).decode()
    for form in (quote(secret, safe=""), in_base64):
        if form != secret and len(secret) >= _MIN_INSIDE:
            yield form


def _pattern(secret: str) -> re.Pattern[str]:
    word = re.escape(secret)
    inside = len(secret) >= _MIN_INSIDE
    return re.compile(word if inside else rf"(?<!\w){word}(?!\w)")


def _marked(text: str, secrets: Sequence[str]) -> str:
    """Replace secrets by a mark; one of several lines becomes a part of one line."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = _pattern(secret).sub(_MARK, text)
    return text


def _places(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the line of each mark, and the code between it and the one before, or the
    line above it.
    """
    above = ""
    for number, line in enumerate(lines):
        *heads, _ = line.split(_MARK)
        for head in heads:
            yield number, head if head.strip() else above + head
        above = line if line.strip() else above


def _name_of(head: str) -> str:
    names = _NAME.findall(head)
    return names[-1] if names else ""


def _owner_of(head: str, above: str) -> str:
    """Return the name; for `value` after `name: DB_PASSWORD`, return that."""
    names: list[str] = _NAME.findall(f"{above} {head}")
    is_field = [each.lower() for each in names[-3::2]] == ["name", "value"]
    return names[-2] if is_field else _name_of(head)


def _names_secret(instruction: str, name: str) -> bool:
    """Whether it has a word for secrets, or the name; "DB URL" names `db_url`."""
    if _SECRET_WORD.search(instruction):
        return True
    words = r"[\s_-]?".join(map(re.escape, re.findall(r"[^\W_]+", name)))
    return bool(words) and bool(re.search(rf"(?i)(?<!\w){words}(?!\w)", instruction))


def _assignments(
    candidate: CheckedEdit, old: Sequence[str], line: int, head: str
) -> Iterator[tuple[int, str]]:
    """Yield the new lines that have the place of a secret, from that place on."""
    start = " ".join(head.split()).rstrip("\"'`")
    name = _name_of(head)
    assigned = re.compile(rf"(?<![\w-]){re.escape(name)}{_ASSIGNED}")
    known = {each.strip() for each in candidate.old_lines}
    same_line = line if len(old) == len(_as_lines(candidate.new_lines)) else None
    above = ""
    for number, text in enumerate(candidate.new_lines):
        is_in_block = "-----BEGIN" in head and above == start
        above = text.strip() or above
        if is_in_block:
            yield number, "" if text.startswith("-") else text
        if text.strip() in known:
            continue
        plain = " ".join(text.split())
        if name and start in plain:
            yield number, _up_to_tag(plain.partition(start)[2], start)
        elif name and (found := assigned.search(plain)):
            yield number, plain[found.end() :]
        elif number == same_line:
            # Perhaps under another name.
            for string in _STRINGS.finditer(plain):
                if _BLANK.match(string[2]):
                    yield number, string[0]


def _as_lines(lines: Sequence[str]) -> Sequence[str]:
    return split_lines("".join(lines))


def _up_to_tag(rest: str, start: str) -> str:
    return rest.partition("</")[0] if start.endswith(">") else rest


def _is_lost(rest: str, number: int, candidate: CheckedEdit) -> bool:
    """Whether what stands in a secret's place was not asked for."""
    instruction = candidate.instruction
    if rest.rstrip().endswith("("):
        rest += "".join(candidate.new_lines[number + 1 : number + 2])
    if _BLANK.match(rest):
        return not (
            _SIGNATURE.match(candidate.new_lines[number])
            and _PARAMETER.search(instruction)
            and _SECRET_WORD.search(instruction)
        )
    if string := _STRING.match(rest):
        return string[2] not in instruction
    if _ENVIRONMENT.search(rest) or candidate.kind == "quickfix":
        return False
    return not _READING.search(instruction)


def _message(name: str) -> str:
    whose = f"The secret value of `{name}`" if name else "A secret value"
    return f"{whose} is gone, which was not asked for. Repeat its placeholder exactly."
