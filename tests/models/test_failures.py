"""For every failure the user reads one sentence, and never a key."""

from __future__ import annotations

import errno
import socket
import ssl

import pytest

from redline.errors import AuthenticationError, ModelServerError, PromptTooLongError
from redline.models.failures import (
    connect_error,
    failure_error,
    unexpected_error,
    window_in,
)
from redline.models.http.http_failure import read_http_failure
from redline.wire.failure import Failure


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (socket.gaierror(-2, "Name or service not known"), "cannot be resolved"),
        (ConnectionRefusedError(errno.ECONNREFUSED, "x"), "Nothing is listening at h"),
        (
            OSError(
                f"Multiple exceptions: [Errno {errno.ECONNREFUSED}] Connect call failed"
                f" ('::1', 1, 0, 0), [Errno {errno.ECONNREFUSED}] Connect call failed"
            ),
            "Nothing is listening at h",
        ),
        (
            OSError(f"[Errno {errno.ECONNREFUSED}] a, [Errno {errno.ENETUNREACH}] b"),
            "cannot be reached (OSError)",
        ),
        (OSError(errno.ENETUNREACH, "x"), "cannot be reached (OSError)"),
        (OSError(errno.EMFILE, "x"), "too many open files"),
        (OSError(f"[Errno {errno.EMFILE}] a, [Errno {errno.ENFILE}] b"), "open files"),
        (ssl.SSLCertVerificationError(1, "x"), "certificate of h is not trusted"),
        (ssl.SSLError(1, "x"), "No TLS connection to h"),
        (TimeoutError(), "did not answer in time"),
        (ValueError("secret detail"), "cannot be reached (ValueError)"),
    ],
)
def test_why_there_is_no_connection(error: Exception, text: str) -> None:
    """The sentence says what to look at, without the library's own words."""
    translated = connect_error(error, model="spark", host="h")
    assert text in str(translated)
    assert "secret" not in str(translated)
    assert translated.remedy
    assert translated.model == "spark"


def test_a_failure_that_nobody_foresees_is_the_peers_or_this_machines() -> None:
    error = unexpected_error(OSError(errno.EMFILE, "x"), model="m")
    assert "too many open files" in str(error)
    assert "unreadable" in str(unexpected_error(ValueError("x"), model="m"))


def test_untrusted_certificate_names_the_setting() -> None:
    """A private authority is a setting away, and the remedy says which."""
    error = connect_error(ssl.SSLCertVerificationError(1, "x"), model="m", host="h")
    assert "`ca_file`" in error.remedy


@pytest.mark.parametrize(
    ("said", "sentence"),
    [("no such model", "no such model."), ("Slow down!", "Slow down!")],
)
def test_a_providers_words_end_as_a_sentence(said: str, sentence: str) -> None:
    """The remedy comes after them."""
    for status in (400, 500):
        failure = Failure(message=said, status=status)
        assert str(failure_error(failure, model="m")).endswith(f": {sentence}")


@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-abcdefghij0123456789",
        "Bearer abcdefghij",
        "sk-abc***wxyz",
        "xai-0123456789",
    ],
)
def test_keys_in_a_providers_words_are_hidden(secret: str) -> None:
    """A provider that quotes the key does not get it shown."""
    for status in (401, 400, 500):
        failure = Failure(message=f"Incorrect: {secret}. Next.", status=status)
        assert secret not in str(failure_error(failure, model="m"))


def test_long_words_are_cut_and_put_on_one_line() -> None:
    """A page of HTML is not shown whole."""
    failure = Failure(message="line\n" * 500, status=500)
    text = str(failure_error(failure, model="m"))
    assert len(text) < 300
    assert "\n" not in text


@pytest.mark.parametrize(
    ("status", "body", "message", "code"),
    [
        (400, b'{"error": {"message": "m", "code": "c", "type": "t"}}', "m", "c"),
        (400, b'{"error": {"message": "m", "type": "t"}}', "m", "t"),
        (400, b'{"error": "m"}', "m", None),
        (400, b'{"detail": "m"}', "m", None),
        (400, b'{"error": {}}', "", None),
        (400, b'{"error": ["odd"]}', "", None),
        (502, b"<html>Bad gateway", "", None),
        (502, b"\xff", "\ufffd", None),
    ],
)
def test_http_body(status: int, body: bytes, message: str, code: str | None) -> None:
    """An error's body is read in the forms that servers use, and is not needed."""
    failure = read_http_failure(status, body, {"Retry-After": "2"})
    assert failure == Failure(
        message=message, code=code, status=status, retry_after_s=2.0
    )


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("invalid_api_key", AuthenticationError),
        ("context_length_exceeded", PromptTooLongError),
        ("something_new", ModelServerError),
        (None, ModelServerError),
    ],
)
def test_code_without_a_status(code: str | None, kind: type[Exception]) -> None:
    """Without an HTTP status, the code identifies the cause."""
    error = failure_error(Failure(message="x", code=code), model="m")
    assert type(error) is kind
    assert error.code == code
    assert error.status is None


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 7.0),
        ("Sun, 06 Nov 1994 08:49:00 GMT", 0.0),
        ("Sun, 06 Nov 94 08:49:37 GMT", 7.0),
        ("3", 3.0),
        ("soon", None),
        ("Sun, 99 Nov 1994 08:49:37 GMT", None),
        ("", None),
    ],
)
def test_a_time_to_come_back(value: str, seconds: float | None) -> None:
    """It is a number of seconds or a date (RFC 9110 section 10.2.3)."""
    failure = read_http_failure(503, b"", {"Retry-After": value}, now=784111770.0)
    assert failure.retry_after_s == seconds


def test_a_providers_words_control_nothing() -> None:
    """They are written to messages, logs and terminals."""
    said = "\x1b[31m[x](command:evil) \u202e<script>"
    text = str(failure_error(Failure(message=said, status=500), model="m"))
    assert (
        text
        == "The server of model m failed: \ufffd[31m[x] (command:evil) \ufffd<script>."
    )


@pytest.mark.parametrize(
    ("said", "window"),
    [
        (
            "This model's maximum context length is 4096 tokens. However, you "
            "requested 5096 tokens (1500 in the messages, 3596 in the completion)",
            4096,
        ),
        ("request (9000 tokens) exceeds the context size (8192 tokens)", 8192),
        (
            "The input token count (1200000) exceeds the maximum number of tokens "
            "allowed (1048576).",
            1_048_576,
        ),
        ("prompt is too long: 210000 tokens > 200000 maximum", 200_000),
        ("The prompt (length 5000) does not fit into 4096", 4096),
        ("5096 tokens (1500 and 3596) are too many", None),
        ("The prompt has 5096 tokens", None),
        ("", None),
    ],
)
def test_the_window_in_a_refusal(said: str, window: int | None) -> None:
    """A part of the prompt is not taken for the window."""
    assert window_in(Failure(message=said)) == window
