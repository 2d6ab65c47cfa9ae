"""A plan as a Markdown document that the user edits, and the way back.

One heading a step, its facts as a list, its instruction as text below, and all
contracts in one fenced block. What is written is read back as the same plan; what
cannot be read is a problem at its line, and nothing of the document is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import get_args

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from redline.plans.plan import Contract, Plan, PlanStep, StepKind
from redline.printable import printable, printable_line

_TITLE = "# Plan"
_HEAD = re.compile(rf"{_TITLE}(?: (?P<revision>[1-9][0-9]{{0,5}}))?")
_SECTIONS = ("Questions", "Assumptions", "Tests", "Contracts")
_KINDS: tuple[StepKind, ...] = get_args(StepKind)
_PLAIN = re.compile(r"[^\s,\"`·\[\]#-][^\s,\"`·]*")
_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s,"`·]+')
_BOX = re.compile(r"- \[(?P<mark>[ xX])\] (?P<kind>\w+)\s*")
_FACT = re.compile(r"- (?P<key>quote|reads|gives|uses|after|to): (?P<value>.*)")
_MARKED = re.compile(r"\\*(?:#|- |`{3}|~{3})")
_ESCAPED = re.compile(r"\\+(?:#|- |`{3}|~{3})")
_PLAIN_WORD = re.compile(r"(?<!\w)[a-z]{2,20}(?!\w)")
_N_NAME_WORDS = 6
_FENCE = re.compile(r"`{3,}")


_LIVE = re.compile(
    r"(?<=!)\\*(?=\[)"
    r"|(?<=\])\\*(?=\((?!<?https?://))"
    r"|(?<!\\)\\*(?=<(?:\s*(?!https?:)[a-z][\w+.-]*:(?!:)|/?[a-z]\w*(?:\s+[\w-]+\s*=|\s*/>)"
    r"|/?(?:script|style|iframe|object|embed|svg)\b))"
    r"|^(?P<depth>[ >*+-]{0,12})\\*(?=\[[^\]\n]+\]:)",
    re.IGNORECASE | re.MULTILINE,
)
"""Where Markdown begins an image, a link that is not to a web page, or a tag: a model
has written it, and an editor may load it or run a command. A backslash breaks it."""

_LIVE_IN_QUOTES = re.compile(
    r"!\\*\[|\]\\*\(|<(?=/?[a-z])|[\x85\u2028\u2029]", re.IGNORECASE
)
"""The same in a text in quotation marks, where backslashes come in pairs; and what ends
a line, but not in JSON."""


class DocumentProblem(Struct, frozen=True, kw_only=True):
    """A place of the document that cannot be read."""

    line: int
    """From 0."""
    message: str
    """A sentence."""


class PlanDocument(Struct, frozen=True, kw_only=True):
    """A document as it was read."""

    plan: Plan
    """What could be read of it; not to be carried out if there are problems."""
    problems: tuple[DocumentProblem, ...] = ()
    revision: int = 1
    """Which time it was planned: an open document may be of an earlier one."""
    step_lines: tuple[tuple[str, int], ...] = ()
    """The id of each step, and the line of its heading."""


def write_document(plan: Plan, revision: int = 1) -> str:
    """Write a plan. Texts are normalized: see `normal`."""
    plan = normal(plan)
    title = _TITLE if revision == 1 else f"{_TITLE} {revision}"
    parts = [f"{title}\n", _escaped(plan.summary)]
    parts += _list("Questions", [_inert(one) for one in plan.questions])
    parts += _list("Assumptions", [_inert(one) for one in plan.assumptions])
    parts += _list("Tests", [_word(path) for path in plan.tests])
    if plan.contracts:
        body = "\n".join(map(_contract, plan.contracts))
        runs = _FENCE.findall(body)
        fence = "`" * max(3, 1 + max(map(len, runs), default=0))
        parts.append(f"## Contracts\n\n{fence}\n{body}\n{fence}\n")
    parts += [_step(step) for step in plan.steps]
    return "\n".join(part if part.endswith("\n") else f"{part}\n" for part in parts)


def read_document(text: str) -> PlanDocument:
    """Read a document that a user may have edited; never raises."""
    return _Reader(text).read()


def document_name(instruction: str, plan_id: str) -> str:
    """Return the file name of a plan: first words of its instruction, and its id."""
    first = next(iter(instruction.split("\n")), "")
    words = _PLAIN_WORD.findall(first.lower())[:_N_NAME_WORDS]
    return "-".join([*words, f"{plan_id}.md"])


def plan_id_of(file_name: str) -> str:
    return file_name.removesuffix(".md").rpartition("-")[2]


def normal(plan: Plan) -> Plan:
    """Return a plan with texts as a document can hold them.

    Sentences and names are on one line; longer texts have no blanks at the ends of
    their lines, and no blank lines around them. Control characters become a mark.
    """
    return replace(
        plan,
        summary=_text(plan.summary),
        assumptions=_each(printable_line, plan.assumptions),
        questions=_each(printable_line, plan.questions),
        tests=_each(_line, plan.tests),
        contracts=tuple(
            replace(
                one,
                name=_line(one.name),
                file=_line(one.file),
                signature=_text(one.signature),
                raises=_each(_line, one.raises),
            )
            for one in plan.contracts
        ),
        steps=tuple(map(_normal_step, plan.steps)),
    )


def _normal_step(step: PlanStep) -> PlanStep:
    return replace(
        step,
        id=_line(step.id),
        file=_line(step.file),
        symbol=_line(step.symbol),
        to=_line(step.to),
        quote=step.quote,
        instruction=_text(step.instruction),
        reads=_each(_line, step.reads),
        gives=_each(_line, step.gives),
        uses=_each(_line, step.uses),
        after=_each(_line, step.after),
    )


def _each(change: Callable[[str], str], texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(changed for text in texts if (changed := change(text)))


def _line(text: str) -> str:
    return " ".join(text.split())


def _text(text: str) -> str:
    lines = [printable(line).rstrip() for line in text.splitlines()]
    while lines and not lines[0]:
        del lines[0]
    while lines and not lines[-1]:
        del lines[-1]
    return "\n".join(lines)


# Writing.


def _list(title: str, entries: Sequence[str]) -> list[str]:
    if not entries:
        return []
    return [f"## {title}\n\n" + "".join(f"- {entry}\n" for entry in entries)]


def _step(step: PlanStep) -> str:
    names = [_word(step.id), _word(step.file)]
    if step.symbol:
        names.append(_word(step.symbol))
    facts = [f"- [{' ' if step.is_left_out else 'x'}] {step.kind}"]
    if step.to:
        facts.append(f"- to: {_word(step.to)}")
    if step.quote:
        facts.append(f"- quote: {_json(step.quote)}")
    facts += [
        f"- {key}: {', '.join(map(_word, values))}"
        for key, values in (
            ("reads", step.reads),
            ("gives", step.gives),
            ("uses", step.uses),
            ("after", step.after),
        )
        if values
    ]
    lines = [f"## {' · '.join(names)}", "", *facts]
    if step.instruction:
        lines += ["", _escaped(step.instruction)]
    return "\n".join(lines)


def _contract(contract: Contract) -> str:
    head = f"{_word(contract.name)} in {_word(contract.file)}"
    if contract.raises:
        head += f" raises {', '.join(map(_word, contract.raises))}"
    lines = contract.signature.split("\n") if contract.signature else []
    return "\n".join([head, *(f"    {line}" for line in lines)])


def _word(name: str) -> str:
    """Write a name so that it is read back as one."""
    is_plain = _PLAIN.fullmatch(name) and name not in ("in", "raises", *_SECTIONS)
    return name if is_plain and not _LIVE.search(name) else _json(name)


def _json(text: str) -> str:
    written = msgspec.json.encode(text).decode()
    # A sign as a number is read back by itself.
    return _LIVE_IN_QUOTES.sub(
        lambda place: f"{place[0][:-1]}\\u{ord(place[0][-1]):04x}", written
    )


def _escaped(text: str) -> str:
    """Mark lines that would be read as a heading, a list or a fence, and what would be
    live Markdown."""
    return "\n".join(
        f"\\{line}" if _MARKED.match(line) else line
        for line in _inert(text).split("\n")
    )


def _inert(text: str) -> str:
    """Put a backslash at what is live, and double those that are there: each two of
    them are one that breaks nothing."""

    def broken(place: re.Match[str]) -> str:
        before = place[0].rstrip("\\")
        return before + "\\" * (2 * (len(place[0]) - len(before)) + 1)

    return _LIVE.sub(broken, text)


def _with_live(text: str) -> str:
    """Return a text as it was before `_inert`."""

    def whole(place: re.Match[str]) -> str:
        before = place[0].rstrip("\\")
        n_signs = len(place[0]) - len(before)
        return before + "\\" * (n_signs // 2) if n_signs % 2 else place[0]

    return _LIVE.sub(whole, text)


# Reading.


class _Reader:
    def __init__(self, text: str) -> None:
        self._lines = [line.rstrip() for line in text.splitlines()]
        self._problems: list[DocumentProblem] = []
        self._at = 0
        self._revision = 1
        self._step_lines: list[tuple[str, int]] = []

    def read(self) -> PlanDocument:
        plan = Plan(summary=self._summary())
        steps: list[PlanStep] = []
        while self._at < len(self._lines):
            heading = self._lines[self._at].removeprefix("## ").strip()
            if heading in _SECTIONS:
                plan = self._section(plan, heading)
            elif (step := self._step(heading)) is not None:
                steps.append(step)
        return PlanDocument(
            plan=replace(plan, steps=tuple(steps)),
            problems=tuple(sorted(self._problems, key=lambda one: one.line)),
            revision=self._revision,
            step_lines=tuple(self._step_lines),
        )

    def _problem(self, message: str, line: int) -> None:
        self._problems.append(DocumentProblem(line=line, message=message))

    def _summary(self) -> str:
        head = _HEAD.fullmatch(self._lines[0]) if self._lines else None
        if head is None:
            self._problem(f"The document does not begin with `{_TITLE}`.", 0)
        else:
            self._at = 1
            self._revision = int(head["revision"] or 1)
        return _unescaped(line for _, line in self._body())

    def _body(self) -> list[tuple[int, str]]:
        """Take the lines up to the next heading; fenced text holds none."""
        found: list[tuple[int, str]] = []
        fence = ""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            run = _FENCE.match(line)
            if fence:
                if line.startswith(fence) and not line.strip("`"):
                    fence = ""
            elif run is not None:
                fence = run[0]
            elif line.startswith("## "):
                break
            elif line.startswith("#"):
                self._problem(
                    f"This heading is neither `{_TITLE}` nor that of a step.", self._at
                )
            found.append((self._at, line))
            self._at += 1
        if fence:
            self._problem("This block has no end.", found[-1][0])
        return found

    def _section(self, plan: Plan, heading: str) -> Plan:
        line = self._at
        self._at += 1
        body = self._body()
        if heading == "Contracts":
            return replace(plan, contracts=plan.contracts + self._contracts(body, line))
        entries = tuple(self._entries(body))
        match heading:
            case "Questions":
                return replace(plan, questions=plan.questions + entries)
            case "Assumptions":
                return replace(plan, assumptions=plan.assumptions + entries)
        paths = tuple(one for entry in entries for one in self._words(entry, line))
        return replace(plan, tests=plan.tests + paths)

    def _entries(self, body: Sequence[tuple[int, str]]) -> Iterator[str]:
        for number, line in body:
            if line.startswith("- ") and (entry := _line(line[2:])):
                yield _with_live(entry)
            elif line.strip():
                self._problem("This is not an entry of the list: `- text`.", number)

    def _contracts(
        self, body: Sequence[tuple[int, str]], heading_line: int
    ) -> tuple[Contract, ...]:
        written = [(n, line) for n, line in body if line.strip()]
        if not written:
            return ()
        fence = _FENCE.match(written[0][1])
        if fence is None or len(written) < 2 or written[-1][1] != fence[0]:
            self._problem("The contracts are not in one fenced block.", heading_line)
            return ()
        contracts: list[Contract] = []
        first, last = written[0][0], written[-1][0]
        for number, line in body:
            if not first < number < last:
                continue
            if line.startswith("    ") or not line:
                if contracts:
                    old = contracts[-1].signature
                    more = line[4:]
                    signature = f"{old}\n{more}" if old else more
                    contracts[-1] = replace(contracts[-1], signature=signature)
            elif (contract := self._contract_head(line, number)) is not None:
                contracts.append(contract)
        return tuple(replace(one, signature=_text(one.signature)) for one in contracts)

    def _contract_head(self, line: str, number: int) -> Contract | None:
        words = _WORD.findall(line)
        if (
            len(words) < 3
            or words[1] != "in"
            or (len(words) > 3) != ("raises" in words[3:4])
        ):
            self._problem(
                "This is not the head of a contract: `NAME in FILE raises ERROR`.",
                number,
            )
            return None
        return Contract(
            name=self._plain(words[0], number),
            file=self._plain(words[2], number),
            signature="",
            raises=tuple(self._plain(word, number) for word in words[4:]),
        )

    def _step(self, heading: str) -> PlanStep | None:
        line = self._at
        names = self._words(heading, line)
        self._at += 1
        body = self._body()
        if len(names) not in (2, 3):
            self._problem(
                "This heading is not that of a step: `## ID · FILE · DEFINITION`.", line
            )
            return None
        step = PlanStep(
            id=names[0],
            file=names[1],
            symbol=names[2] if len(names) > 2 else "",
            instruction="",
        )
        self._step_lines.append((step.id, line))
        return self._facts(step, body, line)

    def _facts(
        self, step: PlanStep, body: Sequence[tuple[int, str]], heading_line: int
    ) -> PlanStep:
        text: list[str] = []
        has_box = False
        for number, line in body:
            is_fact = line.startswith("- ") and not any(text)
            if not is_fact:
                text.append(line)
            elif (box := _BOX.fullmatch(line)) is not None and not has_box:
                has_box = True
                step = self._boxed(step, box, number)
            elif (fact := _FACT.fullmatch(line)) is not None:
                step = self._with_fact(step, fact["key"], fact["value"], number)
            else:
                self._problem(
                    "This is not a fact of a step: quote, reads, gives, uses, after "
                    "or to.",
                    number,
                )
        if not has_box:
            self._problem("The step has no check box: `- [x] edit`.", heading_line)
        return replace(step, instruction=_unescaped(text))

    def _boxed(self, step: PlanStep, box: re.Match[str], line: int) -> PlanStep:
        kind = next((one for one in _KINDS if one == box["kind"]), None)
        if kind is None:
            known = ", ".join(_KINDS)
            self._problem(f"A step is one of {known}, not {box['kind']}.", line)
        return replace(step, kind=kind or "edit", is_left_out=box["mark"] == " ")

    def _with_fact(self, step: PlanStep, key: str, value: str, line: int) -> PlanStep:
        match key:
            case "quote":
                return replace(step, quote=self._plain(value.strip(), line))
            case "to":
                words = self._words(value, line)
                return replace(step, to=words[0] if words else "")
            case "reads":
                return replace(step, reads=self._words(value, line))
            case "gives":
                return replace(step, gives=self._words(value, line))
            case "uses":
                return replace(step, uses=self._words(value, line))
        return replace(step, after=self._words(value, line))

    def _words(self, text: str, line: int) -> tuple[str, ...]:
        rest = _WORD.sub("", text)
        if rest.strip(" ,·\t"):
            self._problem("A name is not closed by a quotation mark.", line)
        return tuple(self._plain(word, line) for word in _WORD.findall(text))

    def _plain(self, word: str, line: int) -> str:
        """Read a name that may be written as a JSON string."""
        if not word.startswith('"'):
            return word
        try:
            return msgspec.json.decode(word, type=str)
        except msgspec.DecodeError:
            self._problem("A text in quotation marks cannot be read.", line)
            return ""


def _unescaped(lines: Iterable[str]) -> str:
    marked = "\n".join(line[1:] if _ESCAPED.match(line) else line for line in lines)
    return _text(_with_live(marked))
