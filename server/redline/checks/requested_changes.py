"""The changes that an instruction asks for and that therefore are not problems.

English words decide. A missed wish costs a question to the user, a wrongly detected one
lets a loss pass: so negated verbs do not count.
"""

from __future__ import annotations

import re

_NEGATED = re.compile(
    r"\b(?:don'?t|do not|never|without|not|no)\s+(?:\w+\s+)?\w+", re.IGNORECASE
)
_LOSING = re.compile(
    r"\b(?:renam|remov|delet|drop|inlin|merg|combin|mov(?:e|ing)|replac|convert|split"
    r"|unif|consolidat|collaps|extract|rewrit|turn\b.{0,200}?\binto"
    r"|get(?:ting)? rid|strip out"
    r"|clean(?:ing)? up|unused|dead code|eliminat|instead of|call it|name it|fold"
    r"|dedup|migrat|port to|translat|swap|discard|erase|clear out|only keep)",
    re.IGNORECASE | re.DOTALL,
)
_SHIFTING = re.compile(
    r"\b(?:re-?indent|in ?dent|dedent|format|align|tabs?\b|spaces\b|white ?space|pep ?8"
    r"|lint|black\b|prettier|gofmt|nest|wrap|mov(?:e|ing)|extract|unwrap|flatten"
    r"|top[- ]level|module[- ]level|early return|guard clause)",
    re.IGNORECASE,
)
_HOLLOWING = re.compile(
    r"\b(?:stubs?|empty|abstract|interface|protocol|skeleton|placeholder|no-?op|declar"
    r"|signatures? only|not implemented|pass\b|type hints only|\.pyi)",
    re.IGNORECASE,
)
_STUBBING = re.compile(
    r"\bstub|\babstract|\bskeleton|\bplaceholder|\bno-?op|signatures? only|\bpass\b"
    r"|type hints only|\.pyi|\bnot ?(?:yet )?(?:implemented|supported|written)"
    r"|unimplemented|unsupported"
    r"|\b(?:add|leave|insert|keep|put|with) (?:an? |the |your )?(?:to-?do|fixme)",
    re.IGNORECASE,
)
_RETURNING = re.compile(
    r"\b(?:return|always|never|disable|constant|default|nothing|hard-?code|mock|fake)",
    re.IGNORECASE,
)
_ENDING = re.compile(
    r"\b(?:line[- ]?ends?|line[- ]?endings?|crlf|\blf\b|newlines?|dos2unix|unix2dos)",
    re.IGNORECASE,
)

_ADDING = re.compile(
    r"(?:please |also |now |and |then )*(?:add|insert|append|include|log|print|warn"
    r"|record|count|support|allow|accept|reject|refuse|deny|forbid|disallow|ignore|skip"
    r"|validat|verif|check|ensure|require|guard|raise|throw|fail|limit|cap|clamp|cach"
    r"|retry|trim|strip|lower ?case|upper ?case|round|escape|handle|document|comment"
    r"|annotat|describe|explain|freeze|renam|set|bump|increas|decreas|rais|lower|doubl"
    r"|notify|emit|prefix|suffix|type hints?|make (?:the |it |this )?(?:\w+ )*"
    r"(?:parameter|optional|read-?only|private|public|final|static|configurable|unique))"
    r"[a-z]*(?=\s|$)",
    re.IGNORECASE,
)
"""The first words of an instruction that leaves the rest of the range as it is."""

_TOO = re.compile(r"\b(?:too|also|as well)\b", re.IGNORECASE)

_CHANGING = re.compile(
    r"\b(?:instead|rather than|replac|remov|delet|drop|refactor|rewrit|simplif|convert"
    r"|us(?:e|ing)\b|only\b|merge|combin|inlin|extract|mov(?:e|ing)\b|split|via\b"
    r"|through\b)",
    re.IGNORECASE,
)
"""Words of one that may replace statements by others."""


def wants_addition(instruction: str) -> bool:
    """Whether it only adds to the range, or renames or sets something in it."""
    adds = _ADDING.match(instruction) or _TOO.search(instruction)
    return bool(adds) and not _CHANGING.search(instruction)


def wants_loss(instruction: str) -> bool:
    """Whether a definition may be lost by removing, renaming, moving and the like."""
    return _LOSING.search(_positive(instruction)) is not None


def wants_shift(instruction: str) -> bool:
    """Whether the indentation of the whole region may change."""
    return _SHIFTING.search(_positive(instruction)) is not None


def wants_hollow(instruction: str) -> bool:
    """Whether a body may become empty."""
    positive = _positive(instruction)
    return any(words.search(positive) for words in (_HOLLOWING, _LOSING))


def wants_stub(instruction: str) -> bool:
    """Whether code may say that it is not written."""
    return _STUBBING.search(instruction) is not None


def wants_constant(instruction: str) -> bool:
    """Whether a body may become one that only returns a constant."""
    return wants_loss(instruction) or _RETURNING.search(instruction) is not None


def wants_ends(instruction: str) -> bool:
    return _ENDING.search(_positive(instruction)) is not None


def _positive(instruction: str) -> str:
    """Return the instruction without its negated verbs."""
    return _NEGATED.sub(" ", instruction)
