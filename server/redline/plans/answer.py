"""Reads a planner's answer: JSON in the form of `prompts/plan_prompt.py`.

Nothing is guessed: an answer that cannot be read is a sentence for the planner, which
gets it back once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar  # Any: JSON.

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from redline.plans.plan import Contract, Plan, PlanStep, StepKind
from redline.plans.record import Evidence

MAX_ANSWER_CHARS = 400_000

_A = TypeVar("_A")
_MAX_EVIDENCE = 20
_CONFIDENCES = ("high", "medium", "low")
MAX_ANSWER_STEPS = 200
"""Most steps that are read; a plan has the first of them."""


class UnreadableAnswer(Struct, frozen=True, kw_only=True):
    """An answer that is no plan."""

    reason: str
    """A sentence."""


class Diagnosis(Struct, frozen=True, kw_only=True):
    """The cause of a failure, as the model gives it."""

    cause: str
    evidence: tuple[Evidence, ...]
    confidence: str
    has_steps: bool
    """Whether the answer has a fix, which `read_answer` reads."""

    def with_evidence(self, evidence: tuple[Evidence, ...]) -> Diagnosis:
        return replace(self, evidence=evidence)


class _Evidence(Struct, frozen=True):
    file: str
    quote: str


class _Diagnosis(Struct, frozen=True):
    cause: str
    evidence: tuple[_Evidence, ...] | None = None
    confidence: str | None = None
    steps: tuple[Any, ...] | None = None


class _Where(Struct, frozen=True):
    symbol: str | None = None


class _Step(Struct, frozen=True):
    id: str
    file: str
    do: StepKind
    instruction: str = ""
    where: _Where | None = None
    quote: str | None = None
    to: str | None = None
    reads: tuple[str, ...] | None = None
    gives: tuple[str, ...] | None = None
    uses: tuple[str, ...] | None = None
    after: tuple[str, ...] | None = None


class _Contract(Struct, frozen=True):
    name: str
    file: str
    signature: str
    raises: tuple[str, ...] | None = None


class _Answer(Struct, frozen=True):
    summary: str
    steps: tuple[_Step, ...]
    assumptions: tuple[str, ...] | None = None
    questions: tuple[str, ...] | None = None
    contracts: tuple[_Contract, ...] | None = None
    tests: tuple[str, ...] | None = None


def read_answer(
    text: str,
    *,
    as_code: Callable[[str], str] = str,
    as_prose: Callable[[str], str] = str,
) -> Plan | UnreadableAnswer:
    """Read a plan; a code fence or a sentence around it does not matter.

    Args:
        text: The answer.
        as_code: Rewrites what is compared with the files: the quotes.
        as_prose: Rewrites everything else, which is shown, stored and sent.
    """
    answer = _converted(text, _Answer, as_code, as_prose)
    if isinstance(answer, UnreadableAnswer):
        return answer
    if len(answer.steps) > MAX_ANSWER_STEPS:
        return UnreadableAnswer(reason=f"It has more than {MAX_ANSWER_STEPS} steps.")
    return Plan(
        summary=answer.summary.strip(),
        assumptions=_sentences(answer.assumptions),
        questions=_sentences(answer.questions),
        contracts=tuple(
            Contract(
                name=one.name.strip(),
                file=one.file.strip(),
                signature=_lines(one.signature),
                raises=_names(one.raises),
            )
            for one in answer.contracts or ()
        ),
        steps=tuple(map(_step, answer.steps)),
        tests=_names(answer.tests),
    )


def read_diagnosis(
    text: str,
    *,
    as_code: Callable[[str], str] = str,
    as_prose: Callable[[str], str] = str,
) -> Diagnosis | UnreadableAnswer:
    """Read the cause in the answer of a debug; see `read_answer`."""
    answer = _converted(text, _Diagnosis, as_code, as_prose)
    if isinstance(answer, UnreadableAnswer):
        return answer
    cause = " ".join(answer.cause.split())
    if not cause:
        return UnreadableAnswer(reason="It gives no cause.")
    confidence = (answer.confidence or "").strip().lower()
    return Diagnosis(
        cause=cause,
        evidence=tuple(
            Evidence(file=one.file.strip(), quote=_lines(one.quote))
            for one in (answer.evidence or ())[:_MAX_EVIDENCE]
        ),
        confidence=confidence if confidence in _CONFIDENCES else "low",
        has_steps=bool(answer.steps),
    )


def _converted(
    text: str,
    kind: type[_A],
    as_code: Callable[[str], str],
    as_prose: Callable[[str], str],
) -> _A | UnreadableAnswer:
    if len(text) > MAX_ANSWER_CHARS:
        return UnreadableAnswer(
            reason=f"It is longer than {MAX_ANSWER_CHARS:,} characters."
        )
    first, last = text.find("{"), text.rfind("}")
    if first < 0 or last < first:
        return UnreadableAnswer(reason="It holds no JSON object.")
    try:
        content = msgspec.json.decode(text[first : last + 1].encode("utf-8", "replace"))
        return msgspec.convert(_rewritten(content, as_code, as_prose), kind)
    except (msgspec.DecodeError, RecursionError) as error:
        return UnreadableAnswer(reason=f"It is not JSON of the form: {error}.")


def _rewritten(
    content: Any,
    as_code: Callable[[str], str],
    as_prose: Callable[[str], str],
    *,
    is_quote: bool = False,
) -> Any:
    """Rewrite all texts of an answer, but not its keys."""
    match content:
        case str():
            return as_code(content) if is_quote else as_prose(content)
        case list():
            return [_rewritten(one, as_code, as_prose) for one in content]
        case dict():
            return {
                key: _rewritten(value, as_code, as_prose, is_quote=key == "quote")
                for key, value in content.items()
            }
        case _:
            return content


def _step(step: _Step) -> PlanStep:
    symbol = step.where.symbol if step.where is not None else None
    return PlanStep(
        id=step.id.strip(),
        file=step.file.strip(),
        kind=step.do,
        symbol=(symbol or "").strip(),
        quote=_lines(step.quote or ""),
        to=(step.to or "").strip() if step.do == "rename" else "",
        instruction=_lines(step.instruction),
        reads=_names(step.reads),
        gives=_names(step.gives),
        uses=_names(step.uses),
        after=_names(step.after),
    )


def _lines(text: str) -> str:
    """Give a text LF line ends, without blank lines around it."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").rstrip().split("\n")
    while lines and not lines[0].strip():
        del lines[0]
    return "\n".join(line.rstrip() for line in lines)


def _sentences(texts: tuple[str, ...] | None) -> tuple[str, ...]:
    return tuple(words for text in texts or () if (words := " ".join(text.split())))


def _names(texts: tuple[str, ...] | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for text in texts or () if (one := text.strip())))
