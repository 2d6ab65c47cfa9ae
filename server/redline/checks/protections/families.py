"""The families of protections, by the words of names.

A name that is gone has a counterpart if a name that came is of its family, in the wider
sense: a mutex may become an atomic number, an escaped text a bound parameter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct

from redline.checks.protections.changed_code import split_name


class NameFamily(Struct, frozen=True, kw_only=True):
    what: str
    """What messages call it."""
    names: re.Pattern[str]
    """The words of names that protect."""
    wider: re.Pattern[str]
    """Words of names that may stand for them."""
    topic: re.Pattern[str]
    """Beginnings of words of an instruction that speaks of it."""


def _family(what: str, names: str, wider: str, topic: str) -> NameFamily:
    return NameFamily(
        what=what,
        names=re.compile(rf"\b(?:{names})\b"),
        wider=re.compile(rf"\b(?:{names}|{wider})\b"),
        topic=re.compile(rf"\b(?:{topic})", re.IGNORECASE),
    )


FAMILIES: Mapping[str, NameFamily] = {
    "comparison": _family(
        "comparison in constant time",
        r"compare digest|timing safe \w+|constant time \w+|hash equals|secure compare"
        r"|fixed time equals|bcrypt|argon \d+|scrypt|password verify|check password"
        r"(?: hash)?|verify password|hmac equal|message digest is equal",
        r"verif\w*|is equal|constant time|digest equal|is signed|check\w*",
        r"signatur|verif|hmac|passw|compar|timing|constant.time|bcrypt|argon",
    ),
    "signature": _family(
        "check of a signature",
        r"verif(?:y|ies|ied|ication)\w*|hmac|signature valid\w*|valid\w* signature"
        r"|check (?:signature|sig|mac|sum|crc|digest)|checksum\w*|crc \d*",
        r"signature\w*|signed|digest\w*|mac|sign|checks?|validat\w*|hash|sha \d+"
        r"|trust\w*"
        r"|certificate\w*|self",
        r"signatur|verif|hmac|digest|checksum|crc|certif|trust|signed|pr\u00fcfsumme",
    ),
    "access": _family(
        "check of access",
        r"authori[sz]e\w*(?: \w+)*|authenticat\w*(?: \w+)*|pre authorize"
        r"|roles? allowed|secured"
        r"|(?:login|permission|role|admin|auth|staff|owner|user|scope)s? required"
        r"|requires(?: \w+)*|require(?: \w+)* (?:\w+)"
        r"|only (?:owner|admin|role|staff)\w*"
        r"|has (?:\w+ )?(?:permission|role|access|scope|right|authority|privilege)s?"
        r"(?: \w+)*|check (?:\w+ )?(?:permission|role|access|scope|right|owner)\w*"
        r"|permissions? (?:classes|required)|can (?:\w+)|is (?:granted|authorized"
        r"|allowed"
        r"|permitted|admin|owner|staff|authenticated)|current user|forbidden|denied"
        r"|unauthorized|permission (?:error|denied)|forbid\w*|guards?",
        r"permi\w+|roles?|access\w*|authori\w*|auth\w*|owner\w*|admin\w*|log ?in|login"
        r"|rights?|forbid\w*|allow\w*|den(?:y|ied)|polic(?:y|ies)|public"
        r"|anyone|everyone|everybody|anonymous|rechte?|droits?|permisos?",
        r"permi|roles?\b|access|auth|owner|admin|log ?in|rights?\b|forbid|allow"
        r"|den(?:y|ied)|polic|public|any(?:one|body)|every(?:one|body)|anonym|guest"
        r"|recht|zugriff|droit|acc[e\u00e8]s|acceso|[\u4e00-\u9fff]*(?:\u6743\u9650"
        r"|\u767b\u5f55)",
    ),
    "request forgery": _family(
        "protection of requests",
        r"csrf\w*|xsrf\w*|anti ?forgery\w*|helmet|rate limit\w*|throttl\w*|limiter"
        r"|cors|content security \w+|hit",
        r"rate|limits?|limited|requests per|forgery|security|quota\w*",
        r"csrf|xsrf|forger|rate|limit|throttl|secur|quota|helmet|cors",
    ),
    "escape": _family(
        "escape of text",
        r"(?:\w+ )?escap(?:e|ed|es|ing)(?: \w+)*|saniti[sz]\w*(?: \w+)*"
        r"|html ?special ?chars"
        r"|htmlspecialchars|htmlentities|html ?entities|purify|bleach|strip tags"
        r"|encode uri(?: component)?|quote(?:d| \w+)?|real escape string|esc (?:html"
        r"|attr"
        r"|url)|clean html|url encode|path escape|query escape|html encode",
        r"text content|inner text|param\w*|encod\w*|raw|trusted|markup|template\w*"
        r"|render\w*"
        r"|create (?:text node|element)|bind\w*|html|search params|url|format\w*",
        r"escap|saniti|html(?!5)|quot|encod|raw\b|markup|xss|inject|trusted|url",
    ),
    "lock": _family(
        "lock",
        r"(?:\w+ )?(?:un|r|w)?locks?(?: \w+)*|mutex(?: \w+)*|synchroni[sz]ed"
        r"|semaphore\w*|non reentrant|(?:begin |in )?transaction\w*|atomic\w*"
        r"|lock guard"
        r"|scoped lock|unique lock|acquire\w*|begin transaction|select for update"
        r"|nursery|critical section",
        r"concurren\w*|queue|channel|chan|actor|once|serial\w*|volatile|isolated?"
        r"|compare (?:and|exchange) \w+|compute(?: \w+)*|thread\w*|blocking|race\w*"
        r"|add and get|get and \w+|fetch add|begin|commit|session|unit of work|swap"
        r"|update",
        r"lock|mutex|synchron|thread|concurren|atomic|transaction|semaphor|race"
        r"|parallel|async|channel|queue|actor|reentran|sperr|verrou|bloqueo|sync\b",
    ),
    "bound": _family(
        "bound",
        r"clamp\w*|limit(?:ed)? reader|max bytes \w+|timeout\w*|deadline\w*|strncpy"
        r"|snprintf"
        r"|strlcpy|strncat|vsnprintf|with timeout|checked \w+|saturating \w+|coerce \w+"
        r"|coerce at (?:most|least)",
        r"max\w*|min\w*|limit\w*|size\w*|len\w*|cap\w*|abort\w*|signal|time|seconds?"
        r"|wait"
        r"|n|bytes|string|until|unbounded|forever",
        r"limit|bound|timeout|time-?out|deadline|clamp|cap\b|max|min|length|truncat"
        r"|overflow|wait|strn|snprintf|retr",
    ),
    "randomness": _family(
        "secure randomness",
        r"secrets|secure random|random number generator|urandom|sys ?random|os rng"
        r"|random bytes|get random values|crypto rand|random uuid|token (?:hex|bytes"
        r"|urlsafe)",
        r"crypto\w*|secure\w*|uuid\w*|seed\w*|determin\w*|random\w* seed|nonce"
        r"|predictable",
        r"random|seed|determin|secur|secret|crypto",
    ),
    "path": _family(
        "check of a path",
        r"is relative to|secure filename|safe join|base ?name|real ?path|canonical\w*"
        r"|normali[sz]e path|is safe path|clean path|is local",
        r"relative|resolve\w*|path\w*|root|inside|parents?|name|local|safe\w*"
        r"|file ?name",
        r"paths?\b|travers|relative|resolv|folder|director|symlink|outside",
    ),
    "flag": _family(
        "protecting option",
        r"http ?only|same ?site|secure|no ?opener|auto ?escape|strict|min ?version"
        r"|nosniff|cert reqs|verify mode|raise for status",
        r"cookies?|safe\w*|tls|ssl|option\w*|status|errors?|ok|https?|certificate\w*"
        r"|security",
        r"cookie|secure|strict|status|tls|ssl|error|http ?only|option|valid|check",
    ),
    "cleanup": _family(
        "release of a resource",
        r"close|dispose|free|release|shutdown|close quietly|kfree|fclose",
        r"with|using|defer|unique ptr|shared ptr|finally|ensure|closing|exit stack|try"
        r"|read text|write text|read bytes|read all\w*|read file|auto\w*|use|fail|goto"
        r"|done|cleanup|ctx|cancel|stop|end|realloc|return",
        r"clos|free|leak|resource|context|with\b|using|raii|smart|defer|releas|dispos",
    ),
    "validation": _family(
        "validation",
        r"validat(?:e|es|or|ion|ed)?(?: \w+)*|(?:\w+ )?is (?:\w+ )?valid(?: \w+)*"
        r"|(?:\w+ )?valid|ensure(?: \w+)*|assert(?: \w+)*|require|require not null\w*"
        r"|require non null\w*|precondition\w*|check (?:not null|argument|state|valid"
        r"|bounds|index|range|id|input|arg\w*|param\w*)|schema parse|clean(?:ed)? data"
        r"|full clean|throw if \w+(?: \w+)*",
        r"valid\w*|schema\w*|check\w*|pars(?:e|ed|ing)|safe parse|must|expect\w*"
        r"|verif\w*"
        r"|rule\w*|constraint\w*|non null|not null|nullable|guard|raise|throw\w*"
        r"|invalid",
        r"valid|check|schema|assert|ensur|requir|precond|null|pr\u00fcf|v\u00e9rif"
        r"|comprob|contr\u00f4l",
    ),
}
"""Families by name, in the order in which they are looked for."""


def family_of(name: str) -> str | None:
    """Return the family that a name belongs to, by all of its words."""
    words = split_name(name)
    for key, family in FAMILIES.items():
        if family.names.fullmatch(words):
            return key
    return None


def has_counterpart(family: str, names: Iterable[str]) -> bool:
    """Whether one of some names may stand for those of a family."""
    wider = FAMILIES[family].wider
    return any(wider.search(split_name(name)) for name in names)


def speaks_of(instruction: str, family: str) -> bool:
    """Whether an instruction speaks of what a family protects."""
    return FAMILIES[family].topic.search(instruction) is not None
