"""The last rejected offer of each document, to be offered again.

An offer also counts as rejected if it was stopped, if a redirect of it fails, or if a
newer edit takes over its place without its text, as an edit of several ranges around
it does. An offer that is unanswered is in its session (`offer`).

It is kept in memory only, and also after its document was closed.
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from msgspec import Struct

from redline.assist.edit.session.result import WrittenEdit
from redline.assist.edit.session.session import EditSession
from redline.assist.edit.session.states import State
from redline.errors import InvalidArgumentsError
from redline.text.document import Snapshot
from redline.text.lines import split_lines
from redline.text.position import Range
from redline.text.region import range_of_lines, widen
from redline.text.uri import FileRename, renamed_uri

MAX_DOCUMENTS = 64
"""Documents with a rejected offer; beyond it the oldest offer is forgotten."""


class RejectedOffer(Struct, frozen=True, kw_only=True):
    """What an offer would have changed."""

    instruction: str
    written: WrittenEdit
    """The text that it replaces (none: it inserts new lines), and the new lines."""
    first_line: int
    """Where its text was."""
    neighbours: tuple[str, str]
    """The lines above and below a place for new lines; empty at the file's borders."""

    def outdated(self) -> InvalidArgumentsError:
        """Return the error for a document that no longer has its text."""
        return InvalidArgumentsError(
            "The text that the offer replaces has changed since. Undo your change, "
            "then bring the offer back."
        )


class RejectedOffers:
    """The rejected offers of one editor."""

    def __init__(self) -> None:
        self._by_uri: dict[str, RejectedOffer] = {}
        self._waiting: WeakKeyDictionary[EditSession, RejectedOffer] = (
            WeakKeyDictionary()
        )
        """What each session offers, or offered last."""
        self._new_uris: WeakKeyDictionary[EditSession, str] = WeakKeyDictionary()
        """Where the offer of a session goes whose file was renamed meanwhile."""

    def session_changed(self, session: EditSession) -> None:
        """Record what a session offers, and remember it if the user did not take it."""
        if session.state.is_waiting:
            if (offer := _offer_of(session)) is not None:
                self._waiting[session] = offer
            return
        is_rejected = session.state in (State.REJECTED, State.STOPPED, State.FAILED)
        if session.state is State.SUPERSEDED:
            is_rejected = not session.is_continued
        if is_rejected and (rejected := self._waiting.pop(session, None)) is not None:
            uri = self._new_uris.pop(session, session.request.uri)
            self._remember(uri, rejected)

    def resume(self, session: EditSession, offer: RejectedOffer) -> None:
        """Remember an offer until its new session waits: a stop may come before."""
        self._waiting[session] = offer

    def take(self, snapshot: Snapshot) -> tuple[RejectedOffer, Range]:
        """Take the last rejected offer of a document, and find its text there.

        Raises:
            InvalidArgumentsError: If there is none, or its text has changed since.
        """
        offer = self._by_uri.get(snapshot.uri)
        if offer is None:
            raise InvalidArgumentsError(
                "No offer of this file was rejected or dropped."
            )
        first = _place_of(offer, snapshot.lines)
        if first is None:
            raise offer.outdated()
        del self._by_uri[snapshot.uri]
        return offer, range_of_lines(
            snapshot.lines, first, len(offer.written.old_lines)
        )

    def forget(self, uri: str) -> None:
        """Forget the offer of a document: another one takes its place."""
        self._by_uri.pop(uri, None)

    def files_renamed(self, renames: Sequence[FileRename]) -> None:
        """Keep the offers of files that have another name now.

        Some editors report the rename before they close the old document.
        """
        moved = {
            new: self._by_uri.pop(uri)
            for uri in list(self._by_uri)
            if (new := renamed_uri(uri, renames)) is not None
        }
        for new, offer in moved.items():
            self._remember(new, offer)
        for session in self._waiting:
            uri = self._new_uris.get(session, session.request.uri)
            if (new := renamed_uri(uri, renames)) is not None:
                self._new_uris[session] = new

    def _remember(self, uri: str, offer: RejectedOffer) -> None:
        self.forget(uri)
        self._by_uri[uri] = offer
        for oldest in list(self._by_uri)[:-MAX_DOCUMENTS]:
            del self._by_uri[oldest]


def stored_offer(
    snapshot: Snapshot, place: Range, new_text: str, instruction: str
) -> RejectedOffer:
    """Return the offer of an editor that has stored it; its lines are checked again."""
    region = widen(snapshot.lines, place)
    new_lines = split_lines(new_text)
    if not new_lines[-1]:
        # The text ends with a line end.
        del new_lines[-1]
    return RejectedOffer(
        instruction=instruction,
        written=WrittenEdit(
            old_lines=region.lines, lines=tuple(new_lines), problems=None
        ),
        first_line=region.first,
        neighbours=_neighbours(snapshot.lines, region.first),
    )


def _offer_of(session: EditSession) -> RejectedOffer | None:
    proposal, shown = session.offer.proposal, session.offer.shown
    if proposal is None or shown is None or not proposal.hunks:
        return None
    target = session.edit_target
    own = proposal.range_part
    lines = target.document.snapshot().lines
    first = target.first_line + proposal.n_above
    return RejectedOffer(
        instruction=session.instruction,
        written=WrittenEdit(
            old_lines=own.old_lines,
            lines=tuple(own.new_lines),
            # The imports above the range are found again with the problems.
            problems=None if proposal.n_above else shown.problems,
            score=shown.score,
            imports=shown.reply.imports if shown.reply is not None else (),
        ),
        first_line=first,
        neighbours=_neighbours(lines, first),
    )


def _neighbours(lines: Sequence[str], first: int) -> tuple[str, str]:
    above = lines[first - 1] if first else ""
    below = lines[first] if first < len(lines) else ""
    return above, below


def _place_of(offer: RejectedOffer, lines: Sequence[str]) -> int | None:
    """Return the first line of the place nearest to where the text was."""
    old = list(offer.written.old_lines)

    def is_at(first: int) -> bool:
        if not old:
            return _neighbours(lines, first) == offer.neighbours
        return list(lines[first : first + len(old)]) == old

    places = filter(is_at, range(len(lines) - len(old) + 1))
    return min(places, key=lambda first: abs(first - offer.first_line), default=None)
