"""The forms in which a value follows its name, and those of headers, URLs and keys."""

from __future__ import annotations

import re

from redline.prompts.secrets.kinds import Kind

HEADER = re.compile(
    r"(?i)\b(?:bearer|basic)\s+(?=[a-z._~+/-]*\d)([\w.~+/-]{16,}={0,2})"
)
"""An `Authorization` header's credentials (RFC 6750, RFC 7617); they hold a digit."""

URL_PASSWORD = re.compile(r"://[^\s/:\"'<>`]*:([^\s/@\"'<>`]+(?:@[^\s/?#@\"'<>`]+)*)@")
"""The password of a URL's user part (RFC 3986 section 3.2.1). An `@` in either should
be escaped; as programs do, the last one is taken for the end of the user part."""

BEGUN_URL = re.compile(
    r"(?<![\w.+-])(?!docker|oci|file)[A-Za-z][\w.+-]{1,30}+://"
    r"[^\s/:\"'<>`@\[\](){}?#]{0,100}+:(?!\d{1,5}+(?![\w!$%&*@^~-]))"
    r"(?P<value>[^\s\"'<>`@/:][^\s\"'<>`@]{5,200}+)(?!@)"
)
"""The same without an `@`, as it is while it is being typed; a port is none."""

_CLOSING = r"[\]'\"]{0,2}\s{0,200}+"
"""What closes a name: it may be a string, or an index."""
_TYPE = r"(?:[?!]?:\s{0,20}+)?[\w&'?*|.<>\[\] ]{1,60}?="
"""A type between a name and its value, as in Python, TypeScript, Go and Rust."""
_ACCESSORS = r"\{[\w\s;]{1,60}\}\s{0,20}+="
"""The accessors of a property of C# in front of its value."""
_ASSIGNMENT = (
    rf"(?::=|={{1,3}}>?|!==?|:|<-|\|\||\?\?|\+=|{_TYPE}|{_ACCESSORS}"
    r"|(?={[\"']))"
)
_WRAPPER = (
    r"(?:(?:new )?(?:Field|SecretStr|SecretBytes|String::from|Some|str|SecureString"
    r"|\[\]byte|(?:\w{1,20}\.)?(?:md5|sha1|sha256|hash|hashSync|b64decode|atob))"
    r"\((?:default=)?|ConvertTo-SecureString (?:-String )?|[(\[{])?"
    r"[bfruln@$]{0,3}#{0,2}"
)
"""What makes the value of a string, as in pydantic, Rust and C#, or opens a list."""
_IN_FRONT = rf"(?i){_CLOSING}{_ASSIGNMENT}\s{{0,200}}+{_WRAPPER}"
_QUOTED = r"(\"{3}|'{3}|[\"'`])(?P<value>[^\s\"'`][^\v\"'`]*+)\1"

TOKEN = re.compile(r"[\w.~+/=!#@$%^*&-]{6,}")
"""A value that is one word without quotes, brackets and escapes."""

NAMED_STRING = re.compile(_IN_FRONT + _QUOTED)
"""A quoted string that is assigned to, or compared with, the name in front of it."""

BRACKETED_STRING = re.compile(
    rf"{_IN_FRONT}(?:(?:%[qw]|(?-i:qq?)|~s)[(\[{{<|!]|\[\[(?=[^\W\d]))"
    r"(?P<value>[^\s\"'`()\[\]{}<>|!]{6,200}+)[)\]}>|!]"
)
"""A string in signs of its own, such as `%q(…)` of Ruby, `q(…)` of Perl, `~s(…)` of
Elixir and `[[…]]` of Lua."""

OPEN_STRING = re.compile(
    r"(?P<quote>[\"'`])(?:(?i:bearer|basic|token)\s{1,4}+)?[\w!#@$^&*~][^\s\"'`]{5,}+\Z"
)
"""A string that a line does not close: it is being typed."""

QUOTED_VALUE = re.compile(
    rf"{_IN_FRONT}([\"'`])(?P<value>(?:\\.|(?!\1)[^\\ \t]){{6,200}}+)\1"
)
"""A string without blanks that is assigned to the name in front of it, up to its own
quote: other quotes, escaped quotes and brackets are parts of it."""

