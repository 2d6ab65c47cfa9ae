"""Reads the failures of Node's own test runner, `node --test`.

Node prints a tree and a list of what failed; before version 23 it prints TAP version 13
with YAML blocks where its output is no terminal (https://nodejs.org/api/test.html).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from redline.traces.failure import MAX_FRAMES, ProgramFailure, TraceFrame
from redline.traces.javascript import (
    call_frame,
    read_script_failure,
    script_place,
)

_FAILED = "\u2716"
_LIST = f"{_FAILED} failing tests:"
_NODE = re.compile(r"(?P<indent> *+)(?P<mark>[\u2716\u2714\u25b6]) (?P<title>\S.*+)$")
_TIME = re.compile(r" \(\d[\d.]*+ms\)")
_TEST_AT = re.compile(r"test at (?P<place>\S.*+)$")

_TAP_SUBTEST = re.compile(r"(?P<indent> *+)# Subtest: (?P<name>.*+)$")
_TAP_FAILED = re.compile(r"(?P<indent> *+)not ok \d{1,9} - (?P<name>.*+)$")
_TAP_DIRECTIVE = re.compile(r" # (?:SKIP|TODO)\b.*+$")
_TAP_INDENT = 4
_YAML_KEY = re.compile(r" *+(?P<key>\w++): ?(?P<value>.*+)$")
_IN_PARTS = "subtestsFailed"
_MAX_YAML_LINES = 500


def is_node_test(lines: Sequence[str]) -> bool:
    """Whether Node's test runner has printed failures here."""
    return any(
        line == _LIST or line.lstrip().startswith("failureType: ") for line in lines
    )


def read_node_test(lines: Sequence[str]) -> list[ProgramFailure]:
    """Return the failures that Node's test runner printed, in order."""
    return sorted([*_read_list(lines), *_read_tap(lines)], key=lambda one: one.at)


# The list below the tree.


def _read_list(lines: Sequence[str]) -> Iterator[ProgramFailure]:
    names: dict[str, list[str]] = {}
    is_list = False
    open_suites: list[str] = []
    for at, line in enumerate(lines):
        if line == _LIST:
            is_list = True
        elif not is_list:
            _note_name(line, open_suites, names)
        elif (place := _TEST_AT.match(line)) is not None:
            yield _listed(lines, at, script_place(place["place"]), names)


def _note_name(line: str, open_suites: list[str], names: dict[str, list[str]]) -> None:
    """Record the whole name of a failed test of the tree: the list has its end only."""
    node = _NODE.match(line)
    if node is None:
        return
    name = _TIME.split(node["title"], maxsplit=1)[0]
    del open_suites[len(node["indent"]) // 2 :]
    if node["mark"] == _FAILED:
        names.setdefault(name, []).append(" > ".join([*open_suites, name]))
    else:
        open_suites.append(name)


def _listed(
    lines: Sequence[str],
    at: int,
    place: TraceFrame | None,
    names: Mapping[str, list[str]],
) -> ProgramFailure:
    head = _NODE.match(lines[at + 1]) if at + 1 < len(lines) else None
    name = "" if head is None else _TIME.split(head["title"], maxsplit=1)[0]
    end = at + 2
    while end < len(lines) and (not lines[end] or lines[end].startswith("  ")):
        end += 1
    known = names.get(name)
    test = (known.pop(0) if known else name) or None
    if place is not None and place.path == name:
        # The file of the tests itself: it could not be run.
        test = None
    return _placed(
        read_script_failure("node-test", test, lines[at + 2 : end], at)
        or ProgramFailure(
            kind="node-test", error="", message="", frames=(), test=test, at=at
        ),
        place,
    )


# TAP.


def _read_tap(lines: Sequence[str]) -> Iterator[ProgramFailure]:
    open_tests: list[str] = []
    for at, line in enumerate(lines):
        if (begun := _TAP_SUBTEST.match(line)) is not None:
            del open_tests[len(begun["indent"]) // _TAP_INDENT :]
            open_tests.append(_unescaped(begun["name"]))
        elif (failed := _TAP_FAILED.match(line)) is not None:
            values = _yaml(lines, at + 1)
            if _TAP_DIRECTIVE.search(failed["name"]) or (
                values.get("failureType", _IN_PARTS) == _IN_PARTS
            ):
                continue
            around = open_tests[: len(failed["indent"]) // _TAP_INDENT]
            yield _of_yaml([*around, _unescaped(failed["name"])], values, at)


def _of_yaml(
    names: Sequence[str], values: Mapping[str, str], at: int
) -> ProgramFailure:
    stack = values.get("stack", "").splitlines()
    frames = [found for line in stack if (found := call_frame(f"at {line}"))]
    place = script_place(values.get("location", ""))
    is_file = place is not None and place.path == names[-1]
    return _placed(
        ProgramFailure(
            kind="node-test",
            error=values.get("name", ""),
            message=values.get("error", "").strip(),
            # A stack begins with the innermost call.
            frames=tuple(reversed(frames[:MAX_FRAMES])),
            test=None if is_file else " > ".join(names),
            at=at,
        ),
        place,
    )


def _yaml(lines: Sequence[str], first: int) -> dict[str, str]:
    """Read the texts of the block after a result; other values are left out."""
    values: dict[str, str] = {}
    if first >= len(lines) or lines[first].strip() != "---":
        return values
    indent = len(lines[first]) - len(lines[first].lstrip())
    block = ""
    for line in lines[first + 1 : first + _MAX_YAML_LINES]:
        if line.strip() == "..." and line.startswith(" " * indent + "..."):
            break
        is_inside = line.startswith(" " * (indent + 1)) or not line.strip()
        if block and is_inside:
            values[block] += f"{line[indent + 2 :]}\n"
        elif not is_inside:
            pair = _YAML_KEY.match(line)
            if pair is None:
                # The block has no end; so each line is read once.
                break
            block = pair["key"] if pair["value"] == "|-" else ""
            text = pair["value"].removeprefix("'").removesuffix("'")
            values[pair["key"]] = "" if block else text.replace("''", "'")
    return values


def _unescaped(name: str) -> str:
    return re.sub(r"\\([#\\])", r"\1", name)


def _placed(failure: ProgramFailure, place: TraceFrame | None) -> ProgramFailure:
    """Give a failure the place of its test, if it has no stack."""
    if failure.frames or place is None:
        return failure
    return replace(failure, frames=(place,))
