// The tree of plans and their steps, as words. Pure.

import type { PlanStatus, PlanStepStatus, PlanTierUsage } from "../protocol-plans";

export interface PlanItem {
  readonly kind: "plan";
  readonly plan: PlanStatus;
}

export interface StepItem {
  readonly kind: "step";
  readonly plan: PlanStatus;
  readonly step: PlanStepStatus;
}

export type Item = PlanItem | StepItem;

/** How an item is shown. */
export interface Look {
  readonly label: string;
  readonly description: string;
  /** All of it, since a narrow view cuts the others off. */
  readonly tooltip: string;
  /** Of VS Code's own icons. */
  readonly icon: string;
  /** The id of a theme's colour, or empty. */
  readonly color: string;
  /** What menus go by. */
  readonly context: string;
}

type PlanState = PlanStatus["state"];
type Icon = readonly [name: string, color: string];

const PLAN_ICONS: Readonly<Record<PlanState, Icon>> = {
  queued: ["loading~spin", ""],
  gathering: ["loading~spin", ""],
  planning: ["loading~spin", ""],
  planned: ["list-ordered", ""],
  running: ["loading~spin", ""],
  joining: ["loading~spin", ""],
  reviewing: ["loading~spin", ""],
  ready: ["pass", "testing.iconPassed"],
  held: ["warning", "list.warningForeground"],
  applied: ["pass-filled", "testing.iconPassed"],
  rejected: ["circle-slash", ""],
  cancelled: ["circle-slash", ""],
  failed: ["error", "list.errorForeground"],
};

const STEP_ICONS: Readonly<Record<PlanStepStatus["state"], Icon>> = {
  waiting: ["circle-large-outline", ""],
  writing: ["loading~spin", ""],
  checked: ["pass", "testing.iconPassed"],
  problem: ["warning", "list.warningForeground"],
  stale: ["history", "list.warningForeground"],
  skipped: ["circle-slash", ""],
};

/** The states in which a plan, and each of its steps, can be run. */
const WAITS: ReadonlySet<PlanState> = new Set(["planned", "ready", "held"] as const);

const OVER: ReadonlySet<PlanState> = new Set([
  "applied",
  "rejected",
  "cancelled",
  "failed",
] as const);

/** Whether a plan goes on without the user. */
export function isAtWork(state: PlanState): boolean {
  return !WAITS.has(state) && !OVER.has(state);
}

/** The newest plan first. */
export function planItems(plans: readonly PlanStatus[]): readonly PlanItem[] {
  return [...plans].reverse().map((plan) => ({ kind: "plan", plan }));
}

/** The steps of a plan, in its order. */
export function childrenOf(item: Item): readonly Item[] {
  const { plan } = item;
  return item.kind === "plan"
    ? plan.steps.map((step) => ({ kind: "step", plan, step }))
    : [];
}

/** What a row of the tree is called. */
export function idOf(item: Item): string {
  const { planId } = item.plan;
  return item.kind === "plan" ? planId : `${planId} ${item.step.id}`;
}

/** How far the newest plan at work is, for the title of the view: in its own row each
 * step would draw the button "Cancel" again. */
export function progressOf(plans: readonly PlanStatus[]): string {
  const plan = plans.findLast(({ state }) => isAtWork(state));
  return plan === undefined ? "" : plan.step || plan.state;
}

export function lookOf(item: Item): Look {
  return item.kind === "plan" ? planLook(item.plan) : stepLook(item);
}

function planLook(plan: PlanStatus): Look {
  const { state, kind, summary, instruction, steps, cause, message } = plan;
  const [icon, color] = PLAN_ICONS[state];
  const [label = ""] = (summary || cause || instruction || `A ${kind}`).split("\n", 1);
  const written = steps.filter((one) => one.state === "checked").length;
  const description =
    steps.length > 0 && !isAtWork(state)
      ? `${state} · ${written} of ${steps.length} steps`
      : state;
  const proved = kind === "debug" ? `Test: ${plan.proved}` : "";
  return {
    label,
    description,
    tooltip: [label, description, cause, message, proved, ...costOf(plan)]
      .filter((line, at, lines) => line !== "" && lines.indexOf(line) === at)
      .join("\n"),
    icon,
    color,
    context: `plan-${isAtWork(state) ? "work" : state}`,
  };
}

/** What a plan is likely to take, and what it took by tier, once it is not at work. */
function costOf({ state, estimate, usage }: PlanStatus): readonly string[] {
  const before =
    state === "planned" && estimate !== null
      ? [`A run: about ${dollars(estimate)}`]
      : [];
  return [...before, ...(isAtWork(state) ? [] : usage.map(usageLine))];
}

function usageLine(use: PlanTierUsage): string {
  const cost = use.cost === null ? "price not known" : dollars(use.cost);
  return `${use.tier}: ${use.inputTokens} tokens in, ${use.outputTokens} out, ${cost}`;
}

function dollars(amount: number): string {
  return `$${amount.toFixed(4)}`;
}

function stepLook({ plan, step }: StepItem): Look {
  const { id, file, symbol, kind, state, tier, instruction, problems, message } = step;
  const [icon, color] = STEP_ICONS[state];
  const done = kind === "edit" ? "" : `${kind} `;
  return {
    label: `${id} ${done}${symbol === "" ? file : symbol}`,
    description: symbol === "" ? state : `${file} · ${state}`,
    tooltip: [
      `${id} · ${file} · ${state}${tier === "" ? "" : ` by ${tier}`}`,
      instruction,
      ...problems.map((one) => `${one.rule}: ${one.message}`),
      message,
    ]
      .filter((line) => line !== "")
      .join("\n"),
    icon,
    color,
    context: WAITS.has(plan.state) ? "step-runnable" : "step",
  };
}
