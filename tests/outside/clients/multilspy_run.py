"""The protocol handler of multilspy: `multilspy_run.py PYTHON FOLDER`."""

import asyncio
import sys
from pathlib import Path

from multilspy.lsp_protocol_handler.server import (
    LanguageServerHandler,
    ProcessLaunchInfo,
)

python, folder = sys.argv[1:]
uri = Path(folder, "a.py").as_uri()
BEFORE = "import sys\nimport os\n\nprint(os, sys)\n"


async def main() -> None:
    command = [python, "-m", "redline", "serve"]
    server = LanguageServerHandler(ProcessLaunchInfo(cmd=command, cwd=folder))
    taken = []

    async def apply(params: dict) -> dict:
        taken.append(params["edit"])
        (change,) = params["edit"]["documentChanges"]
        document = change["textDocument"]
        changes = [
            {"range": each["range"], "text": each["newText"]}
            for each in reversed(change["edits"])
        ]
        server.notify.did_change_text_document(
            {
                "textDocument": {**document, "version": document["version"] + 1},
                "contentChanges": changes,
            }
        )
        return {"applied": True}

    async def ignore(params: object) -> None:
        return None

    server.on_request("workspace/applyEdit", apply)
    for method in ("window/logMessage", "window/showMessage", "$/progress"):
        server.on_notification(method, ignore)
    await server.start()
    workspace = {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}
    said = await server.send.initialize(
        {
            "processId": None,
            "rootUri": Path(folder).as_uri(),
            "capabilities": {"workspace": workspace},
        }
    )
    assert said["capabilities"]["codeActionProvider"]
    server.notify.initialized({})
    item = {"uri": uri, "languageId": "python", "version": 1, "text": BEFORE}
    server.notify.did_open_text_document({"textDocument": item})
    where = {"start": {"line": 0, "character": 0}, "end": {"line": 4, "character": 0}}
    outcome = await server.send.execute_command(
        {
            "command": "redline.edit",
            "arguments": [{"uri": uri, "range": where, "instruction": "sort imports"}],
        }
    )
    assert outcome["outcome"] == "applied", outcome
    assert len(taken) == 1
    process = server.process
    await server.shutdown()
    assert await process.wait() == 0
    print("done")


asyncio.run(main())
