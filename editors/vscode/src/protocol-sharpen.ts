// The part of the protocol about an instruction before it is sent: what it leaves open,
// and what it would be sent with; see `protocol.ts`.

import type { Range } from "vscode-languageclient";

import type { EditRange, Tier } from "./protocol";

/** Of `redline.sharpen`. */
export interface SharpenArguments {
  readonly uri: string;
  readonly range: Range;
  readonly instruction: string;
}

/** What an instruction is about. */
export interface SharpenTarget {
  readonly path: string;
  readonly range: Range;
  readonly symbol?: string;
}

/** The result of `redline.sharpen`. */
export interface SharpenResult {
  readonly task: string;
  readonly target: SharpenTarget;
  readonly keeps: readonly string[];
  readonly assumes: readonly string[];
  readonly vague: boolean;
  readonly tier: Tier;
  readonly reasons: readonly string[];
  readonly expected?: string;
}

/** Of `redline.nextPrompt`. */
export interface NextPromptArguments {
  readonly uri: string;
  readonly range?: Range;
  readonly ranges?: readonly EditRange[];
  readonly instruction?: string;
  readonly images?: number;
}

/** The size of a prompt and of its parts, in tokens. */
export interface PromptTokens {
  readonly window: number;
  readonly total: number;
  readonly range: number;
  readonly around: number;
  readonly context: number;
  readonly files: number;
  readonly images: number;
}

/** The result of `redline.nextPrompt`. */
export interface NextPromptResult {
  readonly tier: Tier;
  readonly assumes: readonly string[];
  readonly summary?: string;
  readonly model?: string;
  readonly tokens?: PromptTokens;
}
