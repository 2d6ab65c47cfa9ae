"""Protections that a reply removes are reported, unless they moved or are to go."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from benchmarks.unseen_replies import Case

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.protections.check import check_protections
from redline.text.lines import split_lines

FILE = Path(__file__).parents[1] / "data" / "protections.jsonl"
CASES = [
    msgspec.json.decode(line, type=Case) for line in FILE.read_bytes().splitlines()
]

MISSED = {
    "protect-026": "the key that is checked has a new value",
    "protect-041": "the loop is gone with the guard in it",
}
"""Broken replies that are not caught, and why."""


def problems(old: str, new: str, instruction: str, path: str = "a.py") -> list[Problem]:
    """Check an edit of a whole file."""
    before, after = tuple(split_lines(old)), tuple(split_lines(new))
    candidate = CheckedEdit(
        before=before,
        after=after,
        region_before=range(len(before)),
        region_after=range(len(after)),
        path=path,
        instruction=instruction,
    )
    return list(check_protections(candidate))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_replies(case: Case) -> None:
    """Half of them are right: they move, merge or strengthen what protects."""
    found = problems(case.file, case.reply, case.instruction, case.path)
    is_caught = case.expect == "caught" and case.id not in MISSED
    assert bool(found) == is_caught, found
    assert {problem.rule for problem in found} <= {"lost-protection"}


GUARDED = """\
def remove(user, item):
    if not user.is_admin:
        raise Forbidden
    item.delete()
"""
BARE = """\
def remove(user, item):
    item.delete()
    log.info("deleted")
"""


def test_the_message_names_what_is_gone() -> None:
    """So that the model can put it back."""
    [problem] = problems(GUARDED, BARE, "Log it.")
    assert problem.message == (
        "The reply removes the check `if not user.is_admin:`, which the instruction"
        " does not ask for. Keep it."
    )


@pytest.mark.parametrize(
    "instruction",
    [
        "Log it; anyone may delete items now.",
        "Permissions are checked by the gateway: log it instead.",
        "Jeder Nutzer mit Zugriff auf die Seite darf löschen; protokolliere es.",
        "",
    ],
)
def test_instructions_that_speak_of_it(instruction: str) -> None:
    """Also in other languages, and where nothing was asked."""
    assert not problems(GUARDED, BARE, instruction)


@pytest.mark.parametrize("instruction", ["Simplify this.", "Remove the docstring."])
def test_general_words_do_not_excuse_it(instruction: str) -> None:
    """Shorter code still asks who may use it."""
    assert problems(GUARDED, BARE, instruction)


@pytest.mark.parametrize(
    ("path", "old", "new", "instruction"),
    [
        (
            "a.py",
            'db.execute(\n    "SELECT a FROM t WHERE b = ?",\n    (key,),\n)\n',
            "db.execute(\n    f\"SELECT a FROM t WHERE b = '{key}' ORDER BY a\"\n)\n",
            "order by a",
        ),
        ("a.sh", "set -eu\nx=1\n", 'x="${X:-1}"\n', "take x from X if it is set"),
        (
            "a.py",
            '@requires("admin")\ndef f():\n    print(1)\n    g()\n',
            "def f():\n    g()\n",
            "drop the debug prints",
        ),
        (
            "a.php",
            "<input value=\"<?= htmlspecialchars($name ?? '') ?>\">\n",
            '<input value="<?= $name ?? \'\' ?>" placeholder="Name">\n',
            "add a placeholder",
        ),
    ],
)
def test_words_that_mean_something_else_do_not_excuse_it(
    path: str, old: str, new: str, instruction: str
) -> None:
    assert problems(old, new, instruction, path)


def test_the_name_of_a_column_is_put_into_a_query() -> None:
    """It cannot be bound."""
    old = 'db.execute("SELECT a FROM t WHERE b = ?", (key,))\n'
    new = 'db.execute(f"SELECT a FROM t WHERE b = ? ORDER BY {column}", (key,))\n'
    assert not problems(old, new, "order by the given column")


def test_checks_of_values_may_go_with_general_words() -> None:
    """They are often what makes code long."""
    old = "def f(x):\n    if x is None:\n        return 0\n    return g(x)\n"
    new = "def f(x):\n    return g(x)\n"
    assert problems(old, new, "Add a type hint.")
    assert not problems(old, new, "Simplify this.")


def test_a_check_that_moves_into_a_string_is_kept() -> None:
    """A shell reads the string."""
    old = "FROM a\nHEALTHCHECK CMD curl -f localhost || exit 1\n"
    new = 'FROM a\nHEALTHCHECK CMD ["sh", "-c", "curl -f localhost || exit 1"]\n'
    wish = "name the shell"
    assert not problems(old, new, wish, "Dockerfile")
    assert problems(old, new.replace(" || exit 1", ""), wish, "Dockerfile")


def test_a_comparison_is_more_than_its_module() -> None:
    """That a function is named `mac` says nothing of how it is compared."""
    old = "if !hmac.Equal(sig, mac(text)) {\n\treturn errSig\n}\n"
    new = "if sig != mac(text) {\n\treturn errSig\n}\n"
    [problem] = problems(old, new, "Simplify.", "a.go")
    assert "comparison in constant time" in problem.message
    kept = "ok := hmac.Equal(mac(text), sig)\nif !ok {\n\treturn errSig\n}\n"
    assert not problems(old, kept, "Simplify.", "a.go")


HELPER = """\
def inside(top, name):
    target = top / name
    if not target.is_relative_to(top):
        raise ValueError(name)
    return target


