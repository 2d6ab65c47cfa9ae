"""Words that a language does not allow where they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from redline.syntax.children import nth_child, nth_part
from redline.syntax.compile_faults.fault import (
    CompileFault,
    Near,
    ancestor,
    line_of,
    nodes_of,
    text_of,
)
from redline.syntax.language import Language
from redline.syntax.type_names import SCRIPTS
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node

    from redline.syntax.tree import Tree

_FUNCTIONS = word_set(
    "function_declaration function_expression function_definition function_item"
    " arrow_function method_definition method_declaration constructor_declaration"
    " generator_function generator_function_declaration lambda lambda_expression"
    " anonymous_function anonymous_method_expression local_function_statement"
    " accessor_declaration func_literal closure_expression async_block"
    " compact_constructor_declaration destructor_declaration operator_declaration"
    " conversion_operator_declaration property_declaration indexer_declaration"
    " class_static_block static_initializer gen_block const_block query_expression"
)
_AWAITS = word_set("await await_expression")
_WITH_ASYNC = frozenset({Language.PYTHON, Language.CSHARP, *SCRIPTS})
_LOOPS = word_set(
    "for_statement while_statement do_statement for_in_statement for_range_loop"
    " enhanced_for_statement foreach_statement loop_expression while_expression"
    " for_expression"
)
_SWITCHES = word_set(
    "switch_statement switch_expression expression_switch_statement"
    " type_switch_statement select_statement switch_block"
)
_TYPES = word_set(
    "class_declaration class_body class enum_declaration record_declaration"
    " interface_declaration struct_declaration"
    " anonymous_class declaration_list"
)
_LEAVING = {
    "break_statement": "break",
    "continue_statement": "continue",
    "break_expression": "break",
    "continue_expression": "continue",
}
_WITH_LOOPS = frozenset(Language) - {Language.RUBY, Language.BASH, Language.PHP}


def misplaced(tree: Tree, is_near: Near) -> Iterator[CompileFault]:
    """Yield the words that stand where their language does not allow them."""
    for node in nodes_of(tree.root, is_near):
        judge = _JUDGES.get(node.type)
        message = judge(node, tree.language) if judge is not None else ""
        if message:
            key = f"misplaced {node.type} {text_of(node)[:80]}"
            yield CompileFault(line=line_of(node), key=key, message=message)


def _await(node: Node, language: Language) -> str:
    if language not in _WITH_ASYNC:
        return ""
    function = ancestor(node, _FUNCTIONS)
    if function is None or function.type in ("lambda", "query_expression"):
        return ""
    shown = text_of(node).partition("\n")[0][:60]
    if not _is_async(function) and not _is_default(node, function):
        return f"A function that is not `async` cannot await: `{shown}`"
    held = ancestor(node, _FUNCTIONS | {"lock_statement"})
    if held is not None and held.type == "lock_statement":
        return f"A `lock` cannot await: `{shown}`"
    return ""


def _is_default(node: Node, function: Node) -> bool:
    """Whether a node is outside of the body: in a default or a decorator."""
    body = function.child_by_field_name("body")
    return body is None or not (
        body.start_byte <= node.start_byte and node.end_byte <= body.end_byte
    )


def _is_async(function: Node) -> bool:
    return any(
        one.type == "async" or (one.type == "modifier" and one.text == b"async")
        for one in function.children
    )


def _leave(node: Node, language: Language) -> str:
    if language not in _WITH_LOOPS or _has_label(node):
        return ""
    word = _LEAVING[node.type]
    around = _LOOPS | _SWITCHES if word == "break" else _LOOPS
    outer = ancestor(node, around | _FUNCTIONS)
    if outer is None or outer.type not in _FUNCTIONS:
        return ""
    is_macro = language in (Language.C, Language.CPP) and (
        outer.type != "function_definition" or ancestor(outer, _FUNCTIONS) is not None
    )
    return "" if is_macro else f"`{word}` is not in a loop."


def _has_label(node: Node) -> bool:
    return any("comment" not in one.type for one in node.named_children)


def _own(node: Node, language: Language) -> str:
    """Judge the word for the object itself."""
    if language not in (Language.JAVA, Language.CSHARP):
        return ""
    function = ancestor(node, _TYPES | {"method_declaration"})
    if function is None or function.type != "method_declaration":
        return ""
    return _in_static(function, "this")


def _own_member(node: Node, language: Language) -> str:
    """Judge a member of C#, whose word for the object is no node with a name."""
    first = nth_part(node, 0)
    return _own(node, language) if first is not None and first.type == "this" else ""


