"""Quick fixes: one per diagnostic, and one for all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from redline.assist.actions import kinds
from redline.assist.actions.action import Action, Diagnostic, EditWork
from redline.assist.actions.scope import ActionScope, lines_of
from redline.prompts.secrets.cuts import beginning
from redline.text.position import Range

_MAX_N_FIXES = 10
"""Most entries that a menu can show."""

_MAX_N_LISTED = 50
"""Most diagnostics that one instruction names."""

_TITLE_N_CHARS = 60
_MESSAGE_N_CHARS = 600
_CODE_N_CHARS = 120

_NEEDS_TOP = re.compile(
    r"undefined|not defined|undeclared|unresolved|cannot find (?:name|symbol|module"
    r"|package)|could not find|not found in (?:this )?scope|unknown (?:name|type)"
    r"|missing import|import",
    re.IGNORECASE,
)
"""Messages whose fix may belong to the top of the file, where the imports are."""


def fixes(scope: ActionScope) -> Iterator[Action]:
    """Offer a fix for each diagnostic at this place, then one for the file."""
    found = scope.spot.diagnostics[:_MAX_N_FIXES]
    for number, diagnostic in enumerate(found):
        yield Action(
            title=title_of(diagnostic),
            lsp_kind=kinds.QUICK_FIX,
            work=EditWork(
                range=_range(scope, diagnostic),
                instruction=_instruction(scope, [diagnostic]),
                kind="fix",
            ),
            diagnostics=(number,),
        )
    if found:
        yield _fix_file(scope, kinds.QUICK_FIX)


def fix_file(scope: ActionScope) -> Iterator[Action]:
    """Offer to fix the whole file to a client that asks for source actions."""
    if scope.spot.diagnostics:
        yield _fix_file(scope, kinds.FIX_FILE)


def _fix_file(scope: ActionScope, lsp_kind: str) -> Action:
    found = scope.spot.diagnostics
    return Action(
        title="Fix all problems in the file with Redline",
        lsp_kind=lsp_kind,
        work=EditWork(
            range=scope.file,
            instruction=_instruction(scope, found[:_MAX_N_LISTED])
            + "\nFix every other problem of the same kinds in the file too.",
            kind="fix",
        ),
        diagnostics=tuple(range(len(found))),
    )


def title_of(diagnostic: Diagnostic) -> str:
    """Return the menu title of a fix."""
    return f"Fix with Redline: {_short(diagnostic.message)}"


def _range(scope: ActionScope, diagnostic: Diagnostic) -> Range:
    if _NEEDS_TOP.search(diagnostic.message):
        return scope.file
    return scope.around(diagnostic)


def _instruction(scope: ActionScope, diagnostics: Sequence[Diagnostic]) -> str:
    if len(diagnostics) == 1:
        head = "Fix this problem, at its cause, and change nothing else:"
    else:
        head = "Fix these problems, at their causes, and change nothing else:"
    return "\n".join([head, *(f"- {_described(scope, one)}" for one in diagnostics)])


def _described(scope: ActionScope, diagnostic: Diagnostic) -> str:
    message = " ".join(diagnostic.message.split())
    message = beginning(message, _MESSAGE_N_CHARS).rstrip(".")
    who = " ".join(filter(None, (diagnostic.source, diagnostic.code)))
    line = min(lines_of(diagnostic.range)[0], len(scope.spot.lines) - 1)
    code = beginning(scope.spot.lines[line].strip(), _CODE_N_CHARS)
    place = f", at `{code}`" if code else ""
    return f"{message}{f' ({who})' if who else ''}{place}."


def _short(message: str) -> str:
    words = " ".join(message.split())
    if len(words) <= _TITLE_N_CHARS:
        return words
    return words[: _TITLE_N_CHARS - 2].rstrip() + " …"
