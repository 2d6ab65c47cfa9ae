"""Which edits lose a secret whose assignment they keep."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from redline.checks.lost_secret import check_lost_secrets

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

SECRET = "hunter2-Correct9Horse7"
SHORT = "abc123"
BLOCK = "MIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC"
BEGIN, END = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"
PYTHON = f'x = 1\npassword = "{SECRET}"\n'
TWO = f'connect("{SHORT}", password="{SECRET}")\n'


def lost(
    make_candidate: MakeCandidate, before: str, after: str, instruction: str
) -> list[int | None]:
    """Return the lines that lose a secret."""
    candidate = make_candidate(before, after, instruction=instruction)
    known = replace(candidate, secrets=(SECRET, SHORT, BLOCK))
    return [problem.line for problem in check_lost_secrets(known)]


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        (PYTHON, 'y = 1\npassword = ""\n', 1),
        (PYTHON, "y = 1\npassword = ''\n", 1),
        (PYTHON, 'y = 1\npassword = "[REDACTED]"\n', 1),
        (PYTHON, 'y = 1\npassword = "***"\n', 1),
        (PYTHON, 'y = 1\npassword = "********"\n', 1),
        (PYTHON, 'y = 1\npassword = "<hidden>"\n', 1),
        (PYTHON, 'y = 1\npassword = "your-password-here"\n', 1),
        (PYTHON, 'y = 1\npassword = "REDLINE_" "SECRET_000000"\n', 1),
        (PYTHON, 'y = 1\npassword = "hunter3"\n', 1),
        (PYTHON, "y = 1\npassword = None\n", 1),
        (PYTHON, "y = 1\npassword = \n", 1),
        (PYTHON, "y = 1\npassword = get_password()\n", 1),
        (PYTHON, 'y = 1\npassword: str = ""\n', 1),
        (PYTHON, 'y = 1\npw = ""\n', 1),
        (PYTHON, 'y = 1\n\n# Of the database.\npassword = ""\n', 3),
        (TWO, f'connect("{SHORT}", password="")\n', 0),
        (TWO, f'connect("", password="{SECRET}")\n', 0),
        (f"password: {SECRET}\n", "password: [REDACTED]\n", 0),
        (f"password: {SECRET}\n", 'password: ""\n', 0),
        (f"PASSWORD={SECRET}\n", "PASSWORD=\n", 0),
        (f"PASSWORD={SECRET}\n", "PASSWORD=xxxxxx\n", 0),
        (f"<password>{SECRET}</password>\n", "<password></password>\n", 0),
        (f"<password>{SECRET}</password>\n", "<password>...</password>\n", 0),
        (f'"password": "{SECRET}",\n', '"password": "",\n', 0),
        (f"url = 'db://me:{SECRET}@h/d'\n", "url = 'db://me:***@h/d'\n", 0),
        (f"curl -u me:{SECRET} https://e\n", "curl -u me:*** https://e\n", 0),
        (f'keys = [\n    "{SECRET}",\n]\n', 'keys = [\n    "",\n]\n', 1),
        (f"{BEGIN}\n{BLOCK}\n{END}\n", f"{BEGIN}\n...\n{END}\n", 1),
        (f"{BEGIN}\n{BLOCK}\n{END}\n", f"{BEGIN}\n{END}\n", 1),
        (f'KEY = """\n{BLOCK}\n"""\n', 'KEY = """"""\n', 0),
    ],
)
def test_a_secret_is_lost(
    make_candidate: MakeCandidate, before: str, after: str, line: int
) -> None:
    """What stands in its place is something else."""
    assert lost(make_candidate, before, after, "rename x to y") == [line]


@pytest.mark.parametrize(
    ("before", "after", "instruction"),
    [
        (PYTHON, PYTHON.replace("x", "y"), "rename x to y"),
        (PYTHON, f'y = 1\nsettings = {{"pw": "{SECRET}"}}\n', "use a dictionary"),
        (PYTHON, "y = 1\n", "rename x to y"),
        (PYTHON, "y = 1\nlogin(password)\n", "rename x to y"),
        (PYTHON, 'x = 1\npassword = ""\n', "remove the password"),
        (PYTHON, 'x = 1\npassword = "***"\n', "mask it"),
        (PYTHON, 'x = 1\npassword = "hunter3"\n', "change it to hunter3"),
        (
            PYTHON,
            'x = 1\npassword = os.environ["PW"]\n',
            "read it from the environment",
        ),
        (PYTHON, "x = 1\npassword = getpass()\n", "ask the user"),
        (PYTHON, "x = 1\npassword = settings.password\n", "use the settings"),
        (PYTHON, 'x = 1\npassword = ""\n', "Hard-coded password"),
        (f"# was {SECRET}\nx = 1\n", "y = 1\n", "rename x to y"),
        (f'{PYTHON}other = ""\n', f'{PYTHON}another = ""\n', "rename other"),
    ],
)
def test_a_secret_is_still_there_or_was_meant(
    make_candidate: MakeCandidate, before: str, after: str, instruction: str
) -> None:
    """Also if its assignment is deleted as a whole."""
    assert lost(make_candidate, before, after, instruction) == []


def test_a_secret_that_moved_out_of_the_range_is_there(
    make_candidate: MakeCandidate,
) -> None:
    """The file has it somewhere else."""
    before = f'OLD = "{SECRET}"\n»\n{PYTHON}«\n'
    assert lost(make_candidate, before, "x = 1\npassword = OLD\n", "tidy") == []


def test_the_message_names_the_variable_and_not_the_secret(
    make_candidate: MakeCandidate,
) -> None:
    """It is shown, stored, and sent to the model."""
    candidate = make_candidate(PYTHON, 'x = 1\npassword = ""\n')
    (problem,) = check_lost_secrets(replace(candidate, secrets=(SECRET,)))
    assert "`password`" in problem.message
    assert SECRET not in problem.message


@pytest.mark.parametrize(
    "instruction",
    [
        "replace requests by httpx",
        "remove the unused import",
        "delete the debug print",
        "add an example to the docstring",
        "commit after each insert",
        "strip the whitespace",
        "reset the counter",
        "drop python 3.8",
        "clear the cache after each call",
        "remove blank lines",
        "return an empty list if there is no user",
        "hide the button",
        "mock requests",
        "stub the mailer",
        "erase the old rows",
        "fix the memory leak",
        "expose the port",
        "use a fake clock",
        "add a sample call",
        "render the template",
        "send mails as plain text",
        "name the dummy variable _",
        "remove the keyboard handler",
        "drop the tokenizer",
        "delete the compass, strip the bypass",
    ],
)
def test_a_verb_about_something_else_excuses_nothing(
    make_candidate: MakeCandidate, instruction: str
) -> None:
    """The instruction does not name the secret."""
    after = 'y = 1\npassword = ""\n'
    assert lost(make_candidate, PYTHON, after, instruction) == [1]


@pytest.mark.parametrize(
    "instruction",
    [
        "remove the password",
        "delete all passwords",
        "drop the pwd",
        "replace the secret by an empty string",
        "clear the tokens",
        "strip the API key",
        "remove credentials before the commit",
        "reset the value",
        "make this an example without the literal",
        "make a template of it: no passphrase",
        "do not commit the db_password",
        "do not leak the password",
        "the password is in plain text",
        "use a fake password",
        "blank the password",
        "hide the secret value",
        "redact it",
        "mask it",
        "use a placeholder",
        "nothing hard-coded",
    ],
)
def test_an_instruction_to_remove_the_secret_is_obeyed(
    make_candidate: MakeCandidate, instruction: str
) -> None:
    """By a word for secrets, or by a word that is about nothing else."""
    after = 'y = 1\npassword = ""\n'
    assert lost(make_candidate, PYTHON, after, instruction) == []


@pytest.mark.parametrize(
    ("instruction", "lines"),
    [
        ("remove database_url", []),
        ("remove the database URL", []),
        ("clear DATABASE-URL", []),
        ("remove the database", [0]),
        ("remove database_urls", [0]),
    ],
)
def test_an_instruction_names_the_variable(
    make_candidate: MakeCandidate, instruction: str, lines: list[int]
) -> None:
    """Its words may be written with spaces."""
    before, after = f'database_url = "{SECRET}"\n', 'database_url = ""\n'
    assert lost(make_candidate, before, after, instruction) == lines


@pytest.mark.parametrize(
    "value",
    [
        'os.environ["PASSWORD"]',
        'os.environ.get("PASSWORD", "")',
        'os.getenv("PASSWORD")',
        'str(os.environ["PASSWORD"])',
        "process.env.PASSWORD;",
        "import.meta.env.PASSWORD",
        'Deno.env.get("PASSWORD")',
        'std::env::var("PASSWORD")?',
        'ENV["PASSWORD"]',
        'ENV.fetch("PASSWORD")',
        'os.Getenv("PASSWORD")',
        'System.getenv("PASSWORD");',
        'Environment.GetEnvironmentVariable("PASSWORD");',
        'env("PASSWORD")',
        "$_ENV['PASSWORD'];",
        '"${DB_PASSWORD}"',
        "$DB_PASSWORD",
        "${{ secrets.PASSWORD }}",
        "settings.PASSWORD",
        "get_settings().password",
        'self.config["password"]',
        'app.config.get("password")',
        "cfg.password",
        "configuration.password",
        "appSettings.password",
        '(\n    os.environ["PASSWORD"]\n)',
        "f\"{os.environ['PASSWORD']}\"",
    ],
)
@pytest.mark.parametrize("instruction", ["mach das sicherer", "rename x to y"])
def test_a_read_from_the_environment_is_not_a_loss(
    make_candidate: MakeCandidate, value: str, instruction: str
) -> None:
    """Whatever the instruction's language and words."""
    after = f"y = 1\npassword = {value}\n"
    assert lost(make_candidate, PYTHON, after, instruction) == []


