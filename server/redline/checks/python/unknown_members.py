"""`phantom-member` in Python: calls of methods that nothing has.

For values whose type is not known. A name is reported if the edit introduces it as a
call, neither the standard library nor the workspace has it, and the value cannot come
from another package.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import without_text
from redline.checks.names.value_origins import ValueOrigins
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles
from redline.checks.python.standard_types import known_words
from redline.text.whole_words import has_word

_CALL = re.compile(r"(?:(?<=[\w)\]}\"'])|(?m:^)[ \t]++)\.(?P<name>[a-z]\w+)(?=\()")
_SOURCES = (".py", ".pyi")
_ANY_MEMBER = ("hasattr", "getattr", "setattr", "__getattr__", "AttributeError")
"""Signs of a file whose values have members that are not written."""
_TEST = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.py$")


def check_unknown_members(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report calls of names that neither a library nor the workspace has."""
    if not candidate.is_python or project is None or not any(project.folders_above):
        return
    text = candidate.text_after
    # The parameters of tests are fixtures of any package.
    if _TEST.search(candidate.path) or any(has_word(text, one) for one in _ANY_MEMBER):
        return
    lines = without_text(text, "python").split("\n")
    origins: ValueOrigins | None = None
    for number, line in candidate.introduced:
        if "type: ignore" in line:
            continue
        at = candidate.region_after.start + number
        for found in _CALL.finditer(lines[at]):
            name = found["name"]
            if _is_defined(name, text, project) or has_word(
                candidate.text_before, name
            ):
                continue
            if project.is_found(r"def __getattr(?:ibute)?__", _SOURCES):
                return
            origins = origins or ValueOrigins(
                candidate,
                project,
                lambda one: _is_defined(one, candidate.text_before, project),
                _CALL,
            )
            if origins.is_own(at, found.start("name")):
                yield Problem(
                    rule="phantom-member",
                    message=(
                        f"Neither the standard library nor the workspace has `{name}`."
                    ),
                    line=number,
                )


def _is_defined(name: str, text: str, project: ProjectFiles) -> bool:
    """Whether a library or a source has a name as more than a called member."""
    if name in known_words():
        return True
    word = rf"(?<!\w){re.escape(name)}(?!\w)"
    others = re.sub(rf"\.{re.escape(name)}\(", "", text)
    return re.search(word, others) is not None or project.is_found(word, _SOURCES)
