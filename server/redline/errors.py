"""Every exception that one room of Redline raises and another handles.

`str(error)` is one sentence a user can act on. It never holds a key, a prompt or a
document's text. What the user may also need to know (what was kept, what to do) is in
`remedy`, one sentence too.
"""

from __future__ import annotations

from typing import Self

from redline.keys_in_use import redact


class RedlineError(Exception):
    """The root of the tree.

    Attributes:
        remedy: What the user can do about it, as one sentence; may be empty.
    """

    remedy: str = ""

    def __init__(self, message: str, *, remedy: str | None = None) -> None:
        super().__init__(message)
        if remedy is not None:
            self.remedy = remedy

    def advise(self, remedy: str) -> None:
        """Replace the remedy where the caller knows a better one."""
        self.remedy = remedy


class CallerError(RedlineError):
    """The editor or the user asked for something that cannot be done."""


class InvalidArgumentsError(CallerError):
    """A command's arguments do not fit its description."""


class UnknownDocumentError(CallerError):
    """The uri names no open document."""

    remedy = "Open the file in the editor and try again."


class HeldBackError(CallerError):
    """The file must not be sent to a model."""

    remedy = (
        "A file that `.gitignore` leaves out can be let through by a line such as "
        "`!notes.txt` in `.redlineignore`; one with keys cannot."
    )


class AttachmentError(CallerError):
    """An attached image or a named file cannot be sent to a model."""

    remedy = "Attach a png, jpeg, webp or gif, or leave it out."


class NotReviewableError(CallerError):
    """What was to be reviewed cannot be read: no repository, no such base, no text."""


class UnknownReviewError(CallerError):
    """The id names no stored review, or no finding of one."""


class ReviewStateError(CallerError):
    """The review is not in a state in which that can be done."""


class UnknownPlanError(CallerError):
    """There is no such plan."""


class PlanStateError(CallerError):
    """The plan is not in a state in which that can be done."""


class UnknownSessionError(CallerError):
    """The id names no edit session that still exists."""


class EditNotLandedError(RedlineError):
    """The editor did not apply an edit; the document is as it was."""

    remedy = "Nothing was changed; run the edit again."


class CommandRunError(RedlineError):
    """A command of the user could not be run."""


class PlanRefusedError(RedlineError):
    """The planner made no plan that fits the workspace."""

    remedy = "Nothing was changed; say it in other words, or plan less at a time."


class EditHeldError(RedlineError):
    """An edit failed its checks, so it is not returned to the caller."""

    remedy = "Nothing was changed; ask again in other words, or use a higher tier."


class NothingToChangeError(RedlineError):
    """The model found nothing to change, or declined."""

    remedy = "Nothing was changed; write an instruction that says what you want."


class OutdatedError(RedlineError):
    """The request was stopped or replaced, or its text has changed."""

    remedy = "Nothing was changed; ask again."


class EditorError(RedlineError):
    """The editor did not do what it was asked."""


class EditorRefusedError(EditorError):
    """The editor answered a request with an error.

    Attributes:
        code: The JSON-RPC code of that error.
    """

    def __init__(self, message: str, *, code: int) -> None:
        super().__init__(message)
        self.code = code


class EditorTimeoutError(EditorError):
    """The editor did not answer a request in time."""


class EditorGoneError(EditorError):
    """The connection to the editor has ended."""


class SettingsError(RedlineError):
    """A settings file cannot be read at all."""


class StoreError(RedlineError):
    """Stored data cannot be read or written."""


class StoreUnusableError(StoreError):
    """The file is damaged, of a newer Redline, or not Redline's; it is not changed."""


class StoreUnavailableError(StoreError):
    """The file cannot be used now: locked, disk full, read-only, or missing."""


class StoreBusyError(StoreUnavailableError):
    """Another program has locked the file; it can be used a moment later."""


class UnreadableFileError(RedlineError):
    """A file cannot be read, or must not be.

    Attributes:
        reason: Why, as the end of a sentence: "it is not a regular file".
    """

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(f"{file} is not read: {reason}.")
        self.reason = reason


class MissingFileError(UnreadableFileError):
    """The file does not exist."""


class IrregularFileError(UnreadableFileError):
    """The path names a folder, a pipe, a device or a socket."""


class LinterError(RedlineError):
    """A linter could not be started or did not finish; the text is not linted."""


class ParserEndedError(RedlineError):
    """A parser process gave no result; the text was not parsed.

    Attributes:
        reason: Why, as the end of a sentence: "it took longer than 10 s".
    """

    def __init__(self, reason: str) -> None:
        super().__init__(f"The text could not be parsed: {reason}.")
        self.reason = reason


