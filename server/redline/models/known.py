"""What is known of hosts, and of the names of local models."""

from __future__ import annotations

from redline.settings.providers import is_host_of

_BACKGROUND_HOSTS = (
    *("api.openai.com", ".api.openai.com", ".openai.azure.com"),
    "generativelanguage.googleapis.com",
)
"""Hosts that document background answers which can be streamed again (background guide
of OpenAI, and of Azure OpenAI; Interactions of Gemini); a dot stands for any
subdomain."""

_STEERING_HOSTS = ("api.openai.com", ".api.openai.com")
"""Hosts that document `response.steer`. Others that serve the same models handle it
differently."""

_CODING_WORDS = ("coder", "codestral", "devstral", "starcoder", "codellama", "code")
_NO_GENERATION_WORDS = ("embed", "rerank", "whisper", "clip", "tts")


def is_background_host(host: str) -> bool:
    """Say whether a provider is known to support background responses.

    Args:
        host: With or without a port.
    """
    return is_host_of(host, _BACKGROUND_HOSTS)


def is_steering_host(host: str) -> bool:
    """Say whether a provider is known to accept steers, if the model supports them.

    Args:
        host: With or without a port.
    """
    return is_host_of(host, _STEERING_HOSTS)


def coding_model(names: tuple[str, ...]) -> str | None:
    """Choose among a local server's models: one made for code, else the first.

    Args:
        names: Names as the server lists them; embedding models and the like are
            skipped.
    """
    writers = [
        name
        for name in names
        if not any(word in name.lower() for word in _NO_GENERATION_WORDS)
    ]
    for word in _CODING_WORDS:
        for name in writers:
            if word in name.lower():
                return name
    return writers[0] if writers else None
