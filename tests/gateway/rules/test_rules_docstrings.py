"""Docstrings from signatures and bodies."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[..., None]


def test_sections_say_what_the_body_shows(check: Check) -> None:
    """Returns and Raises, but no parameters; comments stay under the docstring."""
    check(
        "add docstrings",
        """
        M = 1
        «
        def get_user_by_id(user_id, n=3, *rest, strict=False, c: C | None, **more):
            # Look first.
            if user_id < 0:
                raise ValueError("negative")
            elif strict:
                raise errors.Missing
            else:
                raise KeyError(user_id)
            if not user_id:
                return None
            return find(user_id)
        »
        """,
        '''
        M = 1
        def get_user_by_id(user_id, n=3, *rest, strict=False, c: C | None, **more):
            """Get user by id.

            Returns:
                The user, or None.

            Raises:
                ValueError: If `user_id < 0`.
                errors.Missing: If `strict`.
                KeyError: Unless `strict`.
            """
            # Look first.
            if user_id < 0:
                raise ValueError("negative")
            elif strict:
                raise errors.Missing
            else:
                raise KeyError(user_id)
            if not user_id:
                return None
            return find(user_id)
        ''',
    )


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def is_open(self): return self.x", "Tell whether it is open."),
        ("def has_items(self): pass", "Tell whether it has items."),
        ("def to_dict(self): pass", "Convert to dict."),
        ("def on_click(self): pass", "Handle click."),
        ("def parse_HTTPHeader(self): pass", "Parse HTTP header."),
        ("def _drop(self): pass", "Drop."),
        ("def __len__(self): return 1", "Count the items."),
        ("def __frob__(self): return 1", "Implement `__frob__`."),
        ("def main(): pass", "Run the program."),
        ("class UserAccount: pass", "User account."),
    ],
)
def test_the_sentence_is_made_from_the_name(
    edit: Callable[..., str], code: str, expected: str
) -> None:
    assert f'"""{expected}' in edit("add docstrings", f"«\n{code}\n»\n")


def test_what_has_a_docstring_or_needs_none_is_left_alone(
    refuses: Callable[..., None],
) -> None:
    """Existing docstrings, also empty or joined ones, overloads, setters, stubs."""
    code = '''
        "Module."
        def a():
            """"""
        def b():
            "x" "y"
        @typing.overload
        def c(x: int) -> int: ...
        class D:
            """D."""
            @x.setter
            def x(self, value): ...
        def _(): ...
        '''
    refuses("add docstrings", code, "nothing to do")
    refuses("add docstrings", "def f(): ...\n", "stub files", path="a/b.pyi")


def test_forms_of_definitions(check: Check) -> None:
    """Nested, decorated, async, one-line, property, generator, dataclass."""
    check(
        "add docstrings",
        """
        M = 1
        «
        @cache
        async def fetch(url: str) -> bytes:
            def inner(x): return x  # kept

            async with get(url) as r:
                yield r

        class A:

            x = 1

            @property
            def size(self) -> int: return 1

            def __init__(self, n):
                self.n = n
        @dataclass(frozen=True)
        class B(Base):
            is_done: bool
            name: "str"
            n: ClassVar[int] = 1
        class E(Exception): pass
        »
        """,
        '''
        M = 1
        @cache
        async def fetch(url: str) -> bytes:
            """Fetch."""
            def inner(x):
                """Inner."""
                return x  # kept

            async with get(url) as r:
                yield r

        class A:
            """A."""

            x = 1

            @property
            def size(self) -> int:
                """The size."""
                return 1

            def __init__(self, n):
                """Set the object up."""
                self.n = n
        @dataclass(frozen=True)
        class B(Base):
            """B."""

            is_done: bool
            name: "str"
            n: ClassVar[int] = 1
        class E(Exception):
            """E."""

            pass
        ''',
    )


def test_what_a_function_catches_itself_is_not_said_to_be_raised(
    check: Check,
) -> None:
    """A caught exception is left out, one raised again is named."""
    check(
        "add docstrings",
        """
        M = 1
        «
        def load():
            try:
                raise KeyError
            except KeyError as error:
                raise error
            except OSError:
                raise
            except (ValueError, TypeError):
                pass
            except ERRORS:
                raise
            except _REPEATED as error:
                raise error
            try:
                raise ValueError
            except Exception:
                pass
            raise problem
        »
        """,
        '''
        M = 1
        def load():
            """Load.

            Raises:
                KeyError: Raised by the function itself.
                OSError: Raised by the function itself.
            """
            try:
                raise KeyError
            except KeyError as error:
                raise error
            except OSError:
                raise
            except (ValueError, TypeError):
                pass
            except ERRORS:
                raise
            except _REPEATED as error:
                raise error
            try:
                raise ValueError
            except Exception:
                pass
            raise problem
        ''',
    )


@pytest.mark.parametrize(
    ("code", "path", "expected"),
    [
        ("import os\n", "a/http_client.py", '"""Http client."""\n\nimport os\n'),
        ("import os\n", "shop/__init__.py", '"""Shop."""\n\nimport os\n'),
        ("\nimport os\n", "test_x.py", '"""Tests of x."""\n\nimport os\n'),
        (
            "#!/bin/python\n# coding: utf-8\n# About os.\nimport os\n",
            "m.py",
            '#!/bin/python\n# coding: utf-8\n"""M."""\n\n# About os.\nimport os\n',
        ),
        (
            "# License\n# More\n\nimport os\n",
            "m.py",
            '# License\n# More\n\n"""M."""\n\nimport os\n',
        ),
    ],
)
def test_modules(edit: Callable[..., str], code: str, path: str, expected: str) -> None:
    """A range that starts the file gets a module docstring under its comments."""
    assert edit("add docstrings", code, path=path) == expected


def test_only_the_range_and_the_names_asked_for(check: Check) -> None:
    """Definitions outside the range or not named stay as they are."""
    code = """
        def a(): pass
        «
        def b(): pass

        def c():
            pass
        »
        def d(): pass
        """
    result = '''
        def a(): pass
        def b(): pass

        def c():
            """C."""
            pass
        def d(): pass
        '''
    check("add a docstring to `c`", code, result)


def test_a_name_that_is_not_there(refuses: Callable[..., None]) -> None:
    refuses("add a docstring to `zzz`", "def a(): pass\n", "does not define `zzz`")


def test_a_range_that_is_only_a_header_or_an_indented_method(check: Check) -> None:
    """Without the file, an indented range is parsed where it stands."""
    check(
        "add docstrings",
        """
        class A:
        «
            def drop(self):
        »
                pass
        """,
        '''
        class A:
            def drop(self):
                """Drop."""
                pass
        ''',
    )
    check(
        "add docstrings",
        """
        broken (
        «
        \tdef drop(self): pass
        »
        """,
        '''
        broken (
        \tdef drop(self):
        \t\t"""Drop."""
        \t\tpass
        ''',
        whole=False,
    )


def test_long_descriptions_are_wrapped(edit: Callable[..., str]) -> None:
    tests = "\n".join(f"    if {name * 40}: raise KeyError" for name in "ab")
    result = edit("add docstrings", f"«\ndef f():\n{tests}\n»\n")
    doc = result.split('"""')[1].split("\n")
    assert max(map(len, doc)) <= 88
    assert "            `" in result