@pytest.mark.parametrize(
    "value",
    [
        '""  # os.environ["PASSWORD"]',
        '"os.environ"',
        "environment()",
        "None or settings",
        '(\n    ""\n)',
        "(\n    None\n)",
        "secrets.token_hex()",
        "envelope.password",
        "reconfigure(1)",
    ],
)
def test_other_values_are_not_the_environment(
    make_candidate: MakeCandidate, value: str
) -> None:
    """They are blank, a string, or an expression that names it by chance."""
    after = f"y = 1\npassword = {value}\n"
    assert lost(make_candidate, PYTHON, after, "rename x to y") == [1]


@pytest.mark.parametrize(
    "instruction",
    [
        "do not keep the password in the source",
        "avoid the literal password",
        "externalize the password",
        "12-factor",
        "twelve-factor app",
        "fix S105",
        "let the caller decide the password",
    ],
)
def test_a_secret_is_read_from_elsewhere(
    make_candidate: MakeCandidate, instruction: str
) -> None:
    """But nothing is not elsewhere."""
    after = "x = 1\npassword = find_password()\n"
    assert lost(make_candidate, PYTHON, after, instruction) == []
    assert lost(make_candidate, PYTHON, "password = ''\n", "externalize") == [0]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f'login(password="{SECRET}")\n', "login(password=password)\n"),
        (f'def f(password="{SECRET}"):\n', "def f(password: str):\n"),
        (f'def f(password="{SECRET}"):\n', "def f(password):\n"),
        (f'def f(password="{SECRET}"):\n', "def f(password: str | None = None):\n"),
        (f'def f(password="{SECRET}"):\n', 'async def f(password=""):\n'),
        (
            f'function f(p) {{\n  let password = "{SECRET}";\n',
            'export function f(p, password = "") {\n',
        ),
    ],
)
def test_a_secret_becomes_a_parameter(
    make_candidate: MakeCandidate, before: str, after: str
) -> None:
    """Its default may be empty if the instruction is about callers."""
    instruction = "let the caller decide the password"
    assert lost(make_candidate, before, after, instruction) == []


