"""What completions need of the models."""

from __future__ import annotations

from typing import Protocol

from redline.models.interface import Model


class CompletionModels(Protocol):
    """The models of completions; settings may change them at any time."""

    @property
    def is_ready(self) -> bool:
        """Whether the models are known."""

    def completer(self, language: str) -> Model | None:
        """Return the model of a language; None: there is no model."""
