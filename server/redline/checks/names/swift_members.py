"""`phantom-member` in Swift: members of arrays, strings and the file's own types.

The type must be written wherever the file declares a variable of that name. A file is
judged if it imports Foundation at most, and its package depends on no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import in_brackets
from redline.checks.names.declared_members import has_plain_bases
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles
from redline.syntax.word_set import word_set

_COLLECTIONS = word_set(
    # Of arrays, dictionaries and sets: developer.apple.com/documentation/swift.
    "allSatisfy append applying bytes capacity compactMap compactMapValues contains"
    " count customMirror debugDescription description difference distance drop"
    " dropFirst dropLast elementsEqual encode endIndex enumerated filter first"
    " firstIndex firstRange flatMap forEach formIndex formIntersection"
    " formSymmetricDifference"
    " formUnion formatted hash hashValue index indices insert intersection isDisjoint"
    " isEmpty isStrictSubset isStrictSuperset isSubset isSuperset joined keys last"
    " lastIndex lazy lexicographicallyPrecedes makeIterator map mapValues matches max"
    " merge merging min moveSubranges mutableSpan partition popFirst popLast prefix"
    " publisher randomElement ranges reduce remove removeAll removeFirst removeLast"
    " removeSubrange removeSubranges removeValue replace replaceSubrange replacing"
    " reserveCapacity reverse reversed self shuffle shuffled sort sorted span split"
    " startIndex starts subranges subtract subtracting suffix swapAt"
    " symmetricDifference trimPrefix trimmingPrefix underestimatedCount union update"
    " updateValue values withContiguousMutableStorageIfAvailable"
    " withContiguousStorageIfAvailable withUnsafeBufferPointer withUnsafeBytes"
    " withUnsafeMutableBufferPointer withUnsafeMutableBytes"
)
_GIVES_ARRAY = word_set(
    "map compactMap flatMap filter sorted reversed shuffled dropFirst dropLast prefix"
    " suffix enumerated"
)
_STRINGS = _COLLECTIONS | word_set(
    # Of strings and their parts, with those of Foundation.
    "addingPercentEncoding appendInterpolation appendLiteral appending appendingFormat"
    " appendingPathComponent appendingPathExtension applyingTransform"
    " availableStringEncodings canBeConverted capitalized caseInsensitiveCompare"
    " commonPrefix compare completePath components cString data"
    " decomposedStringWithCanonicalMapping decomposedStringWithCompatibilityMapping"
    " defaultCStringEncoding enumerateLines enumerateLinguisticTags"
    " enumerateSubstrings expandingTildeInPath fastestEncoding fileSystemRepresentation"
    " firstMatch folding getBytes getCString getLineStart getParagraphStart"
    " hasPrefix hasSuffix isContiguousUTF8 lengthOfBytes lineRange linguisticTags"
    " localizedCapitalized localizedCaseInsensitiveCompare"
    " localizedCaseInsensitiveContains localizedCompare localizedLowercase"
    " localizedName localizedNameOfStringEncoding localizedStandardCompare"
    " localizedStandardContains localizedStandardRange localizedUppercase lowercased"
    " makeContiguousUTF8 maximumLengthOfBytes nulTerminatedUTF8CString padding"
    " paragraphRange pathComponents pathExtension lastPathComponent"
    " deletingLastPathComponent deletingPathExtension isAbsolutePath"
    " precomposedStringWithCanonicalMapping"
    " precomposedStringWithCompatibilityMapping propertyList"
    " propertyListFromStringsFileFormat range rangeOfCharacter"
    " rangeOfComposedCharacterSequence rangeOfComposedCharacterSequences"
    " removingPercentEncoding replacingCharacters replacingOccurrences"
    " resolvingSymlinks unsafelyUnwrapped variantFittingPresentation"
    " samePosition smallestEncoding standardizingPath substring trimmingCharacters"
    " unicodeScalars uppercased utf16 utf8 utf8CString utf8Span"
    " wholeMatch withCString withMutableCharacters withUTF8 write prefixMatch"
    " characters abbreviatingWithTildeInPath isNormalized localized"
    " doubleValue floatValue intValue integerValue boolValue longLongValue"
    " decomposed precomposed size draw boundingRect"
)
_GIVES_STRING = word_set(
    "trimmingCharacters lowercased uppercased capitalized replacingOccurrences"
    " appending padding replacingCharacters addingPercentEncoding folding"
    " removingPercentEncoding localizedCapitalized localizedLowercase"
    " localizedUppercase appendingFormat"
)
_GIVEN = word_set("self hash hashValue description encode id localizedDescription")
"""Members that types have without declaring them."""
_STANDARD = {
    "Array": (_COLLECTIONS, _GIVES_ARRAY),
    "String": (_STRINGS, _GIVES_STRING),
}
"""The members of standard types, and those that give a value of the same type."""
_OPEN = re.compile(
    r"^[ \t]*+(?:@\w+ )?import (?!Foundation\b|Dispatch\b|Darwin\b|Glibc\b)"
    r"|@dynamicMemberLookup|@propertyWrapper|\btypealias\b",
    re.MULTILINE,
)
_RECEIVER = re.compile(r"(?<![\w.$])(?:self\.)?(?P<name>[a-z]\w*)(?=\.[a-z])")
_FIELD = re.compile(r"[\w$)]\.(?P<name>[a-z]\w*)(?=\.[a-z])")
_ARGUMENTS = re.compile(r"\s*[({]")
_MEMBER = re.compile(r"[?!]?\.(?P<name>[a-z]\w*)")


def check_swift_members(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report the first member that the type of a value does not have."""
    if candidate.language_id != "swift" or project is None or project.file is None:
        return
    code = candidate.code_after
    if _OPEN.search(code) or not any(project.folders_above):
        return
    lines = code.split("\n")
    for number, _ in candidate.introduced:
        text = lines[candidate.region_after.start + number]
        for owner, name in (*_lacking(text, code), *_of_fields(text, code)):
            word = rf"(?<![\w$]){re.escape(name)}(?![\w$])"
            if re.search(word, candidate.text_before) or re.search(
                rf"\b(?:func|var|let) {re.escape(name)}\b", code
            ):
                continue
            if _has_packages(project) or project.is_found(word, (".swift",)):
                continue
            yield Problem(
                rule="phantom-member",
                message=f"`{owner}` has no `{name}`.",
                line=number,
            )
            return


