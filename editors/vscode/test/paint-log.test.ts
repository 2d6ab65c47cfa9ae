import { expect, test } from "vitest";

import { PaintLog } from "../src/edit/paint-log";

test("the rate is that of the paints while it is written", () => {
  const log = new PaintLog();
  log.painted(0, 1, false);
  for (const at of [100, 125, 150, 200]) {
    log.painted(at, at + 2, true);
  }
  log.painted(900, 907, false);
  expect(log.words()).toBe(
    "painted 6 times, 2.67 ms each, 7.00 ms at most; " +
      "30.0 times a second while it was written",
  );
});

test("one paint has no rate, and none has no words", () => {
  const log = new PaintLog();
  expect(log.words()).toBeUndefined();
  log.painted(5, 6, true);
  expect(log.words()).toContain("0.0 times a second");
});
