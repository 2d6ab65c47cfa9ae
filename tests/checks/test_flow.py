"""Ways through a function that end without a value, or are never taken."""

from __future__ import annotations

import pytest

from redline.checks.all_checks import check
from redline.checks.candidate import CheckedEdit
from redline.text.lines import split_lines


def messages(path: str, before: str, after: str, instruction: str = "log it") -> str:
    """Check an edit of a whole file."""
    old, new = split_lines(before), split_lines(after)
    candidate = CheckedEdit(
        before=old,
        after=new,
        region_before=range(len(old)),
        region_after=range(len(new)),
        path=path,
        instruction=instruction,
    )
    found = check(candidate, rules=["stub"])
    return " ".join(problem.message for problem in found)


PYTHON = """\
def load(path):
    if not path:
        return {}
    data = read(path)
    return data
"""
GO = """\
package a

func find(name string) (int, error) {
	if name == "" {
		return 0, errors.New("empty")
	}
	return 1, nil
}
"""
C = """\
int sum(int n) {
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += i;
    }
    return s;
}
"""
SCRIPT = """\
export function wait(f) {
  let timer = null;
  return function () {
    timer = set(f);
  };
}
"""


@pytest.mark.parametrize(
    ("path", "before", "old", "new"),
    [
        ("a.py", PYTHON, "    return data\n", "    log(data)\n"),
        ("a.c", C, "    return s;\n", '    printf("%d", s);\n'),
        ("a.js", SCRIPT, "  return function ()", "  const g = function ()"),
    ],
)
def test_an_end_without_a_value(path: str, before: str, old: str, new: str) -> None:
    """Where there was a value on every way."""
    found = messages(path, before, before.replace(old, new))
    assert "may now end without a value" in found


@pytest.mark.parametrize(
    ("path", "before", "old", "new"),
    [
        ("a.py", PYTHON, "    return data\n", "    raise ValueError(data)\n"),
        (
            "a.py",
            PYTHON,
            "    return data\n",
            "    try:\n        return data\n    except OSError:\n        raise\n",
        ),
        (
            "a.py",
            PYTHON,
            "    return data\n",
            "    while True:\n        if data:\n            return data\n",
        ),
        ("a.c", C, "    return s;\n", "    if (s) { return s; } else { return 1; }\n"),
        ("a.js", SCRIPT, "let timer = null;", "let timer = undefined;"),
    ],
)
def test_every_way_has_a_value(path: str, before: str, old: str, new: str) -> None:
    """Or leaves in another way."""
    assert not messages(path, before, before.replace(old, new))


def test_a_value_that_is_not_wanted_any_more() -> None:
    """A wish decides."""
    after = PYTHON.replace("    return data\n", "    print(data)\n").replace(
        "        return {}\n", "        return\n"
    )
    assert not messages("a.py", PYTHON, after, "print it instead of returning it")


@pytest.mark.parametrize(
    ("path", "before", "old", "new"),
    [
        ("a.py", PYTHON, "    if not", "    return data\n    if not"),
        ("a.c", C, "    int s = 0;\n", "    return 0;\n    int s = 0;\n"),
    ],
)
def test_code_that_is_never_reached(path: str, before: str, old: str, new: str) -> None:
    """Behind a statement that leaves."""
    assert "never reached" in messages(path, before, before.replace(old, new))


def test_functions_of_scripts_may_follow_a_return() -> None:
    """They are defined before anything runs."""
    after = SCRIPT.replace("  };\n}", "  };\n  function set(g) {\n    g();\n  }\n}")
    assert not messages("a.js", SCRIPT, after)


@pytest.mark.parametrize(
    ("value", "is_right"),
    [
        ('fmt.Errorf("empty")', False),
        ("1", False),
        ("other(name)", True),
        ("1, nil", True),
    ],
)
def test_values_of_go(value: str, is_right: bool) -> None:
    """A call may return all of them."""
    after = GO.replace('0, errors.New("empty")', value)
    assert ("values" not in messages("a.go", GO, after)) is is_right
