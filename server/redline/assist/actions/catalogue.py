"""The menu: every action that fits a place, in order of usefulness."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from redline.assist.actions import kinds
from redline.assist.actions.action import (
    Action,
    EditWork,
    ExplainWork,
    LiveSession,
    SessionWork,
    Spot,
    TestsWork,
)
from redline.assist.actions.by_rules import (
    by_rules,
    can_be_done,
    fix_file_by_rules,
)
from redline.assist.actions.comment import instruction_at, range_of_comment
from redline.assist.actions.convert import conversions
from redline.assist.actions.fix import fix_file, fixes
from redline.assist.actions.generate import (
    all_comment_instructions,
    bodies,
    comment_instructions,
)
from redline.assist.actions.rewrite import document_file, extractions, rewrites
from redline.assist.actions.scope import ActionScope, lines_of
from redline.assist.actions.test_file import has_test_files
from redline.settings.actions import OwnAction


def catalogue(
    spot: Spot,
    *,
    sessions: Sequence[LiveSession] = (),
    own: Mapping[str, OwnAction] | None = None,
    only: Collection[str] | None = None,
    can_ask: bool = False,
    has_model: bool = True,
) -> list[Action]:
    """List the actions for a place.

    Args:
        spot: The place.
        sessions: The sessions that run or wait there.
        own: The user's own actions, by name.
        only: The kinds that the client wants; None: all useful ones.
        can_ask: Whether the client can ask the user for an instruction.
        has_model: Whether a model is configured; otherwise only rules are offered.
    """
    scope = ActionScope.of(spot)
    offers = [_about(session, scope, can_ask=can_ask) for session in sessions]
    if has_model:
        offers += [*(offer(scope) for offer in _OFFERS), _own(scope, own or {})]
        if kinds.asks_for("source", only):
            offers += [
                fix_file(scope),
                document_file(scope),
                all_comment_instructions(scope, kinds.COMMENTS),
            ]
    else:
        mine = (one for one in _own(scope, own or {}) if can_be_done(scope, one))
        offers += [by_rules(scope), mine]
        if kinds.asks_for("source", only):
            offers.append(fix_file_by_rules(scope))
        if not only:
            offers.append(_configure(scope))
    return [
        action
        for offer in offers
        for action in offer
        if kinds.is_wanted(action.lsp_kind, only)
    ]


def _about(
    session: LiveSession, scope: ActionScope, *, can_ask: bool
) -> Iterator[Action]:
    """Offer the commands to a session at this place."""

    def action(title: str, work: SessionWork) -> Action:
        return Action(title=title, lsp_kind=kinds.SESSION, work=work)

    name = session.session_id
    label = session.label.removeprefix("Redline: ")
    if session.is_waiting:
        yield action(f"Accept: {label}", SessionWork(session_id=name, what="accept"))
        yield action(f"Reject: {label}", SessionWork(session_id=name, what="reject"))
    else:
        yield action(f"Stop: {label}", SessionWork(session_id=name, what="stop"))
    comment = instruction_at(scope.spot.lines, lines_of(scope.spot.selection)[0])
    if comment is not None:
        order = SessionWork(
            session_id=name,
            what="redirect",
            instruction=comment.text,
            from_comment=range_of_comment(scope.spot.lines, comment),
        )
        yield action(f"Redirect to what the comment says: {label}", order)
    elif can_ask:
        work = SessionWork(session_id=name, what="redirect")
        yield action(f"Redirect: {label}", work)


def _all_here(scope: ActionScope) -> Iterator[Action]:
    """Offer all comments of the file at one of them."""
    if instruction_at(scope.spot.lines, lines_of(scope.spot.selection)[0]) is not None:
        yield from all_comment_instructions(scope)


def _tests(scope: ActionScope) -> Iterator[Action]:
    target = scope.target
    if target is not None and has_test_files(scope.spot.language):
        yield Action(
            title="Write tests with Redline",
            lsp_kind=kinds.TESTS,
            work=TestsWork(range=target),
        )


def _explain(scope: ActionScope) -> Iterator[Action]:
    if (target := scope.target) is not None:
        yield Action(
            title="Explain with Redline",
            lsp_kind=kinds.EXPLAIN,
            work=ExplainWork(range=target),
        )


def _configure(scope: ActionScope) -> Iterator[Action]:
    """Offer to explain how to get the rest of the menu, if there is more."""
    if any(True for offer in _OFFERS for _ in offer(scope)):
        line = lines_of(scope.spot.selection)[0]
        yield Action(
            title="Redline: configure a model for more actions",
            lsp_kind=kinds.EXPLAIN,
            work=ExplainWork(range=scope.target or scope.lines(line, line)),
        )


def _own(scope: ActionScope, own: Mapping[str, OwnAction]) -> Iterator[Action]:
    """Offer the actions that the user has defined."""
    line = lines_of(scope.spot.selection)[0]
    target = scope.target or scope.lines(line, line)
    for action in own.values():
        if not action.languages or scope.spot.language in action.languages:
            yield Action(
                title=action.title,
                lsp_kind=action.kind,
                work=EditWork(
                    range=target, instruction=action.instruction, tier=action.tier
                ),
            )


_OFFERS: tuple[Callable[[ActionScope], Iterator[Action]], ...] = (
    comment_instructions,
    _all_here,
    fixes,
    bodies,
    rewrites,
    extractions,
    conversions,
    _tests,
    _explain,
)
