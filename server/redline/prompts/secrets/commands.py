"""Finds the secrets in commands: `mysql -p…`, `curl -u user:…`, `PGPASSWORD=… psql`.

A command may be a line of a script, or be quoted in a comment, a document or a string,
or be a list of strings such as `["curl", "-u", "user:…"]`. The options of a program are
those of its manual page (as of November 2026).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.prompts.secrets import signs
from redline.prompts.secrets.devices import find_in_devices
from redline.prompts.secrets.names import Promise, promise_of_setting
from redline.prompts.secrets.neighbours import is_password
from redline.prompts.secrets.stores import find_in_stores

_BREAK = r"(?:\s{1,20}\\?[\"']?|[\"']\s{0,3},\s{0,20}[\"'])"
"""What separates two words of a command, also in a list of strings."""
_WORD = r"(?:(?<=[\"'])[^\s\"'`\\]+|[^\s\"'`\\|;&<>()]+)"
"""A word; one in quotes may contain signs of the shell."""


def _options(names: str, *, before: str = "", after: str = _BREAK) -> re.Pattern[str]:
    """Return the pattern of options and their value, as the group that matched.

    Args:
        names: What matches the options.
        before: What matches the part of the word in front of the value.
        after: What separates an option and the word.
    """
    return re.compile(
        rf"(?<![\w-])(?:{names})(?:{after})\\?"
        rf"(?:(?:[\"']|(?<=[\"'])){before}([^\s\"'`\\]+)"
        rf"|{before}([^\s\"'`\\|;&<>()]+))"
    )


_USER = r"(?:\$\{[^}\s]{0,60}\}|[^\s:\"'`]){0,200}?:"
_BESIDE_OR_AFTER = rf"=|{_BREAK}|"
_LOGIN = (
    r"(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|crane|az|cf|oc)"
    rf"(?:{_BREAK}\w+\"?){{0,2}}{_BREAK}login"
)

_PROGRAMS = {
    r"(?:mysql|mariadb)(?:-?(?:admin|backup|binlog|check|dump|import|pump|sh|show|slap"
    r"|upgrade))?|mycli|xtrabackup|7z[ar]?|rar|unrar": _options(
        r"-p(?!(?:assword|ort|rotocol|ager|lugin)\b)", after=""
    ),
    r"curl|https?|xh": _options(
        "-[a-zA-Z#]{0,6}[uUa]|--user|--proxy-user|--auth",
        before=_USER,
        after=_BESIDE_OR_AFTER,
    ),
    r"sshpass": _options("-p", after=_BESIDE_OR_AFTER),
    r"(?:redis|valkey|keydb)-cli": _options("-a|AUTH|auth"),
    r"mongo(?:dump|export|import|restore|sh|stat|top)?|rdesktop": _options("-p"),
    _LOGIN: _options("-p|--password", after=rf"=|{_BREAK}"),
    r"zip|unzip|sqlcmd|bcp|isql|ipmitool": _options("-P", after=_BESIDE_OR_AFTER),
    r"ldap(?:add|compare|delete|modify|passwd|search|whoami)": _options("-w"),
    r"plink|pscp|psftp": _options("-pw"),
    r"az|cqlsh|ncftp(?:get|ls|put)|twine|user(?:add|mod)": _options("-p"),
    r"aws\s{1,4}ssm\s{1,4}put-parameter": _options("--value", after=rf"=|{_BREAK}"),
    r"gh\s{1,4}secret\s{1,4}set": _options("-b|--body", after=_BESIDE_OR_AFTER),
    r"glab\s{1,4}variable\s{1,4}(?:set|create|update)": _options(
        "-v|--value", after=rf"=|{_BREAK}"
    ),
    r"az\s{1,4}keyvault\s{1,4}secret\s{1,4}set": _options(
        "--value", after=rf"=|{_BREAK}"
    ),
    r"databricks\s{1,4}secrets\s{1,4}put-secret": _options("--string-value"),
    r"secretsmanager": _options(
        "--secret-string", before=r"(?:\{.{0,200}:\s{0,4}\\?\")?", after=rf"=|{_BREAK}"
    ),
    r"kubectl|oc": _options("--from-literal", before=r"[\w.-]{1,80}=", after="[= ]"),
    r"nmcli": _options("password"),
    r"openssl\s{1,4}enc": _options("-k"),
    r"rabbitmqctl": _options(rf"(?:add_user|change_password){_BREAK}[\w.-]{{1,60}}"),
    r"sqlplus|expdp|impdp": _options("", before=r"(?<=\s)[\w.-]{1,60}/", after=""),
    r"wpa_passphrase": _options(r"[\w.-]{1,32}"),
    r"openssl": _options("-pass(?:in|out)?", before="pass:"),
    r"[wx]freerdp": _options("/p:", after=""),
    r"smbclient|rpcclient": _options(
        "-U|--user", before=r"[^\s%\"']{1,60}%", after=rf"=|{_BREAK}"
    ),
    r"lftp": _options("-u", before=r"[^\s,\"']{1,60},"),
    r"htpasswd": _options(rf"-\w{{0,5}}b\w{{0,5}}(?:{_BREAK}[^\s\"'-]+){{1,2}}"),
    r"net\s{1,4}use": _options(
        r"\\{2,4}[^\s\"'/]{1,100}|/u(?:ser)?:[^\s\"'/]{1,60}", before=r"(?![/*])"
    ),
    r"snmp(?:bulkwalk|get|set|walk)": _options("-[AX]"),
}
"""Patterns of programs, and of their options with a secret; an option that is named
after a secret, such as `--password`, is one of any program."""

_COMMANDS = tuple(
    (re.compile(rf"(?<![\w.-])(?:{names})(?:\.exe)?(?=[\s\"',])"), options)
    for names, options in _PROGRAMS.items()
)

_ANY_PROGRAM = re.compile(
    rf"(?<![\w.-])(?:{'|'.join(_PROGRAMS)})(?:\.exe)?(?=[\s\"',])"
)
"""Most lines with an option have none of them."""

_MAX_COMMAND = 500
"""Characters after the name of a program in which its options are searched."""

_COMMAND_END = re.compile(r"[|&;]\s|$")

_LONG_OPTION = re.compile(
    rf"(?<![\w-])--?(?P<name>[A-Za-z][\w-]{{2,60}}+)(?P<after>=[\"']?|{_BREAK})"
    rf"(?!-|(?:pass|env|file):)(?P<value>{_WORD})"
)
"""An option with its name, with what follows it, and its value."""

_PLAIN_WORD = re.compile(r"[a-z]+|[A-Z_]+|[A-Z][a-z]+")
"""A value that may be the next word of a sentence, or a name in a help text."""

_VARIABLE = r"(?P<name>(?<![A-Za-z0-9_])[A-Z][A-Z0-9_]*+)"
"""The name of an environment variable."""

_VALUE = r"(?P<value>[^\s\"'`|;&<>(),\]]+)"
_ASSIGNED = (
    re.compile(
        rf"^[-+]?\s*(?:(?:export|set|ENV|-e|-)\s+)?{_VARIABLE}=(?![\"'])(?P<value>\S+)"
    ),
    re.compile(rf"^[-+]?\s*ENV\s+{_VARIABLE}\s+(?![\"'])(?P<value>\S+)"),
    re.compile(
        r"(?:[;&|(`\"'$#:>]\s{0,8}|^\s*|\b(?:env|sudo|export|set|run)\s+|[\w\"']\s)"
        rf"{_VARIABLE}=(?![=\"']){_VALUE}(?=\s+[\w./-]|[\"'`])"
    ),
)
"""An assignment at the start of a line, in front of a command or between its words."""

_OF_OPTION = re.compile(
    r"(?<![\w-])(?:-[DPe]|--?[A-Za-z][\w-]{0,30}+[\s=][\"']?)"
    r"(?P<pairs>[\w.:/-]{1,80}+=(?![=\"'])[^\s\"'`|;&<>()\]]+)"
)
"""An option with assignments, which commas separate."""

_PAIR = re.compile(r"(?<![^,])(?P<name>[\w.:/-]{1,80}+)=(?P<value>[^\s,]++)")

_FIELD = re.compile(
    r"(?i)(?:[?&]|--from-literal=|\}[;,\s]{0,2}+"
    r"|\b(?:host|server|user|uid|user id|username|dbname|database|data source|port"
    r"|sslmode)=[^=\"'`,()]{1,100}[\s;])"
    r"(?:password|passwd|pwd|secret|client_secret|api_?key|access_token|auth_token"
    r"|token)=([^\s\"'`;&,()<>]+)"
)
"""A field of a query, of a connection string: `host=a user=b password=…`, or behind a
part that a template fills in."""

_OF_CONNECTION = re.compile(
    r"(?i)(?:\}|\b(?:host|server|user|uid|user id|username|dbname|database|data source"
    r"|port|sslmode)=[^=\"'`,()]{1,100})[\s;]\s?"
    r"(?:password|passwd|pwd)=([^\s\"'`;]{6,200}+)"
)
"""A password in a connection string: only a blank, a quote or a semicolon ends it."""

_ACCOUNT = re.compile(
    r"(?:(?<![\w./:-])[\w.-]{1,60}[:/]([^\s:/\"'<>]{6,100})@(?:(?:tcp|unix)\(|//\w)"
    r"|\bthin:[\w.-]{1,60}/([^\s:/@\"'<>]{6,100})@"
    r"|https?://([A-Za-z0-9_-]{16,200})@"
    r"|/bot(\d{6,12}:[\w-]{20,60})/"
    r"|/api/webhooks/\d{17,20}/([\w-]{30,100})"
    r"|(?<![\w:.-])[A-Za-z*][\w.*-]{0,60}:(?:\d{2,5}|\*):[\w.*-]{1,60}:[\w.*-]{1,60}"
    r":([^\s:\"'`@]{6,100}))"
)
"""The password of an account in an address without a scheme, of drivers, of webhooks,
and in a line of `.pgpass`."""

_CHANGED_PASSWORD = re.compile(
    r"[\"'\s][\w.-]{1,60}:([^\s\"':|]{6,200})[\"']?\s*\|\s*(?:sudo\s+)?chpasswd"
)

_PLACED = (
    re.compile(
        r"(?i)\bidentified\s{1,5}+(?:with\s{1,5}+[\w\"'`]{1,60}+\s{1,5}+)?+(?:by|as)"
        r"\s{1,5}+(?:password\s{1,5}+)?+\\{0,2}+[\"'`]([^\s\"'`\\]{6,200}+)"
    ),
    re.compile(
        r"(?i)\b(?:requirepass|masterauth)\b[\"']?[\s,=]{1,4}+\\?[\"']?"
        r"([^\s\"'`\\]{6,200}+)(?=\\?[\"'`]|\s{0,20}+\Z)"
    ),
    re.compile(
        r"(?i)(?:\bsetuser\b|^\s{0,20}+user\s[^>]{0,200}?\son\s)[^>]{0,200}+>"
        r"([^\s\"'`>\\]{6,200}+)"
    ),
    re.compile(
        r"\bnet1?(?:\.exe)?\s{1,4}+user\s{1,4}+[^\s\"'/*]{1,60}+\s{1,4}+(?![/*])"
        r"([^\s\"'`|&;<>]{6,200}+)(?=\s{1,4}/[a-z]|[\"'\s]{0,20}+\Z)"
    ),
    re.compile(
        r"(?i)\b(?:create|alter)\s{1,5}+user\s{1,5}+[^\s\"'`]{1,80}+\s{1,5}+identified"
        r"\s{1,5}+by\s{1,5}+([^\s\"'`;]{6,200}+)"
    ),
    re.compile(r"\bSSHPASS=\\?[\"']?([^\s\"'`\\]{6,200}+)"),
    re.compile(r"(?i)\bcrypt\(\s{0,4}+'([^\s']{6,200}+)',\s{0,4}+gen_salt\("),
    re.compile(
        r"(?i)\bauthorization:\s{0,4}+basic\s{1,4}+[^\s:\"'`<>]{1,60}+:"
        r"([^\s\"'`<>]{6,200}+)"
    ),
    re.compile(
        r"\bchpasswd\b[^<]{0,40}+<<<\s{0,4}+[\"']?[\w.-]{1,60}:([^\s\"'`:]{6,200}+)"
    ),
)
"""Passwords at their place in a statement of SQL, a setting of Redis and its users, a
request of HTTP, and commands that take or set the password of an account."""

_LOGIN_LINE = re.compile(
    rf"\blogin\s{{1,4}}+[^\s]{{1,60}}+\s{{1,4}}+password\s{{1,4}}+({_WORD})"
)
"""An entry of `.netrc` on one line."""

_PIPED = re.compile(
    rf"\becho\s+(?:-n\s+)?[\"']?({_WORD})[\"']?\s*\|[^|]{{0,200}}"
    r"(?:--password-stdin|--with-token|--stdin|\bsudo\s+-S\b)"
)
"""What is piped to a program that reads a password."""


def find_in_commands(
    line: str, *, names_secret: bool, is_command: bool
) -> Iterator[tuple[int, int]]:
    """Yield the spans of values that may be secrets; the caller judges the values.

    Args:
        line: A line of a command.
        names_secret: Whether it has a word such as `password`; without one, no name of
            an option, a variable or a field can promise a secret.
        is_command: Whether the line is one, or a setting, and no sentence about one.
    """
    if signs.OPTION.search(line) or any(map(line.__contains__, signs.PROGRAMS)):
        yield from _values_of_programs(line)
    yield from find_in_stores(line)
    if names_secret and "-" in line:
        yield from _values_of_long_options(line, is_command=is_command)
    if names_secret and "=" in line:
        for pattern in (_FIELD, _OF_CONNECTION):
            yield from (found.span(1) for found in pattern.finditer(line))
    if names_secret:
        yield from (found.span(1) for found in _LOGIN_LINE.finditer(line))
        yield from _values_of_variables(line)
        yield from find_in_devices(line, is_plain=is_command)
    yield from _values_at_places(line, names_secret=names_secret)
    if "|" in line:
        for pattern in (_PIPED, _CHANGED_PASSWORD):
            yield from (found.span(1) for found in pattern.finditer(line))
    if any(map(line.__contains__, signs.ACCOUNT)) or line.count(":") >= signs.N_COLONS:
        for found in _ACCOUNT.finditer(line):
            yield found.span(found.lastindex or 0)


def _values_at_places(line: str, *, names_secret: bool) -> Iterator[tuple[int, int]]:
    if names_secret or any(map(line.lower().__contains__, signs.PLACES)):
        for pattern in _PLACED:
            yield from (found.span(1) for found in pattern.finditer(line))


def _values_of_programs(line: str) -> Iterator[tuple[int, int]]:
    for program, options in _COMMANDS if _ANY_PROGRAM.search(line) else ():
        at = 0
        while name := program.search(line, at):
            end = _end_of_command(line, name.end())
            for found in options.finditer(line, name.end(), end):
                yield found.span(found.lastindex or 0)
            at = end


def _values_of_long_options(
    line: str, *, is_command: bool
) -> Iterator[tuple[int, int]]:
    for found in _LONG_OPTION.finditer(line):
        # A quote is the end of an option in a list of strings.
        is_value = is_command or found["after"][0] in "=\"'"
        if promise_of_setting(found["name"]) is Promise.STRONG and (
            is_value or not _PLAIN_WORD.fullmatch(found["value"])
        ):
            yield found.span("value")


def _values_of_variables(line: str) -> Iterator[tuple[int, int]]:
    for pattern in _ASSIGNED:
        for found in pattern.finditer(line):
            if _is_assigned(found):
                yield found.span("value")
    for option in _OF_OPTION.finditer(line):
        for found in _PAIR.finditer(option["pairs"]):
            if _is_assigned(found):
                start, end = found.span("value")
                yield option.start("pairs") + start, option.start("pairs") + end


def _is_assigned(found: re.Match[str]) -> bool:
    """Whether an assignment gives a secret to its name."""
    promise = promise_of_setting(found["name"])
    return promise is Promise.STRONG or (
        promise is Promise.WEAK and is_password(found["value"])
    )


def _end_of_command(line: str, start: int) -> int:
    limit = min(len(line), start + _MAX_COMMAND)
    end = _COMMAND_END.search(line, start, limit)
    return end.start() if end else limit
