"""What is found to be a secret, by format, by name and by where it stands."""

from __future__ import annotations

import base64
import html
import json
import random
import re
import string
import sysconfig
from itertools import chain, pairwise
from pathlib import Path
from types import ModuleType

import pytest
from benchmarks.secrets import PLACES as PLACES_OF_KEYS
from benchmarks.secrets import (
    SHAPES,
    in_place,
    is_hidden,
    make_key,
    places_missed,
    wrong_commands,
)
from hypothesis import example, given
from hypothesis import strategies as st
from tests.step_matcher import StepMatcher

from redline.prompts.secrets import (
    arguments,
    commands,
    formats,
    neighbours,
    provider_keys,
    search,
    values,
)
from redline.prompts.secrets import (
    line as one_line,
)
from redline.prompts.secrets.escapes import unescaped
from redline.prompts.secrets.line import merge
from redline.prompts.secrets.search import find_secrets, is_clean, may_change

STDLIB = Path(sysconfig.get_paths()["stdlib"])

_LETTERS = string.ascii_letters + string.digits
_CHOICE = random.Random(7)


def rnd(n_chars: int, alphabet: str = _LETTERS) -> str:
    """Make a key's body; written out, scanners of this repository would find it."""
    return "".join(_CHOICE.choices(alphabet, k=n_chars))


HEX = string.hexdigits[:16]
UPPER = string.ascii_uppercase + string.digits
KEYS = {
    "anthropic": "sk-ant-" + "api03-" + rnd(80),
    "openai": "sk-" + "proj-" + rnd(60),
    "openai-legacy": "sk-" + rnd(20) + "T3Blbk" + "FJ" + rnd(20),
    "openrouter": "sk-" + "or-v1-" + rnd(64, HEX),
    "deepseek": "sk-" + rnd(32, HEX),
    "google": "AIza" + rnd(35),
    "google-client": "GOCSPX-" + rnd(28),
    "google-access": "ya29." + rnd(60),
    "github": "ghp_" + rnd(36),
    "github-server": "ghs_" + rnd(36),
    "github-fine": "github_pat_" + rnd(22) + "_" + rnd(59),
    "gitlab": "glpat-" + rnd(20),
    "hugging-face": "hf_" + rnd(34),
    "groq": "gsk_" + rnd(52),
    "xai": "xai-" + rnd(80),
    "cerebras": "csk-" + rnd(48, string.ascii_lowercase + string.digits),
    "replicate": "r8_" + rnd(37),
    "laravel": "base64:" + rnd(43) + "=",
    "stripe-live": "sk_live_" + rnd(24),
    "stripe-test": "sk_test_" + rnd(24),
    "stripe-webhook": "whsec_" + rnd(32),
    "npm": "npm_" + rnd(36),
    "npm-old": "_authToken=" + rnd(36),
    "pypi": "pypi-AgEIcHlwaS5vcmc" + rnd(80),
    "slack": "xoxb-" + rnd(12, "123456789") + "-" + rnd(24),
    "slack-app": "xapp-1-A" + rnd(10, UPPER) + "-12345678-" + rnd(64, HEX),
    "aws-id": "AKIA" + rnd(16, UPPER),
    "aws-session": "ASIA" + rnd(16, UPPER),
    "azure": "AccountKey=" + rnd(86) + "==",
    "sendgrid": "SG." + rnd(22) + "." + rnd(43),
    "twilio": "SK" + rnd(32, HEX),
    "telegram": rnd(9, "123456789") + ":" + rnd(35),
    "discord": "M" + rnd(23) + "." + rnd(6) + "." + rnd(27),
    "mailchimp": rnd(32, HEX) + "-us7",
    "mailgun": "key-" + rnd(32, HEX),
    "shopify": "shpat_" + rnd(32, HEX),
    "databricks": "dapi" + rnd(32, HEX),
    "vault": "hvs." + rnd(24),
    "digitalocean": "dop_v1_" + rnd(64, HEX),
    "age": "AGE-SECRET-KEY-1" + rnd(58, UPPER),
    "linear": "lin_api_" + rnd(40),
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0." + rnd(43),
}
PLACES = {
    "quoted": 'client = connect("{}", 3)',
    "single": "key='{}'",
    "comment": "# the old one was {}, do not use",
    "shell": "curl -H 'X-Key: {}' https://example.org",
    "bare": "{}",
}
RANDOM = rnd(40)
LOW = "Zk9vLq82mNxPq" + "7Rt5Ws1"
BODY = [rnd(64) for _ in range(3)] + [rnd(30) + "=="]


def found(text: str, path: str = "a.py") -> list[str]:
    """Return what is taken for a secret."""
    return [text[start:end] for start, end in find_secrets(text, path)]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", KEYS)
def test_known_formats_are_found_wherever_they_stand(kind: str, place: str) -> None:
    """The whole key is found, by what it looks like."""
    key = KEYS[kind]
    (value,) = found(f"x = 1\n{PLACES[place].format(key)}\ny = 2\n")
    assert value in (key, key.rpartition("AccountKey=")[2], key[len("_authToken=") :])


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ('password = "hunter2!"', "hunter2!"),
        ("db_password: 'Tr0ub4dor'", "Tr0ub4dor"),
        # A string that is being typed.
        ('password = "correcthorse', "correcthorse"),
        (
            "  aws_secret_access_key: 'wJalrXUtnFEMI/K7MDENG/b",
            "wJalrXUtnFEMI/K7MDENG/b",
        ),
        ('if passwd == "letmein99":', "letmein99"),
        (f'token: str = "{LOW}"', LOW),
        (f'token: Final[str] = "{LOW}"', LOW),
        (f'    token: SecretStr = SecretStr("{LOW}")', LOW),
        (f'token: str | None = Field(default="{LOW}")', LOW),
        (f'const token: string = "{LOW}";', LOW),
        (f"  private readonly authToken?: string = '{LOW}';", LOW),
        (f'const Token string = "{LOW}"', LOW),
        (f'let token: &str = "{LOW}";', LOW),
        (f'val token: String = "{LOW}"', LOW),
        (f'token = b"{LOW}"', LOW),
        ('{"client_secret": "q8Zr2Lw0"}', "q8Zr2Lw0"),
        ('auth_token = "0a1b2c3d4e5f6a7b"', "0a1b2c3d4e5f6a7b"),
        ('set_credentials("user-1234-abcd-5678")', "user-1234-abcd-5678"),
        ("export DB_PASSWORD=correcthorse", "correcthorse"),
        ("API_TOKEN=abc123def", "abc123def"),
        ("      - POSTGRES_PASSWORD=example1x", "example1x"),
        ('"Authorization": "Bearer abcdef0123456789abcd"', "abcdef0123456789abcd"),
        ("postgres://app:s3cr3t@db:5432/app", "s3cr3t"),
        ("redis://:pw@cache", "pw"),
        ("smtp://ada@example.org:s3cr3t@mail:25", "s3cr3t"),
        ("postgres://app:p@ss@word@db:5432/app", "p@ss@word"),
        ("dsn := 'ada:p@ssw0rd@tcp(db:3306)/shop'", "p@ssw0rd"),
        (f'x = "{RANDOM}"', RANDOM),
        (f"x = '{KEYS['deepseek'][3:]}'", KEYS["deepseek"][3:]),
        (f'aws_secret_access_key = "{RANDOM}"', RANDOM),
        ('password="password1"', "password1"),
        ('password: Final[str] = "hunter2!"', "hunter2!"),
        ('password: str = Field(default="hunter2!")', "hunter2!"),
        ('password: str | None = "hunter2!"', "hunter2!"),
        ('password = b"hunter2!"', "hunter2!"),
        ('password = f"hunter2!"', "hunter2!"),
        ('const apiKey: string = "hunter2!";', "hunter2!"),
        ('password?: string = "hunter2!";', "hunter2!"),
        ('var password string = "hunter2!"', "hunter2!"),
        ('let password: &str = "hunter2!";', "hunter2!"),
        ('const API_KEY: &\'static str = "hunter2!";', "hunter2!"),
        ('password <- "hunter2!"', "hunter2!"),
        ('#define PASSWORD "hunter2!"', "hunter2!"),
        ("define('DB_PASSWORD', 'hunter2!');", "hunter2!"),
        ('set_password("hunter2!")', "hunter2!"),
        ("ALTER USER a IDENTIFIED BY 'hunter2!';", "hunter2!"),
        ("CREATE USER a PASSWORD 'hunter2!';", "hunter2!"),
        ("ENV DB_PASSWORD hunter2!", "hunter2!"),
        ("<password>hunter2!</password>", "hunter2!"),
        ('<add key="password" value="hunter2!"/>', "hunter2!"),
    ],
)
def test_names_and_places_give_secrets_away(line: str, secret: str) -> None:
    """A value is a secret for what it is given to, or for being random."""
    assert found(f"import os\n{line}\n") == [secret]


@pytest.mark.parametrize("sign", ["", "- ", "+ ", "  "])
def test_a_value_below_its_name_is_found(sign: str) -> None:
    """Also in a diff."""
    lines = ("password = (", '    "hunter2abc"', ")")
    text = "".join(f"{sign}{line}\n" for line in lines)
    assert found(text) == ["hunter2abc"]


def test_all_secrets_of_a_line_are_found() -> None:
    """The first one does not hide the next."""
    line = f'connect(password="pa55word", secret="s3cr3t99", key="{KEYS["github"]}")'
    assert found(line) == ["pa55word", "s3cr3t99", KEYS["github"]]


