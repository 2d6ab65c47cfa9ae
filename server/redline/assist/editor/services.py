"""What all use cases of one editor work with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from msgspec import Struct, field

from redline.assist.editor.editor import Editor
from redline.assist.editor.workspace import Workspace
from redline.assist.privacy.prompt_log import PromptLog
from redline.assist.tiers.tier_choice import Tiers
from redline.parsing.work import WorkRunner
from redline.routing.experience import NO_EXPERIENCE, Experience
from redline.settings.tree import Settings


class EditorServices(Struct, frozen=True, kw_only=True):
    """The services of one editor."""

    workspace: Workspace
    """The open documents."""
    editor: Editor
    tiers: Tiers
    """The models."""
    settings: Callable[[], Settings]
    """Returns the settings in force."""
    parser: WorkRunner
    """Parses, checks, and decodes images."""
    cache_key: str
    """Routes requests to a provider's prompt cache."""
    sent: PromptLog
    """Records the prompts that were sent."""
    experience: Callable[[], Experience] = lambda: NO_EXPERIENCE
    """Returns how earlier edits of the user turned out."""
    test_turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while a test command runs: one at a time."""
