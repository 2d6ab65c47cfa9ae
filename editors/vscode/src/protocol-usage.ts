// The wire format of usage.
//
// The server's `lsp/client/status_messages.py` says the same; a test
// compares the two.

/** The measures of one group of tasks. */
export interface UsageTotals {
  readonly tier: string | null;
  readonly day: string | null;
  readonly kind: string | null;
  readonly tasks: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly reworked: number;
  readonly undone: number;
  readonly failedChecks: number;
  readonly repaired: number;
  readonly escalated: number;
  readonly taskP50S: number | null;
  readonly taskP90S: number | null;
  readonly reworkShare: number | null;
  readonly costPerAccepted: number | null;
  readonly cost: number | null;
  readonly unpriced: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly wastedTokens: number;
}

/** The result of `redline.stats`. */
export interface UnaskedUsageTotals {
  readonly kind: string;
  readonly tier: string | null;
  readonly model: string | null;
  readonly requests: number;
  readonly shown: number;
  readonly atOnce: number;
  readonly accepted: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly cost: number | null;
  readonly unpriced: number;
}

export interface Stats {
  readonly since: string;
  readonly totals: readonly UsageTotals[];
  readonly unasked: readonly UnaskedUsageTotals[];
}