@pytest.mark.parametrize(
    ("path", "line", "secret"),
    [
        ("app.yml", "password: correcthorse", "correcthorse"),
        ("app.yaml", "  api_key: abc-123-def  # staging", "abc-123-def"),
        ("settings.ini", "db_password = correct1horse", "correct1horse"),
        (".env.local", "SECRET_KEY=correcthorse", "correcthorse"),
        ("a.toml", "password = 'correct-horse'", "correct-horse"),
        ("x.properties", "db.password=correct1horse", "correct1horse"),
    ],
)
def test_settings_files_need_no_quotes(path: str, line: str, secret: str) -> None:
    """In a settings file a bare word is a value; in code it is a name."""
    assert found(line, path) == [secret]


@pytest.mark.parametrize(
    "path",
    [
        "a.YAML",
        "Config.YML",
        "c.yml.j2",
        "a.yaml.tmpl",
        "a.conf.j2",
        "values.yaml.gotmpl",
        "application.properties.example",
        "docker-compose.yml.dist",
        "a.env.local",
        ".env.example",
        "env.sample",
        "Untitled-1.yaml",
        "Untitled-1.properties",
        "Untitled-1.dotenv",
        "a.service",
        ".gitconfig",
        ".condarc",
        "Caddyfile",
        "inventory",
        "deploy/hosts",
        "a.http",
    ],
)
def test_a_settings_file_is_known_by_its_whole_name(path: str) -> None:
    for line in ("password: correcthorse", "api_token=correcthorse", "pw: Sommer2024"):
        assert [line[a:b] for a, b in find_secrets(line, path)] == [
            re.split("[:=] ?", line)[1]
        ]


@pytest.mark.parametrize(
    "path", ["vite.config.ts", "a.env.py", "config.py", "env.ts", "a.toml.py", "a.json"]
)
def test_code_with_the_name_of_a_settings_file_is_code(path: str) -> None:
    assert find_secrets("password: SecretValue,", path) == []


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.sh", "password={}"),
        ("a.SH", "local pass={}"),
        ("a.sh", "declare -r API_KEY={}"),
        ("deploy", "export DB_PASSWORD={}"),
        (".bashrc", "readonly TOKEN={}"),
        (".profile", "pw={}"),
        ("a.sh", "vault kv put secret/x password={}"),
        ("a.sh", "http POST x password={}"),
        ("a.sh", "heroku config:set SECRET_KEY={}"),
        ("a.sh", "mount -o username=bob,password={} //h/s /m"),
        ("a.sh", "gpg --passphrase {} -d x"),
        ("a.sh", "keytool -storepass {} -keypass secret"),
        ("a.sh", "aws rds create --master-user-password {}"),
        ("a.fish", "set -gx DB_PASSWORD {}"),
        ("login.exp", "set password {}"),
        ("a.bat", "SET PGPASSWORD={}"),
        ("a.cmd", "setx API_KEY {}"),
        ("Makefile", "PASSWORD := {}"),
        ("common.mk", "PASSWORD ?= {}"),
        ("GNUmakefile", "export TOKEN = {}"),
        ("Dockerfile", "ENV DB_USER=bob DB_PASSWORD={}"),
        ("Dockerfile.prod", "ARG NPM_TOKEN={}"),
        ("api.Dockerfile", "LABEL password={}"),
        ("Containerfile", "ENV DB_PASSWORD {}"),
        ("a.service", "Environment=DB_PASSWORD={}"),
        ("a.service", "ExecStart=/bin/x --password {}"),
        ("redis.conf", "requirepass {}"),
        ("mosquitto.conf", "remote_password {}"),
        ("nginx.conf", "auth_basic_password {};"),
        ("httpd.conf", "SetEnv DB_PASSWORD {}"),
        ("snmpd.conf", "rocommunity {}"),
        ("a.properties", "db.password {}"),
        ("inventory", "h1 ansible_user=bob ansible_password={} ansible_port=22"),
        ("a.yaml", "mysql_user: name=bob password={} state=present"),
        ("a.yaml", "env: {{ NPM_TOKEN: {} }}"),
        ("a.yaml", "command: redis-server --requirepass {}"),
        ("README.md", "docker run -e POSTGRES_PASSWORD={}"),
        ("README.md", "java -Ddb.password={} -jar x"),
        ("a.py", "# terraform apply -var 'db_password={}'"),
        ("README.md", "helm install x --set a.password={},b=c"),
        ("a.js", "// curl -d password={} https://x"),
    ],
)
def test_a_word_of_a_command_or_a_setting_is_found(path: str, line: str) -> None:
    """Whatever it looks like."""
    line = line.format("correcthorse")
    assert [line[a:b] for a, b in find_secrets(line, path)] == ["correcthorse"]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.sh", "password=$1"),
        ("a.sh", 'password="$(cat /run/secrets/db)"'),
        ("a.sh", "password=$(prompt password)"),
        ("a.sh", "token=${API_TOKEN}"),
        ("a.sh", 'if [ "$password" = "$other" ]; then'),
        ("a.sh", "SECRETS_DIR=/run/secrets"),
        ("a.sh", "x --password-file=/etc/restic/main"),
        ("a.sh", 'echo "  --password PASSWORD  the password"'),
        ("Makefile", "TOKEN ?= $(shell cat .token-file)"),
        ("Dockerfile", "ARG NPM_TOKEN"),
        ("nginx.conf", "proxy_pass http://backend;"),
        ("a.properties", "password.policy strict-one"),
        ("mosquitto.conf", "password_file /etc/mosquitto/users"),
        ("a.py", "connect(a, password=correcthorse)"),
        ("a.py", "x = a - b, password=correcthorse"),
        ("README.md", "Use --password instead of a file."),
        ("README.md", "Password: required, at least twelve characters."),
    ],
)
def test_a_reference_in_a_script_is_no_secret(path: str, line: str) -> None:
    assert find_secrets(line, path) == []


@pytest.mark.parametrize("path", ["README.md", "notes.txt", "a.log"])
def test_a_labelled_password_in_prose_is_found(path: str) -> None:
    for line in (
        "Password: Sommer2024",
        "- **PW:** Sommer2024",
        "token = `Sommer2024`.",
        "password: Sommer2024 filled in.",
        "The form had the **password:** `Sommer2024`, and then failed.",
        "I typed password: Sommer2024; it was refused.",
    ):
        assert [line[a:b] for a, b in find_secrets(line, path)] == ["Sommer2024"]


@pytest.mark.parametrize(
    "line",
    [
        "password = get_password()",
        'password = os.environ["DB_PASSWORD"]',
        'parser.add_argument("--password", help="Enter your password")',
        'label = {"password": "Password"}',
        'password_field = "user_password"',
        'def f(password, mode="strict1"): ...',
        '<label for="password">Password</label>',
        "def login(user: str, password: str) -> None:",
        'url = f"postgres://{user}:{password}@{host}"',
        "url = 'https://user:$PASS@host'",
        "API_KEY=${VAULT_KEY}",
        "MAX_TOKENS=100",
        'token: str = "start"',
        'token: str = "start-of-the-text"',
        'const token: string = "identifier";',
        'token: str = os.environ["CI_TOKEN_2026_READ"]',
        'if token is not None and kind == "sixteen-or-more-1":',
        'def parse(token: str, mode: str = "quite-long-mode-1"): ...',
        'TOKEN = "NAME"',
        'ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789_"',
        'ID = "123e4567-e89b-12d3-a456-426614174000"',
        'SERVER_AUTH = "1.3.6.1.5.5.7.3.1"',
        "# " + "/" * 70,
        'if line.startswith("-----BEGIN RSA PRIVATE KEY-----"):',
        'BEGIN = "-----BEGIN PRIVATE KEY-----"\nEND = "-----END PRIVATE KEY-----"',
        "from cryptography.primitives.asymmetric.ed25519 import Ed25519PrivateKey",
        "self.assertEqual(basic_authentication_header_2, expected)",
        "https://example.org/a/b/c?x=1#frag@2",
        "password = pbkdf2_sha256(value, OAuth2TokenProvider.Base64Encoder)",
        "token = k8s_secret_name or self.get_v2_token(utf8_value)",
        "# The token is a UTF-8 string (RFC 6750), 16 characters or longer.",
        "    - uses: actions/setup-node@v3",
        "(e.g. `2001:0db8:0000:0000:0000:0000:0000:0001`)",
        "const end = nextToken\n  ? nextToken.range[0]\n  : prevToken.range[1];",
        "password:\n  type: string\n  minLength: 12\n",
        "def password(\n    self, x1: int, y2: str\n) -> None: ...",
        "secrets = [\n    first_one,\n    second_one2,\n]",
    ],
)
def test_ordinary_code_is_left_alone(line: str) -> None:
    """Names of secrets, references to them and formats are not secrets."""
    assert found(f"x = 1\n{line}\n") == []


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("password: hunter2abc", "hunter2abc"),
        ("  db.password = Sommer2024", "Sommer2024"),
        ("- api-key: abc123def,", "abc123def"),
        ("E   client_secret: abc123def", "abc123def"),
        ("> mail_pass: hunter2abc;", "hunter2abc"),
        ("panic: {User:ada Password:hunter2abc Port:1}", "hunter2abc"),
        ("panic: {User:ada Password:hunter2abc}", "hunter2abc"),
        ("X-Cron-Env: <DB_PASSWORD=hunter2abc>", "hunter2abc"),
        ("HOME=/root\0DB_PASSWORD=hunter2abc\0LANG=C", "hunter2abc"),
        ("panic: {Password:required Name:ada}", None),
        ("password: correcthorse", None),
        ("secret: ArrayBuffer,", None),
        ("password = form.cleaned_data", None),
        ("password: str | None", None),
        ("secret: Promise<string>;", None),
        ("password = get_value(2)", None),
        ("password: ./words.txt", None),
        ("password_timeout: 10min-max", None),
        ("Wrong password: user-name was given", None),
    ],
)
def test_the_end_of_a_line_of_a_text_without_a_file(
    line: str, secret: str | None
) -> None:
    """In a message, an output or an instruction it is a setting; in code it is code."""
    assert found(f"It said:\n{line}\n", "") == ([] if secret is None else [secret])
    assert found(f"x = 1\n{line}\n", "a.py") == []


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.yml", "password: ${DB_PASSWORD}"),
        ("a.yml", "secretName: {{ .Values.name }}"),
        ("a.ini", "password = get(x)"),
        ("a.toml", "password = ''"),
        ("a.yml", "api_key: null"),
    ],
)
def test_references_in_settings_are_left_alone(path: str, line: str) -> None:
    """What is filled in elsewhere says nothing."""
    assert found(line, path) == []