"""
OPENS = (
    "def opens(top, one):\n    place = inside(top, one.name)\n    return open(place)\n"
)


@pytest.mark.parametrize(
    ("value", "is_lost"),
    [
        ("top / one.name", True),
        ("os.path.join(top, one.name)", True),
        ("checked(top, one.name)", False),
        ("top / 'a'", False),
    ],
)
def test_an_own_check_of_several_values(value: str, is_lost: bool) -> None:
    """It is lost if the same values are only joined."""
    lines = tuple(split_lines(HELPER + OPENS))
    new = OPENS.replace("inside(top, one.name)", value)
    n_head = HELPER.count("\n")
    candidate = CheckedEdit(
        before=lines,
        after=(*lines[:n_head], *split_lines(new)),
        region_before=range(n_head, n_head + 3),
        region_after=range(n_head, n_head + 3),
        path="a.py",
        instruction="Count them.",
    )
    assert bool(list(check_protections(candidate))) == is_lost


def test_an_escape_of_an_entry() -> None:
    """It is moot only if the entry is gone."""
    old = "<?php\n$a = htmlspecialchars($row['name'], ENT_QUOTES);\necho $a;\n"
    assert problems(old, "<?php\n$a = $row['name'];\necho $a;\n", "add b", "a.php")
    assert not problems(old, "<?php\n$a = $row['id'];\necho $a;\n", "add b", "a.php")


def test_a_resource_that_nothing_closes() -> None:
    """`try` of Java closes what its brackets open."""
    old = "try (Reader in = new FileReader(path)) {\n    read(in);\n}\n"
    new = "Reader in = new FileReader(path);\nread(in);\n"
    assert problems(old, new, "Count them.", "A.java")
    assert not problems(old, f"{new}in.close();\n", "Count them.", "A.java")
    assert not problems(old, "read(Files.lines(path));\n", "Count them.", "A.java")


CHECKED = """\
int ring_copy(struct ring *r, const void *src, size_t n)
{
\tif (n > r->cap - r->used)
\t\treturn -ENOSPC;
\tmemcpy(r->buf, src, n);
\treturn 0;
}
"""


def test_a_guard_that_returns_a_number_of_an_error() -> None:
    """As the kernel does."""
    bare = CHECKED.replace("\tif (n > r->cap - r->used)\n\t\treturn -ENOSPC;\n", "")
    new = bare.replace("\tmemcpy", "\tr->writes++;\n\tmemcpy")
    assert problems(CHECKED, new, "count the writes", "a.c")


def test_a_guard_of_a_shell_that_fails() -> None:
    """With a number, on a parameter of the function."""
    test = '  if [ ! -d "$1" ]; then\n    echo "no $1" >&2\n    return 2\n  fi\n'
    old = f'release() {{\n{test}  ln -sfn "$1" current\n}}\n'
    new = old.replace(test, "").replace("\n}", '\n  echo "$1"\n}')
    assert problems(old, new, "say what was released", "a.sh")
    short = old.replace(test, '  [ -d "$1" ] || return 2\n')
    assert not problems(old, short, "one line for it", "a.sh")


AUDIENCE = """\
def verify(claims, audience=None):
    if audience is not None and claims.get("aud") != audience:
        raise BadToken("wrong audience")
    return claims
