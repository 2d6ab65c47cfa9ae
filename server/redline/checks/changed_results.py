"""`phantom-parameter`: uses of a result that is of another kind after the edit.

A function that returned a list and returns a pair now, or a dictionary in place of a
tuple, leaves its callers in the rest of the file behind. Python, JavaScript and
TypeScript show the kind by what is returned, or by the declared type.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from textwrap import dedent

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import in_brackets, parts
from redline.checks.problem import Problem
from redline.syntax.facts import Definition
from redline.syntax.language import Language
from redline.syntax.type_names import SCRIPTS

_KINDS = {
    "list": "a list",
    "dict": "a dictionary",
    "object": "an object",
    "number": "a number",
    "text": "a text",
}
_PYTHON_TYPES = (
    (re.compile(r"(?:typing\.)?(?:list|List|Sequence|Iterable|Iterator)\b"), "list"),
    (re.compile(r"(?:typing\.)?(?:dict|Dict|Mapping)\b"), "dict"),
    (re.compile(r"(?:int|float)$"), "number"),
    (re.compile(r"str$"), "text"),
)
_SCRIPT_TYPES = (
    (re.compile(r"(?:Readonly)?Array<"), "list"),
    (re.compile(r"\{"), "object"),
    (re.compile(r"number$"), "number"),
    (re.compile(r"string$"), "text"),
)
_RETURN = re.compile(
    r"\breturn\s+(?P<value>[\[{]|[A-Za-z_$][\w$]*(?=[ \t]*+;?[ \t]*+$))", re.MULTILINE
)
_SET = (
    r"\b(?:const|let|var)\s+{}\s{{0,9}}(?::[^=\n]{{1,80}})?=\s{{0,9}}(?P<value>[\[{{])"
)
_UNUSED = re.compile(r"^(?:await)?$|\b(?:def|function|async|new)$")
_OF_LISTS = re.compile(
    r"\.(?:map|filter|some|every|forEach|length|push|pop|join|slice|find\w*|reduce"
    r"|includes|indexOf|sort|concat|flat\w*|at)\b"
)
_MAX_N_CALLS = 100


def check_changed_results(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the first call outside of the range that uses such a result."""
    before, after = candidate.tree_before, candidate.tree_after
    if before is None or after is None or before.errors or after.errors:
        return
    if after.language is not Language.PYTHON and after.language not in SCRIPTS:
        return
    names = [one.name for one in after.definitions]
    old = {one.qualified_name: one for one in before.definitions}
    for new in after.definitions:
        was = old.get(new.qualified_name)
        if was is None or names.count(new.name) > 1:
            continue
        if new.name_line not in candidate.region_after:
            continue
        kinds = [
            _kind(lines[one.first_line : one.last_line + 1], one, after.language)
            for lines, one in ((candidate.before, was), (candidate.after, new))
        ]
        if "" in kinds or kinds[0] == kinds[1]:
            continue
        line = _use(candidate, new.name, kinds[1])
        if line is not None:
            shown = _KINDS.get(kinds[1], f"{kinds[1]} values")
            yield Problem(
                rule="phantom-parameter",
                message=f"`{new.name}` now returns {shown}, and line {line + 1} of the"
                " file uses its result as before.",
            )
            return


def _kind(lines: Sequence[str], one: Definition, language: Language) -> str:
    """Return the kind of what a function returns; a number: a tuple of so many values;
    empty: not known."""
    if one.kind not in ("function", "method"):
        return ""
    if language is Language.PYTHON:
        return _python_kind("".join(lines))
    text = "".join(lines)
    kinds = {_script_value(found["value"], text) for found in _RETURN.finditer(text)}
    if len(kinds) == 1 and text.count("return") == len(_RETURN.findall(text)):
        return kinds.pop()
    head, _, type_ = one.signature.rstrip().removesuffix("=>").rpartition("):")
    type_ = type_.strip() if head else ""
    return "list" if type_.endswith("[]") else _declared(type_, _SCRIPT_TYPES)