def test_the_standard_library_has_hardly_a_secret() -> None:
    """Fewer than one false alarm in 5,000 lines, over all of its top modules."""
    n_lines = n_found = 0
    for file in sorted(STDLIB.glob("*.py")):
        text = file.read_text(encoding="utf-8")
        n_lines += text.count("\n")
        n_found += len(found(text, str(file)))
    assert n_lines > 80_000
    assert n_found <= n_lines / 5_000


def _pem(kind: str, body: list[str]) -> str:
    return "\n".join(
        [
            f"-----BEGIN {kind}PRIVATE KEY-----",
            *body,
            f"-----END {kind}PRIVATE KEY-----",
        ]
    )


@pytest.mark.parametrize("kind", ["github", "anthropic", "jwt", "aws-id"])
def test_a_key_is_found_anywhere_in_a_long_line(kind: str) -> None:
    """A line is searched in pieces, and a key may lie across a border."""
    key = KEYS[kind]
    for n_before in range(0, 5_000, 37):
        line = f"{'f(a);' * (n_before // 5)}k='{key}';{'g(b);' * 500}"
        assert found(line) == [key]


def test_a_key_longer_than_a_piece_is_found_whole() -> None:
    """A token may carry a lot."""
    key = f"eyJhbGciOiJIUzI1NiJ9.eyJ{rnd(3_000)}.{rnd(43)}"
    assert found(f"{'f(a);' * 300}k='{key}';") == [key]


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
def test_a_key_block_is_one_secret(kind: str) -> None:
    """All between the markers, which stay."""
    assert found(f'KEY = """{_pem(kind, BODY)}\n"""\n') == ["\n".join(BODY)]


def test_a_key_block_in_one_string_is_found() -> None:
    """Line ends may be written as escapes."""
    body = "\\n".join(BODY)
    block = f"-----BEGIN PRIVATE KEY-----\\n{body}\\n-----END PRIVATE KEY-----\\n"
    (value,) = found(f'KEY = "{block}"\n')
    assert all(line in value for line in BODY)
    assert "BEGIN" not in value


@pytest.mark.parametrize("first", range(4))
@pytest.mark.parametrize("end", range(3, 6))
def test_a_cut_key_block_is_found(first: int, end: int) -> None:
    """A prompt shows some lines around a range, perhaps from inside a key."""
    lines = _pem("RSA ", BODY).split("\n")[first:end]
    text = "\n".join(lines) + "\n"
    hidden = "".join(found(text))
    assert all(line in hidden for line in lines if len(line) == 64)


_IN_FRONT = (
    *(
        "# ",
        "#",
        "// ",
        " * ",
        "-- ",
        "; ",
        "> ",
        "| ",
        "+",
        "- ",
        "//! ",
        "REM ",
        "% ",
    ),
    *("dnl ", "12: ", "<!-- ", '\t\t"'),
)


@pytest.mark.parametrize("in_front", _IN_FRONT)
@pytest.mark.parametrize("part", [slice(None), slice(1, -1), slice(2, 4)])
def test_a_key_block_behind_signs_is_found(in_front: str, part: slice) -> None:
    """In a comment, a quote or a diff, whole and cut; the next line stays."""
    lines = [in_front + line for line in _pem("RSA ", BODY).split("\n")[part]]
    hidden = "".join(found("a = 1\n" + "\n".join(lines) + "\n\nb = something\n"))
    shown = [line for line in BODY if in_front + line in lines and line not in hidden]
    assert shown == []
    assert "something" not in hidden


@pytest.mark.parametrize(
    "code",
    [
        'password = "Winter2024!"',
        'db = connect(user="u", password="Winter2024!")',
        'os.environ["DB_PASSWORD"] = "Winter2024!"',
        "password = 'it\\'s' # x\nsecret = 'Winter2024!'",
        '{"password": "Winter2024!"}',
    ],
)
@pytest.mark.parametrize("n_strings", [0, 1, 2, 3])
def test_a_secret_is_found_inside_strings(code: str, n_strings: int) -> None:
    """As in the cell of a notebook, and in a string of a string."""
    for _ in range(n_strings):
        code = json.dumps(code)
    assert "Winter2024!" in found(f"    {code},\n", "a.ipynb")


@pytest.mark.parametrize(
    "line",
    [
        'body = "user=ada&password%3Dcorrecthorse"',
        'url = "https://e.org/?next=%2Fa%3Fclient_secret%3Dcorrecthorse%26x%3D1"',
        r'"url": "https://e.org?a=b\u0026password\u003dcorrecthorse"',
        r'x = "{\x22password\x22: \x22correcthorse\x22}"',
        "<p>&quot;password&quot;:&quot;correcthorse&quot;</p>",
        '<a data-x="{&#34;secret&#34;: &#34;correcthorse&#34;}"/>',
        "<a x='password=&apos;correcthorse&apos;'/>",
        "<a x='password=&#x27;correcthorse&#x27;'/>",
    ],
)
def test_a_secret_is_found_behind_escaped_signs(line: str) -> None:
    """In URLs, JSON, strings and HTML."""
    assert found(line) == ["correcthorse"]


@pytest.mark.parametrize("password", ["Sommer2024", "Abcd1234!", "hunter2abc"])
@pytest.mark.parametrize(
    "line",
    [
        'parser.add_argument("--password", default="{}")',
        'client.login(user="bob", auth=("bob", "{}"))',
        'db = Database.builder().password("{}").build();',
        'headers: {{ "X-Auth-Token": "Token {}" }}',
        "docker run -e POSTGRES_PASSWORD={} postgres",
        "helm install x --set auth.rootPassword={}",
        "<string name='password'>{}</string>",
    ],
)
def test_a_password_that_people_make_up_is_found(line: str, password: str) -> None:
    """Behind a name, and in text; a name in code is none."""
    assert password in found(line.format(password))


@pytest.mark.parametrize(
    "line",
    [
        "private final OAuth2AccessToken token = new OAuth2AccessToken(value);",
        "key: Ed25519PublicKey,",
        "self.password=password1",
    ],
)
def test_a_name_in_code_is_no_password(line: str) -> None:
    assert found(line) == []


@example(text="a%3db&quot;\\u0026c\\x22%26quot;")
@given(text=st.text(alphabet="ab\\\"'ntu\n"))
def test_unescaped_text_starts_where_its_escapes_do(text: str) -> None:
    """Each character is that of the line, or what an escape stands for."""
    inner, starts = unescaped(text)
    assert len(starts) == len(inner) + 1
    assert (starts[0], starts[-1]) == (0, len(text))
    for char, start, end in zip(inner, starts, starts[1:], strict=False):
        assert text[start:end] in (
            char,
            "\\" + {"\n": "n", "\t": "t"}.get(char, char),
            f"%{ord(char):x}",
            f"\\x{ord(char):x}",
            f"\\u{ord(char):04x}",
            html.escape(char),
        )


@given(
    spans=st.lists(
        st.tuples(st.integers(0, 30), st.integers(0, 5)).map(
            lambda x: (x[0], x[0] + x[1])
        )
    )
)
def test_merged_spans_cover_the_same(spans: list[tuple[int, int]]) -> None:
    """In order, apart from each other, and over the same characters."""
    merged = merge(spans)
    assert merged == sorted(merged)
    assert all(one[1] <= two[0] for one, two in pairwise(merged))
    covered = {x for start, end in spans for x in range(start, end)}
    assert {x for start, end in merged for x in range(start, end)} == covered


@pytest.mark.parametrize(
    "piece",
    [
        "curl -u ",
        "a -p ",
        "docker x login ",
        "X_KEY= ",
        "host=a ",
        "a\\\n",
        "--a-b-",
        "eyJ-",
        "//",
        '"',
        "password=",
        "secret x",
        "auth",
        "xoxb-1",
        "://a",
        " '",
    ],
)
def test_a_line_that_was_made_to_last_comes_to_an_end(piece: str) -> None:
    """The time grows with the length, not its square: it would be minutes here."""
    assert found(piece * 50_000) == []


STRONG_NAMES = """
my_api_key authKey service-key accountKey accessKey signing_key encryption_key
db_key database_key privKey private_key client_key master_key masterKey jwt_key
hmacKey deploy_key sshKey consumer_key subscription_key licenseKey shared_key
db_pass databasePass dbpass key_pass mail_pass smtpPass MAIL_PASS pass pass_
password2 passwd DB_PWD WIFI_PASS SENHA clientSecret contraseña passwort pass_phrase
mot-de-passe passcode passkey passw psw pswd pw db_pw rootPw WIFI_PSK kennwort
wachtwoord senha heslo hasło salasana пароль 密码 パスワード access_token authToken
refresh-token bearer_token GH_PAT passord adgangskode lozinka jelszo parola sifre şifre
DB_MDP contrasenia geheimnis segredo adminpw userPw PGPASS
"""

WEAK_NAMES = """
token API_TOKEN botToken sessionToken auth credentials salt pepper cookie session
signature stripe_key awsKey app_key session_key storage_key activation_key
"""

