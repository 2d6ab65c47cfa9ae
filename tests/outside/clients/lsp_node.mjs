// vscode-languageserver-protocol over a child's pipes:
// `lsp_node.mjs NODE_MODULES PYTHON FOLDER`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, python, folder] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const lsp = require("vscode-languageserver-protocol/node");

const server = spawn(python, ["-m", "redline", "serve"], { cwd: folder });
let complaints = "";
server.stderr.on("data", (data) => (complaints += data));
const exited = new Promise((resolve) => server.on("exit", resolve));
const connection = lsp.createProtocolConnection(
  new lsp.StreamMessageReader(server.stdout),
  new lsp.StreamMessageWriter(server.stdin),
);

const uri = pathToFileURL(`${folder}/a.py`).href;
let text = "import sys\nimport os\n\nprint(os, sys)\n";
let version = 1;
connection.onRequest(lsp.ApplyWorkspaceEditRequest.type, ({ edit }) => {
  const [change] = edit.documentChanges;
  assert.equal(change.textDocument.version, version);
  const lines = text.split("\n");
  const offset = ({ line, character }) =>
    lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0) + character;
  for (const { range, newText } of [...change.edits].reverse()) {
    text = text.slice(0, offset(range.start)) + newText + text.slice(offset(range.end));
  }
  version += 1;
  void connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
    textDocument: { uri, version },
    contentChanges: [{ text }],
  });
  return { applied: true };
});
connection.listen();

const { capabilities } = await connection.sendRequest(lsp.InitializeRequest.type, {
  processId: process.pid,
  rootUri: pathToFileURL(folder).href,
  workspaceFolders: null,
  capabilities: { workspace: { applyEdit: true, workspaceEdit: { documentChanges: true } } },
});
assert.ok(capabilities.codeActionProvider);
await connection.sendNotification(lsp.InitializedNotification.type, {});
await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {
  textDocument: { uri, languageId: "python", version, text },
});
const range = { start: { line: 0, character: 0 }, end: { line: 4, character: 0 } };
const edit = (instruction, token) =>
  connection.sendRequest(
    lsp.ExecuteCommandRequest.type,
    { command: "redline.edit", arguments: [{ uri, range, instruction }] },
    token,
  );
assert.equal((await edit("sort imports")).outcome, "applied");
assert.ok(text.startsWith("import os\nimport sys\n"), text);

const cancelling = new lsp.CancellationTokenSource();
const cancelled = edit("add docstrings", cancelling.token);
cancelling.cancel();
await cancelled.catch((error) => assert.equal(error.code, lsp.LSPErrorCodes.RequestCancelled));
await assert.rejects(connection.sendRequest("no/such", {}), { code: -32601 });

const pending = edit("add docstrings").then(() => null, (error) => error.code);
await connection.sendRequest(lsp.ShutdownRequest.type);
assert.ok([null, lsp.LSPErrorCodes.RequestCancelled].includes(await pending));
await assert.rejects(connection.sendRequest("textDocument/hover", {}), { code: -32600 });
await connection.sendNotification(lsp.ExitNotification.type);
assert.equal(await exited, 0);
assert.equal(complaints, "");
console.log("done");
