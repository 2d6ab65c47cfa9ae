"""The headers that new code of C and C++ needs for names of the standard library.

A header is needed if the new text has one of its names, and neither the file includes
it nor the text before has any of them: then another header may bring them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from functools import lru_cache

from redline.checks.candidate import CheckedEdit
from redline.syntax.language import Language

FAMILY = frozenset({Language.C, Language.CPP})

_C = {
    "assert": "assert()",
    "ctype": "isalnum() isalpha() isblank() isdigit() islower() isprint() ispunct()"
    " isspace() isupper() isxdigit() tolower() toupper()",
    "errno": "errno EINVAL ENOENT ENOMEM ERANGE",
    "inttypes": "PRId64 PRIi64 PRIu32 PRIu64 PRIx32 PRIx64",
    "limits": "CHAR_BIT INT_MAX INT_MIN LONG_MAX LONG_MIN LLONG_MAX LLONG_MIN UINT_MAX"
    " ULONG_MAX",
    "math": "INFINITY NAN M_PI acos() asin() atan() atan2() cbrt() ceil() ceilf() cos()"
    " cosf() exp() expf() fabs() fabsf() floor() floorf() fmax() fmaxf() fmin() fminf()"
    " fmod() fmodf() hypot() hypotf() isfinite() isinf() isnan() log() log10() log2()"
    " lround() lroundf() pow() powf() rint() round() roundf() sin() sinf() sqrt()"
    " sqrtf() tan() tanf() trunc() truncf()",
    "stdarg": "va_list va_start() va_end()",
    "stdbool": "bool",
    "stdint": "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t"
    " intptr_t uintptr_t INT32_MAX INT64_MAX SIZE_MAX UINT16_MAX UINT32_MAX UINT64_MAX",
    "stdio": "FILE stderr stdout fclose() fgets() fopen() fprintf() fputs() fread()"
    " fseek() fwrite() perror() printf() puts() snprintf() sprintf() sscanf()"
    " vfprintf() vsnprintf()",
    "stdlib": "EXIT_FAILURE EXIT_SUCCESS abort() atof() atoi() atol() bsearch()"
    " calloc() exit() free() getenv() malloc() qsort() realloc() strtod() strtol()"
    " strtoll() strtoul() strtoull()",
    "string": "memchr() memcmp() memcpy() memmove() memset() strcat() strchr() strcmp()"
    " strcpy() strcspn() strdup() strerror() strlen() strncat() strncmp() strncpy()"
    " strnlen() strpbrk() strrchr() strspn() strstr() strtok() strtok_r()",
}
"""Names by header; those with brackets are called. `bool` is C's own since C23."""

_CPP = {
    "algorithm": "all_of any_of binary_search clamp copy_if count_if fill find find_if"
    " for_each is_sorted lower_bound max max_element min min_element minmax none_of"
    " nth_element partition remove_if replace_if reverse rotate sort stable_sort"
    " transform unique upper_bound",
    "array": "array",
    "atomic": "atomic atomic_bool",
    "bit": "bit_cast has_single_bit popcount",
    "charconv": "from_chars to_chars",
    "chrono": "chrono",
    "cmath": "abs ceil exp fabs floor fmod hypot isfinite isinf isnan log lround pow"
    " round sqrt",
    "condition_variable": "condition_variable",
    "cstdint": "int32_t int64_t uint16_t uint32_t uint64_t uint8_t",
    "cstring": "memcmp memcpy memmove memset strcmp strlen",
    "deque": "deque",
    "exception": "current_exception exception_ptr rethrow_exception terminate",
    "filesystem": "filesystem",
    "format": "format format_to",
    "fstream": "fstream ifstream ofstream",
    "functional": "function greater hash plus",
    "future": "async future promise",
    "iomanip": "quoted setfill setprecision setw",
    "iostream": "cerr cin clog cout",
    "iterator": "back_inserter inserter istreambuf_iterator make_move_iterator",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map multimap",
    "memory": "make_shared make_unique shared_ptr unique_ptr weak_ptr",
    "mutex": "call_once lock_guard mutex once_flag scoped_lock unique_lock",
    "numeric": "accumulate gcd iota lcm midpoint reduce",
    "optional": "make_optional nullopt optional",
    "queue": "priority_queue queue",
    "random": "mt19937 random_device uniform_int_distribution",
    "ranges": "ranges views",
    "regex": "regex regex_match regex_replace regex_search smatch",
    "set": "multiset set",
    "shared_mutex": "shared_lock shared_mutex",
    "span": "span",
    "sstream": "istringstream ostringstream stringstream",
    "stack": "stack",
    "stdexcept": "domain_error invalid_argument length_error logic_error out_of_range"
    " overflow_error range_error runtime_error underflow_error",
    "string": "getline stod stoi stol stoul string to_string",
    "string_view": "string_view",
    "thread": "jthread this_thread thread",
    "tuple": "make_tuple tie tuple",
    "unordered_map": "unordered_map",
    "unordered_set": "unordered_set",
    "variant": "get_if holds_alternative monostate variant visit",
    "vector": "vector",
}
"""Names behind `std::` by header; common ones that many headers bring are left out."""

