"""f-strings replace older formats where the result cannot change."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("'%s %r %a' % (a, b, c)", "f'{a} {b!r} {c!a}'"),
        ("'%s' % (a,)", "f'{a}'"),
        ("'%5.2f|%s|%+e%%' % (a, b, c)", "f'{a:5.2f}|{b}|{c:+e}%'"),
        ("'%x' % (a,)", "f'{a:x}'"),
        ("'%(x)s-%(y)s' % {'x': a, 'y': b}", "f'{a}-{b}'"),
        ("'%(y)s-%(x)s' % {'x': a, 'y': b}", "f'{b}-{a}'"),
        ("'%s' % len(a)", "f'{len(a)}'"),
        ("'%s %s' % (a, len(a))", "f'{a} {len(a)}'"),
        ("'%s' % str(a)", "f'{str(a)}'"),
        ("'%s' % a.strip()", "f'{a.strip()}'"),
        ("'%s' % type(a).__name__", "f'{type(a).__name__}'"),
        ("'{} {}'.format(a, b)", "f'{a} {b}'"),
        ("'{1} {0} {1!r:>10}'.format(a, b)", "f'{b} {a} {b!r:>10}'"),
        ("'{x.y} {z[0]:.2f} {{}}'.format(x=a, z=b)", "f'{a.y} {b[0]:.2f} {{}}'"),
        ("'%s {}' % (a,)", "f'{a} {{}}'"),
        ("r'\\d%s' % (a,)", "rf'\\d{a}'"),
        ("u'%s' % (a,)", "f'{a}'"),
        ("'\\n%s\\t' % (a,)", "f'\\n{a}\\t'"),
        ("'{x[k]}'.format(x=a)", "f'{a[\"k\"]}'"),
        ("('%s '\n     '%% {} %s') % (a, b)", "(f'{a} '\n     f'% {{}} {b}')"),
        ("('%s '\n     '%%') % (a,)", "(f'{a} '\n     '%')"),
        ("'{}'.format(f(a))", "f'{f(a)}'"),
        ("'{} {}'.format(f(a), b)", "f'{f(a)} {b}'"),
        ("'{}'.format(\n    a,\n)", "f'{a}'"),
        ("'{}'.format(a if b else c)", "f'{a if b else c}'"),
    ],
)  # fmt: skip
def test_safe_formats(check: Callable[..., None], before: str, after: str) -> None:
    head = "def show(a, b, c, d, name: str, n: int):\n    x = "
    check("use f-strings", f"{head}{before}\n", f"{head}{after}\n")


@pytest.mark.parametrize(
    "code",
    [
        "'%s' % a",  # May be a tuple.
        "'%s' % a.b",
        "'%s' % name",
        "'%d' % (a,)",  # Cuts a float.
        "'%d' % len(a)",
        "'%-8s' % (a,)",  # Not every object takes a width.
        "'%(k)s %(x)s' % {'x': f(a), 'k': b}",
        "'%s' % (a['k'],)",  # Quotes.
        "'%s' % (a[\"k\"],)",
        "'''%s''' % (a['k'],)",
        "'%c' % (a,)",
        "'%*d' % (a, b)",
        "'%#x' % (a,)",
        "'%s' % (*a,)",
        "'%s %s' % (a,)",  # An error, which stays one.
        "'%s' % (a, b)",
        "'%(x)s' % a",
        "'%(x)s' % {'x': a, **b}",
        "'%(x)s' % {'x': a, 'y': b}",
        "'%s %s' % (a, f(a))",  # The call may change what was there before.
        "'{1} {0}'.format(f(a), g(a))",
        "'{0} {0}'.format(f(a))",
        "'{} {1}'.format(a, b)",
        "'{}'.format(*a)",
        "'{}'.format(**a)",
        "'{:{}}'.format(a, b)",
        "'{}'.format(a, b)",
        "'{} {}'.format(a)",
        "'{'.format(a)",
        "'{}'.format(lambda: a)",
        "'{}'.format('\\n')",
        "'{}'.format(\"'\\\"\")",
        "'{}'.format(a[\"'\"])",
        "'{}'.format(a  # why\n)",
        "'\\x25s' % (a,)",
        "'\\N{EM DASH} {}'.format(a)",
        "'\\{}'.format(a)",
    ],
)
def test_doubtful_formats_stay(refuses: Callable[..., None], code: str) -> None:
    refuses("use f-strings", f"def show(a, b):\n    x = {code}\n", "as before")


@pytest.mark.parametrize(
    "code", ["b'%s' % (a,)", "a % b", "a.format(b)", "f'{\"%s\" % n}'", "3 % 2", "'x'"]
)
def test_what_is_no_format_of_text(refuses: Callable[..., None], code: str) -> None:
    refuses("use f-strings", f"x = {code}\n", "nothing to do")


VALUES = "a, b, name, n = 'ab', ['c', 1.5], 'x', 7\n"


@pytest.mark.parametrize(
    "code",
    [
        "'%s|%r|%a' % (a, b, a)",
        "'%5.1f|%e|%G|%+.2f|%-7.1f|%07.2f|% .1f|' % (n, n, n, n, n, n, n)",
        "'%x|%X|%o|%5x|%05x|%-5x|' % (n, n, n, n, n, n)",
        "'%(a)s%%{%(b)s}' % {'a': a, 'b': b}",
        "'{0}{b[1]:>8.2f}{{}}{0!r:*^12}'.format(a, b=b)",
        "('%s' '{}' '%%') % (b[0],)",
    ],
)
def test_the_text_is_the_same(edit: Callable[..., str], code: str) -> None:
    """Running both gives the same string."""
    source = f"{VALUES}x = {code}\n"
    result = edit("use f-strings", source)
    assert "%s" not in result
    assert "format" not in result
    before: dict[str, object] = {}
    after: dict[str, object] = {}
    exec(source, before)
    exec(result, after)
    assert before["x"] == after["x"]


def test_only_the_range(check: Callable[..., None]) -> None:
    check(
        "use f-strings",
        """
        try: pass
        except OSError as error:
            print("%s" % (error,))
        «
            print("%s" % (error,))
            é = "é", "%s" % (error,)
        »
            print("%s" % (error,))
        """,
        """
        try: pass
        except OSError as error:
            print("%s" % (error,))
            print(f"{error}")
            é = "é", f"{error}"
            print("%s" % (error,))
        """,
    )
