"""Parts that an edit drops which should only add."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.lost_parts import check_lost_parts

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

LOST = [
    (
        "makefile",
        "strip the program",
        "install: a\n\tcp a /bin\n\nclean:\n\trm a\n",
        "install: a\n\tinstall -s a /bin\n",
    ),
    (
        "go",
        "log the key",
        "\tmu.Lock()\n\tdefer mu.Unlock()\n\tm[key] = value\n",
        "\tlog.Print(key)\n\tmu.Lock()\n\tm[key] = value\n",
    ),
    (
        "javascript",
        "validate the name",
        "  users.push(user);\n  notify(user);\n",
        "  if (!user.name) throw new Error('name');\n  users.push(user);\n",
    ),
    (
        "swift",
        "ignore empty names",
        "    names.append(name)\n    names.sort()\n",
        "    if name.isEmpty { return }\n    names.sort()\n",
    ),
    (
        "java",
        "add a null check",
        "        this.name = name;\n        this.price = price;\n",
        "        if (name == null) throw new X();\n        this.name = name;\n",
    ),
    (
        "rust",
        "support the minus sign",
        "        '+' => Some(Op::Add),\n        '*' => Some(Op::Times),\n"
        "        '/' => Some(Op::Over),\n",
        "        '+' => Some(Op::Add),\n        '-' => Some(Op::Minus),\n",
    ),
    (
        "kotlin",
        "add white",
        "    GREEN(120),\n    BLACK(240),\n    HERBAL(480),\n",
        "    GREEN(120),\n    BLACK(240),\n    WHITE(90),\n",
    ),
    (
        "python",
        "rename the parameter to amount",
        "    check(n)\n    audit.write(n)\n    return n * 2\n",
        "    check(amount)\n    return amount * 2\n",
    ),
    (
        "yaml",
        "add a memory limit",
        "image: web\nports: [80]\nrestart: always\n",
        "image: web\nmem_limit: 1g\nrestart: always\n",
    ),
    ("json", "bump the version", '  "a": 1,\n  "version": "1"\n', '  "version": "2"\n'),
    (
        "toml",
        "set line-length to 100",
        "line-length = 88\nfix = true\n",
        "line-length = 100\n",
    ),
    (
        "css",
        "add a shadow",
        "  color: red;\n  margin: 0;\n",
        "  color: red;\n  box-shadow: none;\n",
    ),
    (
        "sql",
        "make the name unique",
        "    id INTEGER,\n    name TEXT,\n    email TEXT\n",
        "    id INTEGER,\n    name TEXT UNIQUE\n",
    ),
    (
        "markdown",
        "add a row for --verbose",
        "| `--port` | the port |\n| `--host` | the host |\n",
        "| `--port` | the port |\n| `--verbose` | more output |\n",
    ),
]

KEPT = [
    (  # Changed, but there.
        "go",
        "log the key",
        "\tm[key] = value\n\tsave(key)\n",
        "\tlog.Print(key)\n\tm[key] = value\n\tsave(ctx, key)\n",
    ),
    (  # The instruction may be to replace it.
        "python",
        "use a set instead of a list",
        "    seen.append(name)\n",
        "    seen.add(name)\n",
    ),
    (  # Replaced by one that does more with the same.
        "python",
        "log the error",
        "    print(error)\n",
        "    log.error(error)\n",
    ),
    (  # Another way to add all of them.
        "java",
        "add them at once",
        "    for (Row row : rows) {\n        all.add(row);\n    }\n",
        "    all.addAll(rows);\n",
    ),
    (  # Another command that does the same.
        "makefile",
        "use mkdir -p",
        "out: a.c\n\ttest -d out || mkdir out\n",
        "out: a.c\n\tmkdir -p out\n",
    ),
    (  # It is to be written later.
        "rust",
        "add get; free can wait, put todo!() there for now",
        "    fn free(&self) -> usize {\n        self.rows() - self.sown.len()\n    }\n",
        "    fn free(&self) -> usize {\n        todo!()\n    }\n\n"
        "    fn get(&self) -> usize {\n        self.rows()\n    }\n",
    ),
    ("yaml", "rename web to site", "web: 1\n", "site: 1\n"),
    ("yaml", "remove the ports", "image: web\nports: [80]\n", "image: web\n"),
    ("json", "", '  "a": 1,\n  "b": 2\n', '  "a": 1\n'),
    ("markdown", "shorten the list", "- one\n- two\n", "- one\n"),
    (  # Wrapped in another condition.
        "javascript",
        "skip empty rows",
        "  if (row) {\n    out.push(row);\n  }\n",
        "  if (row && row.length) {\n    out.push(row);\n  }\n",
    ),
    (  # The same condition, turned round.
        "rust",
        "error for lines without =",
        "    if let Some(one) = row.split_once('=') {\n        all.push(one);\n    }\n",
        "    let Some(one) = row.split_once('=') else {\n        bail!(\"no =\");\n"
        "    };\n    all.push(one);\n",
    ),
]


@pytest.mark.parametrize(("language", "instruction", "before", "after"), LOST)
def test_a_part_that_is_gone_is_reported(
    make_candidate: MakeCandidate,
    language: str,
    instruction: str,
    before: str,
    after: str,
) -> None:
    candidate = make_candidate(
        before, after, language=language, instruction=instruction
    )
    assert [one.rule for one in check_lost_parts(candidate)] == ["lost-definition"]


@pytest.mark.parametrize(("language", "instruction", "before", "after"), KEPT)
def test_a_part_that_is_there_or_may_go_is_not(
    make_candidate: MakeCandidate,
    language: str,
    instruction: str,
    before: str,
    after: str,
) -> None:
    candidate = make_candidate(
        before, after, language=language, instruction=instruction
    )
    assert not list(check_lost_parts(candidate))
