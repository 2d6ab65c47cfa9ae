"""Which arguments are called phantoms, and which are left alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.checks.candidate import CheckedEdit
from redline.checks.python.environment import PythonEnvironment
from redline.checks.python.parameters import check_parameters

MakeEdit = Callable[..., CheckedEdit]

HEAD = """\
import functools
from abc import ABC, ABCMeta, abstractmethod
from contextlib import contextmanager
from dataclasses import KW_ONLY, InitVar, dataclass, field
from enum import Enum
from typing import ClassVar, Generic, NamedTuple, TypeVar, overload

from elsewhere import Unknown, unknown

T = TypeVar("T")

def plain(a, b=1, *, key=None): ...
def open_ended(a, **options): ...
def any_number(*items, sep=" "): ...
def by_position(a, b, /, c): ...
@functools.lru_cache(maxsize=None)
def cached(a): ...
@contextmanager
def managed(a): yield
@unknown
def decorated(a): ...
@overload
def twice(a: int): ...
@overload
def twice(a: str): ...
def twice(a, **options): ...
def replaced(a): ...
replaced = functools.partial(replaced, 1)
alias = plain
part = functools.partial(plain, key=1)

class Client:
    def __init__(self, url, *, timeout=1): self.url = url
    def fetch(self, path, retries=3): return path
    @classmethod
    def of(cls, url): return cls(url)
    @staticmethod
    def quote(text): return text
    @property
    def session(self): return self.url
    @unknown
    def wrapped(self, a): ...
    def hook(self, a): raise NotImplementedError
    def swapped(self, a): return a
    class Options:
        def __init__(self, size): ...

class Child(Client):
    def fetch_all(self, paths): return paths

class Strange(Unknown):
    def own(self, a): return a

class Both(Client, Unknown): ...

class Empty: ...
class Holder(Generic[T], ABC):
    def __init__(self, item): ...
class Singleton(type): ...
class One(metaclass=Singleton):
    def __init__(self, a): ...
class Meta(metaclass=ABCMeta):
    def __init__(self, a): ...
class Made:
    def __new__(cls, *args, **kwargs): return super().__new__(cls)
    def __init__(self, a): ...
class Color(Enum):
    RED = 1
class BadInput(ValueError): ...
class Coded(ValueError):
    def __init__(self, message, code): ...

@dataclass
class Point:
    x: int
    y: int = 0
    kind: ClassVar[str] = "point"
    hidden: int = field(init=False, default=0)
    scale: InitVar[int] = 1
@dataclass(frozen=True, kw_only=True)
class Named(Point):
    name: str
@dataclass
class Split:
    a: int
    _: KW_ONLY
    b: int = 0
@dataclass(init=False)
class ByHand:
    a: int
@dataclass
class FromUnknown(Unknown):
    a: int
@unknown
@dataclass
class Processed:
    a: int
@dataclass
class Later:
    a: "int"
    shared: "ClassVar[dict[str, int]]" = {}
    b: int = field(kw_only=True, default=0)
class Plain: ...
@dataclass
class Mixed(Point, Plain, Generic[T]):
    w: int = 0
@dataclass
class Hidden:
    a: int = field(**unknown)
@dataclass
class Conditional:
    if T:
        a: int
@dataclass(**unknown)
class Configured:
    a: int
@dataclass
class OfHidden(Hidden):
    b: int
class Left:
    def both(self, a): return a
class Right:
    def both(self, b): return b
class Diamond(Left, Right): ...
class Noted:
    def __init__(self, a): ...
    __init__.note = unknown
class Wrapped:
    @unknown
    def __init__(self, a): ...
class Loop(Loop): ...
class Pair(NamedTuple):
    left: int
    right: int = 0

