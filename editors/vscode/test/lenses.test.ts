import { expect, test } from "vitest";

import { lensesOf, stopArguments } from "../src/edit/choices";
import type { Preview } from "../src/edit/preview";
import { target } from "../src/edit/target";

const at = (line: number) => ({ line, character: 0 });

const OFFERED: Preview = {
  sessionId: "one",
  uri: "file:///a.py",
  version: 1,
  range: { start: at(2), end: at(9) },
  tier: "fast",
  reasons: ["It is short."],
  seq: 1,
  hunks: [
    { id: 0, range: { start: at(3), end: at(4) }, newText: "x\n", state: "settled" },
  ],
  stage: "offered",
  checks: [],
  candidates: [],
};

const SECOND = {
  id: 1,
  range: { start: at(6), end: at(7) },
  newText: "y\n",
  state: "growing",
} as const;

const titles = (preview: Preview) =>
  lensesOf(preview).map(({ title }) => title.replace(/\$\([^)]*\)\u00a0/g, ""));

test("an edit that is written can be stopped and redirected", () => {
  const titled = titles({ ...OFFERED, stage: "writing" });
  expect(titled).toEqual(["Redline is writing (fast tier)", "Stop", "Redirect"]);
});

test("an edit that has ended has no lens that stops it", () => {
  for (const stage of ["offered", "held"] as const) {
    expect(titles({ ...OFFERED, stage })).not.toContain("Stop");
  }
});

test("a lens of an edit that has ended stops nothing else", () => {
  expect(stopArguments("ended", undefined)).toEqual({ sessionId: "ended" });
  expect(stopArguments("ended", OFFERED)).toEqual({ sessionId: "ended" });
  expect(stopArguments(undefined, OFFERED)).toEqual({ sessionId: "one" });
  expect(stopArguments(undefined, undefined)).toEqual({});
});

test("an offer of one change has no choices by change", () => {
  expect(titles(OFFERED)).toEqual(["Accept", "Reject", "Compare", "Follow up"]);
});

test("each settled change of several can be chosen, also while the rest is written", () => {
  const both = { ...OFFERED, hunks: [...OFFERED.hunks, SECOND] };
  expect(titles(both).slice(0, 1)).toEqual(["Accept all 2 changes"]);
  const single = lensesOf({ ...both, stage: "writing" }).filter(
    ({ line }) => line !== 2,
  );
  expect(single.map(({ line, given }) => [line, given])).toEqual([
    [3, ["one", 0]],
    [3, ["one", 0]],
  ]);
});

test("what is held back says why, and can be taken all the same", () => {
  const held = {
    ...OFFERED,
    stage: "held",
    checks: [{ rule: "elision", message: "Code is left out." }],
  } as const;
  expect(titles(held).slice(0, 2)).toEqual(["Held back: 1 problem", "Accept anyway"]);
  expect(lensesOf(held)[0]?.tooltip).toBe("Code is left out. (elision)");
});

test("candidates are counted, and each one's problems are told", () => {
  const candidates = [
    { number: 1, shown: true, problems: [], hunks: 1 },
    {
      number: 0,
      shown: false,
      problems: [{ rule: "syntax", message: "A bracket is open." }],
      hunks: 2,
    },
  ];
  const lens = lensesOf({ ...OFFERED, candidates }).find(({ title }) =>
    title.startsWith("Candidate"),
  );
  expect(lens?.title).toBe("Candidate 1 of 2: next");
  expect(lens?.tooltip).toBe(
    "▸ 1. 1 change, no problems\n2. 2 changes: A bracket is open. (syntax)",
  );
});

test("an offer without changes has nothing to accept", () => {
  expect(titles({ ...OFFERED, hunks: [] })).toEqual([
    "No changes",
    "Reject",
    "Follow up",
  ]);
});

test.each([
  [[3, 2], [3, 2], "code", "line 4", 3],
  [[3, 0], [5, 0], "code", "lines 4 to 5", 5],
  [[3, 1], [5, 2], "code", "lines 4 to 6", 5],
  [[3, 0], [3, 4], "code", "line 4", 3],
  [[3, 2], [3, 2], "  ", "new lines at line 4", 3],
] as const)("from %j to %j on %j are %s", (start, end, text, words, last) => {
  const place = ([line, character]: readonly [number, number]) => ({ line, character });
  const found = target(place(start), place(end), text);
  expect([found.words, found.start.character, found.end.line]).toEqual([
    words,
    0,
    last,
  ]);
});