def _has_packages(project: ProjectFiles) -> bool:
    return any(".package(" in one for one in project.manifests(r"Package\.swift")) or (
        bool(project.manifests(r"Podfile|Cartfile"))
    )


def _lacking(text: str, code: str) -> Iterator[tuple[str, str]]:
    """Yield the types of values in a line, each with a member that it lacks."""
    for found in _RECEIVER.finditer(text):
        kind = _type_of(found["name"], code)
        if kind in _STANDARD:
            yield from _of_standard(kind, text, found.end())
            continue
        member = _MEMBER.match(text, found.end()) if kind else None
        if member is None or member["name"] in _GIVEN:
            continue
        if has_plain_bases(kind, code, {kind}):
            yield kind, member["name"]


def _of_fields(text: str, code: str) -> Iterator[tuple[str, str]]:
    """Yield the members that fields of the file's types lack, if they are strings."""
    for found in _FIELD.finditer(text):
        declared = rf"\b(?:let|var) {re.escape(found['name'])}: String\b"
        if _type_of(found["name"], code) == "String" and re.search(declared, code):
            yield from _of_standard("String", text, found.end())


def _of_standard(kind: str, text: str, at: int) -> Iterator[tuple[str, str]]:
    """Yield the member that a standard type lacks, also of what its methods give."""
    members, gives_same = _STANDARD[kind]
    while member := _MEMBER.match(text, at):
        name, at = member["name"], member.end()
        if name not in members:
            yield kind, name
            return
        if name not in gives_same:
            return
        while opening := _ARGUMENTS.match(text, at):
            inside = in_brackets(text, opening.end() - 1)
            if inside is None:
                return
            at = opening.end() + len(inside) + 1


def _type_of(name: str, code: str) -> str:
    """Return the type that all declarations of a name give it; empty: not known."""
    word = re.escape(name)
    declared = rf"(?<![\w.]){word}\s*:\s*(?:inout )?(\[|[A-Z]\w*\b(?!\s*[<.]))"
    kinds = set(re.findall(declared, code))
    bound = re.search(
        rf"\b(?:var|let|for|case)[ \t]{{1,4}}\(?(?:(?!\bin\b)[\w, ]){{0,60}}"
        rf"\b{word}\b(?!\s*:)"
        rf"|[{{,]\s{{0,40}}{word}\b[^:{{}}\n]{{0,80}}\bin\b",
        code,
    )
    text = r'(?:"[^"\n]*"|String\([^\n()]*(?:\([^\n()]*\)[^\n()]*)*\))'
    literals = re.findall(
        rf"\b(?:let|var) {word} = (?:[^\n+]{{0,200}}\+ )?{text}$", code, re.MULTILINE
    )
    n_bound = len(re.findall(rf"\b(?:let|var) \(?{word}\b(?!\s*:)", code))
    if literals and len(literals) == n_bound and kinds <= {"String"}:
        return "String"
    if bound or len(kinds) != 1:
        return ""
    kind = str(kinds.pop())
    if kind == "[":
        return "Array"
    if kind == "String":
        return kind
    is_own = re.search(rf"\b(?:struct|class|enum|actor)\s+{kind}\b", code)
    return kind if is_own else ""
