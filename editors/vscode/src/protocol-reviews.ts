// The part of the protocol about deep reviews and their findings; see `protocol.ts`.

import type { Range } from "vscode-languageclient";

import type { EditOutcome } from "./protocol";

/** Of `redline.deepReview`: lines of a file, the file, or a change. */
export interface DeepReviewArguments {
  readonly uri?: string;
  /** Widened to whole lines. */
  readonly range?: Range;
  /** `workingTree`, `staged`, or a base and two dots. */
  readonly change?: string;
  /** Review it again even if nothing has changed. */
  readonly force?: boolean;
  /** US dollars. */
  readonly maxCost?: number;
}

/** Of `redline.reviews`; no review: all of them. */
export interface ReviewsArguments {
  readonly reviewId?: string;
}

/** Of `redline.cancelReview`. */
export interface ReviewArguments {
  readonly reviewId: string;
}

/** Of `redline.openReport`: a review, or one of its findings. */
export interface OpenReportArguments {
  readonly reviewId?: string;
  readonly findingId?: string;
}

/** Of `redline.dismiss`. */
export interface DismissArguments {
  readonly findingId: string;
  readonly reason?: string;
}

/** Of `redline.applyFix`: a finding, or all of a review. */
export interface ApplyFixArguments {
  readonly findingId?: string;
  readonly reviewId?: string;
  readonly apply?: "end" | "stream" | "preview";
}

/** The result of `redline.deepReview`, at once. */
export interface DeepReviewResult {
  readonly reviewId: string;
}

/** `redline/review`: a review is new, went on, or ended. */
export interface ReviewStatus {
  readonly reviewId: string;
  readonly state:
    | "queued"
    | "gathering"
    | "reviewing"
    | "verifying"
    | "done"
    | "cancelled"
    | "failed";
  /** What it is about, as the end of a sentence; empty until that is known. */
  readonly scope: string;
  /** What it does now, for people; empty: it is over. */
  readonly step: string;
  readonly percentage: number;
  readonly findings: number;
  readonly dropped: number;
  /** What must be said of it, such as why it failed; may be empty. */
  readonly message: string;
  /** False: the built-in rules review, since no model is configured. */
  readonly hasModel: boolean;
  /** US dollars so far; null: not known. */
  readonly cost: number | null;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly endedAt: number | null;
  /** The review of the same text whose findings stand, so that this one cost nothing. */
  readonly sameAs: string | null;
  /** What was asked for and not reviewed, or not all of it. */
  readonly leftOut: readonly NotReviewed[];
  /** Done, and yet not all that should have been reviewed was. */
  readonly partial: boolean;
  /** A review on save. */
  readonly live: boolean;
}

/** Something that was not reviewed. */
export interface NotReviewed {
  /** For people. */
  readonly path: string;
  /** The end of a sentence, with the lines if it is not all of it. */
  readonly reason: string;
  /** It never is: it is held back, or there is no changed text in it. */
  readonly byRule: boolean;
}

/** A finding as it is now. */
export interface Finding {
  readonly id: string;
  readonly reviewId: string;
  readonly uri: string;
  /** For people. */
  readonly file: string;
  /** Of what is stale or fixed, where it last stood. */
  readonly range: Range;
  /** Its lines, as they are in the file, with LF between them. */
  readonly quote: string;
  readonly severity: "critical" | "high" | "medium" | "low";
  readonly category: string;
  readonly title: string;
  readonly explanation: string;
  /** Of the linter that says so; null: a model does. */
  readonly rule: string | null;
  /** In 0 to 1, from what was verified. */
  readonly confidence: number;
  /** What was verified. */
  readonly evidence: readonly string[];
  /** New text for these lines, which applied and passed the checks; absent: none. */
  readonly fix?: string | undefined;
  readonly state: "open" | "stale" | "fixed" | "dismissed";
}

/** The result of `redline.reviews`. */
export interface ReviewList {
  /** The oldest first. */
  readonly reviews: readonly ReviewStatus[];
  readonly findings: readonly Finding[];
}

/** The result of `redline.cancelReview`. */
export interface CancelReviewResult {
  /** False: it was over. */
  readonly cancelled: boolean;
}

/** The result of `redline.openReport`. */
export interface OpenReportResult {
  readonly uri: string;
  /** Whether the client has shown it; else it can open the URI. */
  readonly shown: boolean;
}

/** The result of `redline.dismiss`. */
export interface DismissResult {
  readonly findingId: string;
  readonly state: "dismissed";
}

/** A fix that was not applied. */
export interface FixRefusal {
  readonly findingId: string;
  readonly message: string;
}

/** The result of `redline.applyFix`. */
export interface ApplyFixResult {
  /** Ids of the findings that are fixed. */
  readonly applied: readonly string[];
  /** Of a whole review; of one finding a refusal is the error. */
  readonly refused: readonly FixRefusal[];
  /** The outcome of the session that offers the fix of one finding. */
  readonly offered?: EditOutcome;
}

/** The `data` of a diagnostic: which finding it is. */
export interface FindingData {
  readonly findingId: string;
  readonly reviewId: string;
}
