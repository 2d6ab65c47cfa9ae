"""Translates failures of models into our errors, one sentence for the user each.

The libraries' exceptions and the providers' error frames are translated here and
nowhere else. A provider's message is quoted only in part, because it may repeat a key.
"""

from __future__ import annotations

import errno
import re
import socket
import ssl

from redline.errors import (
    AccessRefusedError,
    AuthenticationError,
    ModelCutError,
    ModelError,
    ModelRejectedError,
    ModelServerError,
    ModelUnavailableError,
    PromptTooLongError,
    QuotaExhaustedError,
    RateLimitedError,
    ResponseLostError,
)
from redline.keys_in_use import redact
from redline.text.markdown import plain_message
from redline.wire.failure import MAX_WAIT_S, Failure

_BUSY = (429, 503)

MAX_PATIENCE_S = 2.0
"""Longest wait, as a busy server asks for it, before a request is sent once more."""

_UNSAID_WAIT_S = 0.5
"""The wait if a server asks for a retry and does not say when, as in its SDKs."""

CONNECTION_LIMIT = "websocket_connection_limit_reached"
"""The connection has reached the server's age limit (WebSocket mode guide)."""

SERVER_FAULT = "server_fault"
"""`ModelError.code` if a server failed and closed the socket: the request may still
work over HTTP."""

PREVIOUS_NOT_FOUND = "previous_response_not_found"

STEERING_NOT_SUPPORTED = "steering_not_supported"

_TOO_MANY_LANES = "websocket_stream_limit_reached"

_NAMES_OF_A_FORMAT = ("text.format", "json_schema", "response_format")
"""Names that servers use in an error for the requested format of an answer; the last is
that of chat completions, to which many servers translate."""

_SAID_OF_UNKNOWN_MODELS = (
    "not found",
    "not exist",
    "not available",
    "no such",
    "unknown",
    "invalid model",
)
"""Messages of servers without an error code for an unknown model."""

MAX_QUOTED_CHARS = 200
"""Longest part of a provider's message that is shown."""

_MAX_READ_CHARS = 4_096
"""Longest part of it that is processed."""

_ERROR_NUMBERS = re.compile(r"\[Errno (\d+)\]")

# `response.error.code` and `error.code` values (openai-python 3.52,
# types/responses/response_error.py) and those of compatible servers, for errors without
# an HTTP status.
_STATUS_OF_CODE = {
    "rate_limit_exceeded": 429,
    "rate_limit_error": 429,
    "usage_limit_reached": 429,
    "RESOURCE_EXHAUSTED": 429,
    "invalid_api_key": 401,
    "authentication_error": 401,
    "UNAUTHENTICATED": 401,
    "permission_error": 403,
    "PERMISSION_DENIED": 403,
    "invalid_prompt": 400,
    "invalid_request_error": 400,
    "INVALID_ARGUMENT": 400,
    "unsupported_parameter": 400,
    "model_not_found": 404,
    "not_found_error": 404,
    "context_length_exceeded": 400,
    "exceed_context_size_error": 400,
    "data_residency_mismatch": 400,
    "bio_policy": 400,
    "misalignment_policy_violation": 400,
    PREVIOUS_NOT_FOUND: 400,
}

_QUOTA_CODES = frozenset(
    {
        "insufficient_quota",
        "quota_exceeded",
        "billing_error",
        "billing_hard_limit_reached",
        "enforced_spend_limit_reached",
    }
)
"""Codes of a 429 or a 400 that a short wait does not resolve."""

_PAYMENT_REQUIRED = 402

_TOO_LARGE = 413

_TOO_LONG_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error"})

_SAID_OF_LONG_PROMPTS = (
    "context length",
    "context size",
    "context window",
    "prompt is too long",
    "input is too long",
    "maximum number of tokens",
)
"""Messages of servers without a code for it (vLLM, SGLang, Anthropic, Gemini)."""

_NUMBERS = re.compile(r"\b\d{4,9}\b")

_NAMED_WINDOW = re.compile(
    r"(?:context length is|context size \(|maximum number of tokens allowed \()\s*"
    r"(\d{4,9})\b|\b(\d{4,9}) (?:tokens )?maximum",
    re.IGNORECASE,
)
"""How servers name the window: vLLM, SGLang and OpenAI; llama-server; Gemini;
Anthropic."""

_LEAST_WINDOW = 1_024
"""Smaller numbers in a message are not windows."""

_CLOSED_AS_HTTP = range(4400, 4600)
"""Close codes that stand for an HTTP status, 4,000 below (4402: out of credit)."""

_NOT_FOR_THIS_SERVER = frozenset({1003, 1007, 1008})
"""Close codes of a peer that refuses a message (RFC 6455 section 7.4.1)."""