_INCLUDED = re.compile(r"<(?:c(?=\w+>))?(\w+)(?:\.h)?>")
_STD_NAME = re.compile(r"\bstd::(\w+)")
_NAME = re.compile(r"(?<![\w.:>])([A-Za-z_]\w*+)(\s{0,9}+\()?")
_CONDITION = re.compile(r"\s*+#\s*+(if|ifdef|ifndef|endif)\b")
_GUARD = re.compile(r"\s*+#\s*+(?:ifndef|if\s++!\s*+defined)\b[\s(]*+(\w++)")


def needed_headers(edit: CheckedEdit) -> Iterator[str]:
    """Yield the `#include` lines that new code needs.

    None for a file that includes no header of the library, such as one of a kernel.
    """
    tree = edit.tree_before
    if tree is None or edit.tree_after is None:
        return
    texts = [one.text for one in tree.imports]
    included = {name for text in texts for name in _INCLUDED.findall(text)}
    if included.isdisjoint(_C.keys() | _CPP.keys()):
        return
    lines = edit.code_after.split("\n")
    code = "\n".join(lines[edit.region_after.start : edit.region_after.stop])

    def is_new(names: str, used: Callable[[str], Set[str]]) -> bool:
        known = set(names.split())
        return not known.isdisjoint(used(code)) and known.isdisjoint(
            used(edit.text_before)
        )

    if edit.grammar is Language.CPP:
        for header, names in _CPP.items():
            is_there = header.removeprefix("c") in included
            if not is_there and is_new(names, _names_of_std):
                yield f"#include <{header}>"
    is_plain = edit.grammar is Language.C or any(".h>" in text for text in texts)
    has_own = any('"' in text for text in texts)
    for header, names in _C.items():
        # The own headers may define a type of that name.
        is_unsure = header == "stdbool" and (has_own or not is_plain)
        if header not in included and not is_unsure and is_new(names, _plain_names):
            yield f"#include <{header}.h>" if is_plain else f"#include <c{header}>"


def is_conditional(lines: Sequence[str], line: int) -> bool:
    """Whether a line is only compiled under a condition that is no header's guard."""
    depth = 0
    for at, text in enumerate(lines[:line]):
        if (found := _CONDITION.match(text)) is None:
            continue
        if found[1] == "endif":
            depth -= 1
        elif depth or not _is_guard(lines[at : at + 2]):
            depth += 1
    return depth > 0


def _is_guard(lines: Sequence[str]) -> bool:
    found = _GUARD.match(lines[0])
    return found is not None and bool(
        re.match(rf"\s*#\s*define\s+{found[1]}\b", lines[-1])
    )


@lru_cache(maxsize=2)
def _names_of_std(text: str) -> Set[str]:
    return set(_STD_NAME.findall(text))


@lru_cache(maxsize=2)
def _plain_names(text: str) -> Set[str]:
    """Return the words of a text; those that are called also with brackets."""
    found = _NAME.findall(text)
    return {name for name, _ in found} | {f"{name}()" for name, call in found if call}
