import { expect, test } from "vitest";

import {
  opened,
  regionAt,
  stageOf,
  withChange,
  withHunks,
  withState,
  type Preview,
} from "../src/edit/preview";
import type { EditHunks, Hunk } from "../src/protocol";

const at = (line: number) => ({ line, character: 0 });
const hunk = (id: number, line: number, newText = "x\n"): Hunk => ({
  id,
  range: { start: at(line), end: at(line + 1) },
  newText,
  state: "settled",
  covers: 0,
});

const BEGUN: Preview = opened({
  sessionId: "one",
  uri: "file:///a.py",
  version: 3,
  range: { start: at(0), end: at(9) },
  tier: "fast",
  reasons: [],
  assumes: [],
});

function message(seq: number, more: Partial<EditHunks> = {}): EditHunks {
  return {
    sessionId: "one",
    seq,
    version: 3,
    full: false,
    hunks: [],
    removed: [],
    ...more,
  };
}

function after(...messages: readonly EditHunks[]): Preview {
  return messages.reduce((preview, each) => withHunks(preview, each) ?? preview, BEGUN);
}

const ids = (preview: Preview) => preview.hunks.map(({ id }) => id);

test("hunks come in, change and go, in the order of the document", () => {
  const preview = after(
    message(1, { hunks: [hunk(0, 5)] }),
    message(2, { hunks: [hunk(1, 2), hunk(0, 5, "y\n")] }),
  );
  expect(ids(preview)).toEqual([1, 0]);
  expect(preview.hunks[1]?.newText).toBe("y\n");
  expect(
    ids(after(message(1, { hunks: [hunk(0, 5)] }), message(2, { removed: [0] }))),
  ).toEqual([]);
});

test("a full message forgets what was there, and counts on another version", () => {
  const preview = after(
    message(1, { hunks: [hunk(0, 5)] }),
    message(7, { full: true, version: 4, hunks: [hunk(3, 1)] }),
  );
  expect([ids(preview), preview.version, preview.seq]).toEqual([[3], 4, 7]);
});

test("a gap is noticed, and what was seen already changes nothing", () => {
  const one = after(message(1, { hunks: [hunk(0, 5)] }));
  expect(withHunks(one, message(3))).toBeUndefined();
  expect(withHunks(one, message(1, { removed: [0] }))).toBe(one);
});

test("the whole state brings the candidates and their problems", () => {
  const problem = { rule: "elision", message: "It leaves code out." };
  const state = {
    ...message(4, { full: true, hunks: [hunk(2, 0)] }),
    state: "held",
    instruction: "do it",
    assumes: ["Only `f` changes."],
    candidates: [
      { number: 1, shown: false, problems: [], hunks: 1 },
      { number: 0, shown: true, problems: [problem], hunks: 1 },
    ],
  };
  const preview = withState(BEGUN, state);
  expect([preview.stage, preview.checks]).toEqual(["held", [problem]]);
  expect(preview.assumes).toEqual(["Only `f` changes."]);
});

test.each([
  ["generating", "writing"],
  ["checking", "writing"],
  ["offered", "offered"],
  ["held", "held"],
  ["applying", undefined],
])("the state %s is the stage %s", (state, stage) => {
  expect(stageOf(state)).toBe(stage);
});

test.each([
  ["above", { first: 0, last: 0, isUpToLast: true, nAdded: 2 }, [5, 11]],
  [
    "that removes lines above",
    { first: 0, last: 3, isUpToLast: true, nAdded: 0 },
    [0, 6],
  ],
  ["at its border", { first: 3, last: 3, isUpToLast: true, nAdded: 1 }, [3, 10]],
  ["inside", { first: 4, last: 5, isUpToLast: false, nAdded: 3 }, [3, 11]],
  ["below", { first: 9, last: 9, isUpToLast: true, nAdded: 4 }, [3, 9]],
  ["within a line", { first: 4, last: 4, isUpToLast: false, nAdded: 0 }, [3, 9]],
])("the region follows a change %s", (_, change, [start, end]) => {
  const preview = { ...BEGUN, range: { start: at(3), end: at(9) } };
  const { range } = withChange(preview, change);
  expect([range.start.line, range.end.line]).toEqual([start, end]);
});

/** Lines from a first one up to another, with or without the last line end. */
const region = (
  sessionId: string,
  first: number,
  end: Hunk["range"]["end"],
): Preview => ({
  ...BEGUN,
  sessionId,
  range: { start: at(first), end },
});
const ABOVE = region("above", 3, { line: 8, character: 12 });
const BELOW = region("below", 9, { line: 9, character: 5 });

test.each([
  ["before it", { line: 2, character: 4 }, undefined],
  ["in its last line", { line: 8, character: 4 }, "above"],
  ["at its end", at(9), "above"],
  ["in the line below it", { line: 9, character: 1 }, undefined],
  ["two lines below it", at(10), undefined],
])("a place %s", (_, place, sessionId) => {
  expect(regionAt([ABOVE], place, true)?.sessionId).toBe(sessionId);
  const withLineEnd = region("above", 3, at(9));
  expect(regionAt([withLineEnd], place, true)?.sessionId).toBe(sessionId);
});

test("the end of a region is in the one that begins there", () => {
  expect(regionAt([ABOVE, BELOW], at(9), true)).toBe(BELOW);
  expect(regionAt([ABOVE, BELOW], at(10), true)).toBe(BELOW);
});

test("a selection that begins at the end of a region is not in it", () => {
  expect(regionAt([ABOVE], at(9), false)).toBeUndefined();
});

test("a place for new lines has only its own line", () => {
  const place = region("place", 3, at(3));
  expect(regionAt([place], at(3), true)).toBe(place);
  expect(regionAt([place], at(4), true)).toBeUndefined();
});