PASSED_STRING = re.compile(
    r"\S{0,50}?\s{0,20}([\"'`])(?P<value>\w[^\v\"'`]*+)\1(?:\)?;|\)?\s{0,20}\Z)"
)
"""A string at the end of a statement or line; a name is somewhere in front of it."""

_SIMPLE = r"[bfrul@$]{0,3}([\"'`])(?P<value>[^\s\"'`]{6,200}+)\1"

OF_MEMBER = re.compile(
    rf"\.(?:[Tt]ext|[Vv]alue)\s{{0,4}}(?:={{1,3}}|!==?)\s{{0,4}}{_SIMPLE}"
)
"""A string that is compared with, or given to, the text of a field of a form."""

FALLBACK = re.compile(
    r"[\"']?[^\"'`;#]{0,80}?(?:\b(?:or|default_factory=lambda:)\s{1,4}|\?\?\s{0,4}|\|\|\s{0,4}"
    rf"|\?:\s{{0,4}}|unwrap_or\(){_SIMPLE}"
)
"""A string after `or` and the like, after a name."""

ENVIRONMENT = re.compile(
    r"[\"']?[^\"'`;#]{0,80}?(?:getenv|environ\.get|\b(?:env|ENV\.fetch))\(\s{0,4}"
    rf"[\"'][\w.-]{{1,60}}[\"'],\s{{0,4}}{_SIMPLE}"
)
"""The default of a variable of the environment, after a name."""

DEFAULT = re.compile(
    rf"[\"']?\s{{0,4}}[,{{][^`;]{{0,100}}?\bdefault\s{{0,4}}[=:]\s{{0,4}}{_SIMPLE}"
)
"""The default of a setting, an option or a variable that a string names."""

IN_PAIR = re.compile(rf"\s{{0,4}}=\s{{0,4}}[\"'][^\"']{{0,80}}[\"'],\s{{0,4}}{_SIMPLE}")
"""The second of two values, after the second of two names."""

IN_BRACES = re.compile(r":[-=]?(?P<value>[^\s\"'`{}$]{6,200}+)\}")
"""What stands for a variable that is not set, as in `${PASSWORD:-…}`."""

OPENS_BRACES = re.compile(r"\$\{[\w.]{0,60}+\Z")

NEXT_STRING = re.compile(r"\s{1,4}[nN]?([\"'])(?P<value>[^\s\"'`]{6,200}+)\1")
"""A string after a name, as in SQL."""

FORMATTED = re.compile(
    r"[\"'\]]{0,2}\s{0,4}+=\s{0,4}+\(?[bfru]{0,2}([\"'])[^\"'\n]{0,60}+\1\s{0,4}+"
    r"(?:%\s{0,4}+\(?|\.format\()(?:[^\"',()]{0,40}+,\s{0,4}+|([\"'])[^\"']{0,60}+\2,"
    r"\s{0,4}+){0,3}[bfru]{0,2}([\"'])(?P<value>[^\s\"'`]{6,200}+)\3"
)
"""A string that is put into another one, as in `password = "%s" % "…"`."""

GIVEN = re.compile(rf"\(\s{{0,4}}{_SIMPLE}")
"""The argument of a method such as `.password(…)`."""

SECOND = re.compile(rf"[\"']\s{{0,4}},\s{{0,4}}{_SIMPLE}\s{{0,4}}[,)]")
"""The argument after a name."""

FIELD_VALUE = re.compile(
    r"[\"']?\s{0,4},\s{0,8}[\"']?(?:[Vv]alue|[Dd]efault|ParameterValue|with)[\"']?"
    r"\s{0,4}[:=]\s{0,4}[\"']?(?P<value>[^\s\"'`<>{},]{6,200}+)"
)
"""The field after the one that has a name, as in `{"name": …, "value": …}`."""

XML_FIELD = re.compile(
    r"[\"']?(?:\s{0,4}/?>|</\w{1,20}>)\s{0,20}<(?:value|string)>(?:<!\[CDATA\[)?"
    r"(?P<value>[^<>\s\]]{6,200}+)"
)
"""The same in XML."""

