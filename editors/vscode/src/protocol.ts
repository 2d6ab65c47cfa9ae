// Redline's own protocol: commands, notifications and their types.
//
// Mirrors the server's `lsp/*/*_messages.py` and `lsp/protocol/names.py`; a test compares them, and
// both with `docs/reference/protocol.md`. Field names are those on the wire, durations
// are seconds, positions are in the encoding of the connection.

import type { Position, Range } from "vscode-languageclient";

export const commands = {
  edit: "redline.edit",
  variations: "redline.variations",
  redirect: "redline.redirect",
  stop: "redline.stop",
  accept: "redline.accept",
  reject: "redline.reject",
  nextCandidate: "redline.nextCandidate",
  editState: "redline.editState",
  takeBack: "redline.takeBack",
  bringBack: "redline.bringBack",
  editTarget: "redline.editTarget",
  sharpen: "redline.sharpen",
  nextPrompt: "redline.nextPrompt",
  files: "redline.files",
  prompts: "redline.prompts",
  explain: "redline.explain",
  writeTests: "redline.writeTests",
  deepReview: "redline.deepReview",
  reviews: "redline.reviews",
  cancelReview: "redline.cancelReview",
  openReport: "redline.openReport",
  dismiss: "redline.dismiss",
  applyFix: "redline.applyFix",
  debug: "redline.debug",
  plan: "redline.plan",
  runPlan: "redline.runPlan",
  applyPlan: "redline.applyPlan",
  plans: "redline.plans",
  planState: "redline.planState",
  openPlan: "redline.openPlan",
  planAgain: "redline.planAgain",
  rejectPlan: "redline.rejectPlan",
  cancelPlan: "redline.cancelPlan",
  runTests: "redline.runTests",
  cancelTests: "redline.cancelTests",
  testRuns: "redline.testRuns",
  testOutput: "redline.testOutput",
  status: "redline.status",
  stats: "redline.stats",
  lastPrompt: "redline.lastPrompt",
  nextEditAccepted: "redline.nextEditAccepted",
  applyNextEdit: "redline.applyNextEdit",
} as const;

export const notifications = {
  prepare: "redline/edit/prepare",
  began: "redline/edit/began",
  hunks: "redline/edit/hunks",
  ended: "redline/edit/ended",
  status: "redline/status",
  review: "redline/review",
  plan: "redline/plan",
  tests: "redline/tests",
  nextEditShown: "redline/nextEdit/shown",
  nextEditDismissed: "redline/nextEdit/dismissed",
  nextEditChanged: "redline/nextEdit/changed",
  inlineChanged: "redline/inline/changed",
  inlineDismissed: "redline/inline/dismissed",
} as const;

/** Of the URIs of reports. */
export const REPORT_SCHEME = "redline-review";

export type Tier = "fast" | "standard" | "deep";
export type Band = "0-30" | "30-60" | "60-80" | "80-100";
export type Outcome =
  "applied" | "offered" | "held" | "unchanged" | "stopped" | "superseded";
export type ActionKind =
  | "edit"
  | "fix"
  | "generate"
  | "simplify"
  | "extract"
  | "convert"
  | "types"
  | "docstring";
export type Ending =
  "accepted" | "rejected" | "unchanged" | "stopped" | "failed" | "superseded";

/** Of `redline/edit/prepare`, which the client sends. */
export interface PrepareArguments {
  readonly uri: string;
  readonly range: Range;
}

/** One of several ranges of an edit. */
export interface EditRange {
  readonly range: Range;
  /** What to do with it, besides the instruction of the edit. */
  readonly instruction?: string;
  readonly fromComment?: Range;
}

/** Of `redline.edit` and `redline.variations`. */
export interface EditArguments {
  readonly uri: string;
  readonly range?: Range;
  /** Several ranges, which are one edit, instead of `range`. */
  readonly ranges?: readonly EditRange[];
  /** Needed, unless each of the ranges has its own. */
  readonly instruction?: string;
  /** The kind of action it comes from, for the choice of the tier. */
  readonly kind?: ActionKind;
  readonly tier?: Tier;
  /** The name of a configured model; counts before the tier. */
  readonly model?: string;
  /** The comment in the document that the instruction was written in; the edit removes it. */
  readonly fromComment?: Range;
  /** Generations that race. */
  readonly candidates?: number;
  readonly apply?: "end" | "stream" | "preview";
  /** A name of the client's choice for the new session, so that it can be stopped before it is answered; absent: the server's own. Of a draft: the same each time. */
  readonly sessionId?: string;
  /** The instruction is still being typed: show what it would do, apply nothing. */
  readonly draft?: boolean;
  /** URIs of images that the instruction is about: `file:`, or `data:` in base64. */
  readonly attachments?: readonly string[];
  /** What progress calls it; absent: the beginning of the instruction. */
  readonly title?: string;
}

