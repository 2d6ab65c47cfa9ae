import { expect, test } from "vitest";

import { opened, type Preview } from "../src/edit/preview";
import { keyWords, wordsOf } from "../src/edit/standing";

const BEGUN: Preview = opened({
  sessionId: "s",
  uri: "file:///a.py",
  version: 1,
  range: { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } },
  tier: "fast",
  reasons: [],
  assumes: ["Only `f` changes.", "Its behaviour stays the same."],
});
const TAKEN = "Taken for granted: Only `f` changes. Its behaviour stays the same.";

test.each(["writing", "offered", "held"] as const)(
  "%s: what a vague instruction leaves open is said",
  (stage) => {
    const words = wordsOf({ ...BEGUN, stage }, 1, false);
    expect(words.text).toContain(" · 2 assumptions");
    expect(words.tooltip).toContain(TAKEN);
    expect(words.label).toContain(TAKEN);
  },
);

test("the model that writes is named once it is known", () => {
  expect(wordsOf(BEGUN, 1, false).tooltip).toContain("The fast tier writes. Escape");
  const known = { ...BEGUN, tier: "standard", model: "best" } as const;
  const { tooltip } = wordsOf(known, 1, false);
  expect(tooltip).toContain("best writes, as the standard tier. Escape stops it.");
});

test("a precise instruction takes nothing for granted", () => {
  const words = wordsOf({ ...BEGUN, assumes: [], stage: "offered" }, 2, false);
  expect(words.text).toBe("$(diff) 2 changes");
  expect(words.label).toBe("Redline proposes: 2 changes");
  expect(words.tooltip).not.toContain("Taken for granted");
});

test.each([
  [1, "Alt+Enter accepts · Escape rejects"],
  [2, "Alt+Enter accepts all · F7 next · Escape rejects"],
])("the keys for an offer of %i are said", (n, expected) => {
  expect(keyWords({ ...BEGUN, stage: "offered" }, n)).toBe(expected);
});

test.each([
  [1, "Held: x is new · Escape rejects"],
  [2, "Held: x is new · F7 next · Escape rejects"],
])("why %i changes are held back is said at the cursor", (n, expected) => {
  const checks = [{ rule: "r", message: "`x` is new." }];
  expect(keyWords({ ...BEGUN, stage: "held", checks }, n)).toBe(expected);
});

test.each([
  [[], "Held: not checked"],
  [["`x` is not defined anywhere."], "Held: x is not defined anywhere"],
  [["`calculate_costs` is not defined."], "Held: calculate_c… is not defined"],
  [["a.", "b."], "Held: 2 problems"],
  [[`${"long ".repeat(20)}.`], `Held: ${"long ".repeat(9)}lo…`],
  [["$(x) is new."], "Held: \\$(x) is new"],
])("what holds an edit back is said: %j", (messages, expected) => {
  const checks = messages.map((message) => ({ rule: "r", message }));
  const words = wordsOf({ ...BEGUN, assumes: [], stage: "held", checks }, 1, false);
  expect(words.text).toBe(`$(warning) ${expected} · 1 change`);
});

test("an offer in another file names the key that leads to it", () => {
  const offered: Preview = { ...BEGUN, stage: "offered" };
  expect(wordsOf(offered, 1, true).tooltip).toContain("F7: go to it");
  expect(wordsOf(offered, 1, false).tooltip).toContain("F7: next change");
});
