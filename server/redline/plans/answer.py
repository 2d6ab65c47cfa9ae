"""Reads a planner's answer: JSON in the form of `prompts/plan_prompt.py`.

Nothing is guessed: an answer that cannot be read is a sentence for the planner, which
gets it back once.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from redline.plans.plan import Contract, Plan, PlanStep, StepKind

MAX_ANSWER_CHARS = 400_000


class UnreadableAnswer(Struct, frozen=True, kw_only=True):
    """An answer that is no plan."""

    reason: str
    """A sentence."""


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


_DECODER = msgspec.json.Decoder(_Answer)


def read_answer(text: str) -> Plan | UnreadableAnswer:
    """Read a plan; a code fence or a sentence around it does not matter."""
    if len(text) > MAX_ANSWER_CHARS:
        return UnreadableAnswer(
            reason=f"It is longer than {MAX_ANSWER_CHARS:,} characters."
        )
    first, last = text.find("{"), text.rfind("}")
    if first < 0 or last < first:
        return UnreadableAnswer(reason="It holds no JSON object.")
    try:
        answer = _DECODER.decode(text[first : last + 1].encode("utf-8", "replace"))
    except msgspec.DecodeError as error:
        return UnreadableAnswer(reason=f"It is not the JSON of a plan: {error}.")
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
