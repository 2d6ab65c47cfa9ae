"""`undefined-name` in files of data: names that nothing in the file has any more.

Jobs, steps and matrices of GitHub's workflows, services, volumes and networks of
Compose, stages of Dockerfiles, targets of makefiles, custom properties of CSS and ids
of HTML. A name is reported if the edit brings its use, or takes what it names away.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath

from redline.checks.candidate import CheckedEdit
from redline.checks.data_files.compose import compose_uses
from redline.checks.data_files.named_use import NamedUse
from redline.checks.data_files.targets import target_uses
from redline.checks.data_files.workflows import workflow_uses
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles

_STAGE = re.compile(r"^[ \t]*+FROM\s.*\sAS\s++([\w.-]++)", re.I | re.M)
_FROM = re.compile(
    r"^[ \t]*+(?:FROM\s++|COPY\s[^\n]*?--from=)(?P<name>[a-z]\w*+)\s", re.M
)
_COMPOSE = re.compile(r"(?:docker-)?compose\.ya?ml")
_SET = re.compile(
    r"(?<![\w-])(?P<name>--[\w-]++)\s*+:|@property\s++(?P<other>--[\w-]++)"
)
_VARIABLE = re.compile(r"\bvar\(\s*+(?P<name>--[\w-]++)\s*+\)")
_ID = re.compile(r"<\w[^<>]*?(?<![\w:.-])id=[\"'](?P<name>[\w:.-]++)[\"']")
_ID_USE = re.compile(
    r"<\w[^<>]*?(?<![\w:.-])(?:for|list|form|aria-labelledby|aria-describedby|aria-controls)"
    r"=[\"'](?P<name>[\w:.-]++)[\"']"
)
_TEMPLATE = re.compile(r"\{\{|\{%|<%|<\?|\$\{|\bdocument\.createElement\b|\.id\s*=")
_STYLES = (".css", ".scss", ".less", ".html", ".vue", ".svelte", ".js", ".ts", ".tsx")


def check_references(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report the first use that nothing of the file answers."""
    uses = _READERS.get(_kind(candidate))
    if uses is None:
        return
    found = [one for one in uses(candidate.text_after) if not one.is_known]
    if not found:
        return
    before = list(uses(candidate.text_before))
    known = {one.name for one in before if not one.is_known}
    answered = {one.name for one in before if one.is_known}
    for one in found:
        is_old = one.name in known or (one.only_lost and one.name not in answered)
        if is_old or _is_elsewhere(one, candidate, project):
            continue
        yield Problem(
            rule="undefined-name",
            message=one.message,
            line=candidate.line_in_region(one.line),
        )
        return


def _kind(candidate: CheckedEdit) -> str:
    path = PurePath(candidate.path)
    if path.suffix in (".yml", ".yaml"):
        if path.parts[-3:-1] == (".github", "workflows"):
            return "workflow"
        return "compose" if _COMPOSE.fullmatch(path.name) else ""
    return candidate.language_id


def _is_elsewhere(
    one: NamedUse, candidate: CheckedEdit, project: ProjectFiles | None
) -> bool:
    """Whether another file may have what a use names."""
    if one.name.startswith("--"):
        return project is None or project.is_found(re.escape(one.name), _STYLES)
    if candidate.language_id == "makefile" and project is not None:
        return one.name in project.names(next(iter(project.folders_above)))
    return False


def _docker_uses(text: str) -> Iterator[NamedUse]:
    """Yield the plain names of stages; those that were no stage may be images."""
    stages = {one.lower() for one in _STAGE.findall(text)}
    for found in _FROM.finditer(text):
        name = found["name"]
        yield NamedUse(
            name=f"stage {name}",
            line=text.count("\n", 0, found.start()),
            is_known=name in stages,
            message=f"No stage is named `{name}`.",
            only_lost=True,
        )


def _css_uses(text: str) -> Iterator[NamedUse]:
    known = {found["name"] or found["other"] for found in _SET.finditer(text)}
    if not known:
        return
    for found in _VARIABLE.finditer(text):
        yield NamedUse(
            name=found["name"],
            line=text.count("\n", 0, found.start()),
            is_known=found["name"] in known,
            message=f"Nothing sets `{found['name']}`.",
        )


def _html_uses(text: str) -> Iterator[NamedUse]:
    if _TEMPLATE.search(text):
        return
    ids = [found["name"] for found in _ID.finditer(text)]
    for found in _ID_USE.finditer(text):
        yield NamedUse(
            name=found["name"],
            line=text.count("\n", 0, found.start()),
            is_known=found["name"] in ids,
            message=f"No element has the id `{found['name']}`.",
        )
    seen: set[str] = set()
    for found in _ID.finditer(text):
        name = found["name"]
        yield NamedUse(
            name=f"two {name}",
            line=text.count("\n", 0, found.start()),
            is_known=name not in seen,
            message=f"Two elements have the id `{name}`.",
        )
        seen.add(name)


_READERS: Mapping[str, Callable[[str], Iterator[NamedUse]]] = {
    "workflow": workflow_uses,
    "compose": compose_uses,
    "dockerfile": _docker_uses,
    "makefile": target_uses,
    **dict.fromkeys(("css", "scss", "less"), _css_uses),
    "html": _html_uses,
}
