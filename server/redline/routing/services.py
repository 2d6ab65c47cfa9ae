"""Detects work across services: three or more are a boundary.

A service is deployed separately. Classes called `OrderService` in one program do not
count; folders, hosts and generated clients that are named after a service do, and so
does the instruction.
"""

from __future__ import annotations

import re

from redline.routing.boundary import Boundary, Crossing, RuleEvidence
from redline.routing.signals import Signal
from redline.routing.task import Task
from redline.routing.words import MAX_PROSE_CHARS, head_and_tail

NAME = "services"
N_SERVICES = 3
"""From this number on, a change must be right in several deployments at once."""

SIGNAL = Signal(
    name="services",
    weight=0.7,
    reason="Several deployments must agree at every moment.",
)
"""What such work adds to the log-odds of a higher tier."""

_SHOWN = 4
_FOLDERS = (
    # Below `src` and the like, such a folder holds modules of one program.
    re.compile(
        r"^(?:(?!(?:src|app|lib|source|main|internal)/)[^/]+/)*?"
        r"(?:micro)?(?:services?|apps|svc)/([\w.-]+)/"
    ),
    re.compile(r"(?:^|/)([\w.-]+?)[-_](?:service|svc)/"),
)
_HOST = re.compile(r"//([a-z][a-z0-9-]{0,40}?)[-_](?:service|svc)\b")
_STUB = re.compile(r"\b([a-z]{1,40}?)(?:_pb2_grpc|pb)\.[A-Z]")
"""A generated client of a service, as `protoc` names its package."""
_CLIENT = re.compile(r"\b([a-z]\w{0,40}?)_?[cC]lient\.\w+\(")
_CALLED = re.compile(r"\b([a-z]\w{0,40})\.(?:post|put|patch)\(\s{0,8}[\"'`]/")
_CALLS = (".post(", ".put(", ".patch(")
"""Calls over the network; one client or router alone is one service."""
_CONFIGURED = re.compile(r"services/([\w-]+)")
_CONFIGURATION_LANGUAGES = frozenset(
    {
        "dockerfile",
        "hcl",
        "json",
        "makefile",
        "shellscript",
        "terraform",
        "toml",
        "yaml",
    }
)
_LISTED = re.compile(
    r"((?:(?<![\w-])[\w-]++(?:,\s++(?:and\s++|or\s++)?|\s++(?:and|or)\s++)(?:the\s++)?)"
    r"{2,12}[\w-]++)\s++(?:micro-?)?services\b",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(
    r"(?:,\s++(?:and\s++|or\s++)?|(?<!\s)\s++(?:and|or)\s++)(?:the\s++)?"
)
_EVERYWHERE = re.compile(
    r"\b(?:all|every|each|across|throughout|several|many|multiple|three|four"
    r"|five|six|seven|eight|nine|ten|[3-9]|\d\d+)\s+(?:\w+\s+){0,3}?"
    r"(?:micro-?)?services?\b",
    re.IGNORECASE,
)
_FEW = re.compile(r"\b(?:two|both|2)\s+(?:\w+\s+)?services\b", re.IGNORECASE)


EVIDENCE = RuleEvidence(shown=(), places=frozenset({(NAME, 2)}), points=2, is_own=False)
"""What a crossing counts for the learned score."""


RULE = Boundary(name=NAME, what="the work of several services")
"""Stands for this module among the rules; the user's settings may extend it."""


def crossing(task: Task) -> Crossing | None:
    """Return the crossing if a task is work across services, else None."""
    said = task.instruction[:MAX_PROSE_CHARS]
    names = _named(task, said)
    if len(names) >= N_SERVICES:
        listed = ", ".join(sorted(names)[:_SHOWN])
        more = ", …" if len(names) > _SHOWN else ""
        return _crossing(f"{len(names)} services ({listed}{more})")
    if not _FEW.search(said) and (match := _EVERYWHERE.search(said)):
        return _crossing(f"“{match[0].lower()}”")
    return None


def _named(task: Task, said: str) -> set[str]:
    names = {
        match[1].lower()
        for path in (task.path, *task.files)
        for pattern in _FOLDERS
        for match in pattern.finditer(path)
    }
    text = head_and_tail(task.code)
    patterns = [_HOST]
    # These are slow, and rarely match.
    if "lient." in text:
        patterns.append(_CLIENT)
    if any(call in text for call in _CALLS):
        patterns.append(_CALLED)
    if "pb." in text or "_pb2_grpc." in text:
        patterns.append(_STUB)
    if task.language in _CONFIGURATION_LANGUAGES:
        patterns.append(_CONFIGURED)
    names |= {m[1].lower() for pattern in patterns for m in pattern.finditer(text)}
    for match in _LISTED.finditer(said):
        names |= {name.lower() for name in _SEPARATOR.split(match[1])}
    return names


def _crossing(shown: str) -> Crossing:
    return Crossing(name=NAME, reason=f"It reaches across services: {shown}.")
