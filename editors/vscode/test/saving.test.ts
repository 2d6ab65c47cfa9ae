// A save and an accept at the same time, by the real buffers and middleware.

import type * as vscode from "vscode";
import type {
  ApplyWorkspaceEditParams,
  ApplyWorkspaceEditResult,
} from "vscode-languageclient/node";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { Buffers } from "../src/edit/buffers";
import type { Preview } from "../src/edit/preview";
import { baseText } from "../src/server/base-text";
import { Range, TextDocument, workspace } from "./support/vscode";

const URI = "file:///prices.py";
const BASE = "one = 1";
const SHOWN = "one = 10";
const RANGE = { start: { line: 0, character: 0 }, end: { line: 0, character: 7 } };
const PARAMS: ApplyWorkspaceEditParams = {
  edit: {
    documentChanges: [
      {
        textDocument: { uri: URI, version: 1 },
        edits: [{ range: RANGE, newText: SHOWN }],
      },
    ],
  },
};

let previews: Preview[];
let buffers: Buffers;
let file: TextDocument;

beforeEach(async () => {
  vi.useFakeTimers();
  const hunks = [{ id: 0, range: RANGE, newText: SHOWN, covers: 0 }];
  previews = [{ uri: URI, sessionId: "s", version: 1, hunks } as unknown as Preview];
  buffers = new Buffers(() => previews);
  file = new TextDocument(URI, BASE);
  workspace.textDocuments = [file];
  buffers.sync(URI);
  await buffer().idle();
  expect(file.text).toBe(SHOWN);
});

afterEach(() => {
  buffers.dispose();
  vi.useRealTimers();
});

function buffer() {
  return buffers.make(file as unknown as vscode.TextDocument);
}

/** The edit that the server sends when a proposal is accepted. */
async function accept(): Promise<ApplyWorkspaceEditResult> {
  const apply = baseText(buffers).workspace?.handleApplyEdit;
  const answer = await apply?.(PARAMS, () => ({ applied: false }));
  previews = [];
  return answer as ApplyWorkspaceEditResult;
}

test("an accept during a save keeps the accepted text", async () => {
  let accepted: Promise<ApplyWorkspaceEditResult> | undefined;
  await file.save(() => {
    accepted = accept();
    // As long as nothing waits, it would be done by now.
    return vi.advanceTimersByTimeAsync(100);
  });
  expect(await accepted).toEqual({ applied: true });
  await buffer().idle();
  expect(file.onDisk).toBe(BASE);
  expect([file.text, buffer().ledger.base]).toEqual([SHOWN, SHOWN]);
});

test("a save waits for an accept that is under way", async () => {
  const asked = resolvable();
  buffer().accepting(asked.promise.then(accept));
  const saving = file.save(() => undefined);
  await vi.advanceTimersByTimeAsync(100);
  asked.resolve(undefined);
  await saving;
  expect([file.text, buffer().ledger.base]).toEqual([SHOWN, SHOWN]);
  expect(file.onDisk).toBe(SHOWN);
});

test("what is accepted too late for a save is saved after it", async () => {
  const asked = resolvable();
  const accepted = asked.promise.then(accept);
  buffer().accepting(accepted);
  const saving = file.save(() => undefined);
  await vi.advanceTimersByTimeAsync(1000);
  await saving;
  expect(file.onDisk).toBe(BASE);
  asked.resolve(undefined);
  expect(await accepted).toEqual({ applied: true });
  expect([file.text, buffer().ledger.base]).toEqual([SHOWN, SHOWN]);
  await vi.waitFor(() => {
    expect(file.onDisk).toBe(SHOWN);
  });
});

test("an accept that arrives during the save after it is saved", async () => {
  const asked = resolvable();
  await file.save(() => {
    buffer().accepting(asked.promise.then(accept));
    return undefined;
  });
  expect(file.onDisk).toBe(BASE);
  asked.resolve(undefined);
  await vi.waitFor(() => {
    expect(file.onDisk).toBe(SHOWN);
  });
});

test("what the user types after a save is not saved with what was accepted", async () => {
  const asked = resolvable();
  buffer().accepting(asked.promise.then(accept));
  const saving = file.save();
  await vi.advanceTimersByTimeAsync(1000);
  await saving;
  await buffer().idle();
  const end = { line: 0, character: SHOWN.length };
  file.edit({ range: new Range(end, end), newText: "0" });
  asked.resolve(undefined);
  await vi.advanceTimersByTimeAsync(100);
  expect([file.onDisk, file.text]).toEqual([BASE, `${SHOWN}0`]);
});

test("an accept that failed does not stop a save", async () => {
  buffer().accepting(Promise.reject(new Error("gone")));
  await file.save(() => undefined);
  await buffer().idle();
  expect([file.onDisk, file.text]).toEqual([BASE, SHOWN]);
});

test("a save that has ended leaves no timer", async () => {
  await file.save(() => undefined);
  expect(vi.getTimerCount()).toBe(0);
});

test("a save that VS Code gave up waiting for takes nothing out", async () => {
  const asked = resolvable();
  buffer().accepting(asked.promise);
  const edits = buffer().beginSave();
  await vi.advanceTimersByTimeAsync(100);
  buffer().saved();
  asked.resolve(undefined);
  expect(await edits).toEqual([]);
  expect(buffer().isOut).toBe(false);
});

function resolvable() {
  let resolve: (value: undefined) => void = () => undefined;
  const promise = new Promise<undefined>((each) => (resolve = each));
  return { promise, resolve };
}
