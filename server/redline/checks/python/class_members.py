"""Resolves methods and constructors of classes, through their bases.

The constructors of dataclasses and named tuples are read from their fields.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from redline.checks.python.definition import CallSignature, Class, ClassField, Function
from redline.checks.python.resolve import Home, ResolvedDefinition, Resolver

_KEEP_SIGNATURES = frozenset({
    "abc.abstractmethod", "asyncio.coroutine", "classmethod",
    "contextlib.asynccontextmanager", "contextlib.contextmanager",
    "functools.cache", "functools.lru_cache", "staticmethod", "types.coroutine",
    "typing.final", "typing.no_type_check", "typing.override",
    "typing_extensions.deprecated", "typing_extensions.final",
    "typing_extensions.override", "warnings.deprecated",
})  # fmt: skip

_NEUTRAL_BASES = frozenset({
    "object", "abc.ABC", "typing.Generic", "typing.Protocol",
    "typing_extensions.Generic", "typing_extensions.Protocol",
})  # fmt: skip
"""Bases without a constructor of their own."""

_PLAIN_ERRORS = frozenset({
    "Exception", "BaseException", "ValueError", "TypeError", "RuntimeError",
    "LookupError", "KeyError", "IndexError", "ArithmeticError", "AssertionError",
    "NotImplementedError", "Warning", "UserWarning",
})  # fmt: skip
"""Exceptions that take any positional and no keyword arguments."""

_NEUTRAL_CLASS_DECORATORS = frozenset({
    "typing.final", "typing.runtime_checkable", "functools.total_ordering",
    "typing_extensions.final", "typing_extensions.runtime_checkable",
})  # fmt: skip

_DATACLASS = "dataclasses.dataclass"
_NAMED_TUPLES = ("typing.NamedTuple", "typing_extensions.NamedTuple")

_MAX_BASES = 12
"""Most classes that are followed upwards in a row."""


class _Nothing(Struct, frozen=True):
    """Certainly nothing."""


_NOTHING = _Nothing()


class Classes:
    """Resolves members and constructors of classes, wherever they are defined."""

    def __init__(self, resolver: Resolver, *, set_here: frozenset[str]) -> None:
        """Resolve bases with a resolver.

        Args:
            resolver: Follows names.
            set_here: Attributes that the checked file assigns: methods of that name may
                have been replaced.
        """
        self._resolver = resolver
        self._set_here = set_here

    def plain(self, function: Function, home: Home) -> CallSignature | None:
        """Return a function's signature; None if a decorator may have changed it."""
        return function.signature if self._keeps_signature(function, home) else None

    def method(
        self, function: Function, home: Home, *, is_instance: bool
    ) -> CallSignature | None:
        """Return a method's signature for a call on an instance or on the class."""
        if function.is_placeholder or not self._keeps_signature(function, home):
            return None
        if "staticmethod" in function.decorators:
            return function.signature
        if is_instance or "classmethod" in function.decorators:
            return function.signature.bound()
        return function.signature

    def member(self, owner: ResolvedDefinition, name: str) -> ResolvedDefinition | None:
        """Return the method of a class; None if uncertain."""
        found = self._member(owner, name, _MAX_BASES)
        return found if isinstance(found, ResolvedDefinition) else None

    def only_base(self, owner: ResolvedDefinition) -> ResolvedDefinition | None:
        """Return the base of a class that has exactly one."""
        assert isinstance(owner.definition, Class)
        bases = owner.definition.bases
        return self._base(bases[0], owner.home) if len(bases) == 1 else None

    def constructor(self, owner: ResolvedDefinition) -> CallSignature | None:
        """Return the signature for creating an instance; None if uncertain."""
        found = self._constructor(owner, _MAX_BASES)
        return CallSignature() if isinstance(found, _Nothing) else found

    def _keeps_signature(self, function: Function, home: Home) -> bool:
        return all(
            d is not None and self._resolver.full_name(d, home) in _KEEP_SIGNATURES
            for d in function.decorators
        )

    def _member(
        self, owner: ResolvedDefinition, name: str, steps: int
    ) -> ResolvedDefinition | _Nothing | None:
        found, home = owner.definition, owner.home
        if not isinstance(found, Class) or steps == 0:
            return None
        if not self._has_plain_members(owner) and name not in found.members:
            return None
        if name in home.contents.set_attributes or name in self._set_here:
            return None
        if name in found.members:
            own = found.members[name]
            if not isinstance(own, Function):
                return None
            return ResolvedDefinition(definition=own, home=home)
        results = [
            self._member_of_base(base, home, name, steps - 1) for base in found.bases
        ]
        defining = [one for one in results if not isinstance(one, _Nothing)]
        # With two, the method resolution order decides, which is not computed here.
        return _NOTHING if not defining else defining[0] if len(defining) == 1 else None

    def _member_of_base(
        self, base: str | None, home: Home, name: str, steps: int
    ) -> ResolvedDefinition | _Nothing | None:
        if base is None:
            return None
        if self._resolver.full_name(base, home) in _NEUTRAL_BASES:
            return _NOTHING
        found = self._base(base, home)
        return None if found is None else self._member(found, name, steps)

    def _base(self, base: str | None, home: Home) -> ResolvedDefinition | None:
        found = None if base is None else self._resolver.named(base, home)
        is_class = isinstance(found, ResolvedDefinition) and isinstance(
            found.definition, Class
        )
        return found if is_class and isinstance(found, ResolvedDefinition) else None

    def _constructor(
        self, owner: ResolvedDefinition, steps: int
    ) -> CallSignature | _Nothing | None:
        found, home = owner.definition, owner.home
        if not isinstance(found, Class) or steps == 0 or not self._is_plain(owner):
            return None
        if "__new__" in found.members:
            return None
        own = found.members.get("__init__")
        if own is not None:
            is_set = "__init__" in home.contents.set_attributes
            if not isinstance(own, Function) or own.decorators or is_set:
                return None
            return own.signature.bound()
        if _is_dataclass(found, home, self._resolver):
            fields = self._all_fields(owner, steps)
            return None if fields is None else _signature_of_fields(fields)
        if named_tuple := _named_tuple_signature(found, home, self._resolver):
            return named_tuple
        return self._inherited_constructor(found, home, steps)

    def _inherited_constructor(
        self, found: Class, home: Home, steps: int
    ) -> CallSignature | _Nothing | None:
        results = [self._base_constructor(base, home, steps) for base in found.bases]
        defining = [one for one in results if not isinstance(one, _Nothing)]
        return _NOTHING if not defining else defining[0] if len(defining) == 1 else None

    def _base_constructor(
        self, base: str | None, home: Home, steps: int
    ) -> CallSignature | _Nothing | None:
        name = None if base is None else self._resolver.full_name(base, home)
        if name in _NEUTRAL_BASES:
            return _NOTHING
        if name in _PLAIN_ERRORS:
            return CallSignature(takes_any_positional=True)
        found = self._base(base, home)
        return None if found is None else self._constructor(found, steps - 1)

    def _has_plain_members(self, owner: ResolvedDefinition) -> bool:
        """Whether neither a decorator nor a metaclass can add members to a class."""
        found = owner.definition
        assert isinstance(found, Class)
        metaclass = found.metaclass
        return (
            metaclass is None
            or self._resolver.full_name(metaclass, owner.home) == "abc.ABCMeta"
        ) and all(
            d is not None
            and self._resolver.full_name(d, owner.home)
            in (*_NEUTRAL_CLASS_DECORATORS, _DATACLASS)
            for d in found.decorators
        )

    def _is_plain(self, owner: ResolvedDefinition) -> bool:
        """Whether only the bases decide how a class is called."""
        found, home = owner.definition, owner.home
        assert isinstance(found, Class)
        metaclass = found.metaclass
        if metaclass is not None and (
            self._resolver.full_name(metaclass, home) != "abc.ABCMeta"
        ):
            return False
        if any(base is None or base.endswith(("Enum", "Flag")) for base in found.bases):
            return False
        return _is_dataclass(found, home, self._resolver) or all(
            d is not None
            and self._resolver.full_name(d, home) in _NEUTRAL_CLASS_DECORATORS
            for d in found.decorators
        )

    def _all_fields(
        self, owner: ResolvedDefinition, steps: int
    ) -> list[ClassField] | None:
        """Return the fields of a dataclass, those of its bases first."""
        found, home = owner.definition, owner.home
        assert isinstance(found, Class)
        fields: dict[str, ClassField] = {}
        for base in reversed(found.bases):
            name = None if base is None else self._resolver.full_name(base, home)
            if name in _NEUTRAL_BASES:
                continue
            inherited = self._fields_of_base(base, home, steps - 1)
            if inherited is None:
                return None
            fields |= {field.name: field for field in inherited}
        own = _own_fields(found)
        if own is None:
            return None
        return list((fields | {field.name: field for field in own}).values())

    def _fields_of_base(
        self, base: str | None, home: Home, steps: int
    ) -> list[ClassField] | None:
        found = self._base(base, home)
        if found is None or steps == 0 or not isinstance(found.definition, Class):
            return None
        if _is_dataclass(found.definition, found.home, self._resolver):
            return self._all_fields(found, steps)
        # A class without the decorator adds no fields, whatever it annotates.
        is_plain = not found.definition.bases and self._is_plain(found)
        return [] if is_plain else None


