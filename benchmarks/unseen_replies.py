"""`python -m benchmarks.unseen_replies`: replies whose author knew no rule.

`tests/data/replies_unseen.jsonl` has one edit a line: a file, the lines to edit, an
instruction, and what a model answered. `redline edit` runs each with a model's server
that gives that answer, whatever it is asked. `expect` says what is right:

- `mended`: the range becomes `result`, although the answer has a fault;
  imports above it may be added or removed;
- `right`: the same, of an answer that is only unusual;
- `caught`: nothing is offered without a problem.

A broken answer may be repaired instead: an import that it lacks is added, or what JSON
does not allow is removed. That counts as missed, since nobody said what is right, and
is marked in the list.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar, Literal

import msgspec

from benchmarks.processes import REDLINE, environment

FILE = Path(__file__).parents[1] / "tests" / "data" / "replies_unseen.jsonl"
_PIECE = 17
"""Characters of a delta: few borders are where a line ends."""
_LIMIT_S = 60.0
_IMPORT = re.compile(
    r"\s*(?:(?:import|from|use|using|#include|require)\b|(?:\w+ )?\"[\w./-]+\"\s*$)"
)
"""An import, also a line of a block of them in Go."""


Verdict = Literal["right", "held", "wrong, without a problem"]


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One edit and its reply."""

    id: str
    path: str
    file: str
    first: int
    end: int
    instruction: str
    reply: str
    expect: Literal["mended", "right", "caught"]
    result: str | None
    fault: str
    files: Mapping[str, str] = {}
    """Other files of the workspace, such as a manifest."""


class _Model(BaseHTTPRequestHandler):
    reply: ClassVar[str] = ""

    def do_POST(self) -> None:
        """Stream the reply."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for at in range(0, len(self.reply), _PIECE):
            delta = {"content": self.reply[at : at + _PIECE]}
            self._send({"index": 0, "delta": delta})
        self._send({"index": 0, "delta": {}, "finish_reason": "stop"})
        self.wfile.write(b"data: [DONE]\n\n")

    def _send(self, choice: Mapping[str, object]) -> None:
        self.wfile.write(b"data: " + json.dumps({"choices": [choice]}).encode())
        self.wfile.write(b"\n\n")

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def main() -> int:
    """Judge all cases and print those that are not right; return 0."""
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    cases = [msgspec.json.decode(line, type=Case) for line in file.open("rb")]
    counts: Counter[tuple[str, Verdict]] = Counter()
    n_repaired = 0
    with _served() as port:
        for case in cases:
            verdict, rules, after = _judged(case, port)
            counts[case.expect, verdict] += 1
            if verdict != "right":
                repaired = case.expect == "caught" and _is_repaired(after, case)
                mark = ", repaired" if repaired else ""
                print(
                    f"{case.id} {case.expect}: {verdict}{mark} {rules} ({case.fault})"
                )
                n_repaired += repaired
    for (expect, verdict), n_cases in sorted(counts.items()):
        print(f"{expect}: {verdict}: {n_cases}")
    print(f"caught: repaired, but counted as wrong: {n_repaired}")
    return 0


@contextmanager
def _served() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()


def _judged(case: Case, port: int) -> tuple[Verdict, list[str], str]:
    """Run one edit; return the verdict, the rules of its problems, and the new file."""
    _Model.reply = case.reply
    lines = case.file.splitlines(keepends=True)
    with tempfile.TemporaryDirectory(prefix="redline-bench-") as folder:
        home, workspace = Path(folder, "home"), Path(folder, "workspace")
        for name, text in {**case.files, case.path: case.file}.items():
            path = workspace / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
        home.mkdir()
        config = home / "config.toml"
        config.write_text(
            f"""
            [models.m]
            api = "chat-completions"
            url = "http://127.0.0.1:{port}/v1/chat/completions"
            name = "m"
            [tiers]
            fast = "m"
            """
        )
        edited = workspace / case.path
        place = f"{edited}:{case.first + 1}-{case.end}"
        options = ("--json", "--apply", "--config", str(config))
        words = (place, f"{case.instruction} #fast", "--workspace", str(workspace))
        ended = subprocess.run(
            [*REDLINE, "edit", *words, *options],
            env=environment(home),
            capture_output=True,
            timeout=_LIMIT_S,
            check=False,
        )
        report = json.loads(ended.stdout)
        after = edited.read_bytes().decode()
    rules = [problem["rule"] for problem in report.get("checks", [])]
    is_held = bool(rules) or ended.returncode != 0
    if case.expect == "caught":
        is_right = is_held or after == case.file
    else:
        is_right = not is_held and _is_as_expected(after, case, lines)
    if is_right:
        return "right", rules, after
    return "held" if is_held else "wrong, without a problem", rules, after


def _is_repaired(after: str, case: Case) -> bool:
    """Whether an edit has imports that the answer lacks, or is JSON that it is not."""
    lines = case.file.splitlines(keepends=True)
    asked = "".join([*lines[: case.first], case.reply, "\n", *lines[case.end :]])
    own, new = (
        {line for line in text.splitlines() if _IMPORT.match(line)}
        for text in (asked, after)
    )
    return bool(new - own) or (_is_json(after) and not _is_json(asked))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _is_as_expected(after: str, case: Case, lines: Sequence[str]) -> bool:
    """Whether a file has the expected text, and else changes in its imports only."""
    rest = "".join([case.result or "", *lines[case.end :]]).rstrip("\n")
    above, text = after.rstrip("\n").removesuffix(rest), after.rstrip("\n")
    own = "".join(lines[: case.first])
    is_changed_elsewhere = _without_imports(above) != _without_imports(own)
    return text.endswith(rest) and not is_changed_elsewhere


def _without_imports(text: str) -> list[str]:
    return [line for line in text.split("\n") if line and not _IMPORT.match(line)]


if __name__ == "__main__":
    sys.exit(main())
