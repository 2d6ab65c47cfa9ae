"""What went wrong with a model, as our errors: one sentence each, fit for the user.

The libraries' exceptions and the providers' error frames are translated here and
nowhere else. A provider's own words are quoted only in part: they may repeat a key.
"""

from __future__ import annotations

import errno
import re
import socket
import ssl

from redline.errors import (
    AuthenticationError,
    ModelCutError,
    ModelError,
    ModelRejectedError,
    ModelServerError,
    ModelUnavailableError,
    RateLimitedError,
    ResponseLostError,
)
from redline.keys_in_use import redact
from redline.wire.events import Failure

CONNECTION_LIMIT = "websocket_connection_limit_reached"
"""The connection is as old as the server lets it become (WebSocket mode guide)."""

PREVIOUS_NOT_FOUND = "previous_response_not_found"

STEERING_NOT_SUPPORTED = "steering_not_supported"

_TOO_MANY_LANES = "websocket_stream_limit_reached"

_NAMES_OF_A_FORMAT = ("text.format", "json_schema", "response_format")
"""How servers call, in an error, the form that was asked of an answer; the last is its
name in chat completions, which many translate to."""

MAX_QUOTED_CHARS = 200
"""Most of a provider's message that is shown."""

_MAX_READ_CHARS = 4_096
"""Most of it that is looked at."""

_ERROR_NUMBERS = re.compile(r"\[Errno (\d+)\]")

# `response.error.code` and `error.code` values (openai-python 3.52,
# types/responses/response_error.py) and the ones compatible servers use, where there
# is no HTTP status beside them.
_STATUS_OF_CODE = {
    "rate_limit_exceeded": 429,
    "rate_limit_error": 429,
    "insufficient_quota": 429,
    "usage_limit_reached": 429,
    "invalid_api_key": 401,
    "authentication_error": 401,
    "permission_error": 403,
    "invalid_prompt": 400,
    "invalid_request_error": 400,
    "unsupported_parameter": 400,
    "model_not_found": 404,
    "context_length_exceeded": 400,
    "data_residency_mismatch": 400,
    "bio_policy": 400,
    "misalignment_policy_violation": 400,
    PREVIOUS_NOT_FOUND: 400,
}


def failure_error(failure: Failure, *, model: str) -> ModelError:
    """Translate what a provider says is wrong, whatever form it said it in."""
    status = failure.status or _STATUS_OF_CODE.get(failure.code or "", 500)
    said = _as_sentence(_quoted(failure.message))
    if status in (401, 403):
        # The provider's words on a key may quote the key.
        kind: type[ModelError] = AuthenticationError
        text = f"The provider of model {model} refused the key (status {status})."
    elif status == 429:
        kind = RateLimitedError
        text = f"Model {model} is at its rate limit{_wait(failure.retry_after_s)}."
    elif status < 500:
        kind = ModelRejectedError
        text = f"Model {model} refused the request: {said}"
    else:
        kind = ModelServerError
        text = f"The server of model {model} failed: {said}"
    return kind(
        text,
        model=model,
        status=failure.status,
        code=failure.code,
        retry_after_s=failure.retry_after_s,
    )


def is_lane_refusal(failure: Failure) -> bool:
    """Say whether a server takes no requests that name a lane."""
    return failure.param == "stream_id" and failure.code != _TOO_MANY_LANES


def is_format_refusal(failure: Failure) -> bool:
    """Say whether a server takes no requests for an answer of a certain form."""
    words = f"{failure.param} {failure.message}"
    return failure.status in (None, 400, 422) and any(
        name in words for name in _NAMES_OF_A_FORMAT
    )


def lost_error(response_id: str, *, model: str) -> ResponseLostError:
    """Say that a background response is not there."""
    return ResponseLostError(
        f"Model {model} does not have the response {_quoted(response_id)} any more.",
        model=model,
        status=404,
    )


def connect_error(error: Exception, *, model: str, host: str) -> ModelError:
    """Translate why a connection could not be opened."""
    remedy = None
    match error:
        case socket.gaierror():
            text = f"The name of {host} cannot be resolved"
        case ssl.SSLCertVerificationError():
            text = f"The certificate of {host} is not trusted"
            remedy = (
                f"If it is yours, name its authority in `models.{model}.ca_file`; "
                "otherwise do not use this network."
            )
        case ssl.SSLError():
            text = f"No TLS connection to {host} could be made"
        case OSError() if _is_refusal(error):
            text = f"Nothing is listening at {host}"
        case TimeoutError():
            text = f"{host} did not answer in time"
        case _:
            text = f"{host} cannot be reached ({type(error).__name__})"
    return ModelUnavailableError(f"{text}.", model=model, remedy=remedy)


def socks_error(*, model: str) -> ModelUnavailableError:
    """Say that a library lacks what a SOCKS proxy needs."""
    return ModelUnavailableError(
        f"Model {model} is behind a SOCKS proxy, and support for it is not installed.",
        model=model,
        remedy="Install it with `pip install 'redline-ls[socks]'`.",
    )


def cut_error(how: str, *, model: str) -> ModelCutError:
    """Say that a connection ended before the answer did, and how."""
    return ModelCutError(
        f"The connection to model {model} ended before its answer did ({how}).",
        model=model,
    )


def unreadable_error(*, model: str) -> ModelServerError:
    """Say that the peer does not speak the protocol."""
    return ModelServerError(
        f"The server of model {model} sent something unreadable.",
        model=model,
        remedy="Check that the model's `api` and `url` fit its server.",
    )


def _is_refusal(error: OSError) -> bool:
    """Whether a connection was refused, at each address where there are several."""
    if isinstance(error, ConnectionRefusedError):
        return True
    # asyncio tells several failures in one text: "Multiple exceptions: [Errno 111] …".
    numbers = {int(number) for number in _ERROR_NUMBERS.findall(str(error))}
    return numbers == {errno.ECONNREFUSED}


def _quoted(message: str) -> str:
    # Keys go before the cut, which could leave a part too short to be recognized.
    line = redact(" ".join(message[:_MAX_READ_CHARS].split()))
    if len(line) > MAX_QUOTED_CHARS:
        return f"{line[:MAX_QUOTED_CHARS]}…"
    return line


def _as_sentence(said: str) -> str:
    """Give it the end that it may lack: more is said after it."""
    return said if said.endswith((".", "!", "?", "…")) else f"{said}."


def _wait(seconds: float | None) -> str:
    return "" if seconds is None else f"; it asks to wait {seconds:.0f} s"
