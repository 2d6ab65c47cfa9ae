"""The names in a file that come from other packages, by the text of its imports.

Other packages are those that are neither the standard library nor the workspace. The
text must be without comments and strings, except in scripts and Ruby, whose imports
name their modules in strings.
"""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Iterator

from redline.checks.names.ruby_libraries import RUBY_CONSTANTS, RUBY_LIBRARIES
from redline.checks.names.standard_names import standard_names
from redline.checks.names.standard_words import kotlin_words
from redline.syntax.word_set import word_set

SCRIPT_IDS = word_set("javascript javascriptreact typescript typescriptreact")

_WORD = re.compile(r"[A-Za-z_$]\w*")

_SCRIPT_IMPORT = re.compile(
    r"(?m)^[ \t]*+(?:import|export)\b(?P<names>[^;\"'`()=]{0,400}?)"
    r"[\"'](?P<module>[^\"'\n]++)[\"']"
    r"|\b(?:const|let|var)\s++(?P<bound>\w++|\{[^{}]*+\})\s*+=\s*+(?:await\s++)?"
    r"(?:require|import)\(\s*+[\"'](?P<required>[^\"'\n]++)[\"']"
    r"|\b(?:require|import)\(\s*+[\"'](?P<loaded>[^\"'\n]++)[\"']"
)
_JAVA_IMPORT = re.compile(
    r"(?m)^[ \t]*+import[ \t]++(?:static[ \t]++)?(?P<name>[\w.]++)(?P<star>\*)?"
    r"(?:[ \t]++as[ \t]++(?P<alias>\w++))?"
)
_OF_JDK = re.compile(r"(?:java|javax\.(?:swing|crypto|net|sql|script|xml)|kotlin)\.")
_KOTLIN_KEYWORDS = word_set(
    "if for while when catch return fun constructor super this throw init get set"
)

_RUST_USE = re.compile(
    r"\buse\s++(?:::)?(?P<root>\w++)(?P<rest>(?:(?!\buse\s)[^;])*+);"
)
_RUST_PATH = re.compile(r"(?<![\w:.])(?P<root>[a-z_]\w*+)::(?!<)")
_RUST_ATTRIBUTE = re.compile(r"#\[[^\[\]]*+\]")
_OWN_OF_RUST = word_set("std core alloc crate super self")
_WORKSPACE = word_set("crate super self")
_PRIMITIVES = word_set(
    "str char bool u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64"
)
_TRANSPARENT = word_set("Result Serialize Deserialize Context bail ensure anyhow")
"""Names of Rust's usual crates that are no types of their own."""
_RUST_TRAITS = word_set("Context Serialize Deserialize Error WrapErr")
"""Traits whose few methods are known, and never invented."""

_PYTHON_IMPORT = re.compile(
    r"(?m)^[ \t]*+(?:from[ \t]++(?P<module>[\w.]++)[ \t]++)?import[ \t]++"
    r"(?P<names>\([^()]*+\)|[^\n;]*+)"
)
DYNAMIC_OF_PYTHON = word_set(
    "mock Mock MagicMock AsyncMock patch SimpleNamespace ctypes xmlrpc ServerProxy"
    " importlib import_module exec eval modules monkeypatch globals"
)
"""Names of the standard library whose values have any members."""

_RUBY_REQUIRE = re.compile(r"(?m)^[ \t]*+require[ \t(]*+[\"'](?P<name>[\w/-]++)[\"']")
_RUBY_OPEN = re.compile(
    r"method_missing|define_method|class_eval|instance_eval|\bsend\b|\bOpenStruct\b"
    r"|\bdelegate\b|\bdef_delegator|^[ \t]*+(?:include|extend|prepend|using)\b",
    re.MULTILINE,
)


def foreign_names(
    text: str, code: str, language: str, own: frozenset[str]
) -> set[str] | None:
    """Return the names that come from other packages; None: also unnamed ones may.

    Args:
        text: The file.
        code: The same without comments and strings.
        language: Its LSP language id.
        own: The top-level modules of the workspace, for Python.
    """
    if language in SCRIPT_IDS:
        return _of_scripts(text)
    if language in ("java", "kotlin"):
        return _of_java(code)
    if language == "rust":
        return rust_names(code)
    if language == "python":
        return _of_python(code, own)
    return _of_ruby(text) if language == "ruby" else None


def names_from_elsewhere(text: str, code: str, language: str) -> set[str]:
    """Return the names that other sources of the workspace may declare."""
    if language in SCRIPT_IDS:
        relative = (
            names for module, names in _script_modules(text) if module.startswith(".")
        )
        return {name for names in relative for name in names}
    if language == "rust":
        return _rust_from_elsewhere(code)
    if language == "ruby":
        return set(re.findall(r"(?<![\w:])[A-Z]\w*+", code)) - RUBY_CONSTANTS
    if language == "python":
        return _python_from_elsewhere(code)
    known = kotlin_words() | _KOTLIN_KEYWORDS
    imported = {one["name"].rpartition(".")[2] for one in _JAVA_IMPORT.finditer(code)}
    names = set(re.findall(r"(?<![\w.@])[A-Z]\w*+", code))
    if language == "kotlin":
        names.update(re.findall(r"(?<![\w.@])[a-z]\w*+(?=\()", code))
        own = r"\bfun\s++(?:<[^<>]*+>\s*+)?(?:[\w<>?, ]{1,60}\.)?(\w++)"
        names.difference_update(re.findall(own, code))
    return {name for name in names - known - imported if not name.isupper()}


