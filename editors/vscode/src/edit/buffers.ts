// Which document shows which proposals. The server stays on their bases: this is where
// what the editor says of the shown text is turned into what the server knows, and back.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import { disjoint, piecesOf, type BaseChange } from "./base-edits";
import { DocumentBuffer } from "./buffer";
import type { Ledger, Piece, Side } from "./ledger";
import type { Position } from "./positions";
import type { Preview } from "./preview";

/** The base of a document has changed. */
export interface BaseEvent {
  readonly uri: string;
  readonly changes: readonly BaseChange[];
}

/** The user has changed what was proposed: it is the user's now. */
export interface Adopted {
  readonly uri: string;
  readonly pieces: readonly Piece[];
  /** What the document showed before it. */
  readonly before: Ledger;
  /** Of the document after it. */
  readonly base: string;
  /** Whether it was taken out of the document, which is otherwise as it was. */
  readonly isUndone: boolean;
  /** Whether the editor has read the text from disk, and not the user typed it. */
  readonly isFromDisk: boolean;
}

/** A document that showed proposals was closed. */
export interface Closed {
  readonly uri: string;
  readonly ledger: Ledger;
}

export class Buffers implements vscode.Disposable {
  readonly #buffers = new Map<string, DocumentBuffer>();
  readonly #withdrawn = new Set<string>();
  readonly #translated = new WeakSet<vscode.TextDocumentChangeEvent>();
  readonly #base = new vscode.EventEmitter<BaseEvent>();
  readonly #written = new vscode.EventEmitter<string>();
  readonly #writing = new vscode.EventEmitter<string>();
  readonly #adopted = new vscode.EventEmitter<Adopted>();
  readonly onBase = this.#base.event;
  /** Other pieces stand in a document, or at another place. */
  readonly onWritten = this.#written.event;
  /** The editor has been asked to write into a document, or has done it or refused. */
  readonly onWriting = this.#writing.event;
  readonly onAdopted = this.#adopted.event;
  readonly #closed = new vscode.EventEmitter<Closed>();
  readonly onClosed = this.#closed.event;
  readonly #disposables: readonly vscode.Disposable[];
  #client: LanguageClient | undefined;

