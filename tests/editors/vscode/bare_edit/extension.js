// The floor of `measure_paint.py`: replaces a line of the active editor when it receives
// one, and does nothing else.

const net = require("node:net");
const vscode = require("vscode");

exports.activate = (context) => {
  const port = Number(process.env.REDLINE_BARE_EDIT_PORT);
  const socket = net.connect({ port, host: "127.0.0.1", noDelay: true });
  // One edit at a time: each message is whole.
  socket.on("data", (data) => {
    const { line, text } = JSON.parse(data.toString());
    void replaceLine(line, text).then((isDone) => socket.write(`${isDone}\n`));
  });
  context.subscriptions.push({ dispose: () => socket.destroy() });
};

function replaceLine(line, text) {
  const editor = vscode.window.activeTextEditor;
  const { range } = editor.document.lineAt(line);
  return editor.edit((builder) => builder.replace(range, text));
}
