import { expect, test } from "vitest";

import { Announcer } from "../src/edit/announce";
import { Buffers } from "../src/edit/buffers";
import type { Preview } from "../src/edit/preview";
import { Sessions } from "../src/edit/sessions";
import {
  messages,
  Range,
  TextDocument,
  TextEditor,
  window,
  workspace,
} from "./support/vscode";

const URI = "file:///prices.py";
const RANGE = { start: { line: 0, character: 0 }, end: { line: 0, character: 7 } };
const OVER =
  "$(wand) Redline: The offer is over: you changed all of it. An undo brings it back.";

function previewOf(sessionId: string): Preview {
  const hunks = [{ id: 0, range: RANGE, newText: "one = 10", covers: 0 }];
  const known = { uri: URI, range: RANGE, version: 1, checks: [], candidates: [] };
  return { ...known, sessionId, hunks } as unknown as Preview;
}

test("that an offer is over is said until another one waits", async () => {
  const file = new TextDocument(URI, "one = 1");
  const editor = new TextEditor(file);
  workspace.textDocuments = [file];
  window.visibleTextEditors = [editor];
  const buffers: Buffers = new Buffers((uri) => sessions.of(uri));
  const sessions = new Sessions(buffers);
  const announcer = new Announcer(sessions, buffers);
  sessions.bring(previewOf("first"));
  buffers.sync(URI);
  editor.write();
  await buffers.of(URI)?.idle();
  expect(file.text).toBe("one = 10");
  const end = { line: 0, character: file.text.length };
  file.edit({ range: new Range(RANGE.start, end), newText: "two" });
  expect([...messages]).toEqual([OVER]);
  sessions.bring(previewOf("second"));
  expect([...messages]).toEqual([]);
  for (const each of [announcer, sessions, buffers]) {
    each.dispose();
  }
  window.visibleTextEditors = [];
});