def _variable(node: Node, language: Language) -> str:
    if language is not Language.PHP or node.text != b"$this":
        return ""
    function = ancestor(node, _FUNCTIONS | _TYPES)
    if function is None or function.type != "method_declaration":
        return ""
    return _in_static(function, "$this")


def _in_static(function: Node, word: str) -> str:
    is_static = any(
        "static" in text_of(one).split()
        for one in function.children
        if "modifier" in one.type
    )
    return f"A static method has no `{word}`." if is_static else ""


def _constructor(node: Node, language: Language) -> str:
    """Judge a constructor of a derived class in JavaScript."""
    if text_of(node.child_by_field_name("name")) != "constructor":
        return ""
    body, outer = node.child_by_field_name("body"), ancestor(node, _CLASSES)
    if body is None or outer is None or language not in SCRIPTS:
        return ""
    heritage = next((o for o in outer.children if o.type == "class_heritage"), None)
    if heritage is None or not text_of(heritage).startswith("extends"):
        return ""
    kinds = {one.type for one in nodes_of(body, closed=_CLASSES)}
    if "super" in kinds or "return_statement" in kinds or "throw_statement" in kinds:
        return ""
    return "The constructor of a derived class must call `super()`."


_CLASSES = word_set("class class_declaration abstract_class_declaration")


def _private(node: Node, language: Language) -> str:
    """Judge a name with `#`, which only its own class has."""
    outer = ancestor(node, {"class_body"})
    while outer is not None:
        for one in outer.named_children:
            names = [one.child_by_field_name(field) for field in ("property", "name")]
            if any(name is not None and name.text == node.text for name in names):
                return ""
        outer = ancestor(outer, {"class_body"})
    return f"No class around this declares `{text_of(node)}`."


def _return(node: Node, language: Language) -> str:
    """Judge a `return` of C#, of which an iterator has none."""
    if language is not Language.CSHARP:
        return ""
    function = ancestor(node, _FUNCTIONS)
    body = function.child_by_field_name("body") if function is not None else None
    if body is None:
        return ""
    inside = nodes_of(body, closed=_FUNCTIONS)
    if any(one.type == "yield_statement" for one in inside):
        return "An iterator cannot return; it has `yield break` and `yield return`."
    return ""


def _arms(node: Node, language: Language) -> str:
    """Judge the arms of a `switch` of C#, and the cases of a `match` of Python."""
    arms = [one for one in node.named_children if one.type in _ARMS]
    for one in arms[:-1]:
        pattern = nth_child(one, 0)
        is_all = pattern is not None and text_of(pattern).strip() == "_"
        if is_all and not any(_is_guard(part) for part in one.named_children):
            return "Nothing behind the case `_` is ever reached."
    return ""


_ARMS = word_set("switch_expression_arm case_clause")


def _is_guard(node: Node) -> bool:
    return node.type in ("when_clause", "if_clause", "guard")


def _local(node: Node, language: Language) -> str:
    first = nth_part(node, 0)
    if language is not Language.BASH or first is None or first.text != b"local":
        return ""
    if ancestor(node, {"function_definition"}) is not None:
        return ""
    return "`local` is only allowed in a function."


def _import(node: Node, language: Language) -> str:
    """Judge an import, which only Python, Rust and others have in functions."""
    shown = text_of(node).strip()[:60]
    if language is Language.PYTHON:
        name = _unseen_import(node)
        return f"`{name}` of a class is not seen in its functions." if name else ""
    outer = ancestor(node, _FUNCTIONS | _TYPES)
    if outer is not None and not _is_namespace(outer):
        return f"An import is not allowed inside of code: `{shown}`"
    if language in _IMPORTS_FIRST and _follows_code(node):
        return f"An import must be above the other declarations: `{shown}`"
    return ""


