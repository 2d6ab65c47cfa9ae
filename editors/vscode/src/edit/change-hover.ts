// Links in the hover of a proposed change, which accept or reject it by the mouse.

import * as vscode from "vscode";

import type { Buffers } from "./buffers";
import type { Piece } from "./ledger";
import { markedAt } from "./marks";
import type { NamedChange } from "./walk";

const ACCEPT = "redline.acceptHunk";
const REJECT = "redline.rejectHunk";

export class ChangeHover implements vscode.HoverProvider {
  constructor(private readonly buffers: Buffers) {}

  provideHover(
    { uri }: vscode.TextDocument,
    { line }: vscode.Position,
  ): vscode.Hover | undefined {
    const ledger = this.buffers.ledger(uri.toString());
    const piece = ledger && markedAt(ledger, line);
    return piece && new vscode.Hover(linksOf(piece));
  }
}

/** No text of a model is here: what runs commands must not be written by one. */
function linksOf({ sessionId, hunkId }: Piece): vscode.MarkdownString {
  const change: NamedChange = [sessionId, hunkId];
  const given = encodeURIComponent(JSON.stringify(change));
  const links = new vscode.MarkdownString(
    `[Accept this change](command:${ACCEPT}?${given}) · ` +
      `[Reject this change](command:${REJECT}?${given})`,
  );
  links.isTrusted = { enabledCommands: [ACCEPT, REJECT] };
  return links;
}
