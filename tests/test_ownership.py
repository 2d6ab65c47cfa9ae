"""Nobody writes another object's attributes.

An attribute is set by a method of its class, or in the module that defines the class.
Read from the syntax trees: `x.attr = ...`, where `x` is not `self` or `cls` and no
class of the module has such an attribute.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.server_trees import server_trees

ALLOWED = {
    # Objects of a library, set up as its documentation says.
    "cli/main.py: sys",
    "log.py: record",
    "lsp/jsonrpc/loop_io.py: transport",
    "lsp/start/serving.py: timer",
    "models/http/http_client.py: response",
    "models/model_address.py: context",
    "models/sockets/socket.py: transport",
    "syntax/tree.py: freeing",
    # Messages of the wire, filled in before they are sent.
    "gateway/stored/background.py: self.response",
    "gateway/stored/background.py: response.response",
    "gateway/composer.py: self.response",
    "gateway/composer.py: item",
    "gateway/composer.py: part",
    "gateway/answers/response_writer.py: self.composer.response",
    "models/sockets/lane_connection.py: create",
    "models/formats/request.py: create",
    # Parts of one mechanism that stand in two modules.
    "assist/review/shown/shown_findings.py: file",
    "assist/editor/workspace.py: document",
    "gateway/answers/run.py: self._background",
    "gateway/answers/response_writer.py: self._steers",
    "lsp/client/status.py: gatherer",
    "models/http/background_stream.py: self._generation",
    "models/generations/generation.py: self._buffer",
    "models/sockets/lane_connection.py: socket",
    "models/sockets/pool.py: lane_connection",
    "models/http/http_model.py: stream",
    "text/document.py: anchor",
}
"""Module and object. It only gets shorter."""


def own_attributes(tree: ast.Module) -> set[str]:
    """The attributes that the classes of a module declare or set on themselves."""
    names: set[str] = set()
    for each in ast.walk(tree):
        match each:
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                names.add(name)
    return names


def foreign_writes(module: str, tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The objects of other modules whose attributes a module sets, with the lines."""
    names = own_attributes(tree)
    for each in ast.walk(tree):
        match each:
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                continue
            case ast.Attribute(value=owner, attr=name, ctx=ast.Store() | ast.Del()):
                if name not in names:
                    yield f"{module}: {ast.unparse(owner)}", each.lineno


def test_attributes_are_set_by_their_owner() -> None:
    """Give the owner a method instead, which says what happens."""
    found: dict[str, int] = {}
    for module, tree in server_trees().items():
        found |= foreign_writes(module, tree)
    assert {key: line for key, line in found.items() if key not in ALLOWED} == {}
    assert set(ALLOWED) <= set(found), "an exception that is not needed any more"


def test_no_attribute_of_a_session_is_allowed_to_others() -> None:
    """Neither of its parts; also not under a name that the module has, too."""
    parts = {"session", "offer", "account", "attempts", "lifecycle", "acceptance"}
    written = [
        f"{module}:{each.lineno}"
        for module, tree in server_trees().items()
        for each in ast.walk(tree)
        if isinstance(each, ast.Attribute)
        and isinstance(each.ctx, ast.Store | ast.Del)
        and ast.unparse(each.value).rpartition(".")[2].lstrip("_") in parts
    ]
    assert written == []


def test_a_foreign_write_is_seen() -> None:
    """In each of its forms."""
    source = "class A:\n    def f(self, b):\n        self.x = b.x = 1\n        {} = 2\n"
    for form in ("b.y", "b.y, c", "self.b.y", "[b.y]"):
        (found,) = foreign_writes("m.py", ast.parse(source.format(form)))
        assert found[1] == 4
    assert not list(foreign_writes("m.py", ast.parse(source.format("b.x"))))
