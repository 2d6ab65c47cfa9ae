// Walking through the changes of a document by keyboard, and bringing them into sight.

import * as vscode from "vscode";

import type { Buffers } from "./buffers";
import { spotsOf, type Spot } from "./marks";
import type { Sessions } from "./sessions";

/** The ids of an edit and of one of its changes; none: the change at the cursor. */
export type NamedChange = [] | [sessionId: string, hunkId: number];

export class Walk implements vscode.Disposable {
  /** Sessions whose first change has been brought into sight, if it had to be. */
  readonly #seen = new Set<string>();
  readonly #listener: vscode.Disposable;

  constructor(
    private readonly sessions: Sessions,
    private readonly buffers: Buffers,
  ) {
    this.#listener = buffers.onWritten((uri) => {
      this.revealFirst(uri);
    });
  }

  readonly commands: Readonly<Record<string, (...given: never[]) => unknown>> = {
    "redline.nextChange": () => {
      this.step(1);
    },
    "redline.previousChange": () => {
      this.step(-1);
    },
    "redline.goToOffer": (id?: string) => this.goTo(id),
  };

  /** The named change; without a name the one at the cursor, or the next one below it,
   * or round the end the first. */
  chosen(...[sessionId, hunkId]: NamedChange): Spot | undefined {
    if (sessionId !== undefined) {
      return this.spots(this.sessions.get(sessionId)?.uri ?? "").find(
        ({ piece }) => piece.sessionId === sessionId && piece.hunkId === hunkId,
      );
    }
    const editor = vscode.window.activeTextEditor;
    const spots = this.spots(editor?.document.uri.toString() ?? "");
    const line = editor?.selection.active.line ?? 0;
    return (
      spots.find((spot) => has(spot, line)) ??
      spots.find(({ first }) => first >= line) ??
      spots[0]
    );
  }

  /** Go on from a change, which may be shown still, to the next one, or to the first, if
   * the file is active. */
  goOn(uri: string, { piece, first }: Spot): void {
    const editor = vscode.window.activeTextEditor;
    const { sessionId, hunkId } = piece;
    const others = this.spots(uri).filter(
      (spot) => spot.piece.sessionId !== sessionId || spot.piece.hunkId !== hunkId,
    );
    const next = others.find((spot) => spot.first >= first) ?? others[0];
    if (editor?.document.uri.toString() === uri && next !== undefined) {
      show(editor, next);
    }
  }

  dispose(): void {
    this.#listener.dispose();
  }

  private step(by: 1 | -1): void {
    const editor = vscode.window.activeTextEditor;
    const spots = this.spots(editor?.document.uri.toString() ?? "");
    if (editor === undefined || spots.length === 0) {
      vscode.window.setStatusBarMessage("$(wand) Redline: no change waits here", 5000);
      return;
    }
    const { line } = editor.selection.active;
    const next =
      by === 1
        ? (spots.find(({ first }) => first > line) ?? spots[0])
        : (spots.findLast(({ first }) => first < line) ?? spots.at(-1));
    if (next !== undefined) {
      show(editor, next);
    }
  }

  /** Show an edit, in whichever file it is: the named one, or one that is elsewhere. */
  private async goTo(id: string | undefined): Promise<void> {
    const { all } = this.sessions;
    const here = vscode.window.activeTextEditor?.document.uri.toString();
    const elsewhere = all.find(({ uri }) => uri !== here) ?? all[0];
    const preview = id === undefined ? elsewhere : this.sessions.get(id);
    if (preview === undefined) {
      return;
    }
    const document = await vscode.workspace.openTextDocument(
      vscode.Uri.parse(preview.uri),
    );
    const editor = await vscode.window.showTextDocument(document);
    const spot = this.spots(preview.uri).find(
      ({ piece }) => piece.sessionId === preview.sessionId,
    );
    show(editor, spot ?? { first: preview.range.start.line });
  }

  private spots(uri: string): readonly Spot[] {
    const ledger = this.buffers.ledger(uri);
    return ledger === undefined ? [] : spotsOf(ledger);
  }

  /** Bring the first change of an edit into sight, unless a change is in sight already. */
  private revealFirst(uri: string): void {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.uri.toString() !== uri) {
      return;
    }
    const spots = this.spots(uri).filter(
      ({ piece }) => !this.#seen.has(piece.sessionId),
    );
    const [first] = spots;
    if (first === undefined) {
      return;
    }
    this.#seen.add(first.piece.sessionId);
    const isSeen = editor.visibleRanges.some(
      ({ start, end }) => first.first >= start.line && first.first <= end.line,
    );
    if (!isSeen) {
      reveal(editor, first.first);
    }
  }
}

function has({ first, end }: Spot, line: number): boolean {
  return line >= first && line < Math.max(end, first + 1);
}

function show(editor: vscode.TextEditor, { first }: { readonly first: number }): void {
  const line = Math.min(first, editor.document.lineCount - 1);
  const { firstNonWhitespaceCharacterIndex: character } = editor.document.lineAt(line);
  editor.selection = new vscode.Selection(line, character, line, character);
  reveal(editor, line);
}

function reveal(editor: vscode.TextEditor, line: number): void {
  editor.revealRange(
    new vscode.Range(line, 0, line, 0),
    vscode.TextEditorRevealType.InCenterIfOutsideViewport,
  );
}
