// Offers that wait are stored, since the server forgets them when their file is closed or
// it ends: they come back by themselves when their file is open again, whatever became of
// the window. What comes back is handed over to the server, which offers it again.

import { randomUUID } from "node:crypto";

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import { send } from "../server/commands";
import type { DocumentBuffer } from "./buffer";
import type { Adopted, Buffers } from "./buffers";
import { Ledger, type Piece } from "./ledger";
import type { Preview } from "./preview";
import {
  digest,
  offerOf,
  placed,
  regionOf,
  remembered,
  shownAlready,
  type Trace,
} from "./stored-offer";
import { NO_VERSION, type Sessions } from "./sessions";
import { tell } from "./tell";

/** Stored offers; the oldest ones beyond it are forgotten. */
const MOST_STORED = 20;

const STATE = "redline.offers";

/** How long changes are collected before they are stored again, in milliseconds. */
const STORE_MS = 200;

interface Stored extends Omit<Trace, "isWriting"> {
  readonly uri: string;
  readonly preview: Preview;
  /** Whether it went with all that was not saved, and comes back only if the file is
   * being closed. */
  readonly isReverted?: boolean;
}

/** Offers of a document whose changes the user has typed over, all of them. */
interface TypedOver {
  readonly previews: readonly Preview[];
  /** What the document showed before. */
  readonly before: Ledger;
}

export class WaitingOffers implements vscode.Disposable {
  #stored: readonly Stored[];
  #timer: NodeJS.Timeout | undefined;
  /** Whether something has changed since it was stored, and whether that was nothing. */
  #isDue = false;
  #isEmpty: boolean;
  /** The version that each document had when it was seen first. */
  readonly #versions = new WeakMap<vscode.TextDocument, number>();
  /** What an undo brings back. */
  readonly #typedOver = new WeakMap<vscode.TextDocument, TypedOver>();
  readonly #disposables: readonly vscode.Disposable[];

