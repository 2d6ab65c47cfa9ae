"""Related places: definitions, callers, tests and settings, in small workspaces."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from contextlib import closing
from pathlib import Path

import pytest

from redline.assist.review.change.scope import gather
from redline.assist.review.related.outlines import Outlines, SourceText, read_outline
from redline.assist.review.related.related_place import RelatedPlace
from redline.assist.review.related.related_places import related_places
from redline.assist.review.related.related_search import find_related
from redline.findings.scope import ReviewScope, Selection, Span, WholeFiles
from redline.syntax.language import Language
from redline.syntax.outline import Outline

_SHOP = {
    "shop/price.py": """\
import os

from shop.money import Money, rounded


def discounted(price, percent):
    limit = os.environ["SHOP_MAX_DISCOUNT"]
    return rounded(Money(price * percent), limit)


def other():
    return 1
""",
    "shop/money.py": """\
class Money:
    def __init__(self, amount):
        self.amount = amount


def rounded(money, limit):
    return money
""",
    "shop/cart.py": """\
from shop.price import discounted


class Cart:
    def total(self):
        before = 1
        return discounted(before, 10)

    def other(self):
        return 1
""",
    "tests/test_price.py": """\
from shop.price import discounted


def test_discount():
    assert discounted(10, 10) == 9