_TOO_BIG = 1009

_SERVER_FAULTS = frozenset({1011, 1014})
"""Close codes of a server, or of a proxy in front of it, that failed."""


def failure_error(failure: Failure, *, model: str) -> ModelError:
    """Translate a provider's failure, in any of the forms that it comes in."""
    status = failure.status or _STATUS_OF_CODE.get(failure.code or "", 500)
    said = _said(failure)
    is_quota = failure.code in _QUOTA_CODES or status == _PAYMENT_REQUIRED
    if is_quota and status not in (401, 403):
        kind: type[ModelError] = QuotaExhaustedError
        text = f"The quota of model {model} is used up: {said}"
    elif status == 401:
        kind = AuthenticationError
        text = f"The provider of model {model} refused the key (status 401)."
    elif status == 403:
        # Servers also answer so to a wrong path and to missing permissions.
        kind = AccessRefusedError
        text = f"The server of model {model} refused access (status 403)"
        text += f": {said}" if failure.message else "."
    elif status == 429:
        kind = RateLimitedError
        text = f"Model {model} is at its rate limit{_wait(failure.retry_after_s)}"
        text += f": {said}" if failure.message else "."
    elif is_too_long(failure):
        kind = PromptTooLongError
        text = f"The request is too long for model {model}: {said}"
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
        may_retry=failure.may_retry,
    )


def close_error(code: int | None, reason: str, *, model: str) -> ModelError:
    """Translate the end of a WebSocket before the answer was complete.

    Args:
        code: The peer's close code; None: the connection was lost without one.
        reason: The peer's reason text.
        model: The model's name in the settings.
    """
    if code is None:
        return cut_error("lost", model=model)
    if code in _CLOSED_AS_HTTP:
        return failure_error(Failure(message=reason, status=code - 4000), model=model)
    if code == _TOO_BIG:
        return ModelRejectedError(
            f"The request is too large for the server of model {model}.",
            model=model,
            remedy="Lower `edit.context_tokens`, or choose a smaller range.",
        )
    said = f"closed with code {code}"
    if reason.strip():
        said += f": {_quoted(reason)}"
    if code in _NOT_FOR_THIS_SERVER and reason.strip():
        return ModelRejectedError(
            f"The server of model {model} refused the request ({said}).", model=model
        )
    is_fault = code in _SERVER_FAULTS
    return cut_error(said, model=model, code=SERVER_FAULT if is_fault else None)


def is_lane_refusal(failure: Failure) -> bool:
    """Say whether a server refuses requests that name a lane."""
    return failure.param == "stream_id" and failure.code != _TOO_MANY_LANES


def is_unknown_model(failure: Failure, *, name: str) -> bool:
    """Say whether a server refuses a request because it does not know the model."""
    if failure.code in ("model_not_found", "not_found_error", "NotFoundError"):
        return name in failure.message or failure.code == "model_not_found"
    words = failure.message.lower()
    is_missing = any(said in words for said in _SAID_OF_UNKNOWN_MODELS)
    return "model" in words and name.lower() in words and is_missing


def is_too_long(failure: Failure) -> bool:
    """Say whether a server refuses a prompt that its model's window does not hold."""
    if failure.status not in (None, 400, 413, 422):
        return False
    words = failure.message.lower()
    return (
        failure.status == _TOO_LARGE
        or failure.code in _TOO_LONG_CODES
        or any(said in words for said in _SAID_OF_LONG_PROMPTS)
    )


def window_in(failure: Failure) -> int | None:
    """Read a model's window from the refusal of a prompt that is too long.

    Of two numbers in unknown words, the smaller one is the window: the other one is the
    size of the prompt. Of more, none is: some servers add the parts of the prompt.
    """
    if named := _NAMED_WINDOW.search(failure.message):
        window = int(named[1] or named[2])
        return window if window >= _LEAST_WINDOW else None
    numbers = [int(number) for number in _NUMBERS.findall(failure.message)]
    sizes = [number for number in numbers if number >= _LEAST_WINDOW]
    return min(sizes) if len(sizes) == 2 else None


def is_format_refusal(failure: Failure) -> bool:
    """Say whether a server refuses requests that ask for a format of the answer."""
    words = f"{failure.param} {failure.message}"
    return failure.status in (None, 400, 422) and any(
        name in words for name in _NAMES_OF_A_FORMAT
    )


def lost_error(response_id: str, *, model: str) -> ResponseLostError:
    """Return the error of a background response that the provider does not have."""
    return ResponseLostError(
        f"Model {model} does not have the response {_quoted(response_id)} any more.",
        model=model,
        status=404,
    )


