"""`undefined-name` by the text alone: a name that is only used, and defined nowhere.

For languages whose scopes are not read. A name is reported if the edit introduces it,
no occurrence in the file can define it, and no source of the workspace has it. Files
that may have names from elsewhere without naming them are left alone: classes with a
base, blocks that run with another receiver, names that are imported all at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import without_text
from redline.checks.names.calls import RULE, SUFFIXES
from redline.checks.names.standard_words import standard_words
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles
from redline.syntax.language import Language
from redline.syntax.word_set import word_set

_NAME = r"(?<![\w$.@#:?\\\"'`])(?<!->)[a-z_]\w*[?!]?"
_USE = re.compile(rf"(?P<name>{_NAME})(?P<after>\s*\(?)")
_OPERATORS = word_set(
    "return in is as else await throw case not and or when if while until unless yield"
    " elsif elif do then try guard where assert raise puts print delete typeof sizeof"
    " goto new co_return co_await co_yield defer new unwrap"
)


class _Language(Struct, frozen=True, kw_only=True):
    words: frozenset[str]
    """Names that the language defines, and its keywords."""
    opens: re.Pattern[str]
    """Signs of a file that has names from elsewhere."""
    suffixes: tuple[str, ...]
    judges_calls: bool


_KOTLIN = _Language(
    words=word_set(
        "abstract actual annotation as break by catch class companion const constructor"
        " continue crossinline data do else enum expect external false field final"
        " finally for fun get if import in infix init inline inner interface internal"
        " is it lateinit noinline null object open operator out override package"
        " private protected public reified return sealed set suspend super"
        " tailrec this throw"
        " true try typealias val value vararg var when where while"
        " println print readLine readln readlnOrNull require requireNotNull check"
        " checkNotNull error assert repeat lazy lazyOf listOf listOfNotNull"
        " mutableListOf arrayListOf emptyList setOf setOfNotNull mutableSetOf hashSetOf"
        " linkedSetOf emptySet sortedSetOf mapOf mutableMapOf hashMapOf linkedMapOf"
        " sortedMapOf emptyMap arrayOf arrayOfNulls emptyArray intArrayOf longArrayOf"
        " doubleArrayOf floatArrayOf byteArrayOf charArrayOf booleanArrayOf sequenceOf"
        " emptySequence generateSequence sequence iterator maxOf minOf compareBy"
        " compareByDescending compareValues compareValuesBy naturalOrder reverseOrder"
        " nullsFirst nullsLast to synchronized enumValues enumValueOf typeOf"
        " runCatching measureTimeMillis exitProcess suspendCoroutine sqrt abs"
    ),
    opens=re.compile(
        r"\.\*|\b(?:apply|with|run|build\w*|\w+Scope|launch|async|runBlocking|Modifier"
        r"|remember\w*|test|describe|on|invoke|context)\b\s*+(?:\([^()\n]*+\)\s*+)?\{"
        r"|@Composable|\bclass\s++\w++\s*+(?:<[^<>]*+>\s*+)?(?:\([^()]*+\)\s*+)?:"
        r"|\bobject\s*+\w*+\s*+:|@file:"
        r"|\bfun\s{1,9}(?:<[^<>]{0,80}>\s?)?\w{1,60}(?:<[^<>]{0,80}>)?\??\.|\bby\b|\bplugins\s*+\{"
    ),
    suffixes=(".kt", ".kts", ".java"),
    judges_calls=True,
)
_SWIFT = _Language(
    words=word_set(
        "actor as associatedtype async await break case catch class continue default"
        " defer deinit do else enum error extension fallthrough false fileprivate final"
        " for func get guard if import in indirect init inout internal is isolated lazy"
        " let mutating newValue nil nonisolated nonmutating oldValue open operator"
        " optional override private protocol public repeat rethrows return self set"
        " some any static struct subscript super switch throw throws true try typealias"
        " unowned var weak where while willSet didSet convenience required dynamic"
        " precedencegroup infix prefix postfix borrowing consuming each package macro"
        " print min max abs zip stride sequence type fatalError precondition assert"
        " dump swap preconditionFailure assertionFailure readLine"
        " isKnownUniquelyReferenced"
        " autoreleasepool debugPrint repeatElement numericCast unsafeBitCast pow sqrt"
        " floor ceil round sin cos tan log exp fabs exit arc4random errno stdout stderr"
        " available unavailable discardableResult available sizeof transcode"
    ),
    opens=re.compile(
        r"\bclass\s++\w++\s*+(?:<[^<>]*+>\s*+)?:|\bextension\b|:\s*(?:View|App|Scene)\b"
        r"|@testable|@dynamicMemberLookup|#if\b|\bsome\s+View\b"
    ),
    suffixes=(".swift",),
    judges_calls=False,
)
_DART = _Language(
    words=word_set(
        "abstract as assert async await base break case catch class const continue"
        " covariant default deferred do dynamic else enum export extends extension"
        " external factory false final finally for get hide if implements import in"
        " interface is late library mixin new null of on operator part required rethrow"
        " return sealed set show static super switch sync this throw true try typedef"
        " var void when while with yield print main identical identityHashCode int"
        " double num bool min max sqrt pow sin cos tan log exp pi unawaited"
    ),
    opens=re.compile(
        r"\b(?:extends|with|on|mixin|part)\b|^import\s+['\"](?!dart:(?:core|async|convert"
        r"|math|collection)['\"])|\bextension\b",
        re.MULTILINE,
    ),
    suffixes=(".dart",),
    judges_calls=True,
)
_RUBY = _Language(
    words=word_set(
        "alias and begin break case class def defined? do else elsif end ensure false"
        " for if in module next nil not or redo rescue retry return self super then"
        " true undef unless until when while yield it private public protected"
        " raise loop"
        " lambda proc puts print p require require_relative attr_reader attr_writer"
        " attr_accessor include extend prepend"
    )
    | standard_words(Language.RUBY),
    opens=re.compile(
        r"\bclass\s+[\w:]+\s*<|^[ \t]*+(?:include|extend|prepend|using|delegate"
        r"|def_delegators?"
        r"|attribute|field|property|belongs_to|has_many|let|subject)\b|method_missing"
        r"|define_method|instance_eval|class_eval|Struct\.new|Data\.define|\bconcern"
        r"|^[ \t]*+(?:describe|context|RSpec|namespace|task|get|post|scope"
        r"|module_function)\b"
        r"|\beval\b|\bbinding\b",
        re.MULTILINE,
    ),
    suffixes=SUFFIXES[Language.RUBY],
    judges_calls=True,
)
_LANGUAGES = {"kotlin": _KOTLIN, "swift": _SWIFT, "dart": _DART, "ruby": _RUBY}


def check_loose_names(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report the first name that nothing defines."""
    language = _LANGUAGES.get(candidate.language_id)
    if language is None or project is None or not any(project.folders_above):
        return
    tree = candidate.tree_after
    if tree is not None and (tree.errors or not standard_words(tree.language)):
        return
    old, code = (
        without_text(text, candidate.language_id)
        for text in (candidate.text_before, candidate.text_after)
    )
    if language.opens.search(code):
        return
    for name, number in _used(candidate, code, language):
        word = _whole(name, candidate.language_id)
        was_there = re.search(word, candidate.text_before) is not None
        if (was_there and not _may_define(word, old)) or _may_define(word, code):
            continue
        if not project.is_found(word, language.suffixes):
            message = f"Undefined name `{name}`."
            yield Problem(rule=RULE, message=message, line=number)
            return