def test_an_empty_default_that_nobody_asked_for_is_a_loss(
    make_candidate: MakeCandidate,
) -> None:
    """The instruction names the secret and callers, or the check reports it."""
    before, after = f'def f(password="{SECRET}"):\n', 'def f(password=""):\n'
    for instruction in ("add an argument x", "type the password", "use httpx"):
        assert lost(make_candidate, before, after, instruction) == [0]


@pytest.mark.parametrize(
    "value",
    [
        '(\n    "hunter2-"\n    "Correct9Horse7"\n)',
        '"hunter2-" "Correct9Horse7"',
        "'hunter2-' \\\n    'Correct9Horse7'",
        '"hunter2-" +\n    "Correct9Horse7"',
        '"hunter2-"\n    + "Correct9Horse7"',
        '"hunter2-" .\n    "Correct9Horse7"',
        '(\n    b"hunter2-"\n    b"Correct9Horse7"\n)',
        '(\n    "hunter2-"\n    "Correct9"\n    "Horse7"\n)',
    ],
)
def test_a_secret_in_several_literals_is_there(
    make_candidate: MakeCandidate, value: str
) -> None:
    """A long line was wrapped."""
    after = f"x = 1\npassword = {value}\n"
    assert lost(make_candidate, PYTHON, after, "wrap the long line") == []


