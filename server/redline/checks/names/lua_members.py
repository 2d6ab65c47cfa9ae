"""`phantom-member` in Lua: functions that its standard libraries do not have.

From the manuals of Lua 5.1 to 5.4, LuaJIT and Luau; one set for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles
from redline.syntax.word_set import word_set

_LIBRARIES = {
    "string": word_set(
        "buffer byte char dump find format gfind gmatch gsub len lower match pack"
        " packsize rep reverse sub unpack upper"
    ),
    "table": word_set(
        "clear clone concat foreach foreachi getn insert isarray"
        " isempty maxn move new nkeys pack remove setn sort unpack"
    ),
    "math": word_set(
        "abs acos asin atan atan2 ceil clamp cos cosh deg exp floor fmod frexp huge"
        " isfinite isinf isnan ldexp lerp log log10 map max maxinteger min mininteger"
        " mod modf noise pi pow rad random randomseed round sign sin sinh sqrt tan tanh"
        " tointeger type ult"
    ),
    "io": word_set(
        "close flush input lines open output popen read stderr stdin stdout tmpfile"
        " type write"
    ),
    "os": word_set(
        "clock date difftime execute exit getenv remove rename setlocale time tmpname"
    ),
    "coroutine": word_set("close create isyieldable resume running status wrap yield"),
}
_LUAU = {
    "string": word_set("split"),
    "table": word_set("create find freeze isfrozen"),
}
"""Functions that only Luau has."""
_IS_LUAU = re.compile(
    r"--!(?:strict|nonstrict|nocheck)|\bgame[:.]\w|\bInstance\.new\b|\btypeof\("
    r"|\btask\.\w+\(|\bscript\.Parent\b|\bexport type \w"
)
_USE = re.compile(
    r"(?<![\w.:])(?P<owner>string|table|math|io|os|coroutine)\.(?P<name>[a-z_]\w*)"
)


def check_lua_members(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report functions of a library that it does not have, and nobody adds."""
    if candidate.language_id != "lua" or project is None:
        return
    code = candidate.code_after
    lines = code.split("\n")
    for number, _ in candidate.introduced:
        for found in _USE.finditer(lines[candidate.region_after.start + number]):
            owner, name = found["owner"], found["name"]
            if name in _LIBRARIES[owner] or f"{owner}.{name}" in candidate.text_before:
                continue
            if name in _LUAU.get(owner, ()) and _is_luau(candidate, project):
                continue
            if re.search(
                rf"\blocal [^=\n]{{0,80}}\b{owner}\b|^{owner}\s*=", code, re.MULTILINE
            ):
                continue
            if not project.is_found(
                rf"\b{owner}[.:]{name}\b|\b{owner}\[|setmetatable\({owner}\b", (".lua",)
            ):
                yield Problem(
                    rule="phantom-member",
                    message=f"`{owner}` has no `{name}`.",
                    line=number,
                )


def _is_luau(candidate: CheckedEdit, project: ProjectFiles) -> bool:
    """Whether a file may be one of Luau, which has more functions."""
    return (
        candidate.path.endswith(".luau")
        or _IS_LUAU.search(candidate.text_before) is not None
        or project.is_found(_IS_LUAU.pattern, (".lua", ".luau"))
    )
