// The part of the protocol about what an instruction leaves open; see `protocol.ts`.

import type { Range } from "vscode-languageclient";

import type { Tier } from "./protocol";

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