client = Client("u")
client.swapped = print
"""


def check(
    candidate: CheckedEdit, environment: PythonEnvironment | None = None
) -> list[tuple[str, int | None]]:
    problems = list(check_parameters(candidate, environment))
    assert all(problem.rule == "phantom-parameter" for problem in problems)
    return [(problem.message, problem.line) for problem in problems]


CAUGHT = {
    # Functions.
    "plain(1, kye=2)": "`plain` takes no argument `kye`; did you mean `key`?",
    "plain(1, color=2)": "`plain` takes no argument `color`; it takes `a`, `b`, `key`.",
    "plain(*rows, **{'a': 1}, colour=2)": "`plain` takes no argument `colour`; it takes"
    " `a`, `b`, `key`.",
    "plain(1, 2, 3)": "`plain` takes at most 2 arguments by position, and 3 are given.",
    "any_number(1, 2, end='')": "`any_number` takes no argument `end`; it takes `sep`.",
    "by_position(1, b=2, c=3)": "`by_position` takes `b` by position only.",
    "cached(1, 2)": "`cached` takes at most 1 arguments by position, and 2 are given.",
    "with managed(1, b=2): ...": "`managed` takes no argument `b`; it takes `a`.",
    "print(plain(1, c=2))": "`plain` takes no argument `c`; it takes `a`, `b`, `key`.",
    # Methods.
    "client.fetch('p', retires=1)": "`fetch` takes no argument `retires`; did you mean"
    " `retries`?",
    "Client.of('u', timeout=1)": "`of` takes no argument `timeout`; it takes `url`.",
    "Client.quote('t', safe='')": "`quote` takes no argument `safe`; it takes `text`.",
    "def f(c: Client):\n    c.fetch('p', 1, 2)": "`fetch` takes at most 2 arguments by"
    " position, and 3 are given.",
    "def f():\n    c = Child('u')\n    return c.fetch(url='p')": "`fetch` takes no"
    " argument `url`; it takes `path`, `retries`.",
    "class Own:\n    def a(self, n): return n\n    def b(self): self.a(m=1)": "`a`"
    " takes no argument `m`; it takes `n`.",
    "class Own:\n    def a(self, n): return n\n    @classmethod\n    def b(cls):\n"
    "        cls.a(1, m=1)": "`a` takes no argument `m`; it takes `self`, `n`.",
    "class Own(Client):\n    def b(self): self.fetch(tries=1)": "`fetch` takes no"
    " argument `tries`; did you mean `retries`?",
    "class Own(Client):\n    def b(self): super().fetch('u', tls=1)": "`fetch` takes no"
    " argument `tls`; it takes `path`, `retries`.",
    "class Own(Client):\n    def __init__(self):\n"
    "        super().__init__(uri=1)": "`__init__` takes no argument `uri`; did you"
    " mean `url`?",
    "class Own(Unknown):\n    def a(self, n): return n\n    def b(self):\n"
    "        [self.a(m=i) for i in (1, 2)]": "`a` takes no argument `m`; it takes `n`.",
    # Classes.
    "Client('u', retries=1)": "`Client` takes no argument `retries`; it takes `url`,"
    " `timeout`.",
    "Child('u', retries=1)": "`Child` takes no argument `retries`; it takes `url`,"
    " `timeout`.",
    "Client.Options(width=1)": "`Options` takes no argument `width`; it takes `size`.",
    "Empty(1)": "`Empty` takes at most 0 arguments by position, and 1 are given.",
    "Empty(a=1)": "`Empty` takes no argument `a`; it takes none by keyword.",
    "Holder(thing=1)": "`Holder` takes no argument `thing`; it takes `item`.",
    "Meta(b=1)": "`Meta` takes no argument `b`; it takes `a`.",
    "BadInput('x', field='y')": "`BadInput` takes no argument `field`; it takes none by"
    " keyword.",
    "Coded('x', status=1)": "`Coded` takes no argument `status`; it takes `message`,"
    " `code`.",
    "Point(1, z=2)": "`Point` takes no argument `z`; it takes `x`, `y`, `scale`.",
    "Point(x=1, hidden=2)": "`Point` takes no argument `hidden`; it takes `x`, `y`,"
    " `scale`.",
    "Point(x=1, kind='p')": "`Point` takes no argument `kind`; it takes `x`, `y`,"
    " `scale`.",
    "Named(1, label='n')": "`Named` takes no argument `label`; it takes `x`, `y`,"
    " `scale`, `name`.",
    "Named(1, 2, 3, 4)": "`Named` takes at most 3 arguments by position, and 4 are"
    " given.",
    "Split(1, 2)": "`Split` takes at most 1 arguments by position, and 2 are given.",
    "Pair(first=1)": "`Pair` takes no argument `first`; it takes `left`, `right`.",
    "Later(1, shared=2)": "`Later` takes no argument `shared`; it takes `a`, `b`.",
    "Later(1, 2)": "`Later` takes at most 1 arguments by position, and 2 are given.",
    "Mixed(1, z=2)": "`Mixed` takes no argument `z`; it takes `x`, `y`, `scale`, `w`.",
    # Local definitions.
    "def f():\n    def g(a): ...\n    return g(b=1)": "`g` takes no argument `b`; it"
    " takes `a`.",
}


MISSING = {
    "plain(b=1)": "`plain` needs the argument `a`.",
    "by_position(1, 2)": "`by_position` needs the argument `c`.",
    "Coded('a')": "`Coded` needs the argument `code`.",
    "Point(y=1)": "`Point` needs the argument `x`.",
    "Named(1)": "`Named` needs the argument `name`.",
}


@pytest.mark.parametrize(("code", "message"), MISSING.items())
def test_arguments_that_are_missing(code: str, message: str, edit: MakeEdit) -> None:
    found = check(edit(f"{code}\n", head=HEAD))
    assert [message for message, _ in found] == [message]


@pytest.mark.parametrize(
    "code", ["plain(*rows)", "plain(**rows)", "Point(1)", "Split(1)", "Client.of('u')"]
)
def test_arguments_that_may_be_given(code: str, edit: MakeEdit) -> None:
    assert check(edit(f"{code}\n", head=HEAD)) == []


def test_a_field_more_of_a_dataclass(edit: MakeEdit) -> None:
    """The range has only the field, and a call below it does not give it."""
    head = "from dataclasses import dataclass\n\n@dataclass\nclass Token:\n    a: int\n"
    found = check(edit("    b: int\n\nToken(1)\n", head=head))
    assert [message for message, _ in found] == ["`Token` needs the argument `b`."]


@pytest.mark.parametrize(("code", "message"), CAUGHT.items())
def test_phantoms_are_caught(code: str, message: str, edit: MakeEdit) -> None:
    """With what is taken instead."""
    found = check(edit(f"{code}\n", head=HEAD))
    assert [message for message, _ in found] == [message]


ALONE = [
    "plain(1, 2, key=3)",
    "plain(b=1, a=2)",
    "plain(*rows)",
    "plain(1, 2, *rows)",
    "plain(**options)",
    "open_ended(1, anything=2)",
    "any_number(1, 2, 3, 4, sep='')",
    "by_position(1, 2, c=3)",
    "print(1, wobble=2)",
    # What a name stands for is not certain.
    "decorated(1, b=2)",
    "twice(1, b=2)",
    "replaced(b=2)",
    "alias(c=2)",
    "part(c=2)",
    "unknown(c=2)",
    "def f(plain):\n    plain(c=2)",
    "def f():\n    plain = open_ended\n    plain(c=2)",
    "def f():\n    for plain in rows:\n        plain(c=2)",
    "f = lambda plain: plain(c=2)",
    "[plain(c=2) for plain in rows]",
    "{plain: plain(c=2) for plain in rows}",
    "def f():\n    global plain\n    plain = open_ended\nplain(c=2)",
    "if (cached := open_ended):\n    cached(c=1)",
    "try:\n    from fast import quick\nexcept ImportError:\n    def quick(a): ...\n"
    "quick(b=1)",
    "import sys\nif sys.version_info >= (3, 15):\n    plain(c=2)",
    # Methods that may be replaced, wrapped or made to be overridden.
    "client.fetch('p', retries=1)",
    "client.fetch('p', 1)",
    "client.session(a=1)",
    "client.wrapped(b=1)",
    "client.hook(b=1)",
    "client.swapped(b=1)",
    "client.missing(b=1)",
    "client.Options.missing(b=1)",
    "Client.fetch(client, 'p', 1)",
    "Client.__call__(b=1)",
    "make().fetch(b=1)",
    "rows[0].fetch(b=1)",
    "def f(c: Unknown):\n    c.fetch(b=1)",
    "def f(c: Client):\n    c = c.session\n    c.fetch(b=1)",
    "Both('u').fetch(b=1)",
    "class Own(Unknown):\n    def b(self):\n        self.a(m=1)",
    "class Own(Client):\n    def b(self):\n        self = wrap(self)\n"
    "        self.fetch(m=1)",
    "class Own:\n    def a(self, n): return n\n    def b(this, self):\n"
    "        self.a(m=1)",
    "class Own:\n    def a(self, n): return n\n    @staticmethod\n    def b(self):\n"
    "        self.a(m=1)",
    "class Own:\n    def __init__(self, a):\n        self.a = a\n    def b(self):\n"
    "        self.a(m=1)",
    "class Own(Unknown):\n    def __init__(self):\n        super().__init__(m=1)",
    "class Own(Client, Unknown):\n    def __init__(self):\n"
    "        super().__init__(m=1)",
    "class Own:\n    def __init__(self, **rest):\n"
    "        super().__init__(**rest, m=1)",
    "class Own:\n    plain = open_ended\n    plain(c=2)",
    "class Own:\n    @classmethod\n    def of(cls, a): return cls(a, b=1)",
    # Classes that something else may construct.
    "Client('u', timeout=1)",
    "Child('u', timeout=1)",
    "Strange(a=1)",
    "Both('u', b=1)",
    "One(b=1)",
    "Made(b=1)",
    "Color(value=1)",
    "BadInput('x', 'y')",
    "Coded('x', code=1)",
    "Point(1, 2, 3)",
    "Point(1, y=2, scale=3)",
    "Named(1, name='n')",
    "Split(1, b=2)",
    "ByHand(b=1)",
    "FromUnknown(b=1)",
    "Processed(b=1)",
    "Pair(1, right=2)",
    "Later(1, b=2)",
    "Hidden(b=1)",
    "Conditional(b=1)",
    "Configured(b=1)",
    "OfHidden(c=1)",
    "Wrapped(b=1)",
    "Loop(a=1)",
    "Diamond().both(b=1)",
    "class Own(Diamond): ...\nOwn().both(c=1)",
    "def f():\n    class Client(Unknown):\n        pass\n    Client(b=1)",
    "def f():\n    class Local(Client):\n        pass\n    Local(b=1)",
    # Not calls, not Python.
    "def f(a, b=plain): ...",
    "plain(c=2), (",
]


@pytest.mark.parametrize("code", ALONE)
def test_what_is_taken_or_uncertain_is_left_alone(code: str, edit: MakeEdit) -> None:
    """No problem is reported on a guess."""
    assert check(edit(f"{code}\n", head=HEAD)) == []


def test_the_line_is_the_arguments(edit: MakeEdit) -> None:
    """Calls have many lines; the one of the argument counts."""
    code = "x = 1\nplain(\n    1,\n    c=2,\n)\nplain(\n    1,\n    2,\n    3,\n)\n"
    assert [line for _, line in check(edit(code, head=HEAD))] == [3, 8]


def test_only_new_arguments_count(edit: MakeEdit) -> None:
    """Neither those outside of the range nor those that were there."""
    call = "plain(c=2)\n"
    assert check(edit("x = 1\n", head=HEAD + call)) == []
    assert check(edit(f"x = 1\n{call}", call, head=HEAD)) == []
    assert check(edit(call, head=HEAD + call)) == []
    assert len(check(edit("plain(d=2)\n", head=HEAD + call))) == 1
    assert len(check(edit(call, "plain(1\n", head=HEAD))) == 1


def test_callers_of_what_changed(edit: MakeEdit) -> None:
    """A parameter that was taken away is missed by calls elsewhere in the file."""
    before = "def scale(x, factor=1):\n    return x * factor\n"
    after = "def scale(x):\n    return x\n"
    tail = "\n\nprint(scale(2, factor=3))\n"
    assert check(edit(after, before, tail=tail)) == [
        (
            "in line 5 of the file, `scale` takes no argument `factor`; it takes `x`.",
            None,
        )
    ]
    assert check(edit(before, after, tail=tail)) == []


def test_callers_of_a_changed_constructor(edit: MakeEdit) -> None:
    """They name the class, whose first line may stand outside of the range."""
    head = "class Client:\n"
    before = "    def __init__(self, url, retries):\n        self.url = url\n"
    after = "    def __init__(self, url):\n        self.url = url\n"
    tail = "\n\ndef connect():\n    return Client('u', retries=3)\n"
    found = check(edit(after, before, head=head, tail=tail))
    assert found == [
        ("in line 7 of the file, `Client` takes no argument `retries`; it takes `url`.",
         None)
    ]  # fmt: skip


def test_definitions_elsewhere(edit: MakeEdit, workspace: Path) -> None:
    """In the workspace, its environment and the standard library."""
    environment = PythonEnvironment([workspace])
    head = (
        "import json\nimport web, web.api as api\nfrom web import get as fetch\n"
        "from textwrap import dedent\nfrom cloud import storage\nimport cloud.storage\n"
        "from .sub.calls import helper\nfrom . import prices\n"
    )
    for call, argument in (
        ("web.get", "tiemout"),
        ("api.get", "tiemout"),
        ("fetch", "tiemout"),
        ("dedent", "width"),
        ("storage.Client", "region"),
        ("prices.total", "tax"),
        ("cloud.storage.Client", "region"),
    ):
        found = check(edit(f"{call}({argument}=1)\n", head=head), environment)
        assert len(found) == 1, call
        assert f"takes no argument `{argument}`" in found[0][0]
        assert check(edit(f"{call}({argument}=1)\n", head=head)) == []
    for call in (
        "json.loads('1', wobble=1)",
        "fetch('u', timeout=1)",
        "helper(a=1)",
        "web.missing(a=1)",
        "storage.missing(a=1)",
        "prices.Price.a(b=1)",
    ):
        assert check(edit(f"{call}\n", head=head), environment) == []


def test_a_package_that_its_modules_import(edit: MakeEdit, tmp_path: Path) -> None:
    """As asyncio does: each module is followed once, whatever imports the package."""
    package = tmp_path / "ring"
    package.mkdir()
    users = [f"m{number}" for number in range(12)]
    stars = "".join(f"from .{name} import *\n" for name in ("make", *users))
    (package / "__init__.py").write_text(stars)
    (package / "make.py").write_text("def make(x): ...\n")
    for name in users:
        (package / f"{name}.py").write_text("from . import make\n")
    environment = PythonEnvironment([tmp_path])
    (found,) = check(edit("ring.make(y=1)\n", head="import ring\n"), environment)
    assert "takes no argument `y`" in found[0]


def test_bases_elsewhere(edit: MakeEdit, workspace: Path) -> None:
    """A class may inherit from one that is installed."""
    environment = PythonEnvironment([workspace])
    code = "class Own(cloud.storage.Client): ...\nOwn(region=1)\n"
    found = check(edit(code, head="import cloud.storage\n"), environment)
    assert found == [("`Own` takes no argument `region`; it takes none by keyword.", 1)]


NAMES = ("a", "b", "c", "d")


@st.composite
def _parameter_lists(draw: st.DrawFn) -> str:
    """Any list of parameters, all of them optional."""
    names = list(draw(st.permutations(NAMES)))[: draw(st.integers(0, 4))]
    first, second = sorted(draw(st.integers(0, len(names))) for _ in range(2))
    parts = [f"{name}=0" for name in names]
    keyword_only = parts[second:]
    positional = parts[:first] + (["/"] if first else []) + parts[first:second]
    star = ["*rest"] if draw(st.booleans()) else ["*"] if keyword_only else []
    options = ["**options"] if draw(st.booleans()) else []
    return ", ".join(positional + star + keyword_only + options)


@given(
    parameters=_parameter_lists(),
    n_positional=st.integers(0, 5),
    keywords=st.sets(st.sampled_from((*NAMES, "e"))),
)
def test_the_verdict_is_pythons(
    parameters: str, n_positional: int, keywords: set[str]
) -> None:
    """What is refused is what Python refuses for its arguments' names and number."""
    arguments = ["0"] * n_positional + [f"{name}=1" for name in sorted(keywords)]
    lines = [f"def f({parameters}): ...\n", f"f({', '.join(arguments)})\n"]
    candidate = CheckedEdit(
        before=[],
        after=lines,
        region_before=range(0),
        region_after=range(2),
        language="python",
    )
    namespace: dict[str, Callable[..., None]] = {}
    exec(lines[0], namespace)
    # Apart from each other, since a parameter that gets two values is no phantom.
    is_refused = not (
        _takes(namespace["f"], [0] * n_positional, {})
        and _takes(namespace["f"], [], dict.fromkeys(keywords, 1))
    )
    assert bool(check(candidate)) == is_refused


def _takes(
    function: Callable[..., None], positional: list[int], keywords: dict[str, int]
) -> bool:
    try:
        function(*positional, **keywords)
    except TypeError:
        return False
    return True
