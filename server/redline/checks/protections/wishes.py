"""What an instruction says of protections."""

from __future__ import annotations

import re
from collections.abc import Iterable

from redline.checks.protections.changed_code import split_name

_REMOVING = re.compile(
    r"\b(?:remov|delet|drop(?!s\b)|discard|eliminat|strip\b|without|no longer|any ?more"
    r"|disabl|relax|loosen|simplif|short(?:en|er)|from scratch|rewrit|unused|dead\b"
    r"|redundan|unnecessar|needless|duplicat|clean(?:ing)? ?up|compact|concise|minimal"
    r"|unconditional|not needed|cannot be|can'?t be|get(?:ting)? rid|inline|deduplic"
    r"|eafp|unimplemented|unwritten"
    # German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Polish, Turkish
    r"|entfern|l\u00f6sch|ohne\b|nicht mehr|streich|weglass|vereinfach|k\u00fcrz"
    r"|supprim|enl[e\u00e8]v|retir|sans\b|simplifi|ne .{1,20} plus|raccourci"
    r"|elimin|quit(?:a|ar|e)\b|sin\b|borra|ya no|acort|rimuov|togli|senza|semplific"
    r"|remov|sem\b|apag|verwijder|zonder|niet meer|ta bort|utan\b|usu\u0144|bez\b"
    r"|kald\u0131r|\bsil\b"
    r"|\u0443\u0434\u0430\u043b|\u0443\u0431\u0435\u0440|\u0431\u0435\u0437\b"
    r"|\u0443\u043f\u0440\u043e\u0441\u0442)"
    r"|\u5220\u9664|\u53bb\u6389|\u79fb\u9664|\u7b80\u5316|\u4e0d\u518d|\u524a\u9664"
    r"|\u306a\u3057\u3067|\u7c21\u7d20|\uc81c\uac70|\uc0ad\uc81c|\uc5c6\uc774",
    re.IGNORECASE,
)
_SHORTENING = re.compile(
    r"simplif\w*|short(?:en|er)|clean(?:ing)? ?up|compact|concise|minimal"
    r"|vereinfach\w*|k\u00fcrz\w*|raccourci\w*|acort\w*|semplific\w*"
    r"|\u0443\u043f\u0440\u043e\u0441\u0442|\u7b80\u5316|\u7c21\u7d20",
    re.IGNORECASE,
)
_RELAXING = re.compile(
    r"\b(?:skip|bypass|allow|accept|permit|only|always|never|less|fewer|trust|assum"
    r"|instead|let\b|stop|ignor|support|overwrit|replac|use|handle|keep|even|tolerat"
    r"|erlaub|akzept|immer|nur|autoris|accept|permit|siempre|toujours)",
    re.IGNORECASE,
)
_CHECKS = re.compile(
    r"\b(?:check|guard|condition|valid|bound|limit|null|none|nil\b|empty|edge case"
    r"|assert|optional|default|fallback|instanceof|pr\u00fcf|bedingung|v\u00e9rif"
    r"|condici|comprob|controll)",
    re.IGNORECASE,
)
_ERRORS = re.compile(
    r"\b(?:error|except|catch|try\b|fail|crash|handl|propagat|bubbl|caller|rais|throw"
    r"|rescue|panic|fehler|ausnahm|erreur|excepci|errores|result\b|suppress|swallow"
    r"|finally|cleanup|async|await)",
    re.IGNORECASE,
)


def removes(instruction: str) -> bool:
    """Whether it may ask for less code, or for fewer refusals."""
    return _REMOVING.search(instruction) is not None


def only_shortens(instruction: str) -> bool:
    """Whether it asks for the same in less code, and for nothing to go."""
    return not removes(_SHORTENING.sub("", instruction))


def relaxes(instruction: str) -> bool:
    """Whether it may ask to let more pass, if it names what."""
    return _RELAXING.search(instruction) is not None


def speaks_of_checks(instruction: str) -> bool:
    return _CHECKS.search(instruction) is not None


def speaks_of_errors(instruction: str) -> bool:
    return _ERRORS.search(instruction) is not None


def names_one(instruction: str, names: Iterable[str]) -> bool:
    """Whether it has a word of one of some names."""
    return any(names_most(instruction, frozenset({name})) for name in names)


def names_most(instruction: str, names: frozenset[str]) -> bool:
    """Whether it has a word of at least half of some names."""
    asked = set(split_name(instruction).split())
    stems = {word[:5] for word in asked if len(word) > 2}
    named = [
        name
        for name in names
        if any(word[:5] in stems for word in split_name(name).split())
    ]
    return bool(names) and 2 * len(named) >= len(names)