"""


def test_the_check_that_was_asked_for_replaces_no_other() -> None:
    """It is on a new value, which the instruction names."""
    old = """\
def verify(claims):
    if claims["iat"] + LIFETIME < time.time():
        raise BadToken("expired")
    return claims
"""
    assert problems(old, AUDIENCE, "accept an optional audience and check it")
    moved = "def verify(claims):\n    ensure_fresh(claims)\n    return claims\n"
    assert not problems(old, moved, "use the new function")


def test_another_condition_of_the_same_exit() -> None:
    """The values of the old one are not checked any more."""
    old = """\
func (q *Quota) Take(n int) (int, bool) {
\tif n <= 0 || q.used+n > q.max {
\t\treturn 0, false
\t}
\tq.used += n
\treturn q.used, true
}
"""
    new = old.replace("n <= 0 || q.used+n > q.max", "now < q.start")
    assert problems(old, new, "refuse before the start", "a.go")
    split = old.replace("n <= 0 ||", "n < 1 ||")
    assert not problems(old, split, "compare with one", "a.go")


def test_shorter_code_raises_the_same() -> None:
    """Unless the code below raises it, too."""
    old = """\
def hours(given):
    total = sum(given, Decimal(0))
    if total < 0:
        raise PayrollError("negative")
    return max(total - LIMIT, 0)
"""
    new = "def hours(given):\n    return max(sum(given, Decimal(0)) - LIMIT, 0)\n"
    assert problems(old, new, "simplify")
    assert not problems(old, new, "remove the check of the total")
    old = (
        "def f(d, k):\n    if k not in d:\n        raise KeyError(k)\n    return d[k]\n"
    )
    assert not problems(old, "def f(d, k):\n    return d[k]\n", "simplify")


def test_the_state_that_a_guard_read() -> None:
    """It is not gone while the rest of the file has it."""
    guard = "        if self.frozen:\n            raise Frozen\n"
    rest = "    def freeze(self):\n        self.frozen = True\n"
    old = f"    def take(self, n):\n{guard}        self.n -= n\n"
    new = "    def take(self, n, fee):\n        self.n -= n + fee\n"
    before, after = (tuple(split_lines(f"class A:\n{rest}{one}")) for one in (old, new))
    candidate = CheckedEdit(
        before=before,
        after=after,
        region_before=range(3, len(before)),
        region_after=range(3, len(after)),
        path="a.py",
        instruction="take a fee",
    )
    assert list(check_protections(candidate))


def test_a_name_of_a_file_that_is_taken_as_it_came() -> None:
    """Another check of the same value is not the one that is gone."""
    old = "name = secure_filename(photo.filename)\nphoto.save(top / name)\n"
    new = """\
name = photo.filename
if not name.endswith(".png"):
    abort(415)
