import { expect, test } from "vitest";

import type { Status } from "../src/protocol-status";
import { lastPromptPage } from "../src/status/page";
import { isConnected, seconds, wordsFor } from "../src/status/words";

const STATUS: Status = {
  connection: "ready",
  detail: "",
  tiers: [
    { tier: "fast", model: "spark", isModel: true, note: null },
    {
      tier: "deep",
      model: "spark",
      isModel: true,
      note: "the fast tier's model stands in",
    },
  ],
  lastModel: "spark",
  firstDeltaS: 0.2104,
  tokensPerS: 811.6,
  costToday: 0.004,
  nextEdits: { requests: 0, shown: 0, accepted: 0, cost: 0, pause: "" },
  completions: {
    requests: 0,
    shown: 0,
    atOnce: 0,
    accepted: 0,
    cost: 0,
    pause: "",
  },
  wastedTokens: 0,
  contextBand: "0-30",
  contextShare: 0.1,
  indexing: false,
  sessions: [],
  reviews: [],
  problems: [],
};

test("the bar has the model, how soon it began and how fast it wrote", () => {
  const words = wordsFor("running", STATUS);
  expect(words.text).toBe("$(zap) spark 210 ms · 812 tok/s");
  expect(words.label).toBe("Redline, spark, connected");
  expect(words.tooltip).toContain("| fast tier | `spark` |");
  expect(words.tooltip).toContain("| context used | 0-30 % |");
  expect(words.tooltip).toContain("| cost today | $0.0040 |");
  expect(words.tooltip).not.toContain("completions");
  const completions = {
    requests: 9,
    shown: 34,
    atOnce: 20,
    accepted: 12,
    cost: 0.0012,
  };
  const line =
    "| completions | 12 accepted of 34 shown (20 at once), 9 requests, $0.0012";
  for (const [pause, ending] of [
    ["", " |"],
    ["minute", "; no requests now: the limit of a minute is reached |"],
    ["failures", "; no requests now: the model has failed |"],
  ] as const) {
    const status = { ...STATUS, completions: { ...completions, pause } };
    expect(wordsFor("running", status).tooltip).toContain(line + ending);
  }
});

test("without a model it says so once, with what to do, and tells no pace", () => {
  const note = "No model is configured.";
  const tiers = (["fast", "standard", "deep"] as const).map((tier) => ({
    tier,
    model: "rules",
    isModel: false,
    note,
  }));
  const words = wordsFor("running", { ...STATUS, tiers });
  expect(words.text).toBe("$(zap) Redline: no model");
  expect(words.tooltip).toContain(
    "| fast, standard, deep tiers | `rules` (No model is configured\\.) |",
  );
  expect(words.tooltip).toContain("Click to set an API key");
  expect(words.tooltip).not.toContain("first text");
});

test("the model that writes is named, then the one that wrote", () => {
  const tiers = [
    { tier: "fast", model: "spark", isModel: true, note: null },
    { tier: "deep", model: "sol", isModel: true, note: null },
  ] as const;
  const session = {
    sessionId: "a",
    uri: "",
    state: "generating",
    tier: "standard",
    model: "own",
  } as const;
  const during = wordsFor("running", { ...STATUS, tiers, sessions: [session] });
  expect(during.text).toBe("$(zap) own 210 ms · 812 tok/s");
  const afterwards = wordsFor("running", { ...STATUS, tiers, lastModel: "sol" });
  expect(afterwards.text).toBe("$(zap) sol 210 ms · 812 tok/s");
});

test("what runs is counted for screen readers, and spins in the item of the edit", () => {
  const sessions = [
    { sessionId: "a", uri: "", state: "generating", tier: null, model: null },
  ] as const;
  const words = wordsFor("running", { ...STATUS, sessions });
  expect(words.text).not.toContain("~spin");
  expect(words.label).toContain("1 running");
});

test.each([
  ["absent", false],
  ["starting", false],
  ["dead", true],
] as const)("a server that is %s says so", (state, isBad) => {
  expect(wordsFor(state, STATUS).isBad).toBe(isBad);
});

test("problems are told, and the names of models are no markup", () => {
  const tiers = [{ tier: "fast", model: "a|`b`", isModel: true, note: null }] as const;
  const words = wordsFor("running", {
    ...STATUS,
    tiers,
    problems: ["[x](command:y) is wrong"],
  });
  expect(words.isBad).toBe(true);
  expect(words.tooltip).not.toContain("[x](command:y)");
  expect(words.tooltip).toContain("`a¦'b'`");
});

test.each([
  [0.0004, "0 ms"],
  [0.21, "210 ms"],
  [1.25, "1.3 s"],
])("%d seconds are %s", (value, words) => {
  expect(seconds(value)).toBe(words);
});

test("the fences of the last prompt are longer than any in it", () => {
  const page = lastPromptPage({
    sessionId: "a",
    model: "spark",
    instructions: "Edit.",
    messages: [{ role: "user", text: "```py\nx\n```" }],
    tokens: 12,
    contextBand: "0-30",
    leftOut: [{ kind: "note", source: "README.md", reason: "budget" }],
  });
  expect(page).toContain("````\n```py\nx\n```\n````");
  expect(page).toContain("- note of README.md: budget");
});

test("a model is connected once it answers: the rules are none", () => {
  const rules = [{ tier: "fast", model: "rules", isModel: false, note: null }] as const;
  expect(isConnected(STATUS)).toBe(true);
  expect(isConnected({ ...STATUS, connection: "fallback" })).toBe(true);
  expect(isConnected({ ...STATUS, connection: "cold" })).toBe(false);
  expect(isConnected({ ...STATUS, connection: "down" })).toBe(false);
  expect(isConnected({ ...STATUS, tiers: rules })).toBe(false);
});