/** Of `redline.stop`; neither field: all sessions. */
export interface StopArguments {
  readonly sessionId?: string;
  readonly uri?: string;
}

/** Of `redline.accept` and `redline.reject`; no hunks: all of them. */
export interface HunkArguments {
  readonly sessionId: string;
  readonly hunks?: readonly number[];
}

/** Of `redline.redirect`: a session, or the one at a place. */
export interface RedirectArguments {
  readonly instruction: string;
  /** The comment in the document that the instruction was written in; the edit removes it. */
  readonly fromComment?: Range;
  readonly sessionId?: string;
  readonly uri?: string;
  readonly position?: Position;
}

/** Of `redline.editState`, `redline.nextCandidate` and `redline.takeBack`. */
export interface SessionArguments {
  readonly sessionId: string;
}

/** Of `redline.takeBack`: an edit or a plan. */
export interface TakeBackArguments {
  readonly sessionId?: string;
  readonly planId?: string;
}

/** Of `redline.bringBack`. */
export interface BringBackArguments {
  readonly uri: string;
  /** A name of the client's choice for the new session; absent: the server's own. */
  readonly sessionId?: string;
  /** Absent: the last offer that the server remembers. */
  readonly offer?: StoredOffer;
}

/** An offer that the client has stored. */
export interface StoredOffer {
  /** The lines that it replaces; empty: it inserts new lines. */
  readonly range: Range;
  readonly newText: string;
  /** What it carries out; may be empty. */
  readonly instruction: string;
}

/** Of `redline.editTarget`. */
export interface EditTargetArguments {
  readonly uri: string;
  readonly position: Position;
}

/** Of `redline.stats`. */
export interface StatsArguments {
  /** The first local day that counts; absent: the last 30 days. */
  readonly since?: string;
  /** What the groups differ in, in this order; none: one group. */
  readonly by?: readonly ("tier" | "day")[];
}

/** Of `redline.files`. */
export interface FilesArguments {
  /** Part of a path or of a definition's name; absent: any file. */
  readonly typed?: string;
}

/** A model that an instruction can name by `#`. */
export interface NamedModel {
  /** In the settings. */
  readonly name: string;
  /** Its name at its provider. */
  readonly model: string;
}

/** The result of `redline.files`. */
export interface FilesResult {
  /** Relative to their workspace folder, the likeliest first. */
  readonly files: readonly string[];
  /** A path, `#` and a qualified name each, the likeliest first. */
  readonly definitions: readonly string[];
  /** All of them, in the order of the settings. */
  readonly models: readonly NamedModel[];
}

/** An instruction that the user has saved. */
export interface SavedPrompt {
  readonly name: string;
  /** It may have several lines. */
  readonly text: string;
}

/** The result of `redline.prompts`. */
export interface PromptsResult {
  readonly prompts: readonly SavedPrompt[];
  /** Those that are read; they need not exist. */
  readonly folders: readonly string[];
  /** Why a folder or a file was left out. */
  readonly problems: readonly string[];
}

/** Of `redline.explain`. */
export interface ExplainArguments {
  readonly uri: string;
  readonly range: Range;
  readonly question?: string;
  /** Show it as a document, too; else the client does. */
  readonly show?: boolean;
  /** `$/progress` with this token has what is written so far. */
  readonly streamToken?: string | number;
}

/** Of `redline.writeTests`. */
export interface WriteTestsArguments {
  readonly uri: string;
  readonly range: Range;
  /** What the user says besides. */
  readonly wish?: string;
}

/** Of `redline.lastPrompt`; no session: the last prompt of all. */
export interface LastPromptArguments {
  readonly sessionId?: string;
}

/** One message of a prompt. */
export interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** Something that was gathered for a prompt and is not in it, or not all of it. */
export interface LeftOut {
  readonly kind: string;
  readonly source: string;
  readonly reason: "budget" | "duplicate" | "empty";
}

/** The result of `redline.lastPrompt`: exactly what was sent to the model. */
export interface LastPrompt {
  readonly sessionId: string;
  readonly model: string;
  readonly instructions: string;
  readonly messages: readonly PromptMessage[];
  /** Of all of it, counted by o200k_base; other models cut text differently. */
  readonly tokens: number;
  /** The part of the model's window that it takes, in per cent. */
  readonly contextBand: Band;
  readonly leftOut: readonly LeftOut[];
}

/** A problem that a check found in a candidate. */
export interface Check {
  readonly rule: string;
  readonly message: string;
  /** Line of the candidate, counted from its first. */
  readonly line?: number;
}

/** When things happened, in seconds after the request was read. */
export interface EditTimes {
  readonly sentS?: number;
  readonly firstDeltaS?: number;
  readonly lastDeltaS?: number;
  readonly endedS?: number;
}