RETURNED = re.compile(
    r"(?:\s{0,4}=)?\s{0,4}(?:\([^()\"'`]{0,80}\)|:\s{0,4}\w{1,20}(?=\s)|lambda:)"
    rf"(?:[^\"`;={{}}]{{0,60}}?(?:\breturn|=>?|\{{))?\s{{0,4}}(?:return\s{{1,4}})?{_SIMPLE}"
    r"\s{0,4}(?:;?\s{0,4}\}?|\bend)?;?\Z"
)
"""The only result of a function, or the value of a property, after its name."""

NAMES_NEXT = re.compile(
    r"(?:getenv|\benv|config|setdefault|pop|fetch|option|define|setItem|setProperty|putString"
    r"|strcmp|String|StringVar|parametrize|environ\.get)\(\s{0,4}[\"']?[\w.-]{0,40}\Z"
)
"""A function whose first argument names the second one."""

SETS = re.compile(r"(?i)(?:set_?|with_?)?(?:password|passwd|passphrase|pass|pwd)")
"""The name of a method that takes a password."""

SECRET_HEADER = re.compile(
    r"(?i)(?<![\w-])(?:x-[\w-]{0,30}(?:auth|token|key|secret)[\w-]{0,20}+|private-token"
    r"|(?:proxy-)?authorization)[\"'\]]{0,2}\s{0,3}"
    r"(?:[:=]\s{0,3}[bf]?[\"'`]?(?:(?:bearer|basic|token)\s{1,4}+(?:\w{1,40}:)?)?"
    r"|,\s{0,3}[bf]?[\"'`](?:bearer|basic|token)\s{1,4}+)"
    r"(?!(?:bearer|basic|token|digest)\b)"
    r"(?P<value>[^\s\"'`;,<>(){}\[\]$]{6,400}+)[\"'`]"
)
"""A header of HTTP with credentials."""

QUERY = re.compile(r"[?&;](?P<name>[\w.-]{1,40}+)=(?P<value>[^\s\"'`&#<>{}()]{6,400}+)")
"""A field of a query."""

COOKIE_HEADER = re.compile(r"(?i)\bcookie[\"']?\s{0,3}[:,=](?=[^=]{0,60}=)")
"""The name of a header with cookies."""
COOKIE = re.compile(
    r"(?<=[\s\"'`;:])(?P<name>[\w.-]{1,40}+)=(?P<value>[^\s\"'`;,<>{}()$\\]{8,400}+)"
)
"""A cookie in that header."""

ASSIGNED_AT_END = re.compile(
    r"=(?P<value>[^\W\d_]{6,64}+)(?=\s{0,20}\Z|[;&]|\s{1,4}[\w-]{1,40}=)"
)
"""A word after a name in a list of assignments, or at the end of a line."""

ARGUMENT = re.compile(
    rf"(?i){_CLOSING}(?:{_ASSIGNMENT}|[,(])\s{{0,200}}+{_WRAPPER}"
    r"([\"'`])(?P<value>[\w.~+/=-]{8,}+)\1"
)
"""A string that is assigned to the name in front of it, or is the next argument."""

COMPARED_STRING = re.compile(
    r"([\"'`])(?P<value>\w[^\v\"'`]*+)\1\s{0,20}[!=]{2,3}\s{0,20}(?P<name>[\w.]{1,80})"
)
"""A string on the left side of a comparison with a name."""

VALUE_FOR = re.compile(
    r"([\"'])(?:(?i:bearer|basic|token)\s{1,4}+)?(?P<value>[^\s\"'`]{6,200}+)\1\s{0,4}+,?"
    r"\s{0,4}+for\w{0,30}+\s?:\s{0,4}+@?[\"'](?P<name>[\w.-]{1,60}+)[\"']"
)
"""A value in front of its name, as in `setValue("…", forKey: "password")` of Swift."""

XML_TEXT = re.compile(
    r"[\w.:-]{0,60}+[^<>]{0,100}+>(?:<!\[CDATA\[)?(?P<value>[^<>\s\]]{6,200})(?:\]\]>)?</"
)
"""The text of an XML element of the name in front."""

