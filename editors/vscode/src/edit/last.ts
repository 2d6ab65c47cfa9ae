// Offers that are over, so that the last one can be brought back: after a reject, an
// undo, a stop, a failure. Those that wait are stored, too: they come back by themselves
// when their file is open again, whatever became of the window.

import { randomUUID } from "node:crypto";

import * as vscode from "vscode";

import type { Buffers } from "./buffers";
import { Ledger, type Piece } from "./ledger";
import type { Preview } from "./preview";
import { placed, remembered, type Change } from "./returning";
import type { Sessions } from "./sessions";
import { tell } from "./tell";

/** More than anybody wants back. */
const MOST_KEPT = 20;

const STATE = "redline.offers";

/** After these nothing is lost: it is in the file, or a newer edit goes on. */
const GOES_ON = new Set(["accepted", "superseded"]);

/** How long changes are collected before they are stored, in milliseconds. */
const STORE_MS = 200;

interface Kept {
  readonly uri: string;
  readonly preview: Preview;
  readonly changes: readonly Change[];
  /** Whether it comes back by itself once its file is open. */
  readonly isWaiting: boolean;
  /** Whether it went with all that was not saved, as when a file is closed. */
  readonly isReverted?: boolean;
}

export class LastOffers implements vscode.Disposable {
  #kept: readonly Kept[];
  #timer: NodeJS.Timeout | undefined;
  readonly #disposables: readonly vscode.Disposable[];

  constructor(
    private readonly sessions: Sessions,
    private readonly buffers: Buffers,
    private readonly state: vscode.Memento,
  ) {
    this.#kept = state.get<readonly Kept[]>(STATE, []);
    const store = (): void => {
      this.storeSoon();
    };
    this.#disposables = [
      sessions.onEnded(({ sessionId, outcome }) => {
        const preview = sessions.get(sessionId);
        if (preview !== undefined && !GOES_ON.has(outcome)) {
          this.add(this.kept(preview, buffers.ledger(preview.uri)));
        }
      }),
      buffers.onAdopted(({ pieces, base, isUndone, isReverted }) => {
        for (const preview of isUndone ? sessions.all : []) {
          const own = new Ledger(base, pieces);
          this.add({ ...this.kept(preview, own), isReverted });
        }
      }),
      buffers.onClosed(({ uri, ledger }) => {
        for (const preview of sessions.of(uri)) {
          this.add({ ...this.kept(preview, ledger), isWaiting: true });
        }
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.#kept = this.#kept.map((each) =>
          each.uri === uri.toString() && each.isReverted === true
            ? { ...each, isReverted: false, isWaiting: true }
            : each,
        );
      }),
      vscode.workspace.onDidOpenTextDocument((document) => {
        this.returnTo(document);
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => {
        this.returnAll();
      }),
      sessions.onChanged(store),
      buffers.onWritten(store),
    ];
  }

  /** Bring back what waited in the documents that are open already. */
  returnAll(): void {
    for (const document of vscode.workspace.textDocuments) {
      this.returnTo(document);
    }
  }

  /** Bring back the last offer of the active file, or the last of all. */
  async bringBack(): Promise<void> {
    const active = vscode.window.activeTextEditor?.document.uri.toString();
    const kept = this.#kept.find(({ uri }) => uri === active) ?? this.#kept[0];
    if (kept === undefined) {
      tell("No offer is left to bring back.");
      return;
    }
    const uri = vscode.Uri.parse(kept.uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
    if (!this.put(kept, document)) {
      tell("The lines of the last offer have changed since: it has no place any more.");
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const each of this.#disposables) {
      each.dispose();
    }
  }

  /** What is to be remembered of an edit. */
  private kept(preview: Preview, ledger: Ledger | undefined): Kept {
    const { uri, sessionId } = preview;
    const own = ledger?.pieces.filter((piece) => piece.sessionId === sessionId) ?? [];
    const changes = ledger === undefined ? [] : remembered(ledger, own);
    return { uri, preview: { ...preview, hunks: [] }, changes, isWaiting: false };
  }

  private add(kept: Kept): void {
    if (kept.changes.length > 0) {
      this.#kept = [kept, ...this.#kept].slice(0, MOST_KEPT);
      this.storeSoon();
    }
  }

  private returnTo(document: vscode.TextDocument): void {
    const uri = document.uri.toString();
    const kept = this.#kept.find((each) => each.uri === uri && each.isWaiting);
    // What nobody looks at is not changed; what is not saved may show it already.
    const isVisible = vscode.window.visibleTextEditors.some(
      (editor) => editor.document === document,
    );
    const isDue = kept !== undefined && (isVisible || document.isDirty);
    if (isDue && this.put(kept, document)) {
      tell("An offer of this file waits again.");
    }
  }

  private put(kept: Kept, document: vscode.TextDocument): boolean {
    const sessionId = `returned-${randomUUID()}`;
    const buffer = this.buffers.make(document);
    const adopted = this.adopt(kept, sessionId, document);
    const pieces = adopted ?? placed(kept.changes, sessionId, buffer.ledger.base);
    if (pieces.length === 0) {
      return false;
    }
    this.#kept = this.#kept.filter((each) => each !== kept);
    this.storeSoon();
    const { positions } = buffer.ledger;
    const hunks = pieces.map(({ hunkId, start, end, newText }) => ({
      id: hunkId,
      range: { start: positions.positionAt(start), end: positions.positionAt(end) },
      newText,
      state: "settled" as const,
    }));
    const { version } = buffer;
    this.sessions.bring({ ...kept.preview, sessionId, uri: kept.uri, version, hunks });
    return true;
  }

  /** Find what waited in a text that shows it already, as the editor brings back what was
   * not saved; undefined: it does not. */
  private adopt(
    { changes, isWaiting }: Kept,
    sessionId: string,
    document: vscode.TextDocument,
  ): readonly Piece[] | undefined {
    const buffer = this.buffers.make(document);
    if (!isWaiting || !document.isDirty || buffer.ledger.pieces.length > 0) {
      return undefined;
    }
    const turned = changes.map((change) => ({
      ...change,
      old: change.newText,
      newText: change.old,
    }));
    let by = 0;
    const shifted = turned.map((change) => {
      const moved = { ...change, offset: change.offset + by };
      by += change.old.length - change.newText.length;
      return moved;
    });
    const found = placed(shifted, sessionId, document.getText());
    return found.length === changes.length ? buffer.adopt(found) : undefined;
  }

  private storeSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.store();
    }, STORE_MS);
  }

  /** Store what is over and what waits, which is there after a crash of the window. */
  private async store(): Promise<void> {
    const waiting = this.sessions.all.map((preview) => ({
      ...this.kept(preview, this.buffers.ledger(preview.uri)),
      isWaiting: true,
    }));
    const all = [...waiting.filter(({ changes }) => changes.length > 0), ...this.#kept];
    await this.state.update(STATE, all.slice(0, MOST_KEPT));
  }
}
