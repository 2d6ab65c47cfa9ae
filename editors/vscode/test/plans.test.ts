import { expect, test } from "vitest";

import {
  childrenOf,
  idOf,
  isAtWork,
  lookOf,
  planItems,
  progressOf,
} from "../src/plan/items";
import type { PlanStatus, PlanStepStatus } from "../src/protocol-plans";
import { Rows } from "../src/rows";

const STEP: PlanStepStatus = {
  id: "s1",
  file: "shop/price.py",
  symbol: "Price",
  kind: "edit",
  instruction: "Add the method doubled.",
  state: "checked",
  tier: "fast",
  problems: [],
  message: "",
};

const PLAN: PlanStatus = {
  planId: "p1",
  kind: "plan",
  state: "ready",
  instruction: "Double the prices.",
  summary: "Prices double.\n\nAll of them.",
  step: "",
  steps: [STEP],
  findings: [],
  cause: "",
  evidence: [],
  confidence: "",
  proved: "not run",
  message: "",
  estimate: null,
  timing: null,
  usage: [],
};

test("the newest plan comes first, its steps in their order", () => {
  const plans = planItems([PLAN, { ...PLAN, planId: "p2" }]);
  expect(plans.map(({ plan }) => plan.planId)).toEqual(["p2", "p1"]);
  const plan = { ...PLAN, steps: [STEP, { ...STEP, id: "s2" }] };
  const steps = childrenOf({ kind: "plan", plan });
  expect(steps.map(idOf)).toEqual(["p1 s1", "p1 s2"]);
});

test("a plan says what it does, how far it is, and what can be done with it", () => {
  const look = lookOf({ kind: "plan", plan: PLAN });
  expect(look).toMatchObject({
    label: "Prices double.",
    description: "ready · 1 of 1 steps",
    icon: "pass",
    context: "plan-ready",
  });
  const work = { ...PLAN, state: "running", step: "Writing s1" } as const;
  expect(lookOf({ kind: "plan", plan: work })).toMatchObject({
    description: "running",
    icon: "loading~spin",
    context: "plan-work",
  });
});

test("the row of a plan at work is not drawn again for each of its steps", () => {
  const rows = new Rows({ idOf, lookOf, childrenOf });
  const work = { ...PLAN, state: "running", step: "0 of 1 steps" } as const;
  rows.update(planItems([work]));
  rows.children(rows.children()[0]);
  const steps = [{ ...STEP, state: "problem" } as const];
  const written = { ...work, step: "1 of 1 steps", steps };
  expect(rows.update(planItems([written]))?.map(idOf)).toEqual(["p1 s1"]);
  expect(rows.update(planItems([{ ...PLAN, steps }]))?.map(idOf)).toContain("p1");
});

test("how far a plan is stands in the view's title", () => {
  const work = { ...PLAN, state: "running", step: "0 of 1 steps" } as const;
  expect(progressOf([work, PLAN])).toBe("0 of 1 steps");
  expect(progressOf([PLAN])).toBe("");
});

test("a debug without a fix has its cause and whether it was proved", () => {
  const plan = {
    ...PLAN,
    kind: "debug",
    state: "held",
    summary: "",
    instruction: "",
    cause: "Cents are divided by 10.",
    message: "This cause is a guess.",
    steps: [],
  } as const;
  const look = lookOf({ kind: "plan", plan });
  expect(look.label).toBe("Cents are divided by 10.");
  expect(look.description).toBe("held");
  expect(look.tooltip).toBe(
    "Cents are divided by 10.\nheld\nThis cause is a guess.\nTest: not run",
  );
});

test("a plan says what a run is likely to cost, and what each tier took", () => {
  const use = { tier: "deep", inputTokens: 1200, cachedTokens: 0, wastedTokens: 0 };
  const plan = {
    ...PLAN,
    state: "planned",
    estimate: 0.01234,
    usage: [
      { ...use, outputTokens: 300, cost: 0.5 },
      { ...use, tier: "fast", outputTokens: 7, cost: null },
    ],
  } as const;
  const lines = lookOf({ kind: "plan", plan }).tooltip.split("\n");
  expect(lines.slice(-3)).toEqual([
    "A run: about $0.0123",
    "deep: 1200 tokens in, 300 out, $0.5000",
    "fast: 1200 tokens in, 7 out, price not known",
  ]);
  const ready = lookOf({ kind: "plan", plan: { ...plan, state: "ready" } });
  expect(ready.tooltip).not.toContain("A run");
});

test("a step has its problems in the tooltip, and runs only where its plan waits", () => {
  const problem = { rule: "syntax", message: "It cannot be parsed.", line: 1 };
  const step = { ...STEP, state: "problem", problems: [problem] } as const;
  const look = lookOf({ kind: "step", plan: PLAN, step });
  expect(look).toMatchObject({
    label: "s1 Price",
    description: "shop/price.py · problem",
    icon: "warning",
    context: "step-runnable",
  });
  expect(look.tooltip).toBe(
    "s1 · shop/price.py · problem by fast\nAdd the method doubled.\n" +
      "syntax: It cannot be parsed.",
  );
  const plan = { ...PLAN, state: "running" } as const;
  expect(lookOf({ kind: "step", plan, step }).context).toBe("step");
  const created = { ...STEP, kind: "create", symbol: "", file: "new.py" } as const;
  expect(lookOf({ kind: "step", plan, step: created }).label).toBe("s1 create new.py");
});

test("a plan at work is one that neither waits nor has ended", () => {
  expect(isAtWork("joining")).toBe(true);
  expect(isAtWork("held")).toBe(false);
  expect(isAtWork("applied")).toBe(false);
});
