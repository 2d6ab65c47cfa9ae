"""An editor in a process of its own, so that it can be killed; run, not imported.

It starts a server at its own pipes, has an edit applied by the rules engine, says
`applied` on standard output, begins another and waits.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import IO, Any

Json = dict[str, Any]  # Any: JSON.

URI = "file:///project/killed.py"
EDIT: Json = {
    "uri": URI,
    "range": {
        "start": {"line": 0, "character": 0},
        "end": {"line": 2, "character": 0},
    },
    "instruction": "add docstrings",
    "apply": "end",
}


def main() -> None:
    """Be an editor until killed."""
    server = subprocess.Popen(
        [sys.executable, "-m", "redline", "serve", *sys.argv[1:]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    capabilities = {"workspace": {"workspaceEdit": {"documentChanges": True}}}
    ask(server.stdin, "initialize", {"capabilities": capabilities}, request_id=1)
    ask(server.stdin, "initialized", {})
    text = "def a(x):\n    raise KeyError(x)\n"
    item = {"uri": URI, "languageId": "python", "version": 1, "text": text}
    ask(server.stdin, "textDocument/didOpen", {"textDocument": item})
    command = {"command": "redline.edit", "arguments": [EDIT]}
    ask(server.stdin, "workspace/executeCommand", command, request_id=2)
    # Its applyEdit shows that the built-in gateway runs.
    while read(server.stdout).get("method") != "workspace/applyEdit":
        continue
    sys.stdout.write("applied\n")
    sys.stdout.flush()
    while True:
        read(server.stdout)


def ask(pipe: IO[bytes], method: str, params: Json, request_id: int = 0) -> None:
    """Send a message; with an id it is a request."""
    message: Json = {"jsonrpc": "2.0", "method": method, "params": params}
    if request_id:
        message["id"] = request_id
    body = json.dumps(message).encode()
    pipe.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    pipe.flush()


def read(pipe: IO[bytes]) -> Json:
    """Read a message."""
    size = int(pipe.readline().split(b":")[1])
    pipe.readline()
    message: Json = json.loads(pipe.read(size))
    return message


if __name__ == "__main__":
    main()
