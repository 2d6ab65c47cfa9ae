"""Every error of ours has a code, a sentence with its remedy, and a cause."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from redline import errors
from redline.lsp.jsonrpc.rpc import ErrorCode, RpcError
from redline.lsp.jsonrpc.rpc_errors import cause, is_internal, rpc_error

CODES = {
    errors.InvalidArgumentsError: ErrorCode.INVALID_PARAMS,
    errors.OutdatedError: ErrorCode.CONTENT_MODIFIED,
}
"""Of all others it is that the request failed."""

INTERNAL = "Redline failed inside; details are in its log."


def tree(kind: type[errors.RedlineError]) -> Iterator[type[errors.RedlineError]]:
    """Yield a class and everything below it in `errors`."""
    if kind.__module__ == errors.__name__:
        yield kind
    for below in kind.__subclasses__():
        yield from tree(below)


def made(kind: type[errors.RedlineError]) -> errors.RedlineError:
    """Make an error of a class."""
    if issubclass(kind, errors.EditorRefusedError):
        return kind("It failed.", code=1)
    if issubclass(kind, errors.UnreadableFileError):
        return kind("It failed.", reason="It cannot be read.")
    return kind("It failed.")


@pytest.mark.parametrize("kind", sorted(set(tree(errors.RedlineError)), key=str))
def test_an_error_of_the_tree_says_what_failed_and_what_to_do(
    kind: type[errors.RedlineError],
) -> None:
    error = made(kind)
    answer = rpc_error(error)
    if issubclass(kind, errors.LocalProtocolError):
        assert (answer.code, answer.message) == (ErrorCode.INTERNAL_ERROR, INTERNAL)
        return
    assert answer.code == CODES.get(kind, ErrorCode.REQUEST_FAILED)
    assert answer.message == f"{error} {kind.remedy}".strip()
    assert answer.data == {"cause": cause(error), "remedy": kind.remedy}


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (errors.KeyMissingError, "key-missing"),
        (errors.EditNotLandedError, "edit-not-landed"),
        (errors.SettingsError, "settings"),
    ],
)
def test_a_cause_is_the_class_in_kebab_case(
    kind: type[errors.RedlineError], name: str
) -> None:
    assert cause(kind("x")) == name


def test_further_details_stand_beside_the_cause() -> None:
    answer = rpc_error(errors.ModelCutError("Cut.", remedy="Retry."), sessionId="s1")
    assert answer.data == {"cause": "model-cut", "remedy": "Retry.", "sessionId": "s1"}


def test_an_answer_that_is_one_already_passes() -> None:
    answer = RpcError(ErrorCode.CONTENT_MODIFIED, "Stale.")
    assert rpc_error(answer) is answer


def test_a_cancel_is_a_cancelled_request() -> None:
    assert rpc_error(asyncio.CancelledError()).code == ErrorCode.REQUEST_CANCELLED


def test_a_bug_says_nothing_of_itself() -> None:
    answer = rpc_error(ValueError("/home/someone"), sessionId="s1")
    assert (answer.code, answer.message) == (ErrorCode.INTERNAL_ERROR, INTERNAL)
    assert answer.data == {"sessionId": "s1"}
    assert is_internal(ValueError())
    # A command adds its session to the answer; the log still gets the traceback.
    answer.__cause__ = ValueError()
    assert is_internal(answer)
    refusal = rpc_error(errors.CallerError("Wrong."))
    refusal.__cause__ = errors.CallerError("Wrong.")
    assert not is_internal(refusal)


def test_a_task_groups_failure_is_what_failed_in_it() -> None:
    cut = errors.ModelCutError("Cut.", remedy="")
    inner = ExceptionGroup("unhandled errors in a TaskGroup", [cut])
    assert rpc_error(ExceptionGroup("outer", [inner])).message == "Cut."
    assert not is_internal(inner)
    mixed = ExceptionGroup("mixed", [cut, ValueError("secret")])
    assert rpc_error(mixed).message == INTERNAL
    assert is_internal(mixed)
