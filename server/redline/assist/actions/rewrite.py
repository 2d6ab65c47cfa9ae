"""Rewrites of existing code: simpler, typed, documented, extracted."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.assist.actions import kinds
from redline.assist.actions.action import Action, EditWork
from redline.assist.actions.definition import IndentedDefinition
from redline.assist.actions.scope import ActionScope, lines_of
from redline.prompts.secrets.cuts import beginning
from redline.routing.task import ActionKind
from redline.text.lines import strip_end
from redline.text.position import Range, text_in

_MAX_QUOTED_CHARS = 4_000
"""Longest selection that an instruction repeats."""

_SIMPLIFY = (
    "Simplify this code: shorter and plainer, with the same behaviour, the same names "
    "and signatures for its callers, and the same errors."
)
_DOCUMENT_FILE = (
    "Document every public definition in this file that has no documentation, in the "
    "form that is usual in this language, in a few words each. Change no code."
)

_ALL = "every parameter and result"
_TAGS = r"@(?:param|returns?|type)\b"
_TYPES: dict[str, tuple[str, str, str]] = {
    "python": ("Add types", f"Add type hints to {_ALL}", "->"),
    "typescript": ("Add types", f"Add types to {_ALL}", r"\)\s*:"),
    "typescriptreact": ("Add types", f"Add types to {_ALL}", r"\)\s*:"),
    "javascript": ("Add JSDoc types", f"Add JSDoc types for {_ALL}", _TAGS),
    "javascriptreact": ("Add JSDoc types", f"Add JSDoc types for {_ALL}", _TAGS),
    "php": ("Add types", f"Add native types to {_ALL}", r"\)\s*:"),
    "ruby": ("Add YARD types", f"Add YARD types for {_ALL}", _TAGS),
    "lua": ("Add types", f"Add LuaLS type annotations for {_ALL}", _TAGS),
}
"""Languages whose code may lack types: the title, the instruction, and a pattern that
matches the head of a function with types."""

_DOCSTRING = re.compile(r"\s*[rRbBuU]{0,2}(?:\"\"\"|'''|\"|')")
_PROSE = frozenset({"markdown", "plaintext", "restructuredtext", "latex", "json", ""})


def rewrites(scope: ActionScope) -> Iterator[Action]:
    """Offer the rewrites that fit the selection or the definition at the cursor."""
    target = scope.target
    if target is None or scope.spot.language in _PROSE:
        return
    yield _rewrite("Simplify with Redline", target, _SIMPLIFY, "simplify")
    definition = scope.definition
    if definition is not None:
        if (types := _types(scope, definition)) is not None:
            yield types
        yield _document(scope, definition)


def extractions(scope: ActionScope) -> Iterator[Action]:
    """Offer to extract the selection into a variable or a function."""
    if not scope.is_selection or scope.spot.language in _PROSE:
        return
    selected = _selected(scope)
    if not selected.strip():
        return
    first, last = lines_of(scope.spot.selection)
    inside = scope.function or scope.definition
    where = scope.range_of(inside) if inside else scope.lines(first, last)
    quoted = f"\n\n```\n{selected}\n```\n"
    if first == last:
        yield Action(
            title="Extract into a variable with Redline",
            lsp_kind=kinds.EXTRACT_VARIABLE,
            work=EditWork(
                range=where,
                instruction="Extract this expression into a variable with a name that "
                "says what it is, right before its first use, and use it wherever the "
                f"same value is meant:{quoted}Change nothing else.",
                kind="extract",
            ),
        )
    yield Action(
        title="Extract into a function with Redline",
        lsp_kind=kinds.EXTRACT_FUNCTION,
        work=EditWork(
            range=where,
            instruction="Extract this code into a function of its own, with a name "
            "that says what it does, the parameters it needs and nothing more; put it "
            f"beside the code that now calls it:{quoted}Change nothing else.",
            kind="extract",
        ),
    )


def document_file(scope: ActionScope) -> Iterator[Action]:
    """Offer to document the file to a client that asks for source actions."""
    if scope.spot.language not in _PROSE:
        yield Action(
            title="Document the file with Redline",
            lsp_kind=kinds.DOCUMENT_FILE,
            work=EditWork(
                range=scope.file, instruction=_DOCUMENT_FILE, kind="docstring"
            ),
        )


def _types(scope: ActionScope, definition: IndentedDefinition) -> Action | None:
    known = _TYPES.get(scope.spot.language)
    if known is None:
        return None
    title, instruction, typed = known
    head = "".join(scope.spot.lines[definition.first : definition.body])
    if definition.kind == "function" and re.search(typed, head):
        return None
    return _rewrite(
        f"{title} with Redline",
        scope.range_of(definition),
        f"{instruction} of {_name(definition)}, as precise as the code shows, with the "
        "imports that they need inside the range if they can stand there. Do not "
        "change what it does.",
        "types",
    )


def _document(scope: ActionScope, definition: IndentedDefinition) -> Action:
    is_python = scope.spot.language == "python"
    what = "docstring" if is_python else "documentation"
    if _has_documentation(scope, definition):
        title = f"Update the {what} with Redline"
        instruction = (
            f"Bring the {what} of {_name(definition)} in line with what the code does "
            "now, in the style it has. Change no code."
        )
    else:
        title = f"Add {'a ' if is_python else ''}{what} with Redline"
        instruction = (
            f"Document {_name(definition)} in the form that is usual in this language: "
            "what it does, and only what its signature does not say. Change no code."
        )
    return _rewrite(title, scope.range_of(definition), instruction, "docstring")


def _has_documentation(scope: ActionScope, definition: IndentedDefinition) -> bool:
    lines = scope.spot.lines
    if scope.spot.language == "python":
        body = lines[definition.body : definition.last + 1]
        first = next((line for line in body if line.strip()), "")
        return _DOCSTRING.match(first) is not None
    head = lines[definition.first : definition.header]
    return any(not line.strip().startswith(("@", "#[")) for line in head)


def _name(definition: IndentedDefinition) -> str:
    return f"`{definition.name}`" if definition.name else "this function"


def _selected(scope: ActionScope) -> str:
    selection, lines = scope.spot.selection, scope.spot.lines
    return beginning(strip_end(text_in(lines, selection)), _MAX_QUOTED_CHARS)


def _rewrite(title: str, where: Range, instruction: str, kind: ActionKind) -> Action:
    work = EditWork(range=where, instruction=instruction, kind=kind)
    return Action(title=title, lsp_kind=kinds.REWRITE, work=work)