def _used(
    candidate: CheckedEdit, code: str, language: _Language
) -> Iterator[tuple[str, int]]:
    """Yield the names in the region that the language does not define."""
    lines = code.split("\n")
    for number in range(len(candidate.new_lines)):
        for found in _USE.finditer(lines[candidate.region_after.start + number]):
            name = found["name"]
            if language is not _RUBY:
                name = name.rstrip("?!")  # Operators, as in `name!!.length`.
            if name in language.words or name.startswith("_") or len(name) == 1:
                continue
            if found["after"].endswith("(") and not language.judges_calls:
                continue
            # Such as Ruby's texts between two lines.
            if not candidate.is_text(number, found.start("name")):
                yield name, number


_TYPE = re.compile(r"(?<![\w>?])(?P<word>[\w>?]++)[ \t]++$")
"""A word in front of a name, such as its type."""
_SET = re.compile(r"\s*(?:=(?![=~])|:(?!:)|->|=>|<-|in\b|\|)")
_DEFINING = re.compile(r"\b(?:val|var|let|for|case|def|fun|func|catch)\b[^=]*$")
_LISTED = re.compile(r"[|{(,]\s*$")
_LIST_END = re.compile(r"[\w\s,:<>?()]*(?:->|\||\bin\b|=>)")
_MEMBER_SIGNS = (".", "::", "@", "$", "#", ":")


def _whole(name: str, language: str) -> str:
    """Return a pattern for a whole name; in Ruby its last sign is a part of it."""
    signs = "?!" if language == "ruby" else ""
    return rf"(?<![\w$]){re.escape(name)}(?![\w${signs}])"


def _may_define(word: str, code: str) -> bool:
    """Whether one of the places of a name in a file may be its definition."""
    for found in re.finditer(word, code):
        head = code[: found.start()][-200:].rpartition("\n")[2]
        rest = code[found.end() :][:80]
        typed = _TYPE.search(head)
        if typed and typed["word"] not in _OPERATORS:
            return True
        is_listed = _LISTED.search(head) and _LIST_END.match(rest)
        if is_listed or _SET.match(rest) or _DEFINING.search(head):
            return True
        if head.endswith(_MEMBER_SIGNS):
            return True
    return False