OPEN_ELEMENT = re.compile(
    r"<(?P<name>[\w.:-]{1,80}+)(?:\s[^<>]{0,100}+)?>(?:<!\[CDATA\[)?"
    r"(?P<value>[^<>\s\]\"'`@][^<>\s\]\"'`]{5,200}+)\s{0,20}+\Z"
)
"""The text of an XML element that its line does not close."""

XML_VALUE = re.compile(
    r"[\w.:-]{0,60}+[\"']\s{1,20}value=([\"'])(?P<value>[^<>\"'\s]{6,200})\1"
)
"""The attribute `value` of an XML element whose other one is the name in front."""

SETTING = re.compile(
    rf"{_CLOSING}(?:={{1,3}}|!==?|:)\s{{0,200}}+(?:[&!][\w!]{{0,60}}\s{{1,20}}){{0,2}}"
    r"([\"'`]?)(?P<value>[^\s\"'`][^\v\"']*[^\v,\"'`])\1"
)
"""A value, quoted or not, of the name in front of it in a settings file."""

ASSIGNED_WORD = re.compile(
    r"[:?+]?=(?![\"'=])(?P<value>[^\s\0\"'`|;&<>(),\]]+)(?=[\s\0,;&<>\"'`)]|\Z)"
)
"""A word after `=` in a script or settings file, of the name in front of it."""

LAST_WORD = re.compile(
    r"\s{0,20}+[:?+]?=\s{0,200}+(?![\"'=])(?P<value>[^\s\"'`|;&<>()]+)\s{0,20}(?:\Z|#)"
)
"""The same at the end of a line, with blanks, as in a makefile."""

PAIR = re.compile(r"\s{1,200}+(?![-=:])(?P<value>[^\s;\"'`]+);?\s{0,200}+\Z")
"""The last word of a line, after its name."""

IN_FRONT_OF_PAIR = {
    Kind.SCRIPT: re.compile(
        r"(?i)\s{0,200}+(?:RUN\s{1,20}+)?(?:set\s{1,20}+(?:-\w{1,20}\s{1,20}+){0,4}"
        r"|setx\s{1,20}+|setenv\s{1,20}+|ENV\s{1,20}+)"
    ),
    Kind.SETTINGS: re.compile(
        r"\s{0,200}+(?:[A-Za-z_]{1,40}+\s{1,20}+|[\w.]{0,80}\.)?"
    ),
}
"""What may be in front of a name and its value that no sign separates, by the kind of
the file: a command of a shell, or the name of a directive."""

IN_FLOW = re.compile(r"[\"']?:\s{1,200}+(?P<value>[^\s\"'`,{}\[\]]+)\s{0,20}+[,}]")
"""A value of a flow mapping in YAML, after its name."""

COMMENT = re.compile(r"\s{0,200}+(?:#|//|\*|--|;|<!--)")
"""The start of a line of prose in code."""

COMMENT_BEHIND = re.compile(r"\s(?:#|//|--|/\*)[#/*-]{0,3}\s")
"""The start of prose behind code."""

LAST_OF_COMMENT = re.compile(
    r"\s(?:#|//|--|/\*)[#/*-]{0,3}\s{1,8}+(?:[^\s\"'`]{1,20}+\s{1,4}+){0,3}?[\"'`]?"
    r"(?P<value>[^\s\"'`]{6,100}?)[\"'`]?[.,;)]?\s{0,4}+(?:\*/)?\s{0,4}+\Z"
)
"""The last word of a comment behind a statement."""

LABELLED = re.compile(
    r"[*_`]{0,3}(?:\s{0,20}[:=]|\s{1,20}\|)\s{0,20}+[*_`]{0,3}\s{0,20}+[*_`]{0,3}"
    r"(?P<value>[^\s*_`\"'|][^\s`\"'|]{5,200}?)[*_`]{0,3}[.,;]?\s{0,20}+\|?\s{0,4}\Z"
)
"""The last word of a line of prose, after its name and a colon or an equals sign."""

