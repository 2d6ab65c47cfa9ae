// One document that shows proposals: writes them into it, and knows which of its changes
// are our own.

import * as vscode from "vscode";

import {
  afterAccepting,
  afterAdopting,
  afterTyping,
  type BaseChange,
} from "./base-edits";
import { Ledger, type Piece, type TextChange } from "./ledger";
import { placed, remembered } from "./stored-offer";

/** So often a write is tried again while the user types between two tries. */
const MOST_REFUSALS = 20;

/** A save that takes longer has failed, in milliseconds. */
const SAVE_MS = 5000;

/** So long a save waits for changes that are being accepted, in milliseconds. VS Code
 * itself waits for 1.5 seconds. */
const ACCEPT_MS = 1000;

/** What a change of the document was. */
export interface Taken {
  readonly changes: readonly BaseChange[];
  readonly adopted: readonly Piece[];
}

export class DocumentBuffer {
  ledger: Ledger;
  /** Of the base, as the server knows it. */
  version: number;
  /** What the document shows once our write is in it. */
  #next: Ledger | undefined;
  /** The same, once the editor has been asked to write it. */
  #sent: Ledger | undefined;
  #work: Promise<void> | undefined;
  #isDue = false;
  /** What the document showed, while it is saved without it. */
  #saved: Ledger | undefined;
  #isSaving = false;
  #saveTimer: NodeJS.Timeout | undefined;
  /** From when the edits of a save are known until it has ended. */
  #out: Promise<void> | undefined;
  #endOut: (() => void) | undefined;
  #accepting: Promise<unknown> | undefined;
  /** How often the user has changed the document. */
  #nTyped = 0;
  /** Whether one undo takes away all that we wrote, and nothing else. */
  #isOneStep = false;
  #mayUndo = false;
  #isUndoing = false;

  constructor(
    readonly document: vscode.TextDocument,
    private readonly wanted: (buffer: DocumentBuffer) => readonly Piece[],
    /** Called when `coming` is another one. */
    private readonly onWriting: () => void,
  ) {
    this.ledger = new Ledger(document.getText(), []);
    this.version = document.version;
  }

  /** The pieces that stand in the document, or are to stand there again. */
  get written(): readonly Piece[] {
    const saved = this.#saved;
    if (saved === undefined || saved.base === this.ledger.base) {
      return (saved ?? this.ledger).pieces;
    }
    // Something else has changed the document while it was saved, such as a formatter.
    const { pieces } = saved;
    return placed(remembered(saved, pieces), "", this.ledger.base).flatMap(
      ({ hunkId: at, start, end }) => {
        const piece = pieces[at];
        return piece === undefined ? [] : [{ ...piece, start, end }];
      },
    );
  }

  /** What the document shows, or will show as soon as the editor has written it: what is
   * painted for that arrives with it. */
  get coming(): Ledger {
    return this.#sent ?? this.ledger;
  }

  /** Wait until what is wanted is written. */
  async idle(): Promise<void> {
    await this.#work;
  }

  /** Whether the pieces are, or will be, out of the document for a save: what is accepted
   * then would be taken out with them. */
  get isOut(): boolean {
    return this.#out !== undefined;
  }

  /** Wait until no save has the pieces out, and what is wanted is written. */
  async returned(): Promise<void> {
    await this.#out;
    await this.idle();
  }

  /** Have saves wait for pieces that are being accepted, as long as they can. A command
   * may arrive after the save that was asked for after it. */
  accepting(work: Promise<unknown>): void {
    const ended = work.then(
      () => undefined,
      () => undefined,
    );
    if (this.#isSaving) {
      void this.saveAgain(ended);
    }
    const both = Promise.all([this.#accepting, ended]).then(() => {
      if (this.#accepting === both) {
        this.#accepting = undefined;
      }
    });
    this.#accepting = both;
  }

  /** Take pieces away by an undo, if that takes away nothing else: the file is then as
   * clean as it was. Only for a command that was given in the editor. */
  allowUndo(): void {
    this.#mayUndo = this.#isOneStep;
  }