  constructor(
    private readonly sessions: Sessions,
    private readonly buffers: Buffers,
    private readonly state: vscode.Memento,
    private readonly client: () => LanguageClient | undefined,
  ) {
    this.#stored = state.get<readonly Stored[]>(STATE, []);
    this.#isEmpty = this.#stored.length === 0;
    const store = (): void => {
      this.storeSoon();
    };
    this.#disposables = [
      buffers.onAdopted((adopted) => {
        this.adopted(adopted);
      }),
      buffers.onClosed(({ uri, ledger }) => {
        for (const preview of sessions.of(uri)) {
          this.add(this.stored(preview, ledger));
        }
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.#stored = this.#stored.map((each) =>
          each.uri === uri.toString() && each.isReverted === true
            ? { ...each, isReverted: false }
            : each,
        );
      }),
      vscode.workspace.onDidOpenTextDocument((document) => {
        // The client listens after us: the server gets the text without the offers.
        this.returnTo(document, true);
      }),
      vscode.workspace.onDidChangeTextDocument((event) => {
        const { document, contentChanges, reason } = event;
        if (reason === vscode.TextDocumentChangeReason.Undo) {
          this.returnTypedOver(document);
        }
        // The editor says after opening it that a text was restored and is not saved.
        if (contentChanges.length === 0 && document.isDirty && this.isFresh(document)) {
          this.returnTo(document);
        }
      }),
      vscode.workspace.onDidRenameFiles(({ files }) => {
        for (const { oldUri, newUri } of files) {
          this.move(oldUri.toString(), newUri.toString());
        }
        // The editor may have opened them by their new names before.
        this.returnAll();
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => {
        this.returnAll();
      }),
      sessions.onChanged(store),
      buffers.onWriting(store),
      buffers.onWritten(store),
    ];
  }

  /** Bring back what waited in the documents that are open already. */
  returnAll(): void {
    for (const document of vscode.workspace.textDocuments) {
      this.returnTo(document);
    }
  }

  /** Have the server offer what it does not know, once it runs. */
  async handOver(): Promise<void> {
    const client = this.client();
    await client?.start().catch(() => undefined);
    for (const preview of this.sessions.all) {
      if (client?.isRunning() === true && preview.isLocal === true) {
        await this.handOverOne(client, preview);
      }
    }
  }

  /** Store what waits as the window closes: what becomes of it from here on is nothing
   * that the user has done. */
  async leave(): Promise<void> {
    this.dispose();
    await this.store();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const each of this.#disposables) {
      each.dispose();
    }
  }

  private async handOverOne(client: LanguageClient, preview: Preview): Promise<void> {
    const { uri, sessionId, instruction = "" } = preview;
    const buffer = this.buffers.of(uri);
    await buffer?.idle();
    const own = buffer?.ledger.pieces.filter((each) => each.sessionId === sessionId);
    const offer = buffer && own && offerOf(buffer.ledger, own);
    if (offer !== undefined) {
      this.buffers.readmit(sessionId);
      // What is not handed over can still be accepted and rejected here.
      await send(client, "bringBack", {
        uri,
        sessionId,
        offer: { ...offer, instruction },
      }).catch(() => undefined);
    }
  }

  /** What is stored of an edit. */
  private stored(preview: Preview, ledger: Ledger | undefined): Stored {
    const { uri, sessionId } = preview;
    const own = ledger?.pieces.filter((piece) => piece.sessionId === sessionId) ?? [];
    const [first, last] = [own[0], own.at(-1)];
    const stored = { uri, preview: { ...preview, hunks: [] }, changes: [] };
    if (ledger === undefined || first === undefined || last === undefined) {
      return stored;
    }
    const { positions } = ledger;
    const [start, end] = [preview.range.start, preview.range.end];
    const isWriting = preview.stage === "writing";
    const from = isWriting ? positions.offsetAt(start) : first.start;
    const to = isWriting ? positions.offsetAt(end) : last.end;
    return {
      ...stored,
      changes: remembered(ledger, own),
      shown: digest(ledger.shown),
      region: regionOf(ledger, Math.min(from, first.start), Math.max(to, last.end)),
    };
  }

  private add(stored: Stored): void {
    if (stored.changes.length > 0) {
      this.#stored = [stored, ...this.#stored].slice(0, MOST_STORED);
      this.storeSoon();
    }
  }

  /** Keep what is stored of a file, or of those in a folder, under its new name. */
  private move(from: string, to: string): void {
    this.#stored = this.#stored.map((each) => {
      if (each.uri !== from && !each.uri.startsWith(`${from}/`)) {
        return each;
      }
      const uri = `${to}${each.uri.slice(from.length)}`;
      return { ...each, uri, preview: { ...each.preview, uri } };
    });
    this.storeSoon();
  }

  /** Keep what a change of the user has taken away. */
  private adopted({ uri, pieces, before, base, isUndone, isFromDisk }: Adopted): void {
    const previews = this.sessions.of(uri);
    if (isFromDisk) {
      for (const preview of isUndone ? previews : []) {
        const own = new Ledger(base, pieces);
        this.add({ ...this.stored(preview, own), isReverted: true });
      }
      return;
    }
    const left = this.buffers.ledger(uri)?.pieces ?? [];
    const over = previews.filter(
      ({ sessionId, stage }) =>
        stage !== "writing" &&
        pieces.some((piece) => piece.sessionId === sessionId) &&
        left.every((piece) => piece.sessionId !== sessionId),
    );
    const document = this.buffers.of(uri)?.document;
    if (!isUndone && over.length > 0 && document !== undefined) {
      this.#typedOver.set(document, { previews: over, before });
    }
  }

  /** Bring back what was typed over, once an undo shows it again. */
  private returnTypedOver(document: vscode.TextDocument): void {
    const { previews, before } = this.#typedOver.get(document) ?? { previews: [] };
    if (before?.shown !== document.getText()) {
      return;
    }
    this.#typedOver.delete(document);
    const buffer = this.buffers.make(document);
    for (const { sessionId: old, ...preview } of previews) {
      const sessionId = newId();
      const own = before.turned.filter((piece) => piece.sessionId === old);
      const turned = own.map((piece) => ({ ...piece, sessionId }));
      const taken = buffer.adopt(turned);
      this.bring(buffer, { ...preview, sessionId }, taken.adopted, true);
      void this.buffers.changed(buffer, taken.changes);
    }
    void this.handOver();
  }

  private returnTo(document: vscode.TextDocument, isOpening = false): void {
    const uri = document.uri.toString();
    if (!this.#versions.has(document)) {
      this.#versions.set(document, document.version);
    }
    const due = this.#stored.filter(
      (each) => each.uri === uri && each.isReverted !== true,
    );
    const returned = due.filter((stored) => this.put(stored, document, isOpening));
    if (returned.length > 0) {
      tell("An offer of this file waits again.");
      void this.handOver();
    }
  }

  /** Whether a document has not changed since it was opened. */
  private isFresh(document: vscode.TextDocument): boolean {
    return document.version === this.#versions.get(document);
  }

  private put(
    stored: Stored,
    document: vscode.TextDocument,
    isOpening: boolean,
  ): boolean {
    const sessionId = newId();
    const buffer = this.buffers.make(document);
    const trace = { ...stored, isWriting: stored.preview.stage === "writing" };
    const turned = shownAlready(trace, sessionId, {
      text: document.getText(),
      isDirty: document.isDirty,
      isFresh: this.isFresh(document),
    });
    const { places, base } = buffer.ledger;
    const isFree = turned.every((each) =>
      places.every(({ start, end }) => each.end <= start || end <= each.start),
    );
    const taken = turned.length > 0 && isFree ? buffer.adopt(turned) : undefined;
    const pieces =
      taken?.adopted ??
      (isLookedAt(document) ? placed(stored.changes, sessionId, base) : []);
    if (pieces.length === 0) {
      return false;
    }
    this.#stored = this.#stored.filter((each) => each !== stored);
    this.storeSoon();
    const preview = { ...stored.preview, sessionId };
    this.bring(buffer, preview, pieces, taken !== undefined);
    if (taken !== undefined && !isOpening) {
      void this.buffers.changed(buffer, taken.changes);
    }
    return true;
  }

  /** Propose some pieces again, which no server knows yet. */
  private bring(
    buffer: DocumentBuffer,
    preview: Preview,
    pieces: readonly Piece[],
    isShown: boolean,
  ): void {
    const { positions } = buffer.ledger;
    const hunks = pieces.map(({ hunkId, start, end, newText }) => ({
      id: hunkId,
      range: { start: positions.positionAt(start), end: positions.positionAt(end) },
      newText,
      state: "settled" as const,
      covers: 0,
    }));
    // What is shown already stays as it is; the next one may move the base below it.
    const version = isShown ? NO_VERSION : buffer.version;
    this.sessions.bring({ ...preview, version, hunks });
  }

  /** Store what waits, now or once some time has passed since the last time. */
  private storeSoon(): void {
    this.#isDue = true;
    if (this.#timer === undefined && this.hasSome) {
      void this.store();
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        if (this.#isDue) {
          this.storeSoon();
        }
      }, STORE_MS);
    }
  }

  /** Store what waits, so that it is there after a crash of the window. */
  private async store(): Promise<void> {
    this.#isDue = false;
    const all = this.all;
    this.#isEmpty = all.length === 0;
    try {
      await this.state.update(STATE, all.slice(0, MOST_STORED));
    } catch {
      // The editor could not write its storage: the next change is stored again.
    }
  }

  /** Whether something waits, or is stored that does not wait any more. */
  private get hasSome(): boolean {
    return !this.#isEmpty || this.all.length > 0;
  }

  /** What waits, and what is about to be written: a crash may come before or after it. */
  private get all(): readonly Stored[] {
    const waiting = this.sessions.all.map((preview) =>
      this.stored(preview, this.buffers.coming(preview.uri)),
    );
    return [...waiting.filter(({ changes }) => changes.length > 0), ...this.#stored];
  }
}

/** Whether a document may be changed: what nobody looks at is not, unless it is changed
 * already. */
function isLookedAt(document: vscode.TextDocument): boolean {
  const { visibleTextEditors } = vscode.window;
  return (
    document.isDirty || visibleTextEditors.some((each) => each.document === document)
  );
}

function newId(): string {
  return `returned-${randomUUID()}`;
}