photo.save(top / name)
"""
    assert problems(old, new, "only accept png")


@pytest.mark.parametrize(
    ("instruction", "is_asked"),
    [
        ("allow TLS 1.0 for old printers", False),
        ("skip the TLS check, it is self-signed", True),
        ("disable ssl", True),
        ("ssl errors should not stop it", True),
    ],
)
def test_an_older_protocol_is_not_a_wish_for_no_check(
    instruction: str, *, is_asked: bool
) -> None:
    old = "context.minimum_version = TLSv1_2\n"
    new = "context.check_hostname = False\ncontext.minimum_version = TLSv1\n"
    assert bool(problems(old, new, instruction)) != is_asked


def _in_range(
    path: str, above: str, old: str, new: str, below: str, *, wish: str = "tidy"
) -> CheckedEdit:
    head, tail = split_lines(above)[:-1], split_lines(below)
    region, lines = split_lines(old)[:-1], split_lines(new)[:-1]
    return CheckedEdit(
        before=(*head, *region, *tail),
        after=(*head, *lines, *tail),
        region_before=range(len(head), len(head) + len(region)),
        region_after=range(len(head), len(head) + len(lines)),
        path=path,
        instruction=wish,
    )


def test_what_a_guard_checked_may_be_used_below_the_range() -> None:
    """Nothing of the range is left, and the lines below take the value as it is."""
    edit = _in_range(
        "a.rb",
        "class A\n  def add(child)\n",
        "    raise ArgumentError, 'cycle' if child.equal?(self)\n",
        "    # checked elsewhere\n",
        "    @children << child\n  end\nend\n",
    )
    assert [one.rule for one in check_protections(edit)] == ["lost-protection"]


POP = """\
    pub fn pop(&mut self) -> Result<f32, Fault> {
        if self.len == 0 {
            return Err(Fault::Empty);
        }
        self.len -= 1;
        Ok(self.data[self.len])
    }
"""
COPY = """\
for scan in folder.glob("*.jpg"):
    new = scan.with_name(name(scan))
    if new.exists():
        continue
    scan.rename(new)