  /** Write what is wanted, now or as soon as a write that is under way is done. */
  write(): void {
    this.#isDue = true;
    this.#work ??= this.writeAll().finally(() => {
      this.#work = undefined;
    });
  }

  /** Say what a change of the document means for the base; undefined: it is our own. */
  take(event: vscode.TextDocumentChangeEvent): Taken | undefined {
    const text = this.document.getText();
    if (this.#next !== undefined && this.#next.shown === text) {
      this.ledger = this.#next;
      this.#next = undefined;
      return undefined;
    }
    this.#isOneStep = false;
    this.#sent = undefined;
    this.#nTyped++;
    if (this.#isUndoing && event.reason === vscode.TextDocumentChangeReason.Undo) {
      // The editor has split our step, as a save does: the rest is taken away after it.
      this.ledger = this.ledger.showing(text);
      return undefined;
    }
    const typed = event.contentChanges.map(
      ({ rangeOffset: offset, rangeLength: length, text }) => ({
        offset,
        length,
        text,
      }),
    );
    const taken = afterTyping(this.ledger, typed, event.reason !== undefined);
    if (taken.ledger.shown === text) {
      this.ledger = taken.ledger;
      return this.counted(taken);
    }
    // The text changed without an event: all of the difference is the user's.
    const { base, pieces } = this.ledger;
    const all = afterTyping(new Ledger(base, []), [
      { offset: 0, length: base.length, text },
    ]);
    this.ledger = all.ledger;
    return this.counted({ ...all, adopted: pieces });
  }

  /** Make pieces part of the base: the document stays as it is. */
  accept(pieces: readonly Piece[]): readonly BaseChange[] {
    const { ledger, changes } = afterAccepting(this.ledger, pieces);
    this.ledger = ledger;
    this.#isOneStep = false;
    return this.counted({ changes, adopted: [] }).changes;
  }

  /** Take parts of the text for proposals that wait, each given as the piece that would
   * take it back: the document stays as it is. */
  adopt(turned: readonly Piece[]): Taken {
    const { ledger, changes, adopted } = afterAdopting(this.ledger, turned);
    this.ledger = ledger;
    return this.counted({ changes, adopted });
  }

  /** Take all pieces out of the document for a save; returns the edits for that. */
  async beginSave(): Promise<vscode.TextEdit[]> {
    this.endSave();
    this.#isSaving = true;
    const timer = setTimeout(() => {
      this.endSave();
    }, SAVE_MS);
    this.#saveTimer = timer;
    await this.idle();
    await ended(this.#accepting, ACCEPT_MS);
    if (this.#saveTimer !== timer) {
      // VS Code did not wait: the save is over, or another one is under way.
      return [];
    }
    if (this.#accepting !== undefined) {
      void this.saveAgain(this.#accepting);
    }
    const edits = this.ledger
      .changesTo([])
      .map(({ offset, length, text }) =>
        vscode.TextEdit.replace(this.rangeOf(offset, length), text),
      );
    this.#out = new Promise((resolve) => {
      this.#endOut = resolve;
    });
    this.#saved = this.ledger;
    this.#next = this.ledger.with([]);
    this.#isOneStep = false;
    return edits;
  }

  /** A save has closed the step that undo takes back: what is written next is another. */
  saved(): void {
    this.#isOneStep = false;
    this.endSave();
  }

  /** Show the pieces again; a second call does nothing. */
  endSave(): void {
    if (this.#isSaving) {
      this.#isSaving = false;
      clearTimeout(this.#saveTimer);
      this.#saveTimer = undefined;
      this.#next = undefined;
      this.write();
      this.#saved = undefined;
      this.#endOut?.();
      this.#endOut = undefined;
      this.#out = undefined;
    }
  }

  /** Save what was accepted before a save that could not wait for it, unless the user has
   * gone on since. */
  private async saveAgain(accepted: Promise<unknown>): Promise<void> {
    const { base } = this.ledger;
    const nTyped = this.#nTyped;
    await accepted;
    await this.returned();
    const isSame = nTyped === this.#nTyped;
    if (isSame && base !== this.ledger.base && this.document.isDirty) {
      await this.document.save();
    }
  }

  private counted<T extends Taken>(taken: T): T {
    if (taken.changes.length > 0) {
      this.version = Math.max(this.version + 1, this.document.version);
    }
    return taken;
  }

  private async writeAll(): Promise<void> {
    let refusals = 0;
    while (this.#isDue && !this.#isSaving && refusals < MOST_REFUSALS) {
      this.#isDue = false;
      const wanted = this.wanted(this);
      const changes = this.ledger.changesTo(wanted);
      if (changes.length === 0) {
        this.ledger = this.ledger.with(wanted);
      } else if (!(await this.writeOnce(wanted, changes))) {
        refusals++;
        this.#isDue = true;
      }
    }
  }

  private async writeOnce(
    wanted: readonly Piece[],
    changes: readonly TextChange[],
  ): Promise<boolean> {
    this.#next = this.ledger.with(wanted);
    if (wanted.length === 0 && this.#mayUndo) {
      this.#mayUndo = false;
      const next = this.#next;
      this.#isUndoing = true;
      try {
        await vscode.commands.executeCommand("undo");
      } finally {
        this.#isUndoing = false;
      }
      return this.isWritten(next);
    }
    const isFirst = this.ledger.pieces.length === 0;
    const editor = this.editor;
    const isWritten =
      editor === undefined
        ? await this.apply(changes)
        : await this.edit(editor, changes);
    this.#next = undefined;
    this.#isOneStep = isWritten && editor !== undefined && (isFirst || this.#isOneStep);
    return isWritten;
  }

  private isWritten(next: Ledger): boolean {
    const isWritten = this.ledger === next;
    this.#next = undefined;
    this.#isOneStep = false;
    return isWritten;
  }

  private get editor(): vscode.TextEditor | undefined {
    const { activeTextEditor, visibleTextEditors } = vscode.window;
    const ours = visibleTextEditors.filter(
      ({ document }) => document === this.document,
    );
    return ours.find((each) => each === activeTextEditor) ?? ours[0];
  }

  private async edit(
    editor: vscode.TextEditor,
    changes: readonly TextChange[],
  ): Promise<boolean> {
    const isFirst = this.ledger.pieces.length === 0;
    const written = editor.edit(
      (builder) => {
        for (const { offset, length, text } of changes) {
          builder.replace(this.rangeOf(offset, length), text);
        }
      },
      { undoStopBefore: isFirst, undoStopAfter: false },
    );
    this.#sent = this.#next;
    this.onWriting();
    const isWritten = await written;
    this.#sent = undefined;
    this.onWriting();
    return isWritten;
  }

  /** Write into a document that no editor shows. */
  private async apply(changes: readonly TextChange[]): Promise<boolean> {
    const edit = new vscode.WorkspaceEdit();
    for (const { offset, length, text } of changes) {
      edit.replace(this.document.uri, this.rangeOf(offset, length), text);
    }
    return await vscode.workspace.applyEdit(edit);
  }

  private rangeOf(offset: number, length: number): vscode.Range {
    return new vscode.Range(
      this.document.positionAt(offset),
      this.document.positionAt(offset + length),
    );
  }
}

/** Wait until some work has ended, but no longer than that. */
async function ended(work: Promise<unknown> | undefined, ms: number): Promise<void> {
  if (work !== undefined) {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([work, late]);
    clearTimeout(timer);
  }
}
