"""Comments and empty bodies that stand for code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.elision import check_elision

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

PYTHON = "def f(x):\n    y = x + 1\n    return y\n"
SCRIPT = "function f(x) {\n  const y = x + 1;\n  return y;\n}\n"


@pytest.mark.parametrize(
    ("before", "after", "language", "line"),
    [
        (PYTHON, "def f(x):\n    # ... existing code ...\n", "python", 1),
        (SCRIPT, "function f(x) {\n  // rest of the code\n}\n", "javascript", 1),
        (PYTHON, "def f(x):\n    ...\n", "python", 0),
        (PYTHON, "def f(x):\n    pass\n", "python", 0),
        (PYTHON, "def f(x):\n    for y in x:\n        ...\n    g()\n", "python", 2),
        (PYTHON, "def f(x):\n    # see above\n    pass\n", "python", 0),
        (SCRIPT, "function f(x) {}\n", "javascript", 0),
        (SCRIPT, "function f(x) {\n  // as it was\n}\n", "javascript", 0),
        (SCRIPT, "function f(x) { ; }\n", "javascript", None),
        ("a: 1\n", "# ... rest unchanged\n", "yaml", 0),
        ("a: 1\nb: 2\n", "# both keys unchanged\nc: 3\n", "yaml", 0),
        ("<p>1</p>\n", "<!-- text unchanged -->\n", "html", 0),
        (
            PYTHON,
            "def f(x):\n    y = []\n    ...  # as above\n    return y\n",
            "python",
            2,
        ),
        ("x = f(a.b, c)\n", "a.check()\nx = f(...)\n", "python", 1),
        (PYTHON, 'def f(x):\n    """..."""\n', "python", 1),
        (
            PYTHON,
            'def f(x):\n    """F.\n\n    ... rest unchanged\n    """\n',
            "python",
            3,
        ),
        (SCRIPT, "function f(x) { /* ... existing code ... */ }\n", "javascript", 0),
        (PYTHON.replace("\n", "\r\n"), "def f(x):\r\n    ...\r\n", "python", 0),
        (PYTHON, 'def f(x):\n    """Add."""\n    ...\n', "python", 0),
        (PYTHON, 'def f(x):\n    """Add."""\n    pass\n', "python", 0),
        (PYTHON, 'def f(x):\n    """Add one\n    to it."""\n', "python", 0),
        ("def f(x):\n    return x\n", "def f(x):\n    ...\n", "python", 0),
        (
            'def f(x):\n    """Add\n    one."""\n    pass\n',
            'def f(x):\n    """Add one."""\n    ...\n',
            "python",
            None,
        ),
    ],
)
def test_elisions(
    make_candidate: MakeCandidate,
    before: str,
    after: str,
    language: str,
    line: int | None,
) -> None:
    """One a region, with its line."""
    found = list(check_elision(make_candidate(before, after, language=language)))
    assert [(problem.rule, problem.line) for problem in found] == (
        [] if line is None else [("elision", line)]
    )


@pytest.mark.parametrize(
    ("before", "after", "instruction"),
    [
        (PYTHON, "def f(x):\n    return x + 1\n", ""),
        (PYTHON, "def f(x):\n    # The rest is easy.\n    return x + 1\n", ""),
        # What was there before, even somewhere else in the file, is nobody's fault.
        ("# ... rest unchanged\n»\nx = 1\n«\n", "# ... rest unchanged\n", ""),
        (PYTHON, f"# both lines unchanged\n{PYTHON}", ""),
        ("x = Field(a.b)\n", "x = Field(...)\n", ""),
        ("x = f(a.b)\n", "x = f(...)\n", "give it an ellipsis"),
        ("class A(P):\n    x: int\n", "class A(P):\n    x: int\n    ...\n", ""),
        # A body of one line is no loss.
        ("def f(x):\n    return x\n", "def f(x):\n    pass\n", ""),
        ("def f(x):\n    pass\n", "def f(x):\n    ...\n", ""),
        (PYTHON, "def f(x):\n    ...\n", "Make it an abstract stub."),
        (PYTHON, "def f(x):\n    pass\n", "Remove the body."),
        (PYTHON, "@o\ndef f(x): ...\n@o\ndef f(y): ...\n" + PYTHON, ""),
        # A string that code uses is text, whatever it says.
        (
            "x = 1\n",
            "x = f\"type: the '...' {str(t).replace('/*...*/', '...')}\"\n",
            "",
        ),
        ("x = 1\n", "x = '''\n# ... rest unchanged\n'''\n", ""),
        # A broken file is not what its definitions seem.
        (PYTHON, "def f(x):\n    ...\nx = (\n", ""),
        (PYTHON, "def g(x):\n    ...\n", ""),
        (
            "def f(x):\n    return x\n",
            "def f(x):\n    ...\n",
            "an ellipsis as body, it is for a Protocol",
        ),
        (
            "def f(x):\n    raise NotImplementedError\n",
            "def f(x):\n    ...\n",
            "replace the raise by an ellipsis body",
        ),
        (PYTHON, "# ...\n", "drop f, but leave # ... as a reminder"),
        (PYTHON, "# rest omitted\n", "delete f, and write # rest omitted"),
    ],
)
def test_left_alone(
    make_candidate: MakeCandidate, before: str, after: str, instruction: str
) -> None:
    """What was asked for, what was there, and ordinary comments."""
    candidate = make_candidate(before, after, instruction=instruction)
    assert not list(check_elision(candidate))


def test_dots_for_a_body_are_reported_whatever_goes_instead(
    make_candidate: MakeCandidate,
) -> None:
    """Words such as `instead of` excuse what is lost, not what is not written."""
    candidate = make_candidate(
        "def f(x):\n    return x\n",
        "def f(x):\n    ...\n",
        instruction="use the name instead of the number",
    )
    [problem] = check_elision(candidate)
    assert problem.message == "The body of `f` is gone."