IN_SENTENCE = re.compile(
    r"[*_`]{0,3}\s{0,4}:[*_`]{0,3}\s{1,4}+[*_`]{0,3}"
    r"(?![\w.-]{1,60}+=)"
    r"(?P<value>[^\s*_`\"'|(][^\s`\"'|()]{5,200}?)(?=[*_`]{0,3}[.,;:!?)]{0,2}+\s)"
)
"""A word of a line of prose, after its name and a colon, with other words behind it; no
field of a header such as `Set-Cookie`."""

FIELD_OF_GO = re.compile(
    r":(?P<value>[^\s\"'`{}()\[\]:,]{6,200}+)(?=\}|\s[A-Za-z_]\w{0,60}:)"
)
"""The value of a field in a struct or map that Go prints: `{User:ada Password:…}`."""

PLAIN_VALUE = re.compile(
    rf"{_CLOSING}(?:={{1,2}}|:)\s{{0,200}}+(?![\"'`])(?P<value>[^ \t]{{6,200}})"
)
"""A value without quotes of the name in front of it in a settings file, up to a
blank."""

RANDOM_STRING = re.compile(r"([\"'])([\w+/\\=-]{20,})\1")
"""A quoted string (group 2) that may be random: base64, base64url or hexadecimal."""

UUID = re.compile(r"(?i)[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}")
"""An identifier (RFC 9562 section 4), which is not a secret by itself."""

PRIVATE_KEY = re.compile(
    r"-----BEGIN(?: |%20|\+)(?:[A-Z0-9]+(?: |%20|\+))*PRIVATE(?: |%20|\+)KEY"
    r"(?:(?: |%20|\+)BLOCK)?-----"
    r"((?:(?!-----END)(?:[A-Za-z0-9+/=\s\\\"',:.;+-]|<br\s{0,4}/?>|%[0-9A-Fa-f]{2}"
    r"|&#?\w{1,6};))*)"
)
"""What follows the first line of a key block (RFC 7468), with or without its end. Its
lines may be joined as in HTML, in a string or in a URL."""

BASE64_START = "LS0tLS1CRUdJTi"
"""The Base64 form of the first marker of any block: `-----BEGIN `."""
BASE64_BLOCK = re.compile(rf"{BASE64_START}[A-Za-z0-9+/]{{40,}}+={{0,2}}")
"""Base64 text of blocks, which may be certificates or keys."""

PUTTY_KEY = re.compile(
    r"Private-Lines:[ \t]{0,8}+\d{1,4}+[ \t]{0,8}+\n"
    r"((?:[ \t]{0,40}+[A-Za-z0-9+/]{4,76}+={0,2}+(?:\n|\Z))++)"
)
"""The private part (group 1) of a key in PuTTY's format."""

_RUN = r"[A-Za-z0-9+/]{60,76}"
_MARGIN = r"(?:[^\n]{0,40}[^A-Za-z0-9+/\n])?"
"""What is in front of a key's lines: signs of a comment, a quote or a diff, numbers."""
_TAIL = r"(?:\S{0,6}|\s[^\w\n]{1,6})"
KEY_RUN = re.compile(rf"(?<![A-Za-z0-9+/]){_RUN}(?![A-Za-z0-9+/])")
KEY_LINES = re.compile(
    rf"(?m)^(?P<margin>{_MARGIN})(?P<body>(?=[A-Za-z0-9+/]{{60}})"
    r"(?=\S{0,76}[0-9])(?=\S{0,76}[A-Z])(?=\S{0,76}[a-z])"
    rf"{_RUN}{_TAIL}\n(?:{_MARGIN}{_RUN}{_TAIL}\n)*"
    r"(?:(?:(?P=margin)|[ \t]{0,8}\d{1,6}[ \t:|.)]{1,4})[A-Za-z0-9+/]{4,76}={0,2})?)"
)
"""Whole lines of base64 (RFC 7468; the group `body`): the inside of a block that was
cut, or has something in front of each line. Each has a `KEY_RUN`."""

MIN_KEY_LINE, MAX_KEY_LINE = 60, 125
"""Characters of the shortest and the longest whole line of such a block."""

MIN_KEY_CHARS = 40
"""Below this, the text between two markers is code that names them, not a key."""
