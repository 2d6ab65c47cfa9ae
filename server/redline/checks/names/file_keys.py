"""Keys, instructions and options that a kind of file does not have.

Of Dockerfiles, Compose files, workflows of GitHub, manifests of Python and Rust, and
makefiles. What the file had before, and keys that begin with `x-`, are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import PurePath

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.syntax.word_set import word_set

RULE = "phantom-member"

_FLAGS = {
    # https://docs.docker.com/reference/dockerfile
    "FROM": word_set("platform"),
    "RUN": word_set("mount network security device"),
    "COPY": word_set("from chown chmod link parents exclude"),
    "ADD": word_set("chown chmod link keep-git-dir checksum exclude unpack"),
    "HEALTHCHECK": word_set("interval timeout start-period start-interval retries"),
}
_INSTRUCTIONS = _FLAGS.keys() | word_set(
    "CMD LABEL MAINTAINER EXPOSE ENV ENTRYPOINT VOLUME USER WORKDIR ARG ONBUILD"
    " STOPSIGNAL SHELL"
)
_STAGE = re.compile(r"^[ \t]*+FROM\s.*\sAS\s++([\w.-]++)", re.IGNORECASE | re.MULTILINE)
_INSTRUCTION = re.compile(r"(?P<name>[A-Z]{2,20})\s")
_QUOTED_LIST = re.compile(r"(?:CMD|ENTRYPOINT|SHELL|RUN)\s++\[\s*+'")
_FLAG = re.compile(r"\s--(?P<name>[\w-]++)(?:=(?P<value>\S++))?(?=\s)")
_USUAL_STAGES = word_set(
    "build builder base deps dependencies dev prod production runtime release test"
    " final install compile compiler assets frontend backend"
)

_SERVICE = word_set(
    # https://github.com/compose-spec/compose-spec
    "annotations attach build blkio_config cap_add cap_drop cgroup cgroup_parent"
    " command configs container_name cpu_count cpu_percent cpu_period cpu_quota"
    " cpu_rt_period cpu_rt_runtime cpu_shares cpus cpuset credential_spec depends_on"
    " deploy develop device_cgroup_rules devices dns dns_opt dns_search domainname"
    " driver_opts entrypoint env_file environment expose extends external_links"
    " extra_hosts gpus group_add healthcheck hostname image init ipc isolation"
    " label_file labels links logging mac_address mem_limit mem_reservation"
    " mem_swappiness memswap_limit models network_mode networks oom_kill_disable"
    " oom_score_adj pid pids_limit platform ports post_start pre_stop privileged"
    " profiles provider pull_policy read_only restart runtime scale secrets"
    " security_opt shm_size stdin_open stop_grace_period stop_signal storage_opt"
    " sysctls tmpfs tty ulimits use_api_socket user userns_mode uts volumes"
    " volumes_from working_dir volume_driver log_driver log_opt net"
)
_JOB = word_set(
    # https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax
    "name permissions needs if runs-on environment concurrency outputs env defaults"
    " steps timeout-minutes strategy continue-on-error container services uses with"
    " secrets snapshot"
)
_STEP = word_set(
    "id if name uses run working-directory shell with env continue-on-error"
    " timeout-minutes"
)
_PERMISSIONS = word_set(
    # https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax
    "actions attestations checks contents deployments discussions id-token issues"
    " models packages pages pull-requests repository-projects security-events statuses"
    " artifact-metadata"
)
_COMPOSE = re.compile(r"(?:docker-)?compose(?:[.-][\w.-]+)?\.ya?ml")
_YAML_KEY = re.compile(
    r"(?P<blank>[ \t]*+)(?P<item>-[ \t]++)?(?P<key>[\w.-]++):(?:\s|$)"
)

_TABLES = {
    # https://packaging.python.org/specifications, https://doc.rust-lang.org/cargo
    ("pyproject.toml", "project"): word_set(
        "name version description readme requires-python license license-files authors"
        " maintainers keywords classifiers urls scripts gui-scripts entry-points"
        " dependencies optional-dependencies dynamic import-names import-namespaces"
    ),
    ("pyproject.toml", "build-system"): word_set("requires build-backend backend-path"),
    ("Cargo.toml", "package"): word_set(
        "name version authors edition rust-version description documentation readme"
        " homepage repository license license-file keywords categories workspace build"
        " links exclude include publish metadata badges default-run autolib autobins"
        " autoexamples autotests autobenches resolver im-a-teapot forced-target"
        " default-target"
    ),
}
_FUNCTIONS = word_set(
    # https://www.gnu.org/software/make/manual/html_node/Functions.html
    "subst patsubst strip findstring filter filter-out sort word wordlist words"
    " firstword lastword dir notdir suffix basename addsuffix addprefix join wildcard"
    " realpath abspath if or and intcmp let foreach file call value eval origin flavor"
    " error warning info shell guile"
)
_CALL = re.compile(r"(?<!\$)\$[({](?P<name>[a-z][a-z-]++)[ \t]++[^\s=:)}]")


def check_file_keys(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the first one that the edit introduces."""
    for number, name, message in _found(candidate):
        word = rf"(?<![\w-]){re.escape(name)}(?![\w-])"
        if not re.search(word, candidate.text_before):
            yield Problem(rule=RULE, message=message, line=number)
            return