""",
    "settings.toml": "[shop]\nSHOP_MAX_DISCOUNT = 50\n",
    "shop/unrelated.py": "def rounded_up():\n    return 1\n",
}


def _write(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def _scope(folder: Path, path: str, lines: Span = (0, 999)) -> ReviewScope:
    target = Selection(
        uri=(folder / path).as_uri(), first_line=lines[0], end_line=lines[1]
    )
    return gather(target, roots=[folder.as_uri()], documents={})


def _outline(text: str, language: Language) -> Outline:
    return read_outline(SourceText(text=text, language=language))


def _find(
    folder: Path, path: str, lines: Span = (0, 999)
) -> dict[tuple[str, str], RelatedPlace]:
    places = find_related(
        _scope(folder, path, lines),
        roots=[folder.as_uri()],
        is_late=lambda: False,
        outline_of=_outline,
    )
    return {(place.relation, place.path): place for place in places}


def test_each_relation_is_found(tmp_path: Path) -> None:
    """Definitions, callers, tests and settings."""
    _write(tmp_path, _SHOP)
    found = _find(tmp_path, "shop/price.py", (5, 8))
    assert sorted(found) == [
        ("caller", "shop/cart.py"),
        ("configuration", "settings.toml"),
        ("definition", "shop/money.py"),
        ("test", "tests/test_price.py"),
    ]
    caller = found["caller", "shop/cart.py"]
    assert (caller.first_line, caller.names) == (4, ("discounted",))
    assert caller.text.startswith("    def total(self):")
    assert "def other" not in caller.text
    setting = found["configuration", "settings.toml"]
    assert setting.names == ("SHOP_MAX_DISCOUNT",)


def test_only_the_lines_in_question_are_asked_for(tmp_path: Path) -> None:
    """Names of another function in the file do not count."""
    _write(tmp_path, _SHOP)
    assert _find(tmp_path, "shop/price.py", (10, 12)) == {}


def test_what_the_file_defines_itself_is_not_looked_for(tmp_path: Path) -> None:
    """The prompt shows it anyway."""
    files = {
        "a.py": "def helper():\n    pass\n\n\ndef f():\n    helper()\n",
        "b.py": "def helper():\n    pass\n",
    }
    _write(tmp_path, files)
    assert _find(tmp_path, "a.py", (4, 6)) == {}


def test_what_is_held_back_is_not_found(tmp_path: Path) -> None:
    """Neither ignored code nor files with keys."""
    _write(tmp_path, _SHOP)
    _write(tmp_path, {".env": "SHOP_MAX_DISCOUNT=1\n"})
    _write(tmp_path, {".gitignore": "cart.py\nmoney.py\nsettings.toml\n"})
    found = _find(tmp_path, "shop/price.py", (5, 8))
    assert sorted(found) == [("test", "tests/test_price.py")]


def test_files_under_review_are_not_related(tmp_path: Path) -> None:
    """The prompt shows them already."""
    _write(tmp_path, _SHOP)
    names = ("shop/price.py", "shop/cart.py", "shop/money.py")
    target = WholeFiles(uris=tuple((tmp_path / name).as_uri() for name in names))
    scope = gather(target, roots=[tmp_path.as_uri()], documents={})
    places = find_related(
        scope, roots=[tmp_path.as_uri()], is_late=lambda: False, outline_of=_outline
    )
    assert {place.path for place in places} == {"tests/test_price.py", "settings.toml"}


def test_languages_without_imports_of_names_look_beside(tmp_path: Path) -> None:
    """In Go a package is a folder."""
    files = {
        "a/a.go": "package a\n\nfunc Fill() int {\n\treturn pour()\n}\n",
        "a/g.go": "package a\n\nfunc pour() int {\n\treturn 1\n}\n",
        "a/a_test.go": "package a\n\nfunc TestFill() {\n\tFill()\n}\n",
    }
    _write(tmp_path, files)
    found = _find(tmp_path, "a/a.go")
    assert sorted(found) == [("definition", "a/g.go"), ("test", "a/a_test.go")]


def test_a_name_that_everybody_calls_is_no_tie(tmp_path: Path) -> None:
    """Far from the file and without an import, only rare names count."""
    files = {f"far/f{n}.py": "def go(x):\n    x.close_it()\n" for n in range(9)}
    _write(tmp_path, {"near/a.py": "def close_it():\n    pass\n", **files})
    assert _find(tmp_path, "near/a.py") == {}


def test_places_are_few_and_short(tmp_path: Path) -> None:
    """Whatever the size of the workspace."""
    body = "".join(f"    x = {n}\n" for n in range(200))
    files = {
        f"c{n}.py": f"from a import fill\n\n\ndef c{n}():\n{body}    fill()\n"
        for n in range(20)
    }
    _write(tmp_path, {"a.py": "def fill():\n    pass\n", **files})
    places = find_related(
        _scope(tmp_path, "a.py"),
        roots=[tmp_path.as_uri()],
        is_late=lambda: False,
        outline_of=_outline,
    )
    assert len(places) == 4
    assert all(place.text.count("\n") < 60 for place in places)
    assert all("fill()" in place.text for place in places)


def test_a_line_that_is_too_long_is_not_shown(tmp_path: Path) -> None:
    """Minified code is one line, which would be sent as a whole."""
    calls = f"from a import fill\n\ndef b(): fill(); x = '{'y' * 9_000}'\n"
    _write(tmp_path, {"a.py": "def fill():\n    pass\n", "b.py": calls})
    assert _find(tmp_path, "a.py") == {}


async def test_a_name_that_is_not_utf_8_does_not_lose_the_others(
    tmp_path: Path,
) -> None:
    """It cannot be encoded in the answer."""
    calls = "from a import fill\n\n\ndef b():\n    fill()\n"
    files = {"a.py": "def fill():\n    pass\n", "b.py": calls}
    _write(tmp_path, {**files, os.fsdecode(b"odd\xff.py"): calls})
    scope = _scope(tmp_path, "a.py")
    places = await related_places(scope, roots=[tmp_path.as_uri()])
    assert [place.path for place in places] == ["b.py"]


def test_a_search_that_is_late_tells_what_it_has(tmp_path: Path) -> None:
    """It stops at the next step."""
    _write(tmp_path, _SHOP)
    scope = _scope(tmp_path, "shop/price.py")
    assert (
        find_related(
            scope, roots=[tmp_path.as_uri()], is_late=lambda: True, outline_of=_outline
        )
        == ()
    )


async def test_the_search_runs_in_a_process_of_its_own(tmp_path: Path) -> None:
    """And gives the same result."""
    _write(tmp_path, _SHOP)
    scope, roots = _scope(tmp_path, "shop/price.py"), [tmp_path.as_uri()]
    expected = find_related(
        scope, roots=roots, is_late=lambda: False, outline_of=_outline
    )
    assert await related_places(scope, roots=roots) == expected
    assert expected


def test_a_file_that_the_parser_cannot_read_in_time(tmp_path: Path) -> None:
    """The places in the other files are found, before it and after it."""
    hostile = "class C { void f() { fill(" + "a=>" * 5_000
    calls = "from a import fill\n\n\ndef b():\n    fill()\n"
    files = {"a.py": "def fill():\n    pass\n", "b.py": calls, "z.py": calls}
    _write(tmp_path, {**files, "c.java": hostile})
    parsed: list[Language] = []
    with closing(Outlines(is_late=lambda: False)) as outlines:

        def outline_of(text: str, language: Language) -> Outline:
            parsed.append(language)
            return outlines(text, language)

        places = find_related(
            _scope(tmp_path, "a.py"),
            roots=[tmp_path.as_uri()],
            is_late=lambda: False,
            outline_of=outline_of,
        )
    assert parsed == ["python", "python", "java", "python"]
    assert [place.path for place in places] == ["b.py", "z.py"]
    assert outlines.wasted_s > 0


async def test_without_a_folder_nothing_is_searched(tmp_path: Path) -> None:
    """A single file has no workspace."""
    _write(tmp_path, _SHOP)
    scope = _scope(tmp_path, "shop/price.py")
    assert await related_places(scope, roots=[], command=["no-such-program"]) == ()


@pytest.mark.parametrize(
    "command",
    [("no-such-program",), (sys.executable, "-c", "print('no answer')")],
)
async def test_a_search_that_fails_finds_nothing(
    tmp_path: Path, command: tuple[str, ...], caplog: pytest.LogCaptureFixture
) -> None:
    """The review continues, and the log has the reason."""
    _write(tmp_path, _SHOP)
    scope, roots = _scope(tmp_path, "shop/price.py"), [tmp_path.as_uri()]
    with caplog.at_level(logging.WARNING):
        assert await related_places(scope, roots=roots, command=command) == ()
    assert "no related places" in caplog.text


async def test_cancelling_ends_the_process(tmp_path: Path) -> None:
    """No process is left behind."""
    _write(tmp_path, _SHOP)
    scope, roots = _scope(tmp_path, "shop/price.py"), [tmp_path.as_uri()]
    begun, ended = tmp_path / "begun", tmp_path / "ended"
    os.mkfifo(begun)
    code = (
        "import pathlib, time\n"
        f"pathlib.Path({str(begun)!r}).write_text('yes')\n"
        f"time.sleep(60)\n"
        f"pathlib.Path({str(ended)!r}).mkdir()\n"
    )
    command = (sys.executable, "-c", code)
    task = asyncio.create_task(related_places(scope, roots=roots, command=command))
    assert await asyncio.to_thread(begun.read_text) == "yes"
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not ended.exists()
