"""Resolves a call to its callee, and to the arguments that this takes.

Only certain answers are given. A decorator that may change a function's signature, a
base class that cannot be read, a metaclass, a name that is bound twice: each makes the
answer None.
"""

from __future__ import annotations

import ast

from msgspec import Struct

from redline.checks.python.call_sites import CallSite, Scopes
from redline.checks.python.class_members import Classes
from redline.checks.python.definition import (
    CallSignature,
    Class,
    Definition,
    Function,
    InstanceOf,
)
from redline.checks.python.resolve import (
    FoundInstance,
    FoundModule,
    Home,
    Meaning,
    ResolvedDefinition,
    Resolver,
)
from redline.checks.python.scope import dotted_name

_MAX_STEPS = 8


class Callee(Struct, frozen=True, kw_only=True):
    """The target of a call."""

    name: str
    """Its name in messages."""

    signature: CallSignature
    found: ResolvedDefinition
    """The definition; a class if the call creates an instance of it."""


class Callees:
    """Resolves the calls of one file."""

    def __init__(self, home: Home, resolver: Resolver) -> None:
        self._home = home
        self._resolver = resolver
        self._classes = Classes(resolver, set_here=home.contents.set_attributes)

    def callee(self, site: CallSite) -> Callee | None:
        """Return the callee of a call; None if uncertain."""
        match site.node.func:
            case ast.Name(id=name):
                if any(name == scope.receiver for scope in site.scopes):
                    return None  # `cls(...)` may make an instance of a subclass.
                return self._of_meaning(self._lookup(name, site.scopes), name)
            case ast.Attribute(value=ast.Call() as inner, attr=name):
                return self._of_super(inner, name, site.scopes)
            case ast.Attribute(value=value, attr=name):
                owner = self._expression(value, site.scopes)
                return self._of_attribute(owner, name)
        return None

    def _of_meaning(self, meaning: Meaning | None, name: str) -> Callee | None:
        if not isinstance(meaning, ResolvedDefinition):
            return None
        if isinstance(meaning.definition, Class):
            signature = self._classes.constructor(meaning)
        else:
            signature = self._classes.plain(meaning.definition, meaning.home)
        if signature is None:
            return None
        return Callee(name=name, signature=signature, found=meaning)

    def _of_attribute(self, owner: Meaning | None, name: str) -> Callee | None:
        match owner:
            case FoundModule():
                return self._of_meaning(self._resolver.attribute(owner, name), name)
            case FoundInstance(of=found):
                return self._of_method(found, name, is_instance=True)
            case ResolvedDefinition(definition=Class()):
                inner = self._resolver.attribute(owner, name)
                if inner is not None:
                    return self._of_meaning(inner, name)
                return self._of_method(owner, name, is_instance=False)
        return None

    def _of_method(
        self, owner: ResolvedDefinition, name: str, *, is_instance: bool
    ) -> Callee | None:
        if name.startswith("__"):
            return None
        return self._of_member(self._classes.member(owner, name), name, is_instance)

    def _of_member(
        self, method: ResolvedDefinition | None, name: str, is_instance: bool
    ) -> Callee | None:
        if method is None or not isinstance(method.definition, Function):
            return None
        signature = self._classes.method(
            method.definition, method.home, is_instance=is_instance
        )
        if signature is None:
            return None
        return Callee(name=name, signature=signature, found=method)

    def _of_super(self, call: ast.Call, name: str, scopes: Scopes) -> Callee | None:
        """Return the method of the only base, for a call in an instance method."""
        is_super = isinstance(call.func, ast.Name) and call.func.id == "super"
        if not is_super or call.args or call.keywords or len(scopes) < 2:
            return None
        method, body = scopes[-1], scopes[-2]
        if method.receiver is None or method.receiver_kind != "instance":
            return None
        if body.own_class is None or not self._is_top_level(scopes[:-1]):
            return None
        owner = ResolvedDefinition(definition=body.own_class, home=self._home)
        base = self._classes.only_base(owner)
        found = None if base is None else self._classes.member(base, name)
        return self._of_member(found, name, is_instance=True)

    def _expression(self, node: ast.expr, scopes: Scopes) -> Meaning | None:
        dotted = dotted_name(node)
        return None if dotted is None else self._dotted(dotted, scopes, _MAX_STEPS)

    def _dotted(self, dotted: str, scopes: Scopes, steps: int) -> Meaning | None:
        first, *rest = dotted.split(".")
        meaning = self._lookup(first, scopes, steps)
        for name in rest:
            meaning = self._resolver.attribute(meaning, name)
        return meaning

    def _lookup(
        self, name: str, scopes: Scopes, steps: int = _MAX_STEPS
    ) -> Meaning | None:
        for index in reversed(range(len(scopes))):
            scope = scopes[index]
            if scope.own_class is not None and index != len(scopes) - 1:
                continue  # Methods do not see the names of their class's body.
            if name == scope.receiver:
                return self._receiver(scopes, index)
            if name in scope.names:
                return self._local(scope.names[name], scopes[: index + 1], steps)
        return self._resolver.named(name, self._home)

    def _receiver(self, scopes: Scopes, index: int) -> Meaning | None:
        own_class = scopes[index - 1].own_class
        if own_class is None or not self._is_top_level(scopes[:index]):
            return None
        owner = ResolvedDefinition(definition=own_class, home=self._home)
        is_instance = scopes[index].receiver_kind == "instance"
        return FoundInstance(of=owner) if is_instance else owner

    def _local(
        self, definition: Definition, scopes: Scopes, steps: int
    ) -> Meaning | None:
        """Return the meaning of a name that a function or a class body binds."""
        match definition:
            case InstanceOf(maker=maker):
                made_by = self._dotted(maker, scopes, steps - 1) if steps else None
                return self._resolver.made_by(made_by)
            case Class(bases=bases) if bases:
                return None  # They may be local too, and are not resolved.
        return self._resolver.meaning(definition, self._home)

    def _is_top_level(self, scopes: Scopes) -> bool:
        """Whether a class is defined where names of its bases are the module's."""
        return all(scope.own_class is not None for scope in scopes)