def _is_dataclass(found: Class, home: Home, resolver: Resolver) -> bool:
    """Whether `dataclasses.dataclass` is the only decorator of a class."""
    match found.decorators:
        case [str(name)]:
            return resolver.full_name(name, home) == _DATACLASS
    return False


def _own_fields(found: Class) -> list[ClassField] | None:
    """Return the fields that a dataclass declares itself; None if uncertain."""
    options = found.dataclass_options
    is_keyword_only = options.get("kw_only", False)
    # `init=False` leaves the constructor to the bases.
    if options.get("init", True) is not True or is_keyword_only is None:
        return None
    if "**" in options or found.fields is None:
        return None
    return [
        replace(field, is_keyword_only=is_keyword_only)
        if field.is_keyword_only is None
        else field
        for field in found.fields
    ]


def _signature_of_fields(fields: Iterable[ClassField]) -> CallSignature:
    """Return the signature of a dataclass with these fields."""
    taken = [field for field in fields if field.is_initialized]
    return CallSignature(
        required=tuple(f.name for f in taken if not f.has_default),
        positional=tuple(f.name for f in taken if not f.is_keyword_only),
        keyword_only=tuple(f.name for f in taken if f.is_keyword_only),
    )


def _named_tuple_signature(
    found: Class, home: Home, resolver: Resolver
) -> CallSignature | None:
    """Return the signature of a named tuple; None for other classes."""
    match found.bases:
        case [str(name)] if resolver.full_name(name, home) in _NAMED_TUPLES:
            fields = found.fields
            return None if fields is None else _signature_of_fields(fields)
    return None
