"""The versions of languages and libraries that added a name.

`benchmarks/added_names.py` writes the packed table of Java, Go, Rust, scripts and
Python. C++, C#, PHP and Ruby say nothing of versions in their toolchains, so their
names are listed here, from cppreference.com, learn.microsoft.com and the change logs.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources

Version = tuple[int, ...]

_CPP = """
17 any any_cast apply as_const bad_optional_access basic_string_view byte clamp
17 filesystem gcd get_if holds_alternative in_place invoke lcm make_any make_from_tuple
17 monostate not_fn nullopt optional reduce sample scoped_lock shared_mutex string_view
17 transform_reduce exclusive_scan inclusive_scan uncaught_exceptions variant visit
17 void_t conjunction disjunction negation is_same_v is_integral_v pmr execution launder
20 assume_aligned atomic_ref barrier bind_front bit_cast bit_ceil bit_floor bit_width
20 popcount has_single_bit rotl rotr countl_zero countr_zero erase_if
20 format format_to format_to_n formatted_size vformat formatter jthread latch lerp
20 counting_semaphore binary_semaphore stop_token stop_source strong_ordering
20 weak_ordering partial_ordering midpoint numbers ranges remove_cvref_t
20 source_location span ssize to_array to_address type_identity_t views is_eq u8string
20 same_as convertible_to derived_from integral floating_point make_unique_for_overwrite
20 .starts_with .ends_with map.contains set.contains multimap.contains
20 multiset.contains unordered_map.contains unordered_set.contains
23 bind_back byteswap expected flat_map flat_set forward_like generator mdspan
23 move_only_function out_ptr print println stacktrace to_underlying unexpected
23 unreachable invoke_r string.contains string_view.contains optional.and_then
23 optional.transform optional.or_else vector.append_range string.resize_and_overwrite
"""

_CSHARP = """
6 .Chunk .DistinctBy .ExceptBy .IntersectBy .UnionBy .MaxBy .MinBy
6 .TryGetNonEnumeratedCount ArgumentNullException.ThrowIfNull DateOnly.FromDateTime
6 TimeOnly.FromDateTime Random.Shared
6 Parallel.ForEachAsync PriorityQueue DateOnly TimeOnly PeriodicTimer
6 .ReplaceLineEndings
7 .Order .OrderDescending ArgumentException.ThrowIfNullOrEmpty
7 ObjectDisposedException.ThrowIf
8 ArgumentException.ThrowIfNullOrWhiteSpace ArgumentOutOfRangeException.ThrowIfNegative
8 ArgumentOutOfRangeException.ThrowIfZero ArgumentOutOfRangeException.ThrowIfGreaterThan
8 ArgumentOutOfRangeException.ThrowIfLessThan
8 ArgumentOutOfRangeException.ThrowIfNegativeOrZero FrozenDictionary FrozenSet
8 TimeProvider .ToFrozenSet .ToFrozenDictionary Random.Shuffle
9 .CountBy .AggregateBy Task.WhenEach
10 .LeftJoin .RightJoin
"""

_PHP = """
7.3 array_key_first array_key_last is_countable hrtime
7.4 mb_str_split get_mangled_object_vars password_algos
8.0 str_contains str_starts_with str_ends_with get_debug_type fdiv get_resource_id
8.0 preg_last_error_msg
8.1 array_is_list fsync fdatasync
8.2 ini_parse_quantity memory_reset_peak_usage curl_upkeep openssl_cipher_key_length
8.3 json_validate mb_str_pad str_increment str_decrement posix_sysconf
8.4 array_find array_find_key array_any array_all mb_trim mb_ltrim mb_rtrim mb_ucfirst
8.4 mb_lcfirst bcdivmod bcceil bcfloor bcround request_parse_body
8.5 array_first array_last
"""

_RUBY = """
2.7 .filter_map .tally
3.0 .except
3.1 .intersect?
3.2 Data.define .byteindex
"""


@cache
def added_names(section: str) -> Mapping[str, Version]:
    """Return the names of one language with the versions that added them.

    Args:
        section: `cpp`, `csharp`, `go`, `java`, `php`, `python`, `ruby`, `rust` or
            `script`. A name with a dot in front is a member of any type.
    """
    written = {"cpp": _CPP, "csharp": _CSHARP, "php": _PHP, "ruby": _RUBY}
    text = written[section] if section in written else _texts().get(section, "")
    found: dict[str, Version] = {}
    for line in filter(None, text.split("\n")):
        version, *names = line.split(" ")
        number = tuple(map(int, version.split(".")))
        found.update((name, number) for name in names)
    return found


@cache
def _texts() -> Mapping[str, str]:
    try:
        import lzma
    except ImportError:
        # A Python that was built without it: nothing is known, so nothing is reported.
        return {}
    packed = (resources.files(__package__) / "added.xz").read_bytes()
    parts = lzma.decompress(packed).decode("utf-8").split("= ")[1:]
    return {name: text for name, _, text in (part.partition("\n") for part in parts)}
