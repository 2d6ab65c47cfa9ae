"""Names of Python's standard library that a file may use and not import."""

from __future__ import annotations

import sys

HOMES = {
    name: module
    for module, names in {
        "abc": "ABC abstractmethod",
        "collections": "Counter OrderedDict defaultdict deque namedtuple",
        "collections.abc": "Awaitable Callable Iterable Iterator Mapping Sequence",
        "contextlib": "contextmanager asynccontextmanager suppress ExitStack",
        "dataclasses": "dataclass",
        "datetime": "timedelta",
        "decimal": "Decimal",
        "enum": "Enum IntEnum StrEnum",
        "fractions": "Fraction",
        "functools": "cached_property lru_cache partial wraps",
        "itertools": "islice pairwise",
        "pathlib": "Path PurePath PurePosixPath",
        "types": "SimpleNamespace MappingProxyType",
        "typing": "Any BinaryIO ClassVar Literal NamedTuple Optional Protocol"
        " TYPE_CHECKING TextIO TypeVar Union",
    }.items()
    for name in names.split()
}
"""Names of the standard library that are almost always imported from there."""

MODULES = frozenset(
    name for name in sys.stdlib_module_names if not name.startswith("_")
)
"""Modules that can be imported by their name alone."""
