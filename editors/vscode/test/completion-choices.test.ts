import { expect, test } from "vitest";

import { choicesOf, Pauses, type Given } from "../src/status/completion-choices";

const GIVEN: Given = {
  isOn: true,
  isNextEditOn: true,
  off: ["markdown"],
  language: "python",
  isPaused: false,
};
const labels = (more: Partial<Given> = {}): readonly string[] =>
  choicesOf({ ...GIVEN, ...more }).map(({ label }) => label.replace(/^\S+ /, ""));

test("what is on can be paused, or turned off for a language or for all", () => {
  expect(labels()).toEqual([
    "Pause completions for an hour",
    "Pause completions in this file",
    "Turn completions off for python",
    "Turn completions off",
    "Turn next edits off",
  ]);
  const choices = choicesOf(GIVEN).map(({ choice }) => choice);
  expect(choices).toContainEqual({
    does: "set",
    key: "complete.off",
    value: ["markdown", "python"],
  });
});

test.each([
  [
    { isPaused: true },
    ["Resume completions", "Turn completions off for python", "Turn completions off"],
  ],
  [
    { language: "markdown" },
    ["Turn completions on for markdown", "Turn completions off"],
  ],
  [{ isOn: false }, ["Turn completions on"]],
  [{ language: undefined }, ["Pause completions for an hour", "Turn completions off"]],
])("only what changes something is offered: %o", (more, expected) => {
  expect(labels(more)).toEqual([...expected, "Turn next edits off"]);
});

test("a language that is turned on leaves the others off", () => {
  const entry = choicesOf({ ...GIVEN, off: ["markdown", "python"] })[0];
  expect(entry?.choice).toEqual({
    does: "set",
    key: "complete.off",
    value: ["markdown"],
  });
});

test("a pause is over after an hour, or when it is ended", () => {
  const pauses = new Pauses();
  pauses.pauseHour(1000);
  expect(pauses.has("file:///a.py", 3_600_999)).toBe(true);
  expect(pauses.has("file:///a.py", 3_601_000)).toBe(false);
  pauses.pauseFile("file:///a.py");
  expect(pauses.has("file:///a.py", 9_000_000)).toBe(true);
  expect(pauses.has("file:///b.py", 9_000_000)).toBe(false);
  pauses.resume("file:///a.py");
  expect(pauses.has("file:///a.py", 9_000_000)).toBe(false);
});