def connect_error(error: Exception, *, model: str, host: str) -> ModelError:
    """Translate why a connection could not be opened."""
    if _is_exhausted(error):
        return _exhausted_error(model=model)
    remedy = None
    match error:
        case socket.gaierror():
            text = f"The name of {host} cannot be resolved"
        case ssl.SSLCertVerificationError():
            text = f"The certificate of {host} is not trusted"
            remedy = (
                "If it is yours, name its authority in the model's `ca_file`; "
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
    """Return the error of a missing library for SOCKS proxies."""
    return ModelUnavailableError(
        f"Model {model} is behind a SOCKS proxy, and support for it is not installed.",
        model=model,
        remedy="Install it with `pip install 'redline-ls[socks]'`.",
    )


def cut_error(how: str, *, model: str, code: str | None = None) -> ModelCutError:
    """Return the error of a connection that ended before the answer was complete."""
    return ModelCutError(
        f"The connection to model {model} ended before its answer did ({how}).",
        model=model,
        code=code,
    )


def unreadable_error(*, model: str) -> ModelServerError:
    """Return the error of a peer that does not speak the protocol."""
    return ModelServerError(
        f"The server of model {model} sent something unreadable.",
        model=model,
        remedy="Check that the model's `api` and `url` fit its server.",
    )


def unexpected_error(error: Exception, *, model: str) -> ModelError:
    """Return the error of a failure that no format or protocol foresees."""
    if _is_exhausted(error):
        return _exhausted_error(model=model)
    return unreadable_error(model=model)


def _exhausted_error(*, model: str) -> ModelUnavailableError:
    return ModelUnavailableError(
        f"No connection to model {model} can be opened: this process, or this machine,"
        " has too many open files.",
        model=model,
        remedy="Close programs or editor windows, or raise the limit (`ulimit -n`).",
    )


def flood_error(*, model: str) -> ModelServerError:
    """Return the error of a server that sends more than any answer has."""
    return ModelServerError(
        f"The server of model {model} sends without end, so its answer was stopped.",
        model=model,
        remedy="Run the edit again; if it happens again, use another server or model.",
    )


def _is_refusal(error: OSError) -> bool:
    """Whether a connection was refused, at every address if there are several."""
    if isinstance(error, ConnectionRefusedError):
        return True
    return _error_numbers(error) == {errno.ECONNREFUSED}


def _is_exhausted(error: Exception) -> bool:
    numbers = _error_numbers(error) if isinstance(error, OSError) else set()
    return bool(numbers) and numbers <= {errno.EMFILE, errno.ENFILE}


def _error_numbers(error: OSError) -> set[int]:
    if error.errno is not None:
        return {error.errno}
    # asyncio joins several failures in one text: "Multiple exceptions: [Errno 111] …".
    return {int(number) for number in _ERROR_NUMBERS.findall(str(error))}


def _quoted(message: str) -> str:
    # Redact before cutting: a cut key could be too short to be recognized.
    line = plain_message(redact(" ".join(message[:_MAX_READ_CHARS].split())))
    if len(line) > MAX_QUOTED_CHARS:
        return f"{line[:MAX_QUOTED_CHARS]}…"
    return line


def _as_sentence(said: str) -> str:
    """Add a full stop if it is missing: another sentence follows."""
    return said if said.endswith((".", "!", "?", "…")) else f"{said}."


def _said(failure: Failure) -> str:
    """Return the server's message as a sentence, or the status if there is none."""
    if failure.message.strip():
        return _as_sentence(_quoted(failure.message))
    if failure.status is None:
        return "it gave no reason."
    return f"HTTP status {failure.status}."


def _wait(seconds: float | None) -> str:
    if seconds is None:
        return ""
    if seconds >= MAX_WAIT_S:
        return "; it asks to wait a day or longer"
    if seconds >= 2 * 3600:
        return f"; it asks to wait {seconds / 3600:.0f} hours"
    if seconds >= 120:
        return f"; it asks to wait {seconds / 60:.0f} minutes"
    return f"; it asks to wait {seconds:.0f} s"


def busy_wait_s(error: ModelError) -> float | None:
    """Return the seconds after which a busy server may be asked once more.

    Returns:
        As long as the server asks for, or briefly if it does not say. None: it is not
        busy, or asks for more than `MAX_PATIENCE_S`.
    """
    wait_s, may_retry = error.retry_after_s, error.may_retry
    if wait_s is None and may_retry:
        wait_s = _UNSAID_WAIT_S
    is_busy = error.status in _BUSY if may_retry is None else may_retry
    if not is_busy or wait_s is None or wait_s > MAX_PATIENCE_S:
        return None
    return wait_s
