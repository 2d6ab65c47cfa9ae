"""Which functions of PHP another source than the language may define."""

from __future__ import annotations

import re

from redline.checks.candidate import CheckedEdit
from redline.checks.names.added_names import added_names
from redline.checks.names.standard_words import standard_words
from redline.checks.project_files import ProjectFiles
from redline.syntax.language import Language
from redline.syntax.word_set import word_set

_FAMILIES = re.compile(r"(?:array|str|string|preg|json)_")
"""How functions begin that only the language itself has; `is_`, `file_` and `date_` are
also usual in frameworks that call the file from outside the workspace."""

_OTHERS = re.compile(
    r"(?:amqp|apache|apcu?|bc|dba|eio|enchant|event|fann|fastcgi|frankenphp|gearman|geoip"
    r"|gnupg|ibase|igbinary|image|imap|inotify|ldap|litespeed|maxminddb|mcrypt|memcache"
    r"|mongodb|msgpack|mysql|newrelic|oauth|oci|odbc|opcache|pdf|pg|pspell|ps|radius|rar"
    r"|rrd|snmp|spl|sqlsrv|ssh2|stats|stomp|svn|swoole|tidy|trader|uopz|uv|wddx|xdebug"
    r"|xhprof|yaml|zend|zookeeper)_?"
)
"""How functions of extensions begin that are not always there."""

_CONSTRUCTS = word_set(
    "array list isset empty unset exit die eval echo print include include_once require"
    " require_once fn function match switch if elseif for foreach while catch declare"
    " use static self parent and or not return clone new throw yield"
)
CALLED_FUNCTION = re.compile(
    r"(?<![\w.$:>\\@#?!])(?<!new )(?<!function )(?P<name>[a-z][a-z0-9_]+)\s*\("
)


def may_be_defined(name: str, candidate: CheckedEdit, project: ProjectFiles) -> bool:
    """Whether another source than the language may define a function."""
    if _OTHERS.match(name) or added_names("php").get(name, (0,)) >= (8,):
        return True
    if _FAMILIES.match(name):
        return False
    # Without a manifest, the file may be called from a framework.
    if not project.manifests(r"composer\.json") or not re.search(
        r"(?m)^[ \t]*namespace\b", candidate.text_after
    ):
        return True
    words = standard_words(Language.PHP)
    code = candidate.code_before
    others = {found["name"] for found in CALLED_FUNCTION.finditer(code)}
    return any(
        not re.search(rf"\bfunction\s+&?{other}\b", code)
        and not project.is_found(rf"\b{other}\b", (".php",))
        for other in others - words - _CONSTRUCTS
    )