OTHER_NAMES = """
first_pass proxy_pass bypass render_pass compass author authority passenger sort_key
primaryKey foreign_key cache_key public_key hotkey key keyboard monkey tokens
tokenizer spawn power
"""


@pytest.mark.parametrize("name", STRONG_NAMES.split())
def test_a_name_is_judged_by_its_words(name: str) -> None:
    """In code, whatever separates them; any value is a secret then."""
    assert found(f'"{name}": "correcthorse"') == ["correcthorse"]
    assert found(f"{name} = 'correcthorse'\n") == ["correcthorse"]


@pytest.mark.parametrize("name", WEAK_NAMES.split())
def test_a_weak_name_needs_a_value_that_is_like_a_password(name: str) -> None:
    assert found(f'{name} = "Sommer2024"') == ["Sommer2024"]
    assert found(f'{name} = "correcthorse"') == []


@pytest.mark.parametrize("name", OTHER_NAMES.split())
def test_a_word_inside_another_one_promises_nothing(name: str) -> None:
    assert found(f'{name} = "correcthorse"') == []


@pytest.mark.parametrize(
    "value",
    [
        "SuperSecret!",
        "mysecretpassword",
        "topsecret",
        "adminpassword",
        "$ecret9x",
        "%percent9",
        "*star9xyz",
        "#hash!tag1",
        "@dmin12345",
        "-dash1word",
        "!hunter2",
        "{noop}hunter2",
    ],
)
def test_a_value_is_harmless_as_a_whole(value: str) -> None:
    """A word such as `secret`, or a sign in front, does not make it so."""
    assert found(f'password = "{value}"') == [value]
    assert [value] == [
        f"password: {value}"[a:b]
        for a, b in find_secrets(f"password: {value}", ".env.example")
    ]


@pytest.mark.parametrize(
    "value",
    [
        "user_password",
        "newPassword",
        "confirmpassword",
        "your-password-here",
        "Passwords",
        "example-secret",
        "changeme",
        "$PASSWORD",
        "$password",
        "${PASSWORD}",
        "%PASSWORD%",
        "%(password)s",
        "<password>",
        "{password}",
        "{{ password }}",
        "#password",
        ":password",
        "@password",
        "*alias",
        "^10.2.2",
        "--password",
        "*.yaml.j2",
    ],
)
def test_a_name_or_a_reference_is_no_value(value: str) -> None:
    assert found(f'password = "{value}"') == []
    assert find_secrets(f"password: {value}", "a.ini") == []


def test_every_documented_shape_is_found_where_a_name_gives_it_away() -> None:
    """`python -m benchmarks.secrets` counts how many are found without a name."""
    shapes = json.loads(SHAPES.read_text())
    source = random.Random(11)
    missed = [
        shape["name"]
        for shape in shapes
        for key in [make_key(shape["shape"], source)]
        if not is_hidden(key, in_place(key, PLACES_OF_KEYS["named"]))
    ]
    assert missed == []


@pytest.mark.parametrize("password", ["correcthorse", "abc123XYZ", "hV7pQ2zXkL9w"])
@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.http", "Authorization: Basic ada:{}"),
        ("a.js", "new Sequelize('db', 'ada', '{}', {{ dialect: 'postgres' }})"),
        ("a.py", 'conn = Connection(server, "cn=admin,dc=x", "{}")'),
        ("a.py", 'credentials = pika.PlainCredentials("guest", "{}")'),
        ("a.sql", "CREATE USER ada IDENTIFIED BY {};"),
        ("a.sql", "UPDATE users SET x = crypt('{}', gen_salt('bf'));"),
        ("a.sh", "SSHPASS='{}' sshpass -e ssh host"),
        ("a.cs", 'if (txtPass.Text == "{}")'),
        ("a.conf", "set system root-authentication plain-text-password-value {}"),
    ],
)
def test_a_password_in_an_everyday_statement_is_found(
    path: str, line: str, password: str
) -> None:
    assert found(line.format(password), path) == [password]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.http", "Authorization: Basic {{user}}:{{password}}"),
        ("a.md", "Send `Authorization: Basic base64(user:password)`."),
        ("a.js", "new Sequelize(url, { logging: false, dialect: 'postgres' })"),
        ("a.js", 'new Connection("localhost", "confirmed", options)'),
        ("a.sql", "CREATE USER ada IDENTIFIED BY &password;"),
        ("a.md", "Rows are identified by their number."),
        ("a.sh", "apt-get install sshpass openssh-client"),
        ("a.sh", "SSHPASS=$PASSWORD sshpass -e ssh host"),
        ("a.cs", 'lblPassword.Text = "Password:";'),
    ],
)
def test_statements_without_a_password_are_left_alone(path: str, line: str) -> None:
    assert found(line, path) == []


@pytest.mark.parametrize("place", ["quoted", "bare"])
def test_a_shape_with_a_prefix_is_found_without_a_name(place: str) -> None:
    """What has no prefix may be the number of a commit, or any hash."""
    shapes = [x["shape"] for x in json.loads(SHAPES.read_text())]
    source = random.Random(3)
    missed = [
        shape
        for shape in shapes
        for key in [make_key(shape, source)]
        if re.match(r"[\w.:/-]{3}", shape)
        and not is_hidden(key, in_place(key, PLACES_OF_KEYS[place]))
    ]
    assert missed == []


@pytest.mark.parametrize(
    "line",
    [
        "const live_translations = as-components",
        "class='as-internationalizationab'",
        'x = "npg_connectionst"',
        "aio_read_and_write_bytes_of_x = 1",
        "test_facade0 = live_deadbeef",
        "see http://example.org/1//0/index",
        "prod:happy-otter-123|next",
    ],
)
def test_what_only_begins_like_a_key_is_left_alone(line: str) -> None:
    assert found(line) == []


def test_the_secrets_of_commands_are_found_and_nothing_else() -> None:
    """`tests/data/secrets/commands.json` holds commands, and sentences about them."""
    assert wrong_commands() == {"missed": [], "false": []}


def test_passwords_beside_their_names_are_found() -> None:
    """`tests/data/secrets/places.json`: in other fields, words and lines than usual."""
    assert places_missed() == []


@pytest.mark.parametrize("odd", ["'", '"', "`", "(", "[", "${", "{{", r"\"", "\u00a0"])
@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", "password = {}", ""),
        ("a.js", "const password = {}", ";"),
        ("a.json", '{{"password": {}', "}"),
        ("a.yaml", "password: {}", ""),
        ("a.toml", "password = {}", ""),
        ("a.sh", "DB_PASSWORD={}", ""),
    ],
)
def test_a_string_ends_at_its_own_quote(
    path: str, before: str, after: str, odd: str
) -> None:
    value = f"Tr0ub4dor{odd}Katze9xyz"
    quote = "'" if '"' in odd else '"'
    line = before.format(f"{quote}{value}{quote}") + after
    [(start, end)] = find_secrets(line, path)
    assert line[start:end] == value


@pytest.mark.parametrize("odd", ["'", '"', "(", "[", ")(", "${"])
@pytest.mark.parametrize(
    ("path", "before"),
    [("a.yaml", "password: "), (".env", "DB_PASSWORD="), ("a.ini", "password = ")],
)
def test_a_value_without_quotes_ends_at_a_blank(
    path: str, before: str, odd: str
) -> None:
    value = f"Tr0ub4dor{odd}Katze9xyz"
    [(start, end)] = find_secrets(f"{before}{value} # why", path)
    assert f"{before}{value} # why"[start:end] == value


@pytest.mark.parametrize("value", ["load(file)", '"${PASSWORD}"', '"{{ .Values.pw }}"'])
def test_a_value_that_is_filled_in_is_none(value: str) -> None:
    assert find_secrets(f"password: {value}", "a.yaml") == []


@pytest.mark.parametrize(
    ("line", "secrets"),
    [
        ('PASSWORD_POLICY = "strict-with-numbers"', []),
        ('PASSWORD_MIN_LENGTH = "twelve"', []),
        ('password_hasher: "argon2id-default"', []),
        ('SECRET_NAME = "production-database"', []),
        ('PASSWORD_POLICY = "xK9mQ2vL7pRt4wZs"', ["xK9mQ2vL7pRt4wZs"]),
        ('PASSWORD_ADMIN = "correcthorsebattery"', ["correcthorsebattery"]),
        ('POLICY_PASSWORD = "correcthorsebattery"', ["correcthorsebattery"]),
    ],
)
def test_a_setting_about_secrets_is_none(line: str, secrets: list[str]) -> None:
    """By the end of its name, unless the value looks like a password."""
    assert found(line) == secrets


@pytest.mark.parametrize(
    "line",
    [
        'passphrase = "correcthorsebattery"',
        'Passwort: "correcthorsebattery"',
        'MOT_DE_PASSE="correcthorsebattery"',
        '{"accessToken": "correcthorsebattery"}',
        'headers = {"X-Api-Key": "correcthorsebattery"}',
        'passwords = ["correcthorsebattery"]',
        'password = ("correcthorsebattery")',
        'password = str("correcthorsebattery")',
        'jwtSecret := []byte("correcthorsebattery")',
        'process.env.DB_PASSWORD || "correcthorsebattery"',
        'process.env.DB_PASSWORD ?? "correcthorsebattery"',
        'password += "correcthorsebattery"',
        '$Password = ConvertTo-SecureString "correcthorsebattery" -AsPlainText',
    ],
)
def test_a_password_of_words_is_found_in_more_forms(line: str) -> None:
    """Nothing but its name and place marks it."""
    assert found(line) == ["correcthorsebattery"]