  constructor(private readonly previewsOf: (uri: string) => readonly Preview[]) {
    // Before the client listens: its middleware finds what each change means.
    this.#disposables = [
      vscode.workspace.onDidChangeTextDocument((event) => {
        this.take(event);
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        this.close(document.uri.toString());
      }),
      vscode.workspace.onWillSaveTextDocument((event) => {
        this.beginSave(event);
      }),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        this.of(uri.toString())?.saved();
      }),
    ];
  }

  attach(client: LanguageClient): void {
    this.#client = client;
  }

  /** Whether what a change means for the base was found out here. */
  hasTranslated(event: vscode.TextDocumentChangeEvent): boolean {
    return this.#translated.has(event);
  }

  /** The buffer of a document that shows proposals, or did. */
  of(uri: string): DocumentBuffer | undefined {
    return this.#buffers.get(uri);
  }

  /** What a document shows; undefined: nothing is proposed in it. */
  ledger(uri: string): Ledger | undefined {
    return withPieces(this.of(uri)?.ledger);
  }

  /** What a document will show, once the editor has done what it was asked for. */
  coming(uri: string): Ledger | undefined {
    return withPieces(this.of(uri)?.coming);
  }

  /** Write what the previews of a document propose now. */
  sync(uri: string): void {
    const buffer = this.of(uri) ?? this.opened(uri);
    buffer?.write();
    void buffer?.idle().then(() => {
      this.#written.fire(uri);
    });
  }

  /** Put pieces of nobody's preview into a document's buffer, such as a returned offer. */
  make(document: vscode.TextDocument): DocumentBuffer {
    const uri = document.uri.toString();
    const buffer =
      this.of(uri) ??
      new DocumentBuffer(
        document,
        (each) => this.wanted(each),
        () => {
          this.#writing.fire(uri);
        },
      );
    this.#buffers.set(uri, buffer);
    return buffer;
  }

  /** Wait until the pieces of some documents stand in them: none is out for a save. */
  async returned(buffers: readonly DocumentBuffer[]): Promise<void> {
    do {
      await Promise.all(buffers.map((buffer) => buffer.returned()));
    } while (buffers.some(({ isOut }) => isOut));
  }

  /** Make pieces part of the base. */
  async accept(uri: string, pieces: readonly Piece[]): Promise<void> {
    const buffer = this.of(uri);
    if (buffer !== undefined) {
      await this.changed(buffer, buffer.accept(pieces));
      this.#written.fire(uri);
    }
  }

  /** Do not write a piece again: the user has taken it out, or changed it. */
  withdraw(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      this.#withdrawn.add(nameOf(piece));
    }
  }

  /** Write all pieces of a session again: another server names them. */
  readmit(sessionId: string): void {
    for (const name of this.#withdrawn) {
      if (name.startsWith(`${sessionId}/`)) {
        this.#withdrawn.delete(name);
      }
    }
  }

  /** Where a shown place is in the base, or the other way round. */
  place(uri: string, position: Position, side: Side, to: "base" | "shown"): Position {
    const ledger = this.ledger(uri);
    if (ledger === undefined) {
      return position;
    }
    return to === "base"
      ? ledger.placeBase(position, side)
      : ledger.placeShown(position, side);
  }

  /** Tell the server of changes of a base. */
  async changed(buffer: DocumentBuffer, changes: readonly BaseChange[]): Promise<void> {
    if (changes.length === 0) {
      return;
    }
    const uri = buffer.document.uri.toString();
    const client = this.#client;
    const sent =
      client?.isRunning() === true
        ? client.sendNotification("textDocument/didChange", {
            textDocument: {
              uri: client.code2ProtocolConverter.asUri(buffer.document.uri),
              version: buffer.version,
            },
            contentChanges: [...changes],
          })
        : Promise.resolve();
    this.#base.fire({ uri, changes });
    await sent;
  }

  dispose(): void {
    this.#base.dispose();
    this.#written.dispose();
    this.#writing.dispose();
    this.#adopted.dispose();
    this.#closed.dispose();
    for (const each of this.#disposables) {
      each.dispose();
    }
  }

  private opened(uri: string): DocumentBuffer | undefined {
    const document = vscode.workspace.textDocuments.find(
      (each) => each.uri.toString() === uri,
    );
    const isNeeded = this.previewsOf(uri).some(({ hunks }) => hunks.length > 0);
    return document === undefined || !isNeeded ? undefined : this.make(document);
  }

  private wanted(buffer: DocumentBuffer): readonly Piece[] {
    const { ledger, version, document, written } = buffer;
    const lineEnd = document.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n";
    const pieces = this.previewsOf(document.uri.toString()).flatMap((preview) => {
      const { sessionId, hunks } = preview;
      // Ranges of an older base: another message on this one is on its way.
      const isStale = preview.version !== version;
      const chosen = isStale
        ? written.filter((piece) => piece.sessionId === sessionId)
        : piecesOf(sessionId, hunks, ledger, lineEnd);
      return chosen.filter((piece) => !this.#withdrawn.has(nameOf(piece)));
    });
    return disjoint(pieces);
  }

  private take(event: vscode.TextDocumentChangeEvent): void {
    if (event.contentChanges.length === 0) {
      return;
    }
    const uri = event.document.uri.toString();
    const buffer = this.of(uri);
    if (buffer === undefined) {
      const changes = event.contentChanges.map(({ range, text }) => ({ range, text }));
      this.#base.fire({ uri, changes });
      return;
    }
    this.#translated.add(event);
    const before = buffer.ledger;
    const taken = buffer.take(event);
    if (taken === undefined) {
      this.#written.fire(uri);
      return;
    }
    const { changes, adopted } = taken;
    this.withdraw(adopted);
    void this.changed(buffer, changes);
    if (adopted.length > 0) {
      const { base } = buffer.ledger;
      const isUndone = changes.length === 0;
      const isFromDisk = event.reason === undefined && !event.document.isDirty;
      const pieces = adopted;
      this.#adopted.fire({ uri, pieces, before, base, isUndone, isFromDisk });
    }
    this.#written.fire(uri);
  }

  private close(uri: string): void {
    const ledger = this.ledger(uri);
    if (ledger !== undefined) {
      this.#closed.fire({ uri, ledger });
    }
    this.#buffers.delete(uri);
  }

  private beginSave(event: vscode.TextDocumentWillSaveEvent): void {
    const buffer = this.of(event.document.uri.toString());
    const isAsked = event.reason === vscode.TextDocumentSaveReason.Manual;
    if (buffer !== undefined && buffer.ledger.pieces.length > 0 && isAsked) {
      event.waitUntil(buffer.beginSave());
    }
  }
}

function withPieces(ledger: Ledger | undefined): Ledger | undefined {
  return ledger === undefined || ledger.pieces.length === 0 ? undefined : ledger;
}

function nameOf({ sessionId, hunkId }: Piece): string {
  return `${sessionId}/${hunkId}`;
}
