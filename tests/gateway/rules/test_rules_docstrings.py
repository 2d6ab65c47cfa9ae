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
    ("name", "expected"),
    [
        ("is_open", "Tell whether it is open."),
        ("has_items", "Tell whether it has items."),
        ("to_dict", "Convert to dict."),
        ("on_click", "Handle click."),
        ("parse_HTTPHeader", "Parse HTTP header."),
        ("_drop", "Drop."),
        ("main", "Run the program."),
    ],
)
def test_the_sentence_is_made_from_the_name(
    edit: Callable[..., str], name: str, expected: str
) -> None:
    code = f"def {name}(self): raise KeyError"
    assert f'"""{expected}' in edit("add docstrings", f"«\n{code}\n»\n")


@pytest.mark.parametrize(
    "code",
    [
        "def is_open(self): return self.x",
        "def get_size(self): return 1",
        "def drop(self): pass",
        "class UserAccount: pass",
        "def __len__(self): raise KeyError",
        "import os",
        "@property\ndef size(self): return self._size",
    ],
)
def test_what_would_only_repeat_the_name_is_not_written(
    refuses: Callable[..., None], code: str
) -> None:
    refuses("add docstrings", f"{code}\n", "describe a result or an exception")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return self", "The object itself."),
        ("return found_items", "The found items."),
        ("yield row", "The next row."),
    ],
)
def test_what_the_body_shows_is_written(
    edit: Callable[..., str], body: str, expected: str
) -> None:
    assert expected in edit("add docstrings", f"«\ndef f(): {body}\n»\n")


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
    """Nested, decorated, async, one-line, property, generator; no class."""
    check(
        "add docstrings",
        """
        M = 1
        «
        @cache
        async def fetch(url: str) -> bytes:
            def inner(x): raise KeyError(x)  # kept

            async with get(url) as row:
                yield row

        class A:

            x = 1

            @property
            def size(self) -> int: raise ValueError

            def __init__(self, n):
                raise ValueError
        »
        """,
        '''
        M = 1
        @cache
        async def fetch(url: str) -> bytes:
            """Fetch.

            Yields:
                The next row.
            """
            def inner(x):
                """Inner.

                Raises:
                    KeyError: Raised by the function itself.
                """
                raise KeyError(x)  # kept

            async with get(url) as row:
                yield row

        class A:

            x = 1

            @property
            def size(self) -> int:
                """The size.

                Raises:
                    ValueError: Raised by the function itself.
                """
                raise ValueError

            def __init__(self, n):
                raise ValueError
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


def test_only_the_range_and_the_names_asked_for(check: Check) -> None:
    """Definitions outside the range or not named stay as they are."""
    code = """
        def a(): raise E
        «
        def b(): raise E

        def c(): return self
        »
        def d(): raise E
        """
    result = '''
        def a(): raise E
        def b(): raise E

        def c():
            """C.

            Returns:
                The object itself.
            """
            return self
        def d(): raise E
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
                return self
        """,
        '''
        class A:
            def drop(self):
                """Drop.

                Returns:
                    The object itself.
                """
                return self
        ''',
    )
    check(
        "add docstrings",
        """
        broken (
        «
        \tdef drop(self): return self
        »
        """,
        '''
        broken (
        \tdef drop(self):
        \t\t"""Drop.

        \t\tReturns:
        \t\t\tThe object itself.
        \t\t"""
        \t\treturn self
        ''',
        whole=False,
    )


def test_long_descriptions_are_wrapped(edit: Callable[..., str]) -> None:
    tests = "\n".join(f"    if {name * 40}: raise KeyError" for name in "ab")
    result = edit("add docstrings", f"«\ndef f():\n{tests}\n»\n")
    doc = result.split('"""')[1].split("\n")
    assert max(map(len, doc)) <= 88
    assert "            `" in result