def _is_namespace(body: Node) -> bool:
    """Whether a body is that of a namespace of C# or PHP, which has own imports."""
    outer = body.parent
    is_list = body.type == "declaration_list" and outer is not None
    return is_list and outer is not None and "namespace" in outer.type


def _follows_code(node: Node) -> bool:
    before = node.prev_named_sibling
    while before is not None and before.type not in _DECLARATIONS:
        before = before.prev_named_sibling
    return before is not None


def _unseen_import(node: Node) -> str:
    """Return a name that an import in a class binds, and that its functions use."""
    outer = ancestor(node, {"function_definition", "class_definition"})
    if outer is None or outer.type != "class_definition":
        return ""
    names = {
        text_of(each.child_by_field_name("alias") or each).partition(".")[0]
        for each in node.children_by_field_name("name")
    }
    for function in nodes_of(outer, closed={"function_definition"}):
        if function.type != "function_definition":
            continue
        for used in nodes_of(function):
            name = text_of(used) if used.type == "identifier" else ""
            if name in names and not _is_member(used):
                return name
    return ""


def _is_member(name: Node) -> bool:
    """Whether a name belongs to something else, as in `a.name` and `f(name=1)`."""
    outer = name.parent
    if outer is None:
        return False
    field = {"attribute": "attribute", "keyword_argument": "name"}.get(outer.type, "")
    return bool(field) and outer.child_by_field_name(field) == name


def _component(node: Node, language: Language) -> str:
    """Judge what sets a component of a record of Java."""
    record = ancestor(node, {"record_declaration", "class_body", "class_declaration"})
    if language is not Language.JAVA or record is None:
        return ""
    if record.type == "class_body":
        record = record.parent
    if record is None or record.type != "record_declaration":
        return ""
    target = node.child_by_field_name("left") or nth_part(node, 0)
    parameters = record.child_by_field_name("parameters")
    if target is None or target.type != "field_access" or parameters is None:
        return ""
    owner, name = text_of(target).partition(".")[::2]
    names = {text_of(one.child_by_field_name("name")) for one in parameters.children}
    if owner != "this" or name not in names:
        return ""
    if ancestor(node, {"constructor_declaration"}) is not None:
        return ""
    return f"`{name}` is a component of a record, which cannot be set."


def _here_document(node: Node, language: Language) -> str:
    """Judge the end of a here-document of a shell, which is a line of its own."""
    if language is not Language.BASH:
        return ""
    whole = text_of(node.parent)
    line = whole.splitlines()[-1] if whole else ""
    blanks = line[: len(line) - len(line.lstrip())]
    may_have_tabs = whole.startswith("<<-")
    if not (blanks.strip("\t") if may_have_tabs else blanks):
        return ""
    return f"Only `{text_of(node).strip()}` at the margin ends the here-document."


_IMPORTS_FIRST = frozenset({Language.GO, Language.JAVA, Language.CSHARP})
_DECLARATIONS = word_set(
    "function_declaration method_declaration type_declaration var_declaration"
    " const_declaration class_declaration interface_declaration enum_declaration"
    " record_declaration struct_declaration delegate_declaration"
)
_IMPORTS = word_set(
    "import_statement import_from_statement import_declaration"
    " namespace_use_declaration using_directive"
)

_JUDGES: Mapping[str, Callable[[Node, Language], str]] = {
    **dict.fromkeys(_AWAITS, _await),
    **dict.fromkeys(_LEAVING, _leave),
    **dict.fromkeys(_IMPORTS, _import),
    "heredoc_end": _here_document,
    "assignment_expression": _component,
    "this": _own,
    "this_expression": _own,
    "member_access_expression": _own_member,
    "variable_name": _variable,
    "method_definition": _constructor,
    "private_property_identifier": _private,
    "return_statement": _return,
    "switch_expression": _arms,
    "match_statement": _arms,
    "declaration_command": _local,
}
