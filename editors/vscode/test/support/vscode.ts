// What the tests need of VS Code's own module, which exists only inside of the editor.

class Emitter<T> {
  readonly #listeners = new Set<(event: T) => unknown>();
  readonly event = (listener: (event: T) => unknown) => {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  };
  fire(event: T): void {
    for (const each of this.#listeners) {
      each(event);
    }
  }
  dispose(): void {
    this.#listeners.clear();
  }
}

interface Replacement {
  readonly range: Range;
  readonly newText: string;
}

export interface ChangeEvent {
  readonly document: TextDocument;
  readonly contentChanges: readonly {
    readonly range: Range;
    readonly rangeOffset: number;
    readonly rangeLength: number;
    readonly text: string;
  }[];
  readonly reason: undefined;
}

const changes = new Emitter<ChangeEvent>();
const saves = new Emitter<TextDocument>();
const willSaves = new Emitter<WillSaveEvent>();
const closes = new Emitter<TextDocument>();

interface WillSaveEvent {
  readonly document: TextDocument;
  readonly reason: number;
  waitUntil(edits: Promise<readonly Replacement[]>): void;
}

/** A document of one line, so that a character is an offset. */
export class TextDocument {
  version = 1;
  readonly eol = 1;
  onDisk: string;
  readonly uri: { toString: () => string };
  constructor(
    readonly name: string,
    public text: string,
  ) {
    this.onDisk = text;
    this.uri = { toString: () => name };
  }
  get isDirty(): boolean {
    return this.text !== this.onDisk;
  }
  getText(): string {
    return this.text;
  }
  positionAt(offset: number): Position {
    return { line: 0, character: offset };
  }
  edit({ range, newText }: Replacement): void {
    const { start, end } = range;
    const [rangeOffset, to] = [start.character, end.character];
    this.text = this.text.slice(0, rangeOffset) + newText + this.text.slice(to);
    this.version++;
    const rangeLength = to - rangeOffset;
    changes.fire({
      document: this,
      contentChanges: [{ range, rangeOffset, rangeLength, text: newText }],
      reason: undefined,
    });
  }
  /** Save as the editor does. `meanwhile` is done between the answer of who listens and
   * the edits it has answered. */
  async save(meanwhile?: () => Promise<unknown> | undefined): Promise<void> {
    const answers: Promise<readonly Replacement[]>[] = [];
    const waitUntil = (edits: Promise<readonly Replacement[]>) => answers.push(edits);
    willSaves.fire({ document: this, reason: 1, waitUntil });
    const edits = (await Promise.all(answers)).flat();
    await meanwhile?.();
    for (const each of edits.reverse()) {
      this.edit(each);
    }
    this.onDisk = this.text;
    saves.fire(this);
  }
}

interface Position {
  readonly line: number;
  readonly character: number;
}

export class Range {
  constructor(
    readonly start: Position,
    readonly end: Position,
  ) {}
}

export class WorkspaceEdit {
  readonly edits: Replacement[] = [];
  replace(_uri: unknown, range: Range, newText: string): void {
    this.edits.unshift({ range, newText });
  }
}

export class CancellationTokenSource {
  readonly token = {};
}

export const EventEmitter = Emitter;
export const TextEdit = {
  replace: (range: Range, newText: string): Replacement => ({ range, newText }),
};
export const Uri = { parse: (name: string) => ({ toString: () => name }) };
export const TextDocumentChangeReason = { Undo: 1, Redo: 2 };
export const TextDocumentSaveReason = { Manual: 1 };
export const EndOfLine = { LF: 1, CRLF: 2 };

const AT_START = { line: 0, character: 0, isAfter: () => false };

/** An editor that writes when the test says so. */
export class TextEditor {
  readonly selection = { active: AT_START, anchor: AT_START };
  write: () => void = () => undefined;
  constructor(readonly document: TextDocument) {}
  edit(build: (builder: WorkspaceEditBuilder) => void): Promise<boolean> {
    const edits: Replacement[] = [];
    build({ replace: (range, newText) => edits.unshift({ range, newText }) });
    return new Promise((resolve) => {
      this.write = () => {
        for (const each of edits) {
          this.document.edit(each);
        }
        resolve(true);
      };
    });
  }
}

interface WorkspaceEditBuilder {
  replace(range: Range, newText: string): void;
}

/** What the status bar says. */
export const messages = new Set<string>();

export const window = {
  setStatusBarMessage: (text: string): { dispose: () => void } => {
    messages.add(text);
    return { dispose: () => messages.delete(text) };
  },
  activeTextEditor: undefined as TextEditor | undefined,
  visibleTextEditors: [] as TextEditor[],
  onDidChangeActiveTextEditor: new Emitter<unknown>().event,
  onDidChangeTextEditorSelection: new Emitter<unknown>().event,
};

/** The context keys that were set. */
export const contexts = new Map<string, boolean>();

export const commands = {
  executeCommand: (_: "setContext", key: string, value: boolean): Promise<void> => {
    contexts.set(key, value);
    return Promise.resolve();
  },
};
export const workspace = {
  getConfiguration: (): { get: () => undefined } => ({ get: () => undefined }),
  textDocuments: [] as TextDocument[],
  onDidChangeTextDocument: changes.event,
  onDidSaveTextDocument: saves.event,
  onWillSaveTextDocument: willSaves.event,
  onDidCloseTextDocument: closes.event,
  applyEdit: ({ edits }: WorkspaceEdit): Promise<boolean> => {
    for (const each of edits) {
      workspace.textDocuments[0]?.edit(each);
    }
    return Promise.resolve(true);
  },
};
