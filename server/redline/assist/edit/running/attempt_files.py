"""Loads the images and files that an attempt needs before its prompt is written.

What cannot be loaded fails the session, unless the attempt is no longer wanted.
"""

from __future__ import annotations

from redline.assist.edit.attached.image_describer import describe_images
from redline.assist.edit.attempts.attempt import AttemptSpec
from redline.assist.edit.prompt.prompt_writer import PromptWriter
from redline.assist.edit.running.router import Router
from redline.assist.edit.session.session import EditSession
from redline.assist.edit.session.states import State
from redline.errors import CallerError, ModelError
from redline.text.named_files import named_files


class AttemptFiles:
    """Loads for the sessions of one editor."""

    def __init__(self, writer: PromptWriter, router: Router) -> None:
        self._writer = writer
        self._files = writer.files
        self._router = router

    def has_to_look(self, session: EditSession) -> bool:
        """Whether there are images, or those of before are no longer attached."""
        return bool(session.request.attachments) or not self._files.has_images(session)

    async def look(self, session: EditSession, turn: AttemptSpec) -> None:
        """Load the images of a session, and have them described if its own model does
        not read images, unless that is done.
        """
        try:
            if not self._files.has_images(session):
                session.forget_images()
                await self._files.load_images(session)
            if not session.request.attachments:
                return
            self._router.follow(session)
            viewer = await self._router.viewer(session)
            if viewer is not None and session.image_description is None:
                request = self._writer.write_description(session, viewer.describe())
                await describe_images(session, request, viewer)
        except (ModelError, CallerError) as exc:
            # A stop may have kept what was written before.
            if goes_on(session, turn):
                session.fail(exc, str(exc))

    def has_to_read(self, session: EditSession, turn: AttemptSpec) -> bool:
        """Whether images or named files go with a request of an attempt."""
        return self._files.has_any(session) or _names_files(turn)

    async def read(self, session: EditSession, turn: AttemptSpec) -> None:
        """Load the files that an attempt's instruction names, before a request.

        What was loaded for earlier requests may have become ignored since.
        """
        try:
            await self._files.look_again(session)
            if _names_files(turn):
                await self._files.load_named(session, turn.instruction)
        except CallerError as exc:
            if goes_on(session, turn):
                session.fail(exc, str(exc))


def _names_files(turn: AttemptSpec) -> bool:
    """Whether an instruction names files; a repair's were loaded before."""
    return turn.repairs is None and bool(named_files(turn.instruction))


def goes_on(session: EditSession, turn: AttemptSpec) -> bool:
    """Whether no stop ended an attempt before it began, and no redirect overtook it."""
    attempts = session.attempts
    is_newest = attempts.next is None and attempts.taken is turn
    return is_newest and session.state is State.GENERATING
