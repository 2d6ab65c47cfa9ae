"""The menu without a model: only what the built-in rules will certainly do.

Its instructions use the words that `redline.instructions` reads. What a quick look
cannot decide is not offered: an entry without effect is worse than none.
"""

from __future__ import annotations

from collections.abc import Iterator

from redline.assist.actions import kinds
from redline.assist.actions.action import Action, EditWork
from redline.assist.actions.comment import instruction_at, instructions_in
from redline.assist.actions.fix import title_of
from redline.assist.actions.generate import (
    all_comment_instructions,
    comment_instructions,
)
from redline.assist.actions.lint_rules import fixable_code
from redline.assist.actions.python_needs import (
    PythonNeeds,
    are_unsorted_imports,
    read_needs,
)
from redline.assist.actions.scope import ActionScope, lines_of
from redline.instructions.read import read_instruction
from redline.instructions.request import PythonOnly
from redline.routing.task import ActionKind
from redline.text.position import Range

_MAX_N_FIXES = 10
"""Most entries that a menu can show."""


def by_rules(scope: ActionScope) -> Iterator[Action]:
    """Offer what the rules can do at this place."""
    yield from _orders(scope)
    if scope.spot.language == "python":
        yield from _fixes(scope)
        yield from _rewrites(scope)
        yield from _imports(scope)


def can_be_done(scope: ActionScope, action: Action) -> bool:
    """Whether the rules understand the instruction of an edit."""
    return isinstance(action.work, EditWork) and _is_understood(
        action.work.instruction, scope.spot.language
    )


def fix_file_by_rules(scope: ActionScope) -> Iterator[Action]:
    """Offer what is about the whole file to a client that asks for source actions."""
    if scope.spot.language == "python":
        yield from _fix_all(scope, kinds.FIX_FILE)
    yield from _all_orders(scope, kinds.COMMENTS)


def _orders(scope: ActionScope) -> Iterator[Action]:
    comment = instruction_at(scope.spot.lines, lines_of(scope.spot.selection)[0])
    if comment is not None and _is_understood(comment.text, scope.spot.language):
        yield from comment_instructions(scope)
        yield from _all_orders(scope, kinds.QUICK_FIX)


def _all_orders(scope: ActionScope, lsp_kind: str) -> Iterator[Action]:
    comments = instructions_in(scope.spot.lines)
    if all(_is_understood(each.text, scope.spot.language) for each in comments):
        yield from all_comment_instructions(scope, lsp_kind)


def _is_understood(instruction: str, language: str) -> bool:
    requests = read_instruction(instruction)
    return requests is not None and (
        language == "python"
        or not any(isinstance(request, PythonOnly) for request in requests)
    )


def _fixes(scope: ActionScope) -> Iterator[Action]:
    for number, diagnostic in enumerate(scope.spot.diagnostics[:_MAX_N_FIXES]):
        code = fixable_code(diagnostic)
        if code is None:
            continue
        line = lines_of(diagnostic.range)[0] + 1
        yield Action(
            title=title_of(diagnostic),
            lsp_kind=kinds.QUICK_FIX,
            work=EditWork(
                range=scope.file,
                instruction=f"Fix lint problem `{code}` on line {line}",
                kind="fix",
            ),
            diagnostics=(number,),
        )
    if len(scope.spot.diagnostics) > 1:
        yield from _fix_all(scope, kinds.QUICK_FIX)


def _fix_all(scope: ActionScope, lsp_kind: str) -> Iterator[Action]:
    found = {
        number: code
        for number, diagnostic in enumerate(scope.spot.diagnostics)
        if (code := fixable_code(diagnostic)) is not None
    }
    if not found:
        return
    codes = sorted(set(found.values()))
    quoted = " ".join(f"`{code}`" for code in codes)
    yield Action(
        title=f"Fix every {', '.join(codes)} in the file with Redline",
        lsp_kind=lsp_kind,
        work=EditWork(
            range=scope.file, instruction=f"Fix lint problems {quoted}", kind="fix"
        ),
        diagnostics=tuple(found),
    )


def _rewrites(scope: ActionScope) -> Iterator[Action]:
    definition, target = scope.definition, scope.target
    needs = PythonNeeds()
    where = None
    if definition is not None:
        where, name = scope.range_of(definition), definition.name
        needs = read_needs(scope.text(where), name)
        if needs.types:
            yield _rewrite("Add types", where, f"Add type hints to `{name}`", "types")
        if needs.docstring:
            instruction = f"Add a docstring to `{name}`"
            yield _rewrite("Add a docstring", where, instruction, "docstring")
    if target is not None and target != where:
        needs = read_needs(scope.text(target), None)
    if target is not None and needs.f_strings:
        yield _rewrite("Convert to f-strings", target, "Use f-strings", "convert")


def _imports(scope: ActionScope) -> Iterator[Action]:
    if are_unsorted_imports(scope.spot.lines, lines_of(scope.spot.selection)[0]):
        yield _rewrite("Sort the imports", scope.file, "Sort the imports", "edit")


def _rewrite(title: str, where: Range, instruction: str, kind: ActionKind) -> Action:
    return Action(
        title=f"{title} with Redline",
        lsp_kind=kinds.REWRITE,
        work=EditWork(range=where, instruction=instruction, kind=kind),
    )
