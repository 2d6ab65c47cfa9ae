"""A model's API key, read once and cached until its provider refuses it.

A key command may ask a person to unlock something, so it runs once for all sockets
and requests of a model, not once for each.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from redline.models.keys import ApiKey, read_key
from redline.settings.tree import KeySource


class CachedKey:
    """Reads a key when it is first needed."""

    def __init__(self, source: KeySource | None, *, environ: Mapping[str, str]) -> None:
        self._source = source
        self._environ = environ
        self._key: ApiKey | None = None
        self._lock = asyncio.Lock()

    async def get(self) -> ApiKey | None:
        """Return the key; None if no key is sent to this model.

        Raises:
            KeyMissingError: If it is not where the settings say it is.
        """
        if self._source is None:
            return None
        async with self._lock:
            if self._key is None:
                self._key = await read_key(self._source, environ=self._environ)
            return self._key

    def forget(self) -> None:
        """Read it again next time: the provider refused this one."""
        self._key = None