"""
STORE = """\
bool store(size_t channel, int raw)
{
    if (channel >= CHANNELS) {
        return false;
    }
    samples[channel] = raw;
    return true;
}
"""
ADD = """\
void Add(Item item)
{
    if (item.Quantity <= 0)
    {
        throw new ArgumentException("quantity");
    }
    _items.Add(item);
}
"""


@pytest.mark.parametrize(
    ("path", "old", "cut", "came", "instruction"),
    [
        ("a.rs", POP, slice(1, 4), "", "shorter"),
        (
            "a.py",
            COPY,
            slice(0, 4),
            'for scan in folder.rglob("*.jpg"):\n'
            "    new = scan.with_name(name(scan))\n",
            "recursive",
        ),
        (
            "a.c",
            STORE,
            slice(2, 5),
            "    if (raw > 4095) {\n        return false;\n    }\n",
            "drop samples over 4095",
        ),
        (
            "a.cs",
            ADD,
            slice(2, 6),
            "    var at = _items.FindIndex(one => one.Sku == item.Sku);\n",
            "merge with an entry of the same sku",
        ),
    ],
)
def test_a_guard_on_values_that_are_still_used(
    path: str, old: str, cut: slice, came: str, instruction: str
) -> None:
    """Neither a wish for less nor another check or call is in its place."""
    lines = old.splitlines(keepends=True)
    lines[cut] = came
    found = problems(old, "".join(lines), instruction, path)
    assert [one.rule for one in found] == ["lost-protection"]


def test_a_resource_that_another_call_wrapped() -> None:
    old = "with closing(Store(path)) as store:\n    print(run(store))\n"
    new = "store = Store(path)\nprint('jobs:', run(store))\n"
    found = problems(old, new, "print with a label")
    assert [one.rule for one in found] == ["lost-protection"]


def test_a_check_by_a_function_of_the_file_stays_beside_another() -> None:
    edit = _in_range(
        "a.py",
        "def inside(root, target):\n    return root in target.parents\n\n\n",
        "def add(root, target):\n    if not inside(root, target):\n"
        "        raise SystemExit('outside')\n    copy(root, target)\n",
        "def add(root, target):\n    if target.exists():\n"
        "        raise SystemExit('exists')\n    copy(root, target)\n",
        "",
        wish="dont overwrite existing scans",
    )
    assert [one.rule for one in check_protections(edit)] == ["lost-protection"]


TABLE = (
    "CREATE TABLE account (\n    iban TEXT NOT NULL UNIQUE,\n"
    "    branch_id INTEGER REFERENCES branch (id)\n);\n"
)


@pytest.mark.parametrize(
    ("new", "instruction", "expected"),
    [
        ("iban TEXT NOT NULL", "add the holder", "iban UNIQUE"),
        ("iban VARCHAR(34) UNIQUE", "limit the length", "iban NOT NULL"),
        ("iban TEXT NOT NULL", "iban need not be unique", None),
        ("iban TEXT", "drop the constraints", None),
        ("iban VARCHAR(34) NOT NULL UNIQUE", "limit the length", None),
        ("number TEXT", "use a number", None),
        ("iban TEXT NOT NULL,\n    UNIQUE (iban)", "name it below", None),
    ],
)
def test_constraints_of_a_column(
    new: str, instruction: str, expected: str | None
) -> None:
    after = TABLE.replace("iban TEXT NOT NULL UNIQUE", new)
    found = problems(TABLE, after, instruction, "a.sql")
    assert [one.message.split("`")[1] for one in found] == (
        [expected] if expected else []
    )


def test_a_condition_that_another_statement_has() -> None:
    old = (
        "UPDATE session\nSET a = 0\nWHERE seen < 90;\n\n"
        "DELETE FROM session\nWHERE a = 0\n  AND seen < 1;\n"
    )
    new = old.replace("90", "60").replace(
        "WHERE a = 0\n  AND seen < 1;", "WHERE a = 0;"
    )
    assert problems(old, new, "60 days instead of 90", "a.sql")
    assert not problems(old, old.replace("90", "60"), "60 days instead of 90", "a.sql")


@pytest.mark.parametrize("form", ["finally", "try (Closer c = held(lock))"])
def test_a_lock_that_is_kept_on_the_way_out(form: str) -> None:
    """A wish for another error does not give up what cleans up."""
    old = (
        "boolean take(long n) {\n    lock.lock();\n    try {\n"
        "        if (n > cents) {\n            return false;\n        }\n"
        "        cents -= n;\n        return true;\n    } finally {\n"
        "        lock.unlock();\n    }\n}\n"
    )
    check = "    if (n < 0) {\n        throw new IllegalArgumentException();\n    }\n"
    rest = (
        "        if (n > cents) {\n            return false;\n        }\n"
        "        cents -= n;\n        return true;\n"
    )
    bare = (
        f"boolean take(long n) {{\n{check}    lock.lock();\n    if (n > cents) {{\n"
        "        return false;\n    }\n    cents -= n;\n    lock.unlock();\n"
        "    return true;\n}\n"
    )
    wish = "throw IllegalArgumentException for a negative amount"
    assert problems(old, bare, wish, "A.java")
    if form == "finally":
        kept = old.replace("    lock.lock();", f"{check}    lock.lock();")
    else:
        kept = f"boolean take(long n) {{\n{check}    {form} {{\n{rest}    }}\n}}\n"
    assert not problems(old, kept, wish, "A.java")


def test_the_name_of_a_here_document_escapes_nothing() -> None:
    old = "function f($a) {\n    return '<p>' . htmlspecialchars($a) . '</p>';\n}\n"
    new = "function f($a) {\n    return <<<HTML\n    <p>{$a}</p>\n    HTML;\n}\n"
    assert problems(f"<?php\n{old}", f"<?php\n{new}", "use a heredoc", "a.php")
