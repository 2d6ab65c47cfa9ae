"""The changes that an instruction asks for and that therefore are not problems.

English words decide, and those for deleting in more languages. A missed wish costs a
question to the user, a wrongly detected one lets a loss pass: so negated verbs do not
count.
"""

from __future__ import annotations

import re

from redline.text.whole_words import has_word

_NEGATED = re.compile(
    r"\b(?:don'?t|do not|never|without|not|no)\s+(?:\w+\s+)?\w+", re.IGNORECASE
)
_TAKEN_OUT = (
    r"take (?:\w+ ){1,4}out(?=\s{0,4}(?:$|[.;!\n]|,(?! (?:and )?(?:in|put|mov))))"
)
"""A verb whose second part stands at the end of its clause."""
_LOSING = re.compile(
    r"\b(?:renam|remov|delet|drop|inlin|merg|combin|mov(?:e|ing)|replac|convert|split"
    r"|unif|consolidat|collaps|extract|rewrit|turn\b.{0,200}?\binto"
    r"|get(?:ting)? rid|strip out"
    r"|clean(?:ing)? up|unused|dead code|eliminat|instead of|call it|name it|fold"
    r"|dedup|migrat|port to|translat|swap|discard|erase|clear out|only keep"
    rf"|{_TAKEN_OUT})",
    re.IGNORECASE | re.DOTALL,
)
_DELETION = re.compile(
    r"(?:^|[.;:!?]\s|\n|\b(?:please|just|simply|so|then|now|you can)\b,?"
    r"|\b(?:can|could|would|will) you\b|\b(?:you|want|like|need) to\b"
    r"|,(?=[^\S\n]{1,4}\w{1,9} (?:it|this|that|them)\b)"
    r"|,(?=[^\S\n]{1,4}\w{1,9} (?:(?:the|this|that|these|those|whole) )?"
    r"(?:line|function|method|class|block|row|rule|test|section|paragraph|code)s?"
    r"\s{0,4}(?:[.,;!]|$)))[^\S\n]*+"
    rf"(?:{_TAKEN_OUT}|(?:delete|remove|drop|erase|clear|cut|get rid of"
    r"|throw (?:out|away))\b(?![(_.]))",
    re.IGNORECASE,
)
"""An instruction to delete, at the start of a clause. It is strict, since a match lets
an empty range pass unseen: "don't remove" and "a delete button" do not match."""

_DELETION_ELSEWHERE = re.compile(
    # French, Spanish, Portuguese, Italian, Dutch, Swedish, Polish, Turkish, Russian
    r"(?:^|[.;:!?,]\s|\n)[^\S\n]*+(?:bitte |por favor,? )?"
    r"(?:supprime[rz]?|enl\u00e8ve|retire[rz]?|efface[rz]?|elimin[ae]r?|borrar?|quitar?"
    r"|suprim[ae]|apag(?:a|ue|ar)|exclu(?:a|ir)|remov(?:a|er)|rimuovi|cancella|togli"
    r"|l\u00f6sche?|entferne?|verwijder|ta bort|usu\u0144|sil|kald\u0131r"
    r"|\u0443\u0434\u0430\u043b\u0438(?:\u0442\u0435)?)\b"
    r"(?![(_.]| (?:nicht|niemals|pas|jamais|rien|nada|niet|inte)\b)"
    r"|\b(?:l\u00f6schen|entfernen)\s{0,4}(?:[.,!]|$)"  # German
    r"|(?<!nicht )\b(?-i:weg|raus)(?: damit)?\s{0,4}(?:[.,;!\n]|$)"
    r"|(?:^|[\n\u3002\uff0c,.])\s{0,4}\u8bf7?(?:\u5220\u9664|\u5220\u6389|\u79fb\u9664)"
    r"|\u524a\u9664\u3057\u3066(?!\u306f)|\uc0ad\uc81c\ud574",  # Japanese, Korean
    re.IGNORECASE,
)
"""The same in other languages: the verb begins a clause, or is in the imperative."""

_EMPTYING = re.compile(
    r"\b(?:mak(?:e|ing)|turn|becomes?|leave|keep)\b[^.,;\n]{0,40}?"
    r"\b(?:an? )?(?:no-?op|empty (?:body|function|method|stub|line))\b",
    re.IGNORECASE,
)
"""An instruction to leave the body of a function without code."""

