"""How fast the last generation was, for the status."""

from __future__ import annotations

from dataclasses import dataclass

from redline.assist.edit.session import EditSession


@dataclass(frozen=True, slots=True, kw_only=True)
class Throughput:
    """The speed of a generation."""

    model: str | None
    """The name of the model that wrote it."""

    first_delta_s: float
    """Seconds from the request to its first delta."""
    tokens_per_s: float | None
    """None: the provider counted no tokens, or all came at once."""


def throughput_of(session: EditSession) -> Throughput | None:
    """Measure a session's last generation; None if it wrote nothing."""
    account = session.account
    timing, usage, writer = account.timing, account.usage, account.writer
    if timing is None or timing.first_delta is None or timing.last_delta is None:
        return None
    writing_s = timing.last_delta - timing.first_delta
    n_tokens = usage.output_n_tokens if usage is not None else 0
    return Throughput(
        model=None if writer is None else writer.describe().name,
        first_delta_s=timing.first_delta - (timing.sent or timing.started),
        tokens_per_s=n_tokens / writing_s if n_tokens and writing_s > 0 else None,
    )