def test_a_name_in_a_list_is_no_name_of_the_strings_after_it() -> None:
    """Unless the next one looks like a password, as an argument after its name."""
    names = 'FIELDS = [\n    "password",\n    "address1",\n    "line2-of-address",\n]\n'
    assert found(names) == []
    call = 'config.set(\n    "password",\n    "xK9mQ2vL7pRt4wZs",\n)\n'
    assert found(call) == ["xK9mQ2vL7pRt4wZs"]


AFTER_A_NAME = {
    *values.BESIDE,
    *chain.from_iterable(values.AFTER_NAME.values()),
}
"""Patterns that are tried once for each name, and not at each character."""


@pytest.mark.parametrize(
    "module",
    [
        arguments,
        commands,
        formats,
        one_line,
        neighbours,
        provider_keys,
        search,
        values,
    ],
)
def test_a_line_of_names_takes_few_steps(module: ModuleType) -> None:
    """At each name, all characters up to the end of the window were tried."""
    window = ("1 " + "password" * 250)[:2_000]
    for name, pattern in vars(module).items():
        if isinstance(pattern, re.Pattern):
            method = "match" if pattern in AFTER_A_NAME else "finditer"
            matcher = StepMatcher(pattern, bounds_are_short=False)
            n_steps = matcher.count(method, window, limit=400_000)
            assert n_steps < 200 * len(window), name


_TYPED = "hunter2horse9"
_B64 = base64.b64encode(b"correct horse battery").decode()
_ENCODED_KEY = base64.b64encode(
    f"-----BEGIN RSA PRIVATE KEY-----\n{rnd(64)}\n{rnd(64)}\n".encode()
).decode()