@pytest.mark.parametrize(
    "value",
    [
        '(\n    "hunter2-"\n    ""\n)',
        '"hunter2-", "Correct9Horse7"',
        '"hunter2-" "Correct9Horse8"',
    ],
)
def test_other_literals_are_not_the_secret(
    make_candidate: MakeCandidate, value: str
) -> None:
    """A piece is gone, or they are two values."""
    after = f"x = 1\npassword = {value}\n"
    assert lost(make_candidate, PYTHON, after, "add a comment") == [1]


@pytest.mark.parametrize(
    ("name", "value", "lines"),
    [
        ("PASSWORD_POLICY", "level3-strict", []),
        ("PASSWORD_STRENGTH", "level3-strict", []),
        ("PASSWORD_POLICY", '""', [1]),
        ("DB_PASSWORD", "level3-strict", [1]),
        ("POLICY_PASSWORD", "level3-strict", [1]),
    ],
)
def test_a_policy_is_not_a_secret(
    make_candidate: MakeCandidate, name: str, value: str, lines: list[int]
) -> None:
    """Another level loses nothing; an empty one does."""
    before = f"- name: {name}\n  value: {SECRET}\n"
    after = f"- name: {name}\n  value: {value}\n"
    assert lost(make_candidate, before, after, "raise it by one") == lines


@pytest.mark.parametrize(
    ("above", "instruction", "lines"),
    [
        ("import httpx\n", "replace httpx by requests", [1]),
        ("- name: STRIPE_LIVE\n", "remove STRIPE_LIVE", []),
        ("- name: STRIPE_LIVE\n", "remove the old server", [1]),
    ],
)
def test_a_value_has_the_name_of_the_line_above(
    make_candidate: MakeCandidate, above: str, instruction: str, lines: list[int]
) -> None:
    """If that line gives a name."""
    before, after = f"{above}  value: {SECRET}\n", f'{above}  value: ""\n'
    assert lost(make_candidate, before, after, instruction) == lines


@pytest.mark.parametrize(
    ("instruction", "value"),
    [
        ("hash the password with bcrypt", "bcrypt.hashpw(raw, bcrypt.gensalt())"),
        ("encrypt it", "decrypt(ENCRYPTED)"),
        ("accept it as flag", "args.password"),
        ("lies das Passwort aus einer Datei", 'Path("pw").read_text().strip()'),
        ("demande-le", 'input("Password: ")'),
        ("demande-le", "getpass()"),
        ("für Jinja", '"{{ db_password }}"'),
        ("template this", '"{{ db_password }}"'),
        ("base64-encode it", f'"{b64encode(SECRET.encode()).decode()}"'),
    ],
)
def test_a_right_edit_is_not_a_loss(
    make_candidate: MakeCandidate, instruction: str, value: str
) -> None:
    """The value comes from elsewhere, or is there in another form."""
    after = f"y = 1\npassword = {value}\n"
    assert lost(make_candidate, PYTHON, after, instruction) == []


def test_a_secret_may_be_quoted_for_a_url(make_candidate: MakeCandidate) -> None:
    """The same password in a connection string."""
    before = 'password = "hunter2@Correct/9Horse"\n'
    after = 'url = "db://me:hunter2%40Correct%2F9Horse@host"\npassword = None\n'
    candidate = make_candidate(before, after)
    secrets = ("hunter2@Correct/9Horse",)
    assert not list(check_lost_secrets(replace(candidate, secrets=secrets)))