def _script_modules(text: str) -> Iterator[tuple[str, list[str]]]:
    for found in _SCRIPT_IMPORT.finditer(text):
        module = found["module"] or found["required"] or found["loaded"]
        names = _WORD.findall(found["names"] or found["bound"] or "")
        yield module, [one for one in names if one not in ("type", "as", "from")]


def _of_scripts(text: str) -> set[str] | None:
    foreign: set[str] = set()
    for module, names in _script_modules(text):
        is_own = module.startswith(".")
        if is_own or module.removeprefix("node:") in standard_names("node"):
            continue
        if not names and not module.endswith((".css", ".scss", ".svg")):
            return None
        foreign.update(names)
    return foreign


def _of_java(code: str) -> set[str] | None:
    own = re.search(r"(?m)^[ \t]*+package[ \t]++(\w+(?:\.\w+)?)", code)
    foreign: set[str] = set()
    for found in _JAVA_IMPORT.finditer(code):
        name = found["name"]
        if _OF_JDK.match(name) or (own and f"{name}.".startswith(f"{own[1]}.")):
            continue
        if found["star"] or name.startswith("lombok."):
            return None
        foreign.add(found["alias"] or name.rpartition(".")[2])
    return foreign


def rust_names(code: str) -> set[str] | None:
    """Return the names of other crates; None: a trait of one may add members to all."""
    foreign: set[str] = set()
    modules = set(re.findall(r"\bmod\s++(\w++)", code))
    others = _RUST_ATTRIBUTE.sub("", _RUST_USE.sub("", code))
    derived = set(_WORD.findall(" ".join(_RUST_ATTRIBUTE.findall(code))))
    for found in _RUST_USE.finditer(code):
        root, rest = found["root"], found["rest"]
        names = set(_WORD.findall(rest)) - {"self", "as"}
        if root in _OWN_OF_RUST | modules:
            # A module of `std` is known by its last name.
            modules |= names
            continue
        used = derived | _RUST_TRAITS | set(_WORD.findall(others))
        # A trait that is imported for its methods is named nowhere else.
        if "*" in rest or any(name[:1].isupper() for name in names - used):
            return None
        foreign |= names | {root}
    roots = {found["root"] for found in _RUST_PATH.finditer(code)}
    foreign |= roots - _OWN_OF_RUST - modules - _PRIMITIVES
    return foreign - _TRANSPARENT


def _rust_from_elsewhere(code: str) -> set[str]:
    used = (one for one in _RUST_USE.finditer(code) if one["root"] in _WORKSPACE)
    names = {name for one in used for name in _WORD.findall(one["rest"])}
    names.update(re.findall(r"(?<![\w:])(?:crate|super)::(?:\w++::)*+(\w++)", code))
    modules = set(re.findall(r"(?<!\w)([a-z_]\w*+)::", code))
    return names - modules


def _python_tops(names: str) -> set[str]:
    """Return the top-level modules of an `import` without `from`."""
    listed = (one.split() for one in names.split(","))
    return {one[0].partition(".")[0] for one in listed if one}


def _of_python(code: str, own: frozenset[str]) -> set[str] | None:
    foreign: set[str] = set()
    for found in _PYTHON_IMPORT.finditer(code):
        module, names = found["module"] or "", found["names"]
        top = module.partition(".")[0]
        if not module:
            others = _python_tops(names) - own - sys.stdlib_module_names
            foreign.update(_WORD.findall(names) if others else ())
        elif not top or top in own or top in sys.stdlib_module_names:
            continue
        elif "*" in names:
            return None
        else:
            foreign.update(_WORD.findall(names))
    return foreign - {"as"}


def _python_from_elsewhere(code: str) -> set[str]:
    names: set[str] = set()
    for found in _PYTHON_IMPORT.finditer(code):
        module = found["module"]
        if module and module.partition(".")[0] not in sys.stdlib_module_names:
            names.update(_WORD.findall(found["names"]))
    called = set(re.findall(r"(?<![\w.])[a-z_]\w*+(?=\()", code))
    # What is defined, imported or set is also found without brackets behind it.
    bound = set(re.findall(r"(?<!\w)\w++(?!\()|\bdef \w++", code))
    called -= {one.removeprefix("def ") for one in bound} | set(dir(builtins))
    return (names | called) - {"as"}


def _of_ruby(text: str) -> set[str] | None:
    if _RUBY_OPEN.search(text):
        return None
    required = _RUBY_REQUIRE.finditer(text)
    others = [one["name"] for one in required if one["name"] not in RUBY_LIBRARIES]
    return None if others else set()