class DamagedEncodingError(RedlineError):
    """The token ranks shipped with Redline differ from those of tiktoken."""

    remedy = "Tokens are estimated from bytes; install redline-ls again."


class LocalProtocolError(RedlineError):
    """We broke a protocol: a bug of ours."""


class RemoteProtocolError(RedlineError):
    """The peer broke a protocol."""


class ModelError(RedlineError):
    """A model could not answer.

    Attributes:
        model: The name that the model has in the settings.
        status: HTTP status of the answer, where there was one.
        code: The provider's error code, where there was one.
        retry_after_s: Seconds that the provider asked to wait, where it did.
        may_retry: Whether the provider said that sending the request again helps; None:
            it did not say.
    """

    def __init__(
        self,
        message: str,
        *,
        model: str = "",
        status: int | None = None,
        code: str | None = None,
        retry_after_s: float | None = None,
        may_retry: bool | None = None,
        remedy: str | None = None,
    ) -> None:
        # Redacting here covers every text that leaves `models/`: a message may quote
        # the provider, and the provider may quote the key.
        super().__init__(redact(message), remedy=remedy and redact(remedy))
        self.model = model
        self.status = status
        self.code = code and redact(code)
        self.retry_after_s = retry_after_s
        self.may_retry = may_retry


class KeyMissingError(ModelError):
    """No API key was found where the settings say it is."""


class AuthenticationError(ModelError):
    """The provider refused the key (401)."""

    remedy = "Check the model's key with `redline doctor`."


class AccessRefusedError(ModelError):
    """The server refused access (403): by this key, to this model, or on this path."""

    remedy = "Check the model's key and the path in its `url` with `redline doctor`."


class QuotaExhaustedError(ModelError):
    """The provider's plan, credit or spend limit is used up."""

    remedy = (
        "Check the plan and the credit at the provider, or configure another model for "
        "this tier."
    )


class RateLimitedError(ModelError):
    """The provider limits the rate of requests (429)."""

    remedy = "Wait and try again, or configure another model for this tier."


class ModelUnavailableError(ModelError):
    """The model's server cannot be reached."""

    remedy = "Check the address and the network with `redline doctor`."

    @classmethod
    def closed(cls, title: str) -> Self:
        """Return the error of work that the end of its model's connections ended."""
        return cls(
            f"Model {title} was closed, because the settings have changed.",
            remedy="Ask again; the new settings apply.",
            model=title,
        )


class NoModelError(ModelUnavailableError):
    """No model is configured for work that the built-in rules cannot do."""

    remedy = "Set the key of a provider, or configure a model of your own."


class ModelRejectedError(ModelError):
    """The provider refused the request itself (400, 404, unsupported field)."""

    remedy = "Check the model's name and settings with `redline doctor`."


class PromptTooLongError(ModelRejectedError):
    """The prompt is larger than the model's window, or than its server accepts."""

    remedy = (
        "Choose a smaller range, lower `edit.context_tokens`, or set the model's "
        "`context_tokens` to its window."
    )


class ModelServerError(ModelError):
    """The provider failed while it worked on the request (5xx)."""

    remedy = "Try again; if it lasts, configure another model for this tier."


class ModelCutError(ModelError):
    """The connection ended before the answer was complete."""

    remedy = "Run the edit again."


class ModelStalledError(ModelError):
    """Nothing came from the model for longer than the limit."""

    remedy = "Run the edit again, or raise `limits.stall_s`."


class ResponseLostError(ModelError):
    """The provider does not have a background response, or has deleted it."""

    remedy = "Ask again: the response has expired, or its server was restarted."


class ReplyNotUnderstoodError(ModelError):
    """The model's answer holds no usable text."""

    remedy = "Nothing was changed; run the edit again or rephrase the instruction."


class AnswerUnreadableError(ModelError):
    """The model's answer in a review is not a list of findings."""

    remedy = "Review it again, or name another model for the tier `deep`."


class InsecureEndpointError(ModelError):
    """A plain-text endpoint that is not on loopback."""

    remedy = "Use a wss:// or https:// address."


NO_PROCESSES = "The system starts no more processes or threads for this user."


def is_for_want_of_processes(error: BaseException) -> bool:
    """Whether the system refused to start a process or a thread."""
    if isinstance(error, BaseExceptionGroup):
        return any(map(is_for_want_of_processes, error.exceptions))
    # Python has no class of its own for a thread that is not started.
    is_thread = isinstance(error, RuntimeError) and "start new thread" in str(error)
    return is_thread or isinstance(error, BlockingIOError)
