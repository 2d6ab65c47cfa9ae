import { expect, test } from "vitest";

import { HistoryWalk, MOST_INSTRUCTIONS, withInstruction } from "../src/edit/history";

test("an instruction is stored once, the newest first", () => {
  expect(withInstruction(["a", "b"], "b")).toEqual(["b", "a"]);
  const full = Array.from({ length: MOST_INSTRUCTIONS }, (_, n) => `${n}`);
  expect(withInstruction(full, "new")).toEqual(["new", ...full.slice(0, -1)]);
});

test("a walk goes to older instructions and back to what was typed", () => {
  const walk = new HistoryWalk(["new", "old"]);
  expect(walk.step("newer", "ty")).toBeUndefined();
  expect(walk.step("older", "ty")).toBe("new");
  expect(walk.step("older", "new")).toBe("old");
  expect(walk.step("older", "old")).toBeUndefined();
  expect(walk.step("newer", "old")).toBe("new");
  expect(walk.step("newer", "new")).toBe("ty");
});

test("an old instruction that was changed is what is being typed", () => {
  const walk = new HistoryWalk(["new", "old"]);
  walk.step("older", "");
  walk.step("older", "new");
  expect(walk.step("older", "old and more")).toBe("new");
  expect(walk.step("newer", "new")).toBe("old and more");
});
