import { expect, test } from "vitest";

import { translated } from "../src/edit/base-requests";

const OURS = "file:///a.py";
const down = (uri: string) =>
  uri === OURS
    ? ({ line, character }: { line: number; character: number }) => ({
        line: line + 10,
        character,
      })
    : undefined;
const at = (line: number) => ({ line, character: 2 });
const range = (line: number) => ({ start: at(line), end: at(line + 1) });

test.each([
  [
    "a position",
    { textDocument: { uri: OURS }, position: at(1) },
    { textDocument: { uri: OURS }, position: at(11) },
  ],
  [
    "a position in another document",
    { textDocument: { uri: "file:///b.py" }, position: at(1) },
    { textDocument: { uri: "file:///b.py" }, position: at(1) },
  ],
  [
    "places, each of its own document",
    [
      { uri: OURS, range: range(1) },
      { uri: "file:///b.py", range: range(1) },
    ],
    [
      { uri: OURS, range: range(11) },
      { uri: "file:///b.py", range: range(1) },
    ],
  ],
  [
    "edits below a document's name",
    { changes: { [OURS]: [{ range: range(0), newText: "x" }] } },
    { changes: { [OURS]: [{ range: range(10), newText: "x" }] } },
  ],
  [
    "what is opaque to a client",
    { uri: OURS, range: range(1), data: { range: range(1) } },
    { uri: OURS, range: range(11), data: { range: range(1) } },
  ],
])("%s", (_name, message, expected) => {
  expect(translated<unknown>(message, undefined, down)).toEqual(expected);
});

test("an answer is about the document that was asked about", () => {
  expect(translated({ range: range(1) }, OURS, down)).toEqual({ range: range(11) });
  expect(translated(null, OURS, down)).toBeNull();
});
