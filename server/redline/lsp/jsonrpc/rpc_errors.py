"""Translates our errors to JSON-RPC errors for the editor.

The error answer is the only report of a failure, and most editors show only its
message. So the message holds the sentence and its remedy; `data` has the parts for
programs. Only text written for users is sent: no traceback, no path.
"""

from __future__ import annotations

import asyncio
import re

import msgspec

from redline import errors
from redline.lsp.jsonrpc.rpc import ErrorCode, RpcError
from redline.text.markdown import plain_message

_CODES: tuple[tuple[type[errors.RedlineError], ErrorCode], ...] = (
    # The first matching class decides.
    (errors.InvalidArgumentsError, ErrorCode.INVALID_PARAMS),
    (errors.OutdatedError, ErrorCode.CONTENT_MODIFIED),
    (errors.LocalProtocolError, ErrorCode.INTERNAL_ERROR),
    (errors.RedlineError, ErrorCode.REQUEST_FAILED),
)

_INTERNAL = "Redline failed inside; details are in its log."


def rpc_error(error: BaseException, **data: object) -> RpcError:
    """Return the error answer for an exception.

    Args:
        error: What a handler raised.
        **data: Further members of `data`, besides `cause` and `remedy`.
    """
    match _unwrapped(error):
        case RpcError() as answer:
            return answer
        case asyncio.CancelledError():
            return RpcError(ErrorCode.REQUEST_CANCELLED, "The request was cancelled.")
        case errors.RedlineError() as ours if not is_internal(ours):
            message = plain_message(f"{ours} {ours.remedy}".strip())
            details = {
                "cause": cause(ours),
                "remedy": plain_message(ours.remedy),
                **data,
            }
            return RpcError(_code(ours), message, details)
        case _:
            return RpcError(ErrorCode.INTERNAL_ERROR, _INTERNAL, data or None)


def is_internal(error: BaseException) -> bool:
    """Whether it is a bug of ours, to be logged with its traceback."""
    match _unwrapped(error):
        case RpcError() as answer:
            # An answer that a handler made of a bug, to add data to it.
            made_of = answer.__cause__
            is_bug = answer.code == ErrorCode.INTERNAL_ERROR
            return is_bug and made_of is not None and is_internal(made_of)
        case asyncio.CancelledError():
            return False
        case errors.RedlineError() as ours:
            return _code(ours) is ErrorCode.INTERNAL_ERROR
        case _:
            return True


def invalid_params(method: str, error: msgspec.DecodeError) -> RpcError:
    """Return the answer to invalid params, naming the field."""
    # msgspec's text holds types and a path into the params, never a value.
    what = str(error).replace(" - at ", " at ").replace("`$.", "`").rstrip(".")
    return RpcError(ErrorCode.INVALID_PARAMS, f"Wrong parameters for {method}: {what}.")


def method_not_found(method: str) -> RpcError:
    """Return the answer to an unknown method."""
    return RpcError(
        ErrorCode.METHOD_NOT_FOUND, f"Redline does not serve the method {method}."
    )


def kind_of(error: BaseException) -> str:
    """Return what an error is in one word, for the log: its cause, else its code."""
    answer = rpc_error(error)
    details = answer.data if isinstance(answer.data, dict) else {}
    return str(details.get("cause", answer.code))


def cause(error: errors.RedlineError) -> str:
    """Return the class name in kebab case: `KeyMissingError` is `key-missing`."""
    name = type(error).__name__.removesuffix("Error")
    return re.sub(r"(?<=.)(?=[A-Z])", "-", name).lower()


def _code(error: errors.RedlineError) -> ErrorCode:
    return next(code for kind, code in _CODES if isinstance(error, kind))


def _unwrapped(error: BaseException) -> BaseException:
    """Return the failure inside a task group if it is one of ours, else the group."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    leaves = [_unwrapped(leaf) for leaf in error.exceptions]
    known = (errors.RedlineError, RpcError)
    return leaves[0] if all(isinstance(leaf, known) for leaf in leaves) else error
