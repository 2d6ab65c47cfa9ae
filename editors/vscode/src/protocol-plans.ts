// The part of the protocol about plans; see `protocol.ts`.

import type { Range } from "vscode-languageclient";

/** Arguments of `redline.plan`. */
export interface PlanArguments {
  readonly uri: string;
  readonly instruction: string;
  readonly range?: Range;
  readonly tier?: "fast" | "standard" | "deep";
  readonly files?: readonly string[];
  readonly maxCost?: number;
}

/** Arguments of `redline.debug`: a text, lines of an open document, or a failure. */
export interface DebugArguments {
  readonly text?: string;
  readonly uri?: string;
  readonly range?: Range;
  readonly failure?: string;
  readonly tier?: "fast" | "standard" | "deep";
  readonly maxCost?: number;
}

/** Arguments of the commands of one plan. */
export interface PlanIdArguments {
  readonly planId: string;
}

/** Arguments of `redline.runPlan`. */
export interface RunPlanArguments {
  readonly planId: string;
  readonly steps?: readonly string[];
}

/** Arguments of `redline.applyPlan`. */
export interface ApplyPlanArguments {
  readonly planId: string;
  readonly files?: readonly string[];
  readonly steps?: readonly string[];
  readonly force?: boolean;
}

/** The result of `redline.plan`, `debug`, `runPlan` and `planAgain`. */
export interface PlanStarted {
  readonly planId: string;
  readonly state:
    | "queued"
    | "gathering"
    | "planning"
    | "planned"
    | "running"
    | "joining"
    | "reviewing"
    | "ready"
    | "held"
    | "applied"
    | "rejected"
    | "cancelled"
    | "failed";
}

/** A problem of a step's result. */
export interface PlanProblem {
  readonly rule: string;
  readonly message: string;
  readonly line: number | null;
}

/** How far a step is. */
export interface PlanStepStatus {
  readonly id: string;
  readonly file: string;
  readonly symbol: string;
  readonly kind: "edit" | "create" | "rename" | "delete";
  readonly instruction: string;
  readonly state: "waiting" | "writing" | "checked" | "problem" | "stale" | "skipped";
  readonly tier: string;
  readonly problems: readonly PlanProblem[];
  readonly message: string;
}

/** A finding of the review of the whole. */
export interface PlanFindingInfo {
  readonly file: string;
  readonly line: number;
  readonly severity: string;
  readonly title: string;
  readonly explanation: string;
  readonly fixed: boolean;
}

/** Lines that show the cause of a failure. */
export interface PlanEvidence {
  readonly file: string;
  readonly quote: string;
}

/** What one tier took. */
export interface PlanTierUsage {
  readonly tier: string;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly wastedTokens: number;
  readonly cost: number | null;
}

/** `redline/plan`, and the result of `redline.planState`. */
export interface PlanStatus {
  readonly planId: string;
  readonly kind: "plan" | "debug";
  readonly state:
    | "queued"
    | "gathering"
    | "planning"
    | "planned"
    | "running"
    | "joining"
    | "reviewing"
    | "ready"
    | "held"
    | "applied"
    | "rejected"
    | "cancelled"
    | "failed";
  readonly instruction: string;
  readonly summary: string;
  readonly step: string;
  readonly steps: readonly PlanStepStatus[];
  readonly findings: readonly PlanFindingInfo[];
  readonly cause: string;
  readonly evidence: readonly PlanEvidence[];
  readonly confidence: string;
  readonly proved: "green" | "red" | "not run";
  readonly message: string;
  readonly estimate: number | null;
  readonly timing: number | null;
  readonly usage: readonly PlanTierUsage[];
}

/** The result of `redline.plans`. */
export interface PlanList {
  readonly plans: readonly PlanStatus[];
}

/** The result of `redline.openPlan`. */
export interface OpenPlanResult {
  readonly file: string;
  readonly uri: string;
  readonly shown: boolean;
}

/** The result of `redline.applyPlan`. */
export interface ApplyPlanResult {
  readonly planId: string;
  readonly state:
    | "queued"
    | "gathering"
    | "planning"
    | "planned"
    | "running"
    | "joining"
    | "reviewing"
    | "ready"
    | "held"
    | "applied"
    | "rejected"
    | "cancelled"
    | "failed";
  readonly applied: readonly string[];
  readonly files: readonly string[];
  readonly leftOut: readonly string[];
  readonly stale: readonly string[];
  readonly message: string;
}

/** The result of `redline.cancelPlan`. */
export interface CancelPlanResult {
  readonly cancelled: boolean;
}

/** The result of `redline.rejectPlan`. */
export interface RejectPlanResult {
  readonly planId: string;
  readonly state:
    | "queued"
    | "gathering"
    | "planning"
    | "planned"
    | "running"
    | "joining"
    | "reviewing"
    | "ready"
    | "held"
    | "applied"
    | "rejected"
    | "cancelled"
    | "failed";
}
