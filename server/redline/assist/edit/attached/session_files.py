"""The images and files that go with the instructions of sessions."""

from __future__ import annotations

import asyncio
from typing import NamedTuple
from weakref import WeakKeyDictionary

from redline.assist.edit.attached.attachments import load_images, look_again_at_images
from redline.assist.edit.attached.named_files import (
    NamedFile,
    load_named_files,
    look_again_at_files,
    only_definitions,
)
from redline.assist.edit.session.session import EditSession
from redline.assist.editor.services import EditorServices
from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.prompts.message import PromptImage


class _Images(NamedTuple):
    uris: tuple[str, ...]
    images: tuple[PromptImage, ...]


_NO_IMAGES = _Images((), ())


class SessionFiles:
    """Loads what users attach and name; ignore rules apply."""

    def __init__(self, services: EditorServices) -> None:
        self._workspace = services.workspace
        self._parser = services.parser
        self._ignore_rules = IgnoreRules()
        self._images: WeakKeyDictionary[EditSession, _Images] = WeakKeyDictionary()
        """The images of sessions that have some."""
        self._named: WeakKeyDictionary[EditSession, dict[str, NamedFile]] = (
            WeakKeyDictionary()
        )
        """The files that the instructions of each session name, by name."""

    def images(self, session: EditSession) -> tuple[PromptImage, ...]:
        """Return the loaded images of a session."""
        return self._images.get(session, _NO_IMAGES).images

    def has_images(self, session: EditSession) -> bool:
        """Whether the images that are attached now are the loaded ones."""
        loaded = self._images.get(session, _NO_IMAGES)
        return loaded.uris == session.request.attachments

    async def load_images(self, session: EditSession) -> None:
        """Load the images of a session.

        Raises:
            AttachmentError: If an attached image cannot be sent.
            HeldBackError: If one must not be sent.
        """
        uris = session.request.attachments
        images = await load_images(
            uris,
            roots=self._workspace.roots,
            rules=self._ignore_rules,
            parser=self._parser,
        )
        self._images[session] = _Images(uris, images)

    def named(self, session: EditSession) -> tuple[NamedFile, ...]:
        """Return the loaded files that the instructions of a session name."""
        return tuple(self._named.get(session, {}).values())

    async def load_named(self, session: EditSession, instruction: str) -> None:
        """Load what an instruction names, beside what earlier ones named.

        Raises:
            AttachmentError: If one cannot be sent.
            HeldBackError: If one must not be sent.
        """
        if files := await self.named_in(instruction, session.request.uri):
            known = self._named.setdefault(session, {})
            known.update({file.name: file for file in files})

    def has_any(self, session: EditSession) -> bool:
        """Whether images or named files of a session are loaded."""
        return bool(self.images(session) or self.named(session))

    async def look_again(self, session: EditSession) -> None:
        """Look whether what is loaded may still be sent; raises as the loading does."""
        roots = self._workspace.roots_around(session.request.uri)
        rules = self._ignore_rules
        await asyncio.to_thread(
            look_again_at_images,
            self._images.get(session, _NO_IMAGES).uris,
            roots=roots,
            rules=rules,
        )
        await asyncio.to_thread(
            look_again_at_files,
            self.named(session),
            roots=roots,
            documents=self._workspace.snapshots(),
            rules=rules,
        )

    async def named_in(self, instruction: str, uri: str) -> tuple[NamedFile, ...]:
        """Read what an instruction on a document names; raises as `load_named` does.

        A path that several workspace folders have is that of the document's own.
        """
        files = await asyncio.to_thread(
            load_named_files,
            instruction,
            roots=self._workspace.roots_around(uri),
            documents=self._workspace.snapshots(),
            rules=self._ignore_rules,
        )
        return await only_definitions(files, self._parser) if files else ()