def _script_value(value: str, text: str) -> str:
    if value not in "[{":
        found = re.search(_SET.format(re.escape(value)), text)
        value = found["value"] if found else ""
    return {"[": "list", "{": "object"}.get(value, "")


def _declared(type_: str, known: Sequence[tuple[re.Pattern[str], str]]) -> str:
    return next((kind for form, kind in known if form.match(type_.strip())), "")


def _python_kind(text: str) -> str:
    try:
        function = ast.parse(dedent(text)).body[0]
    except (SyntaxError, ValueError, IndexError, RecursionError):
        return ""
    if not isinstance(function, ast.FunctionDef):
        return ""
    nodes = list(_own_nodes(function))
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes):
        return ""
    values = [node.value for node in nodes if isinstance(node, ast.Return)]
    kinds = {_python_value(value, nodes) for value in values if value is not None}
    if len(kinds) == 1 and "" not in kinds:
        return kinds.pop()
    if function.returns is None:
        return ""
    type_ = ast.unparse(function.returns)
    if found := re.fullmatch(r"(?:typing\.)?[tT]uple\[(?P<types>.+)\]", type_):
        types = parts(found["types"])
        return "" if "..." in types[-1] else str(len(types))
    return _declared(type_, _PYTHON_TYPES)


def _own_nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Yield the nodes of a function, without those of functions in it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


def _python_value(value: ast.expr, nodes: Sequence[ast.AST]) -> str:
    if isinstance(value, ast.Name):
        given = [
            node.value
            for node in nodes
            if isinstance(node, ast.Assign)
            and any(isinstance(t, ast.Name) and t.id == value.id for t in node.targets)
        ]
        kinds = {_literal(each) for each in given}
        return kinds.pop() if len(kinds) == 1 else ""
    return _literal(value)


def _literal(value: ast.expr) -> str:
    if isinstance(value, ast.Tuple):
        is_open = any(isinstance(each, ast.Starred) for each in value.elts)
        return "" if is_open else str(len(value.elts))
    if isinstance(value, ast.List | ast.ListComp):
        return "list"
    if isinstance(value, ast.Dict | ast.DictComp):
        return "dict"
    if isinstance(value, ast.JoinedStr):
        return "text"
    return ""


def _use(candidate: CheckedEdit, name: str, kind: str) -> int | None:
    """Return the line of the first call outside of the range that uses the result."""
    code = candidate.code_after
    call_of = re.compile(rf"(?<![\w$.])(?:(?:self|this|cls)\.)?{re.escape(name)}\(")
    for n_calls, call in enumerate(call_of.finditer(code)):
        line = code.count("\n", 0, call.start())
        given = in_brackets(code, call.end() - 1)
        if n_calls > _MAX_N_CALLS or given is None:
            return None
        if line in candidate.region_after:
            continue
        head = code[code.rfind("\n", 0, call.start()) + 1 : call.start()].strip()
        rest = code[call.end() + len(given) + 1 :].split("\n", 1)[0].strip()
        is_used = rest.startswith((".", "[")) or not _UNUSED.search(head)
        if is_used and not _fits(kind, head, rest):
            return line
    return None


def _fits(kind: str, head: str, rest: str) -> bool:
    """Whether a call is used as one of the new kind.

    Args:
        kind: See `_kind`.
        head: The line of the call before it.
        rest: What follows it in its line.
    """
    n_names = head.count(",") + 1 if head.endswith("=") and "(" not in head[1:] else 1
    if kind == "dict":
        return rest.startswith((".items", ".get", ".keys", ".values", '["', "['"))
    if kind == "object":
        is_member = rest.startswith(".") and not _OF_LISTS.match(rest)
        return is_member or head.rstrip("= ").endswith("}")
    if kind.isdigit():
        return n_names == int(kind) or rest.startswith("[")
    return kind == "list" and n_names > 1
