// The wire format of next edits, for their sender and their reader alike.
//
// The server's `lsp/suggestions/next_edit_messages.py` says the same; a test
// compares the two.

import type { Command, Position, Range } from "vscode-languageclient";

export const requests = {
  nextEdit: "redline/nextEdit",
} as const;

export type NextEditReason =
  "idle" | "accepted" | "saved" | "moved" | "diagnostics" | "manual";
export type NextEditDisplay = "inline" | "here" | "jump";

export interface NextEditContextArguments {
  readonly triggerKind?: 1 | 2;
  readonly reason?: NextEditReason;
}

export interface NextEditArguments {
  readonly textDocument: { readonly uri: string; readonly version?: number };
  readonly position: Position;
  readonly context?: NextEditContextArguments;
}

export interface NextEditItem {
  readonly id: string;
  readonly kind: "edit" | "jump";
  /** It may be another file; without a version if that is not open. */
  readonly textDocument: { readonly uri: string; readonly version: number | null };
  readonly range: Range;
  /** The replaced text. */
  readonly old: string;
  readonly text: string;
  /** Where the cursor belongs afterwards. */
  readonly cursor: Position;
  readonly why: string;
  readonly from: "rules" | "model";
  /** How many follow it. */
  readonly left: number;
  readonly display: NextEditDisplay;
  readonly command: Command;
}

export interface NextEditList {
  /** One or none. */
  readonly edits: readonly NextEditItem[];
}

export interface NextEditIdArguments {
  readonly id: string;
}

export interface ApplyNextEditArguments {
  readonly id: string;
  /** How many edits are applied, with those that follow; absent: this one. */
  readonly places?: number;
}

export interface NextEditDismissedArguments {
  readonly id: string;
  readonly reason: "rejected" | "ignored" | "typed";
}

export interface NextEditChanged {
  readonly uri: string;
}

export interface InlineChanged {
  readonly uri: string;
  readonly version: number;
}

export interface InlineDismissedArguments {
  readonly uri: string;
}
