"""The signatures of what a range calls, the nearest of each name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from redline.prompts.context import ContextItem
from redline.prompts.signatures import (
    Signature,
    nearest_signatures,
    signature_items,
    signatures,
)
from redline.syntax.language import Language
from redline.syntax.outline import outline
from redline.syntax.tree import parse

PRICES = '''\
"""Prices."""
from shop import rates


class Price:
    """One price."""

    def __init__(self, cents: int) -> None:
        self.cents = cents

    @property
    def euros(self) -> float:
        return self.cents / 100


def total(
    prices: list[Price],
    *,
    rate: float = 1.0,
) -> Price:
    return Price(sum(p.cents for p in prices))
'''


def _signatures(text: str, path: str) -> tuple[Signature, ...]:
    return signatures(outline(parse(text, Language.PYTHON)), path)


def _called(
    index: dict[str, list[Signature]],
    *names: str,
    path: str = "a.py",
    imports: Iterable[str] = (),
    shown: range = range(0),
) -> list[ContextItem]:
    candidates = nearest_signatures(
        names, lambda name: index.get(name, ()), path=path, imports=list(imports)
    )
    return signature_items(dict.fromkeys(names), candidates, path=path, shown=shown)


def _index(files: dict[str, str]) -> dict[str, list[Signature]]:
    index: dict[str, list[Signature]] = defaultdict(list)
    for path, text in files.items():
        for one in _signatures(text, path):
            index[one.name].append(one)
    return index


def _sources(
    files: dict[str, str], *names: str, imports: Iterable[str] = (), path: str = "a.py"
) -> list[str]:
    items = _called(_index(files), *names, path=path, imports=imports)
    return [item.source for item in items]


def test_a_file_is_read_into_signatures() -> None:
    """Names, places, and the text up to the body, over several lines."""
    found = {one.qualified_name: one for one in _signatures(PRICES, "shop/prices.py")}
    assert set(found) == {"Price", "Price.__init__", "Price.euros", "total"}
    assert found["Price.__init__"].text == "def __init__(self, cents: int) -> None:"
    assert found["total"].text.split("\n")[3:] == [
        "    rate: float = 1.0,",
        ") -> Price:",
    ]
    assert found["total"].name == "total"
    assert (found["total"].first_line, found["total"].last_line) == (15, 20)


def test_a_long_signature_is_cut() -> None:
    """Ten lines of parameters are enough to call it right."""
    arguments = "".join(f"    a{n}: int,\n" for n in range(40))
    (one,) = _signatures(f"def f(\n{arguments}):\n    pass\n", "a.py")
    assert len(one.text.split("\n")) == 13
    assert one.text.endswith("…")


def test_what_is_called_is_found_wherever_it_is() -> None:
    """In its file, with the type it belongs to, in the order of the calls."""
    files = {"shop/prices.py": PRICES, "a.py": "def local(): ...\n"}
    assert _sources(files, "local", "euros", "total", "print") == [
        "a.py:1",
        "shop/prices.py:11 in Price",
        "shop/prices.py:16",
    ]


def test_the_nearest_of_a_name_comes_first() -> None:
    """The same file, then what is imported, then a neighbour, then the rest."""
    code = "def run(): ...\n"
    files = {f"{name}.py": code for name in ("far/x", "far/jobs", "here/b", "here/a")}
    index = _index(files)

    def nearest(*imports: str) -> list[tuple[str, float]]:
        items = _called(index, "run", path="here/a.py", imports=imports)
        return [(item.source, item.relevance) for item in items]

    assert nearest("from far.jobs import run") == [
        ("here/a.py:1", 3.0),
        ("far/jobs.py:1", 2.0),
    ]
    assert nearest() == [("here/a.py:1", 3.0), ("here/b.py:1", 1.0)]


def test_a_name_that_many_have_says_nothing() -> None:
    """Four strangers called `get` are four wrong hints."""
    files = {f"lib{n}/m{n}.py": "def get(): ...\n" for n in range(4)}
    assert _sources(files, "get") == []
    assert _sources(files, "get", imports=["import m2"]) == ["lib2/m2.py:1"]
    del files["lib0/m0.py"]
    assert len(_sources(files, "get")) == 2


def test_what_the_prompt_shows_is_not_repeated() -> None:
    """The lines around the range are there anyway."""
    index = _index({"a.py": "def one(): ...\n\n\ndef two(): ...\n"})
    items = _called(index, "one", "two", "one", shown=range(0, 2))
    assert [item.text for item in items] == ["def two():"]
    assert {item.kind for item in items} == {"signature"}