_SHIFTING = re.compile(
    r"\b(?:re-?indent|in ?dent|dedent|format|align|tabs?\b|spaces\b|white ?space|pep ?8"
    r"|lint|black\b|prettier|gofmt|nest|wrap|mov(?:e|ing)|extract|unwrap|flatten"
    r"|top[- ]level|module[- ]level|early return|guard clause)",
    re.IGNORECASE,
)
_PASS = (
    r"(?:`|^|\b(?:just|only|simply|with|plain|bare|single|by|use|put|leave|keep|write"
    r"|insert|be|is|body|an?|empty) |: ?)pass(?=\s*(?:$|[.,;:!?)`]"
    r"|(?:here|for now|please|until|statement|placeholder|as (?:\w+ )?(?:body|bodies)"
    r"|in (?:it|there|(?:the|its|both) (?:body|bodies))|will do|and|because|since)\b))"
)
"""The statement of Python. To pass something and to let tests pass are other wishes."""
_HOLLOWING = re.compile(
    r"\b(?:stubs?|empty|abstract|interface|protocol|skeleton|placeholder|no-?op|declar"
    rf"|signatures? only|not implemented|type hints only|\.pyi)|{_PASS}",
    re.IGNORECASE,
)
_STUBBING = re.compile(
    rf"\bstub|\babstract|\bskeleton|\bplaceholder|\bno-?op|signatures? only|{_PASS}"
    r"|\bbod(?:y|ies)\b[^.;\n]{0,30}\bellips|\bellips\w{2,3} (?:as|for) (?:\w+ )?bod"
    r"|type hints only|\.pyi|\bnot ?(?:yet )?(?:implemented|supported|written)"
    r"|unimplemented|unsupported|\bTODO\(|\bleave \w+ (?:open|unwritten)\b"
    r"|\b(?:add|leave|insert|keep|put|with) (?:an? |the |your )?(?:to-?do|fixme)",
    re.IGNORECASE,
)
_KEEPING = (
    r"(?:leav|put|us(?:e|ing)\b|add|keep|writ|insert|want|rais|throw|mak|turn)\w*"
)
_VERB = re.compile(
    rf"\b(?:(?P<going>(?:don'?t|do not|never|without|no|not|avoid) (?:\w+ )?{_KEEPING}"
    r"|(?:implement|replac|fill|resolv|remov|delet|drop|finish|complet|avoid)\w*"
    r"|instead|rid|no|not|without|don'?t|never|rather)"
    rf"|{_KEEPING}|with|just|only|be|becom\w+|as|into|by|give|need\w*|return\w*)\b",
    re.IGNORECASE,
)
"""What says whether something should come or go."""
_CLAUSE_END = re.compile(r"[,;:!?\n]|\.(?!\w)")
_ELLIPSIS = re.compile(
    r"(?:#|//|/\*|--|;|%|[\"'`]) ?(?:\.{3}|\u2026)|\bellips[ie]s\b|\bthree dots\b"
    r"|\b(?:an?|the) (?:\.{3}|\u2026)(?=\s)",
    re.IGNORECASE,
)
_REFUSING = re.compile(
    r"\b(?:raise|throw|refus|reject|forbid|disallow|prohibit|unsupp|not (?:yet )?supp"
    r"|cannot|can'?t|fail|error|exception|overrid|subclass|derived|must be implement)",
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

_DECLARING = re.compile(
    r"\b(?:dependenc|install|declar|manifest|requirements|pyproject|cargo\.toml"
    r"|package\.json|go\.mod|pom\.xml|gradle|gemfile|composer|csproj)",
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
    r"|through\b|at once\b|in (?:one|a single)\b|in bulk\b|(?:one|single) call)",
    re.IGNORECASE,
)
"""Words of one that may replace statements by others."""


def wants_addition(instruction: str) -> bool:
    """Whether it only adds to the range, or renames or sets something in it."""
    adds = _ADDING.match(instruction) or _TOO.search(instruction)
    return bool(adds) and not _CHANGING.search(instruction)


def wants_deletion(instruction: str) -> bool:
    """Whether the range may be deleted."""
    patterns = (_DELETION, _DELETION_ELSEWHERE)
    return any(words.search(instruction) for words in patterns)


def wants_nothing(instruction: str) -> bool:
    """Whether nothing may be left of the range, which may be a function's body."""
    return wants_deletion(instruction) or (
        _EMPTYING.search(_positive(instruction)) is not None
    )


def wants_loss(instruction: str) -> bool:
    """Whether a definition may be lost by removing, renaming, moving and the like."""
    is_lost = _LOSING.search(_positive(instruction)) is not None
    return is_lost or _DELETION_ELSEWHERE.search(instruction) is not None


def wants_shift(instruction: str) -> bool:
    """Whether the indentation of the whole region may change."""
    return _SHIFTING.search(_positive(instruction)) is not None


def wants_hollow(instruction: str) -> bool:
    """Whether a body may become empty."""
    is_lost = _LOSING.search(_positive(instruction)) is not None
    return is_lost or wants_declaration(instruction)


def wants_declaration(instruction: str) -> bool:
    """Whether a definition may be left without code."""
    return _HOLLOWING.search(_positive(instruction)) is not None


def wants_refusal(instruction: str) -> bool:
    """Whether code should fail, perhaps in each case."""
    return _REFUSING.search(instruction) is not None


def wants_stub(instruction: str) -> bool:
    """Whether code may say that it is not written."""
    found = _STUBBING.finditer(instruction)
    return any(_is_wish(instruction, one.start()) is not False for one in found)


def wants_text(instruction: str, text: str) -> bool:
    """Whether it asks for a text word for word, such as `todo!`."""
    found = re.finditer(re.escape(text), instruction)
    return any(_is_wish(instruction, one.start()) is not False for one in found)


def wants_ellipsis(instruction: str) -> bool:
    """Whether three dots should be in the text, by word or as such."""
    found = _ELLIPSIS.finditer(instruction)
    return any(_is_wish(instruction, one.start()) for one in found)


def _is_wish(instruction: str, at: int) -> bool | None:
    """Whether what begins at a place should come, and not go.

    The last verb before it in its clause decides; None without one.
    """
    clause = _CLAUSE_END.split(instruction[:at])[-1]
    verbs = list(_VERB.finditer(clause))
    return not verbs[-1]["going"] if verbs else None


def names_field(instruction: str, name: str) -> bool:
    """Whether it speaks of a field of the object itself, which others may set."""
    owners = ("self.", "this.", "this->")
    return any(has_word(instruction, f"{owner}{name}") for owner in owners)


def will_declare(instruction: str) -> bool:
    """Whether it speaks of the packages that the project declares."""
    return _DECLARING.search(instruction) is not None


def wants_constant(instruction: str) -> bool:
    """Whether a body may become one that only returns a constant."""
    return wants_loss(instruction) or _RETURNING.search(instruction) is not None


def wants_ends(instruction: str) -> bool:
    return _ENDING.search(_positive(instruction)) is not None


def _positive(instruction: str) -> str:
    """Return the instruction without its negated verbs."""
    return _NEGATED.sub(" ", instruction)