/** Token counts of the session's last generation, as the provider reports them. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** Of the session's stopped and losing generations, estimated. */
  readonly wastedTokens: number;
}

/** The result of `redline.edit`. */
export interface EditOutcome {
  readonly sessionId: string;
  readonly outcome: Outcome;
  readonly tier: Tier;
  readonly reasons: readonly string[];
  /** What the instruction leaves open and is taken for granted. */
  readonly assumes: readonly string[];
  readonly checks: readonly Check[];
  readonly timing: EditTimes;
  readonly message?: string;
  readonly supersededBy?: string;
  readonly usage?: TokenUsage;
}

/** The result of `redline.stop`. */
export interface StopResult {
  readonly stopped: readonly string[];
}

/** The result of `redline.accept` and `redline.reject`. */
export interface AcceptResult {
  readonly outcome:
    "generating" | "accepted" | "rejected" | "offered" | "held" | "stopped" | "failed";
  readonly remaining: number;
}

/** The result of `redline.redirect`, once the new generation has begun. */
export interface RedirectResult {
  readonly accepted: boolean;
  readonly how: "steered" | "restarted";
  readonly sessionId: string;
}

/** The result of `redline.editTarget`. */
export interface EditTargetResult {
  /** Whole lines; empty: a place for new lines. */
  readonly range: Range;
  /** The definition that these lines are; null: one line, or a place. */
  readonly name: string | null;
  /** The document version of `range`. */
  readonly version: number;
}

/** The result of `redline.takeBack`. */
export interface TakeBackResult {
  readonly sessionId: string;
  readonly outcome: "takenBack";
}

/** The result of `redline.explain`. */
export interface Explanation {
  /** Without links to commands, images and tags. */
  readonly markdown: string;
  readonly tier: Tier;
}

/** The result of `redline.writeTests`, once the editor has taken the tests. */
export interface WriteTestsResult {
  /** The test file's. */
  readonly uri: string;
  readonly created: boolean;
  readonly outcome: "applied";
}

/** The `data` of a code action: what it does once it is chosen. */
export interface ActionData {
  /** `redline.edit` or `redline.writeTests`, whose work resolving does. */
  readonly command: string;
  /** Of the document that `arguments` are about. */
  readonly version: number;
  /** The command's. */
  readonly arguments: unknown;
}

/** `redline/edit/began`: a session began to write. */
export interface EditBegan {
  readonly sessionId: string;
  readonly uri: string;
  readonly version: number;
  readonly range: Range;
  readonly tier: Tier;
  readonly reasons: readonly string[];
  /** What the instruction leaves open and is taken for granted. */
  readonly assumes: readonly string[];
}

/** One change; its range is in the coordinates of its message's version. */
export interface Hunk {
  readonly id: number;
  readonly range: Range;
  readonly newText: string;
  readonly state: "growing" | "settled";
  /** Lines after the range that it most likely replaces, too, while it is written; an older
   * server does not say it. */
  readonly covers: number;
}

/** `redline/edit/hunks`: what changed in a preview. */
export interface EditHunks {
  readonly sessionId: string;
  readonly seq: number;
  readonly version: number;
  readonly full: boolean;
  readonly hunks: readonly Hunk[];
  readonly removed: readonly number[];
}

/** One finished candidate, for a picker; the best comes first. */
export interface CandidateSummary {
  readonly number: number;
  readonly shown: boolean;
  readonly problems: readonly Check[];
  readonly hunks: number;
}

/** The result of `redline.editState` and `redline.nextCandidate`. The whole preview, as a message with `full`; a session without one has no hunks. */
export interface EditState extends EditHunks {
  readonly state: string;
  readonly instruction: string;
  readonly assumes: readonly string[];
  readonly candidates: readonly CandidateSummary[];
}

/** `redline/edit/ended`: a session that had begun is over. */
export interface EditEnded {
  readonly sessionId: string;
  readonly outcome: Ending;
  readonly message?: string;
  readonly supersededBy?: string;
}

export interface InlineCapability {
  /** It is sent `redline/inline/changed`. */
  readonly refresh: boolean;
}

/** The client's `experimental.redline`. */
export interface Capabilities {
  readonly preview?: boolean;
  readonly status?: boolean;
  /** It asks the user for the instruction of a redirect that comes without one. */
  readonly prompt?: boolean;
  /** It is sent `redline/review`. */
  readonly reviews?: boolean;
  /** It is sent `redline/plan`. */
  readonly plan?: boolean;
  /** It is sent `redline/tests`. */
  readonly tests?: boolean;
  /** It shows next edits. */
  readonly nextEdit?: boolean;
  readonly inline?: InlineCapability;
}
