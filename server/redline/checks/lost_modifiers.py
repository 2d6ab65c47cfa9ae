"""`lost-definition`: what an edit takes from a definition that is still there.

An `export`, a decorator, another modifier, a name of a list of exports, and the `yield`
of a generator, if the instruction does not speak of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import without_text
from redline.checks.problem import Problem
from redline.checks.requested_changes import wants_loss
from redline.syntax.word_set import word_set
from redline.text.elision import BRACE_LANGUAGES

_RULE = "lost-definition"
_CODE = BRACE_LANGUAGES | {"python", "ruby"}

_TOPICS = {
    "export": r"export|privat|internal|hide|local|unus|public",
    "pub": r"\bpub|privat|internal|hide|visib|unus",
    "static": r"static|instance|self\b|this\b|singleton|member|global",
    "virtual": r"virtual|final|overrid|polymorph",
    "suspend": r"suspend|block|sync|corout",
    "mutating": r"mutat|class\b|immut|copy|return",
}
_MODIFIER = re.compile(
    r"(?P<before>(?:[\w@]++\s++){0,4}?)(?P<word>export(?:\s++default)?|pub(?:\([\w\s]++\))?"
    r"|static|virtual|suspend|mutating)\s++"
    r"(?P<rest>[^=;{]*?\b(?P<name>[A-Za-z_]\w*+))\s*+(?=[(<:={;]|$)"
)
_DECORATOR = re.compile(r"@(?P<name>[\w.]++)")
_DEFINED = re.compile(r"(?:async\s++)?(?:def|class)\s++(?P<name>\w++)")
_DECORATOR_TOPIC = re.compile(
    r"decorat|annotat|plain|instead|convert|turn", re.IGNORECASE
)
_LIST = re.compile(
    r"(?:\bmodule\.exports\s*+=\s*+\{|\bexport\s*+\{|\b__all__\s*+=\s*+[\[(]"
    r"|\bpub\s++use\s[^{};]{0,200}\{)(?P<names>[^{}\[\]()]*+)[}\])]"
)
_LIST_TOPIC = re.compile(r"export|privat|internal|hide|unus|public|only", re.IGNORECASE)
_YIELD = re.compile(r"\byield\b[^\n]*")
_YIELD_TOPIC = re.compile(
    r"yield|generat|list\b|array|return|collect|simpl|refactor|rewrit|lazy|eager|stream"
    r"|combin|merg|itertools|iterator|last|final|trailing|partial|skip",
    re.IGNORECASE,
)


def check_lost_modifiers(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the first loss."""
    language = candidate.language_id
    if not candidate.instruction or language not in _CODE:
        return
    if wants_loss(candidate.instruction):
        return
    old, new = (
        without_text("".join(lines), language)
        for lines in (candidate.old_lines, candidate.new_lines)
    )
    for rule in (_modifiers, _decorators, _yields):
        if what := rule(old, new, candidate.instruction):
            yield Problem(rule=_RULE, message=f"{what} is gone.")
            return
    old, new = "".join(candidate.old_lines), "".join(candidate.new_lines)
    if what := _listed(old, new, candidate.instruction):
        yield Problem(rule=_RULE, message=f"{what} is gone.")


def _modifiers(old: str, new: str, wish: str) -> str:
    lines = [" ".join(line.split()) for line in new.split("\n")]
    for line in old.split("\n"):
        found = _MODIFIER.match(line.strip())
        if found is None:
            continue
        word = found["word"].split("(")[0].split()[0]
        if re.search(_TOPICS[word], wish, re.IGNORECASE):
            continue
        head = " ".join((found["before"] + found["rest"]).split())
        form = re.compile(rf"{re.escape(head)}\s*(?:[(<:={{;]|$)")
        if any(form.match(one) for one in lines):
            return f"The `{word}` of `{found['name']}`"
    return ""


def _decorators(old: str, new: str, wish: str) -> str:
    if _DECORATOR_TOPIC.search(wish):
        return ""
    left = dict(_decorated(new))
    for name, decorators in _decorated(old):
        for one in sorted(decorators - left.get(name, decorators)):
            if one.rpartition(".")[2].lower()[:6] not in wish.lower():
                return f"The decorator `@{one}` of `{name}`"
    return ""


def _decorated(code: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the definitions of Python with their decorators."""
    decorators: set[str] = set()
    for line in code.split("\n"):
        bare = line.strip()
        if found := _DECORATOR.match(bare):
            decorators.add(found["name"])
        elif found := _DEFINED.match(bare):
            yield found["name"], frozenset(decorators)
            decorators = set()
        elif bare and not bare.startswith((")", "]")):
            decorators = set() if not line.startswith(" " * 8) else decorators


def _yields(old: str, new: str, wish: str) -> str:
    if _YIELD_TOPIC.search(wish):
        return ""
    counts = [Counter(map(str.strip, _YIELD.findall(code))) for code in (old, new)]
    lost = counts[0] - counts[1]
    if not counts[1] and re.search(r"\breturn\b\s*[^\s;]|=>", new):
        return ""
    if not lost or counts[1] - counts[0]:
        return ""
    return f"`{next(iter(lost))}`"


def _listed(old: str, new: str, wish: str) -> str:
    if _LIST_TOPIC.search(wish) and not re.match(
        r"\W*(?:add|also)\b|export\b", wish, re.I
    ):
        return ""
    names = [
        {
            name
            for found in _LIST.finditer(code)
            for name in re.findall(r"\w+", found["names"])
        }
        for code in (old, new)
    ]
    lost = sorted(names[0] - names[1] - _NO_NAMES) if names[1] else []
    return f"The exported name `{lost[0]}`" if lost else ""


_NO_NAMES = word_set("as type default")
