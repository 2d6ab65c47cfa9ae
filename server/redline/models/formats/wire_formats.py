"""All wire formats over HTTP by the names that settings give them."""

from __future__ import annotations

from redline.models.formats.responses_format import ResponsesFormat
from redline.models.formats.wire_format import WireFormat
from redline.settings.tree import ModelSettings


def wire_format(label: str, settings: ModelSettings, *, url: str) -> WireFormat:
    """Return the wire format of a model over HTTP."""
    # Imported late: hardly anyone uses more than two of them.
    match settings.api:
        case "responses-socket" | "responses-http":
            return ResponsesFormat(settings, url=url)
        case "chat-completions":
            from redline.models.formats.chat_completions_format import (
                ChatCompletions,
                chat_server,
            )

            server = chat_server(settings.provider, url)
            return ChatCompletions(settings, url=url, server=server)
        case "anthropic":
            from redline.models.formats.anthropic_format import AnthropicFormat

            return AnthropicFormat(settings)
        case "gemini":
            from redline.models.formats.gemini_format import GeminiFormat

            return GeminiFormat(settings)
        case "ollama":
            from redline.models.formats.ollama_format import OllamaFormat

            return OllamaFormat(settings)
        case "fim":
            from redline.models.formats.fim_format import FimFormat

            return FimFormat(settings, label=label)