def _found(candidate: CheckedEdit) -> Iterator[tuple[int, str, str]]:
    """Yield the line, the name and what is wrong with it."""
    path = PurePath(candidate.path)
    if candidate.language_id == "dockerfile":
        yield from _of_docker(candidate)
    elif candidate.language_id == "makefile":
        for number, text in candidate.introduced:
            for found in _CALL.finditer(text):
                if found["name"] not in _FUNCTIONS:
                    message = f"Make has no function `{found['name']}`."
                    yield number, found["name"], message
    elif path.suffix in (".yml", ".yaml"):
        yield from _of_yaml(candidate, path)
    elif any(path.name == name for name, _ in _TABLES):
        yield from _of_toml(candidate, path.name)


def _of_docker(candidate: CheckedEdit) -> Iterator[tuple[int, str, str]]:
    if "<<" in candidate.text_after or "# escape=" in candidate.text_after:
        return
    stages = {one.lower() for one in _STAGE.findall(candidate.text_after)}
    for number, text in candidate.introduced:
        at = candidate.region_after.start + number
        above = candidate.after[at - 1].rstrip() if at else ""
        found = None if above.endswith("\\") else _INSTRUCTION.match(text)
        if found is None:
            continue
        name = found["name"]
        if name not in _INSTRUCTIONS:
            yield number, name, f"A Dockerfile has no instruction `{name}`."
        if _QUOTED_LIST.match(text):
            message = "The list of a command needs double quotation marks."
            yield number, text.strip(), message
        for flag in _FLAG.finditer(text):
            if text[found.end() : flag.start()].split("--")[0].strip():
                break  # An option of the command.
            known = _FLAGS.get(name)
            if known is not None and flag["name"] not in known:
                yield (
                    number,
                    flag["name"],
                    f"`{name}` has no option `--{flag['name']}`.",
                )
            value = (flag["value"] or "").lower()
            if flag["name"] == "from" and _is_lost_stage(value, stages):
                yield number, f"AS {value}", f"No stage is named `{value}`."


def _is_lost_stage(name: str, stages: set[str]) -> bool:
    """Whether a name is meant for a stage, and not for an image."""
    if not stages or name in stages or not re.fullmatch(r"[a-z][\w-]*", name):
        return False
    return name in _USUAL_STAGES or any(
        SequenceMatcher(None, name, one).ratio() > _ALIKE for one in stages
    )


_ALIKE = 0.7


def _of_yaml(candidate: CheckedEdit, path: PurePath) -> Iterator[tuple[int, str, str]]:
    is_workflow = path.parts[-3:-1] == (".github", "workflows")
    if not is_workflow and not _COMPOSE.fullmatch(path.name):
        return
    for number, text in candidate.introduced:
        found = _YAML_KEY.match(text)
        if found is None or found["key"].startswith("x-"):
            continue
        above = _keys_above(candidate, candidate.region_after.start + number)
        key = found["key"]
        match above:
            case ["services", _] if not is_workflow and not found["item"]:
                if key not in _SERVICE:
                    yield number, key, f"A service of Compose has no `{key}`."
            case ["jobs", _] if is_workflow and key not in _JOB:
                yield number, key, f"A job of GitHub has no `{key}`."
            case ["jobs", _, "steps"] if is_workflow and key not in _STEP:
                yield number, key, f"A step of GitHub has no `{key}`."
            case [*_, "permissions"] if is_workflow and key not in _PERMISSIONS:
                yield number, key, f"GitHub has no permission `{key}`."


def _keys_above(candidate: CheckedEdit, line: int) -> list[str]:
    """Return the keys around a line, the outermost first; none if they are unclear."""
    found = _YAML_KEY.match(candidate.after[line])
    assert found is not None
    column, keys = found.start("key"), list[str]()
    is_entry = found["item"] is not None
    for text in reversed(candidate.after[:line]):
        one = _YAML_KEY.match(text)
        start = len(text) - len(text.lstrip())
        if one is None:
            if text.strip() and start < column and not text.lstrip().startswith("#"):
                return []
            continue
        at = one.start("key")
        if at == column and one["item"] and not is_entry:
            column, is_entry = start + 1, True
        elif at < column and not (one["item"] and start >= column):
            rest = text[one.end() :].split("#")[0].strip()
            if rest:
                return []  # A text of several lines, or an anchor.
            keys.append(one["key"])
            column, is_entry = at, False
            if one["item"]:
                return []
    return keys[::-1]


def _of_toml(candidate: CheckedEdit, name: str) -> Iterator[tuple[int, str, str]]:
    for number, text in candidate.introduced:
        found = re.match(r"(?P<key>[\w-]+)(?:\.[\w-]+)*\s*=", text)
        if found is None:
            continue
        above = candidate.after[: candidate.region_after.start + number]
        header = next((one for one in reversed(above) if one.startswith("[")), "")
        table = header.partition("]")[0].removeprefix("[")
        known = _TABLES.get((name, table))
        if known is not None and found["key"] not in known:
            message = f"`[{table}]` has no key `{found['key']}`."
            yield number, found["key"], message
