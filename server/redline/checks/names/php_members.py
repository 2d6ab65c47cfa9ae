"""`phantom-member` in PHP: methods that `PDO` and its statements do not have.

A variable counts if it is a parameter of type `PDO` or `PDOStatement`, or what
`prepare` or `query` of such a `PDO` gives, and the function sets it nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles
from redline.syntax.language import Language
from redline.syntax.word_set import word_set

_METHODS = {
    "PDO": word_set(
        "__construct begintransaction commit connect errorcode errorinfo exec"
        " getattribute getavailabledrivers intransaction lastinsertid prepare query"
        " quote rollback setattribute"
    ),
    "PDOStatement": word_set(
        "bindcolumn bindparam bindvalue closecursor columncount debugdumpparams"
        " errorcode errorinfo execute fetch fetchall fetchcolumn fetchobject"
        " getattribute getcolumnmeta getiterator nextrowset rowcount setattribute"
        " setfetchmode"
    ),
}
_OF_DRIVERS = ("sqlite", "pgsql", "cubrid", "mysql", "__")
_OTHER = re.compile(r"\\PDO(?:Statement)?;|\bas\s++PDO|method_exists")
_NAMESPACE = re.compile(r"^[ \t]*+namespace\b", re.MULTILINE)
_CALL = re.compile(r"\$(?P<owner>\w++)->(?P<name>\w++)\(")
_MADE = re.compile(r"=\s*+\$(?P<maker>\w++)->(?:prepare|query)\([^;{}]{0,500};")


def check_php_members(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report calls of methods that neither the class nor the workspace has."""
    tree = candidate.tree_after
    if tree is None or tree.language is not Language.PHP or tree.errors:
        return
    if project is None or "PDO" not in candidate.text_after:
        return
    if _OTHER.search(candidate.text_after):
        return
    code = candidate.code_after.split("\n")
    for number, _ in candidate.introduced:
        line = candidate.region_after.start + number
        for found in _CALL.finditer(code[line]):
            kind = _kind(candidate, code, line, found["owner"])
            name = found["name"]
            if not kind or _may_have(kind, name):
                continue
            defined = rf"\bfunction\s++&?{name}\b"
            if re.search(defined, candidate.text_after):
                continue
            if not project.is_found(defined, (".php",)):
                yield Problem(
                    rule="phantom-member",
                    message=f"`{kind}` has no `{name}`.",
                    line=number,
                )


def _may_have(kind: str, name: str) -> bool:
    low = name.lower()
    return low in _METHODS[kind] or low.startswith(_OF_DRIVERS)


def _kind(candidate: CheckedEdit, code: list[str], line: int, owner: str) -> str:
    """Return the class of a variable in a line; empty: it is not known."""
    tree = candidate.tree_after
    around = tree.enclosing(range(line, line + 1)) if tree is not None else None
    if around is None or around.kind not in ("function", "method"):
        return ""
    text = "\n".join(code[around.first_line : around.last_line + 1])
    head, _, body = text.partition("{")
    is_own = not _NAMESPACE.search(candidate.text_after)
    sets = re.findall(rf"\${owner}\s*+(?:=(?!=)|\?\?=)", body)
    if not sets:
        return _parameter(head, owner, is_own=is_own)
    made = re.search(rf"\${owner}\s*+{_MADE.pattern}", body)
    if (
        made is None
        or len(sets) > 1
        or re.search(rf"\bas\s[^)]{{0,80}}\${owner}\b", body)
    ):
        return ""
    maker = made["maker"]
    is_kept = not re.search(rf"\${maker}\s*+=(?!=)", body)
    is_pdo = is_kept and _parameter(head, maker, is_own=is_own) == "PDO"
    return "PDOStatement" if is_pdo else ""


def _parameter(head: str, name: str, *, is_own: bool) -> str:
    """Return the type of a parameter, if it is one of these classes."""
    root = r"\\?" if is_own else r"\\"
    found = re.search(rf"(?<![\w\\|&]){root}(PDO(?:Statement)?)\s++\${name}\b", head)
    return found[1] if found else ""
