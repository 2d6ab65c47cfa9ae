"""pylspclient: `pylspclient_run.py PYTHON FOLDER`."""

import subprocess
import sys
import threading
from pathlib import Path

import pylspclient

python, folder = sys.argv[1:]
uri = Path(folder, "a.py").as_uri()
server = subprocess.Popen(
    [python, "-m", "redline", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
)
landed = threading.Event()


def apply(params: object) -> dict:
    landed.set()
    return {"applied": False}


rpc = pylspclient.JsonRpcEndpoint(server.stdin, server.stdout)
endpoint = pylspclient.LspEndpoint(
    rpc, method_callbacks={"workspace/applyEdit": apply}, timeout=30
)
client = pylspclient.LspClient(endpoint)
capabilities = {"workspace": {"applyEdit": True}}
root = Path(folder).as_uri()
said = client.initialize(None, None, root, None, capabilities, "off", None)
assert said["capabilities"]["codeActionProvider"]
client.initialized()
item = pylspclient.lsp_pydantic_strcuts.TextDocumentItem(
    uri=uri, languageId="python", version=1, text="import sys\nimport os\n"
)
client.didOpen(item)
where = {"start": {"line": 0, "character": 0}, "end": {"line": 2, "character": 0}}
try:
    endpoint.call_method(
        "workspace/executeCommand",
        command="redline.edit",
        arguments=[{"uri": uri, "range": where, "instruction": "sort imports"}],
    )
except pylspclient.lsp_errors.ResponseError:
    assert landed.is_set()
else:
    raise AssertionError("an edit that was refused was answered as applied")
client.shutdown()
client.exit()
assert server.wait(30) == 0
endpoint.join()
print("done")
