// The part of the protocol about the status; see `protocol.ts`.

import type { Band, Tier } from "./protocol";
import type { ReviewStatus } from "./protocol-reviews";

/** A session that is not over. */
export interface RunningSession {
  readonly sessionId: string;
  readonly uri: string;
  readonly state: string;
  /** Who writes it now; null until that is known. */
  readonly tier: Tier | null;
  /** The name of the model that writes it now, at its provider; null until that is known. */
  readonly model: string | null;
}

/** Which model fills a tier. */
export interface TierStatus {
  readonly tier: Tier;
  readonly model: string;
  /** False for the built-in rules engine. */
  readonly isModel: boolean;
  readonly note: string | null;
}

/** What inline completions did since the start. */
export interface CompletionStatus {
  /** Requests to a model. */
  readonly requests: number;
  /** Requests of the editor that were answered with a text. */
  readonly shown: number;
  /** Of these, answered from an earlier reply or without a model. */
  readonly atOnce: number;
  readonly accepted: number;
  /** US dollars of the last 24 hours, as far as prices are known. */
  readonly cost: number;
  /** Why no request is sent at the moment; empty: nothing prevents it. */
  readonly pause: "" | "minute" | "day" | "failures";
}

/** What next edits did since the start, by rules and by a model. */
export interface NextEditStatus {
  /** Requests to a model. */
  readonly requests: number;
  /** Edits that became visible. */
  readonly shown: number;
  readonly accepted: number;
  /** US dollars of the last 24 hours, as far as prices are known. */
  readonly cost: number;
  /** Why no model is asked at the moment; empty: nothing prevents it. */
  readonly pause: "" | "minute" | "day" | "failures";
}

/** `redline/status`, and the result of `redline.status`. */
export interface Status {
  /** Of the fast tier's model. */
  readonly connection: "cold" | "connecting" | "ready" | "fallback" | "down";
  /** One sentence for people where there is something to say, else empty. */
  readonly detail: string;
  readonly tiers: readonly TierStatus[];
  /** Who wrote the last generation: the model's name at its provider. */
  readonly lastModel: string | null;
  /** Of the last generation: from request to first delta. */
  readonly firstDeltaS: number | null;
  /** Of the last generation. */
  readonly tokensPerS: number | null;
  /** US dollars on this local day, of all editors with the same usage file, as far as prices are known; null: usage is not kept. */
  readonly costToday: number | null;
  readonly completions: CompletionStatus;
  readonly nextEdits: NextEditStatus;
  /** Of stopped generations since the start, estimated. */
  readonly wastedTokens: number;
  /** The part of its model's window that the last prompt took, in per cent. */
  readonly contextBand: Band | null;
  /** The same as a number; above 1 the prompt did not fit. */
  readonly contextShare: number | null;
  /** Whether the workspace's files are being read for context. */
  readonly indexing: boolean;
  readonly sessions: readonly RunningSession[];
  /** Those that are worked on; hundreds may wait. */
  readonly reviews: readonly ReviewStatus[];
  /** What is wrong with the settings or the usage file, one sentence each. */
  readonly problems: readonly string[];
}