@pytest.mark.parametrize(
    ("text", "secrets"),
    [
        (f"users:\n- user:\n    client-key-data: {_B64}\n", [_B64]),
        (f"a:\n  anything: {_ENCODED_KEY}\n", [_ENCODED_KEY]),
        (f"kind: Secret\ndata:\n  tls.key: {_B64}\n", [_B64]),
        (f"data:\n  'a': \"{_B64}\"  # c\ntype: x\nkind: 'Secret' # x\n", [_B64]),
        ("stringData:\n  user: admin\n  n: 1\nkind: Secret\n", ["admin"]),
        ("kind: Secret\nstringData:\n  a: |\n    x: 1\n\n    {\n", ["x: 1\n\n    {"]),
        ("kind: Secret\nstringData:\n  a: my old\n    horse\n", ["my old\n    horse"]),
        ("kind: Secret\nstringData:\n  a:\n    my horse\n  b: tr\n", ["my horse"]),
        ("kind: Secret\nstringData: {a: admin, 'b': \"x y\"}\n", ["admin"]),
        (f"items:\n- data:\n    a: {_B64}\n  kind: Secret\n- kind: X\n", [_B64]),
        (
            f"kind: X\ndata:\n  a: admin\n---\nkind: Secret\ndata:\n  b: {_B64}",
            [_B64],
        ),
        (f".dockerconfigjson: {_B64}\n", [_B64]),
        *(
            (f"db:\n  password: {mark}\n    {_TYPED}\n  a: 1\n", [_TYPED])
            for mark in ("|", ">", "|-", ">+", "|2", ">2-", "!!str |", "| # c", "")
        ),
        (f"- password: |\n\n    {_TYPED}", [_TYPED]),
        (f"password:\n  '{_TYPED}'\n", [_TYPED]),
        (f"password: # the old one\n  {_TYPED}\n", [_TYPED]),
        (f"ansible_become_pass: {_TYPED}\n", [_TYPED]),
        ("mysql_root_pass2: correcthorse\n", ["correcthorse"]),
    ],
)
def test_secrets_of_yaml_are_found_by_its_structure(
    text: str, secrets: list[str]
) -> None:
    assert found(text, "a.yaml") == secrets


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", r'S = "kind: Secret\nstringData:\n  a: {}\n"'),
        ("a.py", r"S = 'apiVersion: v1\nstringData:\n  a: {}\nkind: Secret'"),
        ("a.sh", r"printf 'kind: Secret\nstringData:\n  a: {}\n' | kubectl apply -f -"),
        ("a.json", '{"doc": "kind: Secret\\nstringData:\\n  a: {}"}'),
        ("a.go", r'S := "kind: \"Secret\"\nstringData:\n  a: {}\n"'),
        ("a.go", r'S := "kind: \"Secret\"\nstringData:\n  a: \"{}\"\n"'),
        ("a.js", r"S = 'kind: \'Secret\'\nstringData:\n  a: {}\n'"),
        ("a.yaml", r'a: "{\"data\":{\"a\":\"{}\"},\"kind\":\"Secret\"}\n"'),
        ("a.py", r'S = "{\"kind\": \"Secret\", \"stringData\": {\"a\": \"{}\"}}"'),
    ],
)
def test_a_manifest_in_a_string_on_one_line_is_read(path: str, text: str) -> None:
    assert found(text.replace("{}", "sunflower"), path) == ["sunflower"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_secret_in_utf_16_that_an_editor_opened_as_utf_8_is_found(
    encoding: str,
) -> None:
    text = "a = 1\npassword = 'hunter22'\nb = 2\n".encode(encoding).decode()
    (secret,) = found(text, "a.py")
    assert secret == "\0".join("hunter22")


@pytest.mark.parametrize(
    "text",
    [
        r'S = "kind: Secret\n---\nkind: ConfigMap\ndata:\n  a: sunflower\n"',
        r'S = "kind: \"Secret\"\n---\nkind: ConfigMap\ndata:\n  a: sunflower\n"',
        r'S = "{\"data\":{\"a\":\"sunflower\"},\"kind\":\"ConfigMap\"}"',
        r'S = "{\"data\":{\"a\":\"sunflower\"},\"name\":\"Secret\"}"',
    ],
)
def test_a_manifest_of_another_kind_in_a_string_is_left_alone(text: str) -> None:
    assert found(text, "a.py") == []


@pytest.mark.parametrize(
    "text",
    [
        f"kind: ConfigMap\ndata:\n  tls.crt: {_B64}\n",
        f"data:\n  a: {_B64}\n",
        f"kind: Secret\n---\nkind: ConfigMap\ndata:\n  a: {_B64}\n",
        f"- kind: Secret\n- kind: ConfigMap\n  data:\n    a: {_B64}\n",
        f"kind: SealedSecret\ndata:\n  a: {_B64}\n",
        "kind: Secret\nmetadata:\n  name: database\n  labels:\n    data: webserver\n",
        "kind: Secret\ndata:\n  a: {{ .Values.a | b64enc }}\n  b: ${VALUE}\n",
        "kind: Secret\ndata:\n  {{- range .Values.all }}\n  {{- end }}\n",
        "bypass: true\ncompass: northwest1\nbypass_rules: internal-1\n",
        "proxy_pass: http://backend:8080\nnginx_pass_through: header1\n",
        "password: |\n  The password that you chose in\n  paragraph2\n",
        "password: >\n  Choose one with letters.\n",
        "password:\n  type: string\n  minLength: 12\n",
        "secret:\n  enabled1:\n    a: 1\n",
        "password:\n  - rotate-every-90-days\n",
        "password:\n  ${DB_PASSWORD}\n",
        "password:\nusername2: administrator2\n",
        "password_policy: |\n  strict-with-numbers\n",
        "crt: " + base64.b64encode(b"-----BEGIN CERTIFICATE-----\n" * 4).decode(),
    ],
)
def test_yaml_beside_secrets_is_left_alone(text: str) -> None:
    assert found(text, "a.yaml") == []


@pytest.mark.parametrize("form", ["{}", "KEY={}", "  - {}  # of CI", '["{}"]'])
def test_a_key_of_openssh_on_one_line_is_found(form: str) -> None:
    key = base64.b64encode(b"openssh-key-v1\0" + bytes(range(120))).decode()
    assert found(form.format(key), "notes.txt") == [key]


def test_the_private_lines_of_a_putty_key_are_found() -> None:
    """Those of an Ed25519 key are a single short line."""
    body = f"{rnd(44)}\n{rnd(20)}=="
    text = (
        "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: a\n"
        f"Private-Lines: 2\n{body}\nPrivate-MAC: 12\n"
    )
    assert found(text, "notes.txt") == [body]


@pytest.mark.parametrize(
    "piece",
    [
        "kind: Secret\ndata:\n  a: b\n",
        "data:\n kind: Secret\n ",
        "- kind: Secret\n- data: {a: {a: ",
        "password: |\n",
        "password:\n  ",
        " a:\n",
        "- ",
        "LS0tLS1CRUdJTi",
        "Private-Lines: 1\n",
        "a_pass",
    ],
)
def test_yaml_that_was_made_to_last_comes_to_an_end(piece: str) -> None:
    """The time grows with the length, not its square: it would be minutes here."""
    find_secrets(piece * 20_000, "a.yaml")
    nested = "\n".join(f"{' ' * depth}data:" for depth in range(1_000))
    assert found(f"{nested}\n", "a.yaml") == []


_KEY_LINE = base64.b64encode(bytes(range(48))).decode()

_NAMES_AND_VALUES = st.sampled_from(
    (
        *(_KEY_LINE, "abcd1234", "'h1unt3er'", "name: DB_PASSWORD", "curl \\"),
        *('"name": "DB_PASSWORD",', '"value": "s3cretZZ91x",', "password:", "x = 1"),
        *("  value: abcd1234efgh", "- name: API_TOKEN", "type: string", "'password',"),
        *("'Tr0ub4dor&3',", "key = (", '    "abcDEF123ghi"', "a" * 400, "", "{", "}"),
        *("-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"),
        *("| user | password |", "|------|----------|", "| anna | h1unt3er9 |"),
        *('"kind": "Secret"', '"data": {', '"x": "aHVudGVyMg=="', "  -u a:hunter2abc"),
        *("value_1 = foo(value)", 'PASSWORD = """', "correct-horse", '"""', "EOF"),
        "PASSWORD=$(cat <<EOF",
    )
)


@example(["curl \\", "  -u a:hunter2abc"], "a.sh")
@example(["| user | password |", "|------|----------|", "| anna | h1unt3er9 |"], "")
@example(['"value": "s3cretZZ91x",', '"name": "DB_PASSWORD",'], "a.py")
@example(["password:", "type: string", "  value: abcd1234efgh"], "a.yaml")
@given(
    st.lists(_NAMES_AND_VALUES, max_size=12), st.sampled_from(["a.py", "a.yaml", ""])
)
def test_lines_that_were_searched_before_change_nothing(
    lines: list[str], path: str
) -> None:
    """Known lines are skipped; one of them may name, or be, the value of a new one."""
    text = "\n".join(lines)

    def forget() -> None:
        for known in (
            search._CLEAN,
            search._BEGUN,
            search._PARTS,
        ):
            for lines_of_kind in known.values():
                lines_of_kind.clear()

    forget()
    fresh = find_secrets(text, path)
    assert find_secrets(text, path) == fresh
    for n_known in range(len(lines)):
        forget()
        for line in lines[:n_known]:
            find_secrets(line, path)
        assert find_secrets(text, path) == fresh


@example(['PASSWORD = """', ""], "correct-horse", ['"""'], "a.py")
@example(["password = ("], "'hunter2abc'", [")"], "a.py")
@example(["'password',", "'b',"], "'h1unt3er'", [], "a.py")
@example(["curl \\"], "-u a:hunter2abc", [], "a.sh")
@example(['x("ghp_a1B2c3D4e5F6g7H8i9"'], '"J0k1L2m3N4o5P6q7R8sT"', [")"], "a.py")
@example(['x("ghp_a1B2c3D4e5F6g7H8i9" +'], '"J0k1L2m3N4o5P6q7R8sT")', [], "a.js")
@example([], 'x("ghp_a1B2c3D4e5F6g7H8i9"', ['  .. "J0k1L2m3N4o5P6q7R8sT")'], "a.py")
@example([], "value: a1b2c3d4e5", ["name: DB_PASSWORD"], "a.py")
@example([_KEY_LINE], "abcd1234", [_KEY_LINE], "a.py")
@example(["name  password", "ada   hunter2abc"], "bob   hunter3abc", [], "")
@example([], "name  password", ["ada   hunter2abc"], "")
@example([], "|name|password|", ["|ada|hunter2abc|"], "")
@given(
    st.lists(_NAMES_AND_VALUES, max_size=8),
    _NAMES_AND_VALUES,
    st.lists(_NAMES_AND_VALUES, max_size=4),
    st.sampled_from(["a.py", "a.yaml", ""]),
)
def test_a_clean_line_changes_nothing_about_those_around_it(
    above: list[str], line: str, below: list[str], path: str
) -> None:
    """Then a search of all lines finds what searches of the others find."""
    first, last = "\n".join(above), "\n".join(below)
    before, after = find_secrets(first, path), find_secrets(last, path)
    find_secrets(line, path)
    if may_change(first, last, path) and is_clean(line, path):
        start = len(f"{first}\n{line}\n")
        assert find_secrets(f"{first}\n{line}\n{last}", path) == [
            *before,
            *((start + one, start + end) for one, end in after),
        ]


@pytest.mark.parametrize(
    ("above", "below", "line", "is_same"),
    [
        ("import os", "x = 1", "y = 2", True),
        ("password = (\n'x'\n)", "x = 1", "y = 2", True),
        ("password = (", "x = 1", "y = 2", False),
        ("x = 1", "name: DB_PASSWORD", "y = 2", False),
        ("x = 1", '"kind": "Secret"', "y = 2", False),
        ("x = 1 \\", "", "y = 2", False),
        ("x = 1", "", "y = 2 \\", False),
        ("x = 1", "", "password = (", False),
        ("x = 1", "", 'password = "hunter2abc"', False),
    ],
)
def test_what_another_line_may_change(
    above: str, below: str, line: str, *, is_same: bool
) -> None:
    """Typing code among code needs no search of the lines around it."""
    for text in (above, below, line):
        find_secrets(text, "a.py")
    assert (may_change(above, below, "a.py") and is_clean(line, "a.py")) is is_same


_WORDS = "abandon ability able about above absent absorb abstract absurd abuse access"


@pytest.mark.parametrize(
    ("text", "secrets"),
    [
        ('{"kind": "Secret", "data": {"a": "aHVudGVy", "b": "x"}}', ["aHVudGVy"]),
        ('{"stringData":\n{"a":"{\\"b\\": 1}"}, "kind":"Secret"}', ['{\\"b\\": 1}']),
        ('{"kind": "Secret", "data": {"a": "cut here", "b', ["cut here"]),
        ('{"kind": "ConfigMap", "data": {"a": "aHVudGVy"}}', []),
        (f'words = "{_WORDS} accident"', [f"{_WORDS} accident"]),
        (f"{_WORDS} accident", [f"{_WORDS} accident"]),
        (
            f"MNEMONIC={_WORDS} {_WORDS} accident act",
            [f"{_WORDS} {_WORDS} accident act"],
        ),
        ('PASSWORD = "gwvj cdhm kpdf bbzt"', ["gwvj cdhm kpdf bbzt"]),
        ('s.login("a@b.c", "gwvj cdhm kpdf bbzt")', ["gwvj cdhm kpdf bbzt"]),
        ("  password: gwvj cdhm kpdf bbzt", ["gwvj cdhm kpdf bbzt"]),
        ('label = "save this file here"', []),
        ('password_help = "Type what they have sent"', []),
        (f'words = "{_WORDS}"', []),
        (f'words = "{_WORDS} accident, and more"', []),
        (f'words = "{_WORDS} accident account"', []),
    ],
)
def test_manifests_in_json_and_phrases_are_found(text: str, secrets: list[str]) -> None:
    assert [text[a:b] for a, b in find_secrets(text, "a.json")] == secrets


@pytest.mark.parametrize(
    "value",
    [
        "$6$rounds=5000$saltsalt$" + "aB3./" * 17,
        "$y$j9T$saltsaltsalt$" + "aB3./" * 8,
        "$2b$12$" + "aB3./" * 10,
        "$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$" + "aB3+/" * 8,
    ],
)
def test_hashes_of_passwords_are_found(value: str) -> None:
    line = f"root:{value}:19000:0:99999:7:::"
    assert [line[a:b] for a, b in find_secrets(line, "shadow.bak")] == [value]


def _der(n_bytes: int) -> bytes:
    """Make what looks like a PKCS#8 key of RSA, or of a curve if it is short."""
    body = bytes.fromhex("020100300d06092a864886f70d0101010500") + bytes(
        _CHOICE.choices(range(256), k=n_bytes)
    )
    n = len(body)
    length = bytes([n]) if n < 128 else bytes([0x81, n]) if n < 256 else None
    return b"\x30" + (length or bytes([0x82, n >> 8, n & 255])) + body


@pytest.mark.parametrize("n_bytes", [48, 140, 1_200])
@pytest.mark.parametrize(
    ("form", "between", "before", "after"),
    [
        ("{:02x}", "", "key = ", ""),
        ("{:02X}", "", "", ""),
        ("{:02x}", ":", "# ", ""),
        ("{:02x}", ":\n    ", "    ", "\n"),
        ("0x{:02x}", ", ", "char k[] = { ", " };"),
        ("\\x{:02x}", "", 'k = b"', '"'),
    ],
)
def test_a_key_in_hexadecimal_is_found(
    n_bytes: int, form: str, between: str, before: str, after: str
) -> None:
    key = between.join(map(form.format, _der(n_bytes)))
    [value] = found(f"{before}{key}{after}")
    assert len(value) >= len(key) - 2


@pytest.mark.parametrize("n_bytes", [140, 1_200])
def test_a_key_on_one_line_of_base64_is_found(n_bytes: int) -> None:
    """Without quotes and without a marker."""
    key = base64.b64encode(_der(n_bytes)).decode()
    assert found(f"the key is {key} now") == [key]


_JOINED = {
    "<br>": " ",
    "<br />\n": " ",
    "\\n": " ",
    "\\\\n": " ",
    "&#10;": " ",
    "%0A": "%20",
    "%0D%0A": "+",
}


@pytest.mark.parametrize("joint", _JOINED)
def test_a_key_block_that_is_joined_is_found(joint: str) -> None:
    lines = [rnd(64) for _ in range(6)]
    block = _pem("RSA ", [*lines, "aB3/+w=="]).replace("\n", joint)
    block = block.replace("%0A+", "%0A%2B").replace(" ", _JOINED[joint])
    hidden = "".join(found(f'x = "{block}"'))
    assert all(line in hidden for line in lines)
    assert "BEGIN" not in hidden
    assert "END" not in hidden


def test_the_secret_numbers_of_a_key_are_found() -> None:
    """As .NET and `openssl pkey -text` write them."""
    number = rnd(86) + "=="
    text = (
        f"<RSAKeyValue><Modulus>{number[::-1]}</Modulus><Exponent>AQAB</Exponent>"
        f"<P>{number}</P><D>\n{number}\n</D></RSAKeyValue>"
    )
    assert found(text, "a.xml") == [number, number]
    lines = "\n".join(f"    {':'.join([rnd(2, HEX)] * 15)}:" for _ in range(4))
    text = f"publicExponent: 65537 (0x10001)\nprivateExponent:\n{lines}\nprime1:\n"
    assert found(text, "a.txt") == [lines.strip()]


@pytest.mark.parametrize(
    "text",
    [
        "30820122300d06092a864886f70d01010105000382010f003082010a0282010100"
        + "ab12" * 100,
        "modulus:\n    00:c4:aa:bb\npublicExponent: 65537",
        "<P>This is a paragraph of HTML.</P>",
    ],
)
def test_a_public_key_is_left_alone(text: str) -> None:
    assert found(f"x: {text}\n", "a.txt") == []


@pytest.mark.parametrize(
    "line",
    [
        'os.getenv("SECRET_KEY", default="{}")',
        "config('SECRET_KEY', default='{}', cast=str)",
        'parser.add_argument("--password", default="{}")',
        '@click.option("--password", default="{}", help="the password")',
        'password = None or "{}"',
        "self.password = password or '{}'",
        'const password = options.password || "{}";',
        'password = System.getenv("PASSWORD") ?: "{}"',
        'flag.String("password", "{}", "the password")',
        "'password' => env('DB_PASSWORD', '{}'),",
        'builder.username("bob").password("{}").build();',
        'ds.setPassword("{}".toCharArray());',
        'user.with_password("{}", salt)',
        'variable "db_password" {{ default = "{}" }}',
        'AUTH = ("bob", "{}")',
        'requests.get(url, auth=("bob", "{}"), timeout=3)',
        'requests.get(url, auth=HTTPBasicAuth("bob", "{}"))',
        'User.objects.create_user("bob", "b@example.org", "{}")',
        'smtp.login("bob@example.org", "{}")',
        'ftp = FTP("host", user, "{}")',
        'ssh.connect("host", 22, "bob", "{}")',
        'jwt.encode(payload, "{}", algorithm="HS256")',
        'jwt.sign(payload, "{}")',
        'hmac.new(b"{}", message, "sha256")',
        'hmac.New(sha256.New, []byte("{}"))',
        'createHmac("sha256", "{}")',
        'DriverManager.getConnection("jdbc:mysql://h/db", "bob", "{}");',
        'new SecretKeySpec("{}".getBytes(), "AES")',
        'smtp.PlainAuth("", "bob", "{}", "h")',
        '.basic_auth("bob", Some("{}"))',
        "new PDO('mysql:host=h', 'bob', '{}');",
        'mysql_real_connect(c, "h", "bob", "{}", "db", 0, NULL, 0);',
        'WiFi.begin("home", "{}");',
        'DBI->connect("dbi:mysql:x", "bob", "{}")',
        'requests.get(url, headers={{"X-Auth-Token": "{}"}})',
        'curl -H "PRIVATE-TOKEN: {}" https://example.org',
        'headers: {{ Authorization: "Bearer {}" }}',
        'req.Header.Set("Authorization", "Bearer {}")',
        'headers["Authorization"] = "Token {}"',
        "https://example.org/a?x=1&client_secret={}&y=2",
        '{{"name": "DB_PASSWORD", "value": "{}"}}',
        '{{"ParameterKey": "DbPassword", "ParameterValue": "{}"}}',
        '{{"key": "password", "value": "{}", "type": "string"}}',
        "env: [{{name: DB_PASSWORD, value: {}}}]",
        '<property name="password"><value>{}</value></property>',
        "<key>password</key><string>{}</string>",
        "<password><![CDATA[{}]]></password>",
    ],
)
def test_a_password_of_words_is_found_by_its_position(line: str) -> None:
    """An argument, a default, a header or a field; it looks like any word."""
    assert found(line.format("correcthorse")) == ["correcthorse"]


@pytest.mark.parametrize(
    "line",
    [
        'SENSITIVE = {"authorization", "proxy-authorization", "cookie"}',
        'headers["Authorization"] = digest_auth',
        'parser.add_argument("--password", help="ask", default=None)',
        'secrets.get("password", fallback)',
        'form.password("Password")',
        'jwt.decode(token, key, algorithms=["HS256"])',
        'hmac.new(key, message, "sha256")',
        'create_user("bob", "bob@example.org", password)',
        '{"name": "password", "type": "string"}',
        '<property name="password"><description>x</description></property>',
        "https://example.org/?sort_key=surname&author=somebody",
    ],
)
def test_words_beside_a_name_are_left_alone(line: str) -> None:
    assert found(line) == []


@pytest.mark.parametrize("name", sorted(arguments._INDEX))
def test_every_function_with_a_secret_is_searched_for(name: str) -> None:
    """Lines are skipped by a shorter list of words; it leaves none of these out."""
    before = ", ".join(['"a"'] * arguments._INDEX[name])
    line = f'{name}({before}{", " if before else ""}"correcthorse")'
    assert found(line) == ["correcthorse"]


@pytest.mark.parametrize(
    "text",
    [
        'password = """{}"""',
        'let password = r#"{}"#;',
        'std::string password{{"{}"}};',
        "CREATE LOGIN bob WITH PASSWORD = N'{}', DEFAULT_DATABASE=x",
        "ALTER ROLE bob PASSWORD '{}' LOGIN;",
        "UPDATE users SET password = md5('{}') WHERE id = 1;",
        "credentials {{ username 'bob'; password '{}' }}",
        "password: hash('{}', 10),",
        'username, password = "bob", "{}"',
        '@Value("${{db.password:{}}}")',
        "DB_PASSWORD=${{DB_PASSWORD:-{}}}",
        "twine upload -u bob -p {} dist/*",
        "cqlsh -u bob -p {}",
        "useradd -p {} bob",
        "az sql server create -u sa -p {}",
        "openssl enc -aes-256-cbc -k {} -in a",
        "gh secret set FOO --body {}",
        "aws ssm put-parameter --name /db/x --value {} --type SecureString",
        "kubectl create secret generic x --from-literal=foo={}",
        "rabbitmqctl change_password bob {}",
        "wpa_passphrase home {}",
        "nmcli dev wifi connect home password {}",
        "redis-cli AUTH {}",
        "sqlplus bob/{}",
        "- name: DB_PASSWORD\n  value: {}\n",
        '{{\n  "name": "DB_PASSWORD",\n  "value": "{}"\n}}',
        'variable "db_password" {{\n  type = string\n  default = "{}"\n}}',
        "secret:\n  value: {}\n",
    ],
)
def test_a_password_of_words_is_found_in_further_places(text: str) -> None:
    """Other quotes, other languages, other programs, and fields on lines below."""
    assert found(text.format("correcthorse")) == ["correcthorse"]


@pytest.mark.parametrize(
    "line",
    [
        "# password: Sommer2024",
        "// user: bob, PW: Sommer2024",
        " * Password = Sommer2024.",
        "# password: Sommer2024 filled in.",
        "x = 1  # the form has password: Sommer2024, as before",
    ],
)
def test_a_labelled_password_in_a_comment_is_found(line: str) -> None:
    assert found(line) == ["Sommer2024"]


@pytest.mark.parametrize(
    "text",
    [
        "    password: Argon2Hash",
        "Pass 'parameters' to ignore them.",
        "- name: PAGE_TITLE\n  value: overview\n",
        "password:\n  description: overview\n",
        "x = {password:options}",
        "vault login is needed first",
        "# password: ask the owner",
        "# password: required unless token2 is set",
        "# password: str2bytes(value) is called first",
        "    password: Argon2Hash = None",
    ],
)
def test_words_in_further_places_are_left_alone(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("path", "text", "secrets"),
    [
        ("a.csv", "name,password\nada,hunterabc\n", ["hunterabc"]),
        ("a.csv", 'id;"Pass word";pwd\n1;x;"hunter;abc"\n', ["hunter;abc"]),
        ("a.tsv", ",\tapi_key\n\tcorrecthorse\n\n", ["correcthorse"]),
        ("a.csv", "token,label\ncorrecthorse,noun\n", []),
        ("a.csv", "name,city\nada,london\n", []),
        ("a.csv", "", []),
        ("a.py", "name,password\nada,hunterabc\n", []),
        (
            "a.md",
            "| user | password |\n|:---|----|\n| ada | `hunterabc` |\n\n| a | other1 |",
            ["hunterabc"],
        ),
        ("a.md", "|---|---|\n| a | other1 |", []),
        (
            "a.sql",
            "INSERT INTO users (name, password)\nVALUES ('ada', 'hunterabc'),\n"
            "  (NULL, crypt('correcthorse', gen_salt('bf')));\nSELECT 'unrelated'",
            ["hunterabc", "correcthorse"],
        ),
        (
            "a.py",
            "q(\"insert into t (a, secret) \" + \"values ('ada', 'hunterabc')\")",
            ["hunterabc"],
        ),
        ("a.py", "q('INSERT INTO t (pwd) VALUES (\\'hunterabc\\')')", ["hunterabc"]),
        ("a.py", 'q("INSERT INTO t (a, password) VALUES (?, :password)")', []),
        (
            "a.sql",
            "COPY users (id, password) FROM stdin;\n1\thunterabc\n\\.\n\tunrelated",
            ["hunterabc"],
        ),
        (
            "a.sql",
            "COPY a (password) FROM stdin;\nhunterabc\t1\n"
            "COPY b (city) FROM stdin;\t\nunrelated\t1\n",
            ["hunterabc"],
        ),
    ],
)
def test_the_values_of_a_column_are_found_by_its_heading(
    path: str, text: str, secrets: list[str]
) -> None:
    assert found(text, path) == secrets


@pytest.mark.parametrize(
    "piece",
    [
        "INSERT INTO t (password) VALUES (",
        "INSERT INTO t (",
        "COPY t (password) FROM stdin\n",
        "COPY t (password) FROM stdin\t\n",
        "a|password\n-|-\n",
        '"',
        "'",
        ",",
    ],
)
@pytest.mark.parametrize("path", ["a.csv", "a.sql"])
def test_a_table_that_was_made_to_last_comes_to_an_end(path: str, piece: str) -> None:
    heading = "password,INSERT INTO t (password) VALUES (\n"
    find_secrets(heading + piece * 20_000, path)


@pytest.mark.parametrize(
    "line",
    [
        "password = %q(correcthorse)",
        "PASSWORDS = %w[correcthorse]",
        "password: %q{correcthorse},",
        "my $password = q(correcthorse);",
        "my %account = (password => qq{correcthorse});",
        "config :app, password: ~s(correcthorse)",
        "password = [[correcthorse]]",
        'public string Password { get; set; } = "correcthorse";',
        'public string Secret { get; init; }="correcthorse";',
        'r.setValue("correcthorse", forHTTPHeaderField: "Authorization")',
        'r.addValue("Bearer correcthorse", forHTTPHeaderField: "X-Api-Key")',
        'defaults.set("correcthorse", forKey: "password")',
        '[r setValue:@"correcthorse" forKey:@"password"];',
        r"net use \\h\s correcthorse /user:ada",
        r"net use Z: \\h\s /user:ada correcthorse",
        "echo 'machine h login ada password correcthorse' > ~/.netrc",
    ],
)
def test_a_password_of_words_is_found_in_forms_of_languages(line: str) -> None:
    assert found(line) == ["correcthorse"]


@pytest.mark.parametrize(
    "line",
    [
        "password = Q(lookup)",
        '"secret=%(client_id)s"',
        "public string Password { get; set; } = default;",
        'r.setValue("correcthorse", forHTTPHeaderField: "Accept")',
        'label.set("correcthorse", forKey: "title")',
        r"net use \\h\s /user:ada /persistent:yes",
        r"net use \\h\s *",
    ],
)
def test_a_form_without_a_password_is_left_alone(line: str) -> None:
    assert found(line) == []


@pytest.mark.parametrize(
    ("text", "path", "secret"),
    [
        (
            'u = "https://example.org/js?key=Zq81ksPPw2m4tY7v&cb=x"',
            "a.py",
            "Zq81ksPPw2m4tY7v",
        ),
        (
            "GET https://example.org/?a=b&code=4a8Fj29dkLm3Qz7T",
            "a.http",
            "4a8Fj29dkLm3Qz7T",
        ),
        ("Cookie: sessionid=abcdefghijkl; theme=darkmode", "a.http", "abcdefghijkl"),
        ('{"Cookie": "lang=english; auth=correcthorse"}', "a.py", "correcthorse"),
        ("Set-Cookie: PHPSESSID=k2jh34k2j3h4k2; path=/", "", "k2jh34k2j3h4k2"),
        (
            "document.cookie = 'a=b; sid=s%3Aabc123def456ghi7'",
            "a.js",
            "s%3Aabc123def456ghi7",
        ),
        ("const dsn = `${host};Password=sunflower;`", "a.js", "sunflower"),
        ('password = f"{prefix}sunfl0wer"', "a.py", "sunfl0wer"),
        ('var password = $"{prefix}-{n}Sommer2024";', "a.cs", "Sommer2024"),
        ("const password = `sunfl0wer${suffix}`", "a.js", "sunfl0wer"),
        ('PASSWORD="${PREFIX}sunfl0wer"', "a.sh", "sunfl0wer"),
        ("password=correcthorse", "", "correcthorse"),
        ("#0 PDO->__construct('mysql:h', 'ada', 'correcthorse')", "", "correcthorse"),
        ("connected user=ada password=correcthorse host=db", "", "correcthorse"),
        ("Server=db;Password=correcthorse;Database=shop", "", "correcthorse"),
    ],
)
def test_a_value_is_found_by_a_name_that_elsewhere_promises_less(
    text: str, path: str, secret: str
) -> None:
    assert found(text, path) == [secret]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('u = "https://example.org/list?key=surname&code=en-GB"', "a.py"),
        ('u = f"https://example.org/?key={key}&code=200404"', "a.py"),
        ("Cookie: theme=darkmode; lang=english", "a.http"),
        ("Set-Cookie: lang=english2026; Domain=api2.example.example.org", "a.http"),
        ('headers["Cookie"] = f"session={session_id}; lang={lang}"', "a.py"),
        ('password = f"{user}-{environment}"', "a.py"),
        ('password_path = f"{base}/v2/password/reset"', "a.py"),
        ("const password = `${prefix}-sunflower`", "a.js"),
        ("call login(password=correcthorse) instead", ""),
        ("rename the argument password=correcthorse here", ""),
        ("password=correcthorse", "a.py"),
    ],
)
def test_a_value_of_such_a_name_is_left_alone(text: str, path: str) -> None:
    assert found(text, path) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.sh", "API_KEY=$(cat <<EOF\n?\nEOF\n)\n"),
        ("a.sh", "export DB_PASSWORD=\"$(cat <<-'EOF'\n\t?\n\tEOF\n)\"\n"),
        ("a.sh", "PASSWORD=`cat <<EOF\n?\nEOF\n`\n"),
        ("a.sh", "IFS= read -r -d '' PASSWORD <<EOF\n?\nEOF\n"),
        ("a.tf", "password = <<EOT\n?\nEOT\n"),
        ("a.php", "$password = <<<EOT\n?\nEOT;\n"),
        ("a.rb", "PASSWORD = <<~EOS.strip\n  ?\nEOS\n"),
        ("a.py", 'API_KEY = """\n?\n"""\n'),
        ("a.py", 'PASSWORD = """\\\n?"""\n'),
        ("a.py", "DB_PASSWORD: str = dedent(f'''\n\n    ?\n    ''').strip()\n"),
        ("a.py", "connect(password='''\n?\\\n''')\n"),
        ("a.toml", 'password = """\n?"""\n'),
        ("a.js", "const password = `\n?\n`\n"),
        ("a.java", 'String password = """\n    ?\n    """;\n'),
    ],
    ids=range(14),
)
@pytest.mark.parametrize(
    "value", ["correct-horse-battery", "correcthorsebattery", "ab12cd34ef56gh78"]
)
def test_a_line_of_a_string_below_its_name_is_found(
    path: str, text: str, value: str
) -> None:
    """As if it were on the line of the name; the words after the string are not."""
    text = text.replace("?", value) + "reading-the-file\n"
    assert found(text, path) == [value]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", 'PASSWORD_HELP = """\nusage:\n\nType it twice.\nthank-you\n"""\n'),
        ("a.py", '"""Ask for the password:"""\nsome_function\n'),
        ("a.py", 'password = """it"""\nsome_function\n'),
        ("a.py", 'PASSWORD = """\ncorrect horse\nbattery-staple\n"""\n'),
        ("a.py", "KEY_MASK = 1 << KEY_BITS\nsome_function\n"),
        ("a.cc", "cout << password\nsome_function\n"),
        ("a.sh", "kubectl create secret <<EOF\nmetadata:\n  name-of-it\nEOF\n"),
        ("a.sh", "PASSWORD=$(cat <<EOF\n$DB_PASSWORD\nEOF\n)\n"),
        ("a.sh", "TEXT=$(cat <<EOF\ncorrect-horse-battery\nEOF\n)\n"),
    ],
    ids=range(9),
)
def test_other_lines_of_strings_are_left_alone(path: str, text: str) -> None:
    assert found(text, path) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", 'password = (\n    "?"\n)\n'),
        ("a.py", 'password = \\\n    "?"\n'),
        ("a.py", 'settings["password"] = \\\n    "?"\n'),
        ("a.py", 'connect(password=\n    "?")\n'),
        ("a.js", 'const password =\n  "?";\n'),
        ("a.ts", 'const user = {\n  password:\n    "?",\n};\n'),
        ("A.java", 'String password =\n    "?";\n'),
        ("a.go", 'password :=\n\t"?"\n'),
        ("a.rs", 'let password: &str =\n    "?";\n'),
        ("a.kt", 'val password: String =\n    "?"\n'),
        ("a.c", '#define PASSWORD \\\n  "?"\n'),
        ("a.json", '{"password":\n  "?"}\n'),
        ("a.sh", 'export PASSWORD=\\\n"?"\n'),
        ("a.diff", '+password = (\n+    "?"\n+)\n'),
    ],
    ids=range(14),
)
def test_a_string_of_letters_below_its_name_is_found(path: str, text: str) -> None:
    """A formatter that breaks the line does not change what is a secret."""
    assert found(text.replace("?", "velvetcactus"), path) == ["velvetcactus"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", 'class Password:\n    """velvetcactus"""\n'),
        ("a.py", 'name = (\n    "velvetcactus"\n)\n'),
        ("a.py", "password = (\n    velvetcactus\n)\n"),
        ("a.py", 'password = (\n    "Type it twice."\n)\n'),
        ("a.py", 'if "password":\n    go()\n    "velvetcactus"\n'),
    ],
    ids=range(5),
)
def test_other_strings_below_names_are_left_alone(path: str, text: str) -> None:
    assert found(text, path) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.txt", "user: me\npassword:\n?\n"),
        ("a.md", "Password:\n\n?\n"),
        ("", "login\nme\npassword\n?\n"),
        ("a.ini", "password =\n  ?\n"),
        ("a.xml", "<password>\n  ?\n</password>\n"),
    ],
    ids=range(5),
)
@pytest.mark.parametrize("value", ["Sommer2024", "Trombone-47-Quartz"])
def test_a_password_on_a_line_of_text_below_its_name_is_found(
    path: str, text: str, value: str
) -> None:
    assert found(text.replace("?", value), path) == [value]


def test_a_word_on_a_line_of_code_below_a_name_is_left_alone() -> None:
    assert found("password = (\n    Sommer2024\n)\n", "a.py") == []
