"""Decides which claims are shown: those that quote reviewed lines correctly.

A claim is dropped, with the reason, if it lacks a field, is about an unknown file,
quotes text that is not in the file or lines that are not reviewed, repeats an earlier
claim, is about style, or was dismissed before. Severity and category are mapped to the
fixed lists, whatever the model wrote.

The identity of a finding is the file, the kind of fault, and the quoted lines. Blank
lines and blanks around a line do not count, so the identity stays the same when lines
move or are indented differently. Equal places in a file have different identities.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256

from msgspec import Struct, field

from redline.findings.confidence import assess_quote
from redline.findings.finding import (
    Claim,
    Dismissal,
    Dropped,
    DropReason,
    Finding,
)
from redline.findings.quote import Located, locate, places
from redline.findings.scope import ReviewedFile, ReviewScope, n_common
from redline.findings.wording import (
    category_of,
    clean_explanation,
    clean_title,
    is_style,
    severity_of,
)
from redline.text.lines import split_lines, strip_end

_SIMILAR = 0.6
"""Two titles about the same lines mean the same, whatever their categories, if they
share at least this share of their words."""

_SHORT_N_LINES = 5
"""Most lines that the prompt asks models to quote. Two such quotes are one place if
they share a line, longer ones if they share half of the longer."""

_NEAR_N_LINES = 2
"""Claims of one category with similar titles are the same up to this distance."""

_WORD = re.compile(r"\w{3,}")
_LINE_NUMBER = re.compile(r":\d+(?:[:-]\d+)?$")

_N_DIGITS = 16
"""64 bits: a million findings hold a chance collision once in 40 million cases."""


class _File(Struct, kw_only=True):
    """A file of the scope, and the findings in it so far."""

    file: ReviewedFile
    lines: list[str]
    """The lines without their ends."""
    shown: list[Finding] = field(default_factory=list)
    dismissed: list[tuple[range, Dismissal]] = field(default_factory=list)
    """The places of dismissed findings."""


class ClaimJudge:
    """Judges the claims of one review, in order.

    The same claims in the same order give the same findings, ids included, so reading
    an answer again after a restart changes nothing.
    """

    def __init__(
        self,
        scope: ReviewScope,
        *,
        review_id: str,
        dismissed: Iterable[Dismissal] = (),
        trusts_rules: bool = False,
    ) -> None:
        """Locate the dismissed findings in the texts.

        Args:
            scope: The texts, and which of their lines are reviewed.
            review_id: The review that the findings belong to.
            dismissed: Findings that must not be shown again.
            trusts_rules: Whether the answers come from the built-in rules, so that a
                claim's rule can be trusted.
        """
        self._review_id = review_id
        self._trusts_rules = trusts_rules
        self._files = {file.path: _file(file) for file in scope.files}
        for dismissal in dismissed:
            if dismissal.file in self._files:
                _note_dismissal(self._files[dismissal.file], dismissal)

    def judge(self, claim: Claim) -> Finding | Dropped:
        """Decide on one claim, whose secrets the caller has put back."""
        missing = [
            name
            for name in ("file", "quote", "title", "explanation")
            if not getattr(claim, name).strip()
        ]
        if missing:
            return _dropped(
                claim, "incomplete", f"It has no {' and no '.join(missing)}."
            )
        file = self._find_file(claim.file)
        if file is None:
            return _dropped(claim, "unknown-file", "The file is not under review.")
        rule = claim.rule if self._trusts_rules else None
        if rule is None and is_style(
            category=claim.category, title=claim.title, explanation=claim.explanation
        ):
            return _dropped(claim, "style", "It is about how the code looks.")
        return self._judge_place(claim, file, rule)

    def is_dismissed(self, finding: Finding) -> bool:
        """Whether a finding of an earlier review of the same text was dismissed."""
        file = self._files.get(finding.file)
        return file is not None and _dismissal_of(finding, file) is not None

    def _judge_place(
        self, claim: Claim, file: _File, rule: str | None
    ) -> Finding | Dropped:
        located = _locate(claim, file)
        if located is None:
            return _dropped(claim, "not-found", "What it quotes is not in the file.")
        spans = [one for one in located.spans if n_common(file.file.spans, one)]
        if not spans:
            lines = _numbers(located.spans[0])
            return _dropped(claim, "out-of-scope", f"It is about {lines}.")
        if len(spans) > 1:
            spans = _named(claim, spans, file.lines) or spans
        finding = self._finding(
            claim, file, Located(spans=tuple(spans), likeness=located.likeness), rule
        )
        for earlier in file.shown:
            if _is_same(earlier, finding):
                return _dropped(claim, "duplicate", f"The same as “{earlier.title}”.")
        dismissal = _dismissal_of(finding, file)
        if dismissal is not None:
            reason = f": {dismissal.reason}" if dismissal.reason else ""
            return _dropped(claim, "dismissed", f"It was dismissed before{reason}.")
        file.shown.append(finding)
        return finding

    def _find_file(self, written: str) -> _File | None:
        """Find a file by a model's name for it: its path, the path's end, or a longer
        path."""
        name = _LINE_NUMBER.sub("", written.strip().strip("`\"'")).replace("\\", "/")
        name = name.removeprefix("./")
        for one in (
            name,
            *(name[2:] for side in ("a/", "b/") if name.startswith(side)),
        ):
            if one in self._files:
                return self._files[one]
        ends = [
            file
            for path, file in self._files.items()
            if path.endswith(f"/{name}") or name.endswith(f"/{path}")
        ]
        return ends[0] if len(ends) == 1 else None

    def _finding(
        self, claim: Claim, file: _File, located: Located, rule: str | None
    ) -> Finding:
        span = located.spans[0]
        quote = "\n".join(file.lines[span.start : span.stop])
        title = clean_title(claim.title)
        category = category_of(claim.category)
        fault = fingerprint(
            file=file.file.path,
            code=category if rule is None else f"{rule} {title}",
            quote=quote,
            occurrence=places(quote, file.lines).index(span),
        )
        assessment = assess_quote(
            located.likeness, n_places=len(located.spans), rule=rule
        )
        return Finding(
            id=finding_id(self._review_id, fault),
            review_id=self._review_id,
            file=file.file.path,
            uri=file.file.uri,
            fingerprint=fault,
            first_line=span.start,
            end_line=span.stop,
            quote=quote,
            severity=severity_of(claim.severity),
            category=category,
            title=title,
            explanation=clean_explanation(claim.explanation),
            rule=rule,
            is_place_sure=rule is not None
            or len(located.spans) == 1
            or (claim.line is not None and claim.line - 1 in span),
            confidence=assessment.confidence,
            evidence=assessment.evidence,
        )


def _file(file: ReviewedFile) -> _File:
    return _File(file=file, lines=[strip_end(line) for line in split_lines(file.text)])


def _note_dismissal(file: _File, dismissal: Dismissal) -> None:
    """Locate a dismissed finding; among equal places, choose the dismissed one."""
    spans = places(dismissal.quote, file.lines)
    # A linter's fingerprint includes its rule, which a dismissal does not store.
    meant = [
        span
        for n, span in enumerate(spans)
        if dismissal.fingerprint
        == fingerprint(
            file=dismissal.file,
            code=dismissal.category,
            quote=dismissal.quote,
            occurrence=n,
        )
    ]
    file.dismissed += [(span, dismissal) for span in meant]
    file.dismissed.append((range(0), dismissal))


def _locate(claim: Claim, file: _File) -> Located | None:
    if not any(char.isalnum() for char in claim.quote):
        return None
    hint = None if claim.line is None else claim.line - 1
    return locate(claim.quote, file.lines, hint=hint)


def _named(claim: Claim, spans: Sequence[range], lines: Sequence[str]) -> list[range]:
    """Return the place inside of what a claim names, such as a function; none if there
    is no such place, or several."""
    said = set(_WORD.findall(f"{claim.title} {claim.explanation}"))
    around = [_words_around(span, lines) & said for span in spans]
    common = set.intersection(*around)
    named = [span for span, words in zip(spans, around, strict=True) if words - common]
    return named if len(named) == 1 else []


def _words_around(span: range, lines: Sequence[str]) -> set[str]:
    """Return the words of the lines that the blocks around some lines begin with."""
    words: set[str] = set()
    depth = _depth(lines[span.start])
    for number in range(span.start - 1, -1, -1):
        found = _WORD.findall(lines[number])
        if found and _depth(lines[number]) < depth:
            depth = _depth(lines[number])
            words.update(found)
    return words


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_same(earlier: Finding, finding: Finding) -> bool:
    """Whether two findings report the same fault in the same place."""
    one, other = _span(earlier), _span(finding)
    if earlier.rule is not None and finding.rule is not None:
        said = (earlier.rule, earlier.title) == (finding.rule, finding.title)
        return said and _n_shared(one, other) > 0
    is_similar = _are_similar(earlier.title, finding.title)
    if earlier.category == finding.category:
        return _is_same_place(one, other) or (is_similar and _are_near(one, other))
    return is_similar and _n_shared(one, other) > 0


def _dismissal_of(finding: Finding, file: _File) -> Dismissal | None:
    """Return the dismissal of a finding; None: it was not dismissed."""
    for span, dismissal in file.dismissed:
        if _is_dismissed(finding, span, dismissal):
            return dismissal
    return None


def _is_dismissed(finding: Finding, span: range, dismissal: Dismissal) -> bool:
    if finding.fingerprint == dismissal.fingerprint:
        return True
    return finding.category == dismissal.category and _is_same_place(
        span, _span(finding)
    )


def _span(finding: Finding) -> range:
    return range(finding.first_line, finding.end_line)


def _is_same_place(one: range, other: range) -> bool:
    """Whether two quotes are one place; a quote of a whole function does not cover all
    faults in its lines."""
    longest = max(len(one), len(other))
    n_needed = 1 if longest <= _SHORT_N_LINES else longest / 2
    return _n_shared(one, other) >= n_needed


def _are_near(one: range, other: range) -> bool:
    return (
        one.start < other.stop + _NEAR_N_LINES
        and other.start < one.stop + _NEAR_N_LINES
    )


def _n_shared(one: range, other: range) -> int:
    return max(min(one.stop, other.stop) - max(one.start, other.start), 0)


def _are_similar(one: str, other: str) -> bool:
    words, others = (set(_WORD.findall(text.lower())) for text in (one, other))
    return len(words & others) >= _SIMILAR * max(len(words | others), 1)


def _dropped(claim: Claim, reason: DropReason, detail: str) -> Dropped:
    return Dropped(claim=claim, reason=reason, detail=detail)


def _numbers(span: Sequence[int]) -> str:
    first, last = span[0] + 1, span[-1] + 1
    what = f"line {first}" if first == last else f"lines {first} to {last}"
    return f"{what}, which {'is' if first == last else 'are'} not under review"


def fingerprint(*, file: str, code: str, quote: str, occurrence: int = 0) -> str:
    """Hash a fault.

    Args:
        file: Path, with `/`.
        code: The kind of fault: the category, or the linter's rule and its message.
        quote: The quoted lines.
        occurrence: The number of equal places before it in the file.

    Returns:
        16 hexadecimal digits.
    """
    lines = [line.strip() for line in quote.split("\n") if line.strip()]
    return _digest(file, code, "\n".join(lines), str(occurrence))


def finding_id(review_id: str, fault: str) -> str:
    """Return an id that is unique in the workspace: one fault in one review."""
    return _digest(review_id, fault)


def _digest(*parts: str) -> str:
    joined = "\0".join(parts).encode("utf-8", "surrogatepass")
    return sha256(joined).hexdigest()[:_N_DIGITS]
