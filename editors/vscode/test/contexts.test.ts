import type { Preview } from "../src/edit/preview";
import { afterEach, expect, test } from "vitest";

import { Buffers } from "../src/edit/buffers";
import { Contexts } from "../src/edit/contexts";
import { Sessions } from "../src/edit/sessions";
import {
  contexts,
  TextDocument,
  TextEditor,
  window,
  workspace,
} from "./support/vscode";

const URI = "file:///prices.py";
const RANGE = { start: { line: 0, character: 0 }, end: { line: 0, character: 7 } };

afterEach(() => {
  window.activeTextEditor = undefined;
  window.visibleTextEditors = [];
});

test("keys for changes count when the editor is asked to write them", async () => {
  const file = new TextDocument(URI, "one = 1");
  const editor = new TextEditor(file);
  workspace.textDocuments = [file];
  window.activeTextEditor = editor;
  window.visibleTextEditors = [editor];
  const hunks = [{ id: 0, range: RANGE, newText: "one = 10", covers: 0 }];
  const preview = { uri: URI, sessionId: "s", version: 1, hunks } as unknown as Preview;
  const buffers = new Buffers(() => [preview]);
  const sessions = new Sessions(buffers);
  const listening = new Contexts(sessions, buffers);
  buffers.sync(URI);
  expect(file.text).toBe("one = 1");
  expect(contexts.get("redline.hasChanges")).toBe(true);
  editor.write();
  await buffers.of(URI)?.idle();
  expect(file.text).toBe("one = 10");
  expect(contexts.get("redline.hasChanges")).toBe(true);
  for (const each of [listening, sessions, buffers]) {
    each.dispose();
  }
});

test("keys and buttons for changes count before the first text", () => {
  const file = new TextDocument(URI, "one = 1");
  workspace.textDocuments = [file];
  window.activeTextEditor = new TextEditor(file);
  const buffers = new Buffers(() => []);
  const sessions = new Sessions(buffers);
  const listening = new Contexts(sessions, buffers);
  const begun = { uri: URI, sessionId: "s", range: RANGE, hunks: [], candidates: [] };
  sessions.bring(begun as unknown as Preview);
  expect(contexts.get("redline.hasChanges")).toBe(false);
  sessions.settle("s", "writing", []);
  expect(contexts.get("redline.hasChanges")).toBe(true);
  for (const each of [listening, sessions, buffers]) {
    each.dispose();
  }
});
