// The next edit of the active editor: requests it, shows it, and does what the user says.
//
// The server finds it and follows it through all changes. Here it is drawn at its place,
// or as a hint behind the cursor's line; while the user types elsewhere it is hidden.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import { say } from "../edit/announce";
import type { Buffers } from "../edit/buffers";
import { tell } from "../edit/tell";
import { commands, notifications } from "../protocol";
import {
  requests,
  type NextEditArguments,
  type NextEditChanged,
  type NextEditDismissedArguments,
  type NextEditIdArguments,
  type NextEditItem,
  type NextEditList,
  type NextEditReason,
} from "../protocol-next-edits";
import { drawingOf, hoverOf, wordsFor } from "./drawing";
import {
  followed,
  isInSight,
  lastLine,
  stepOf,
  takesTab,
  type Change,
  type Offer,
  type Step,
} from "./offer";
import { Painter } from "./painter";

/** An edit that was hidden so often by typing elsewhere is ignored by the user. */
const MOST_HIDDEN = 3;

const TAB = "Tab";
const OTHER_KEY = "Shift+Alt+T";

type Key = "redline.hasNextEdit" | "redline.nextEditTakesTab";

/** What is offered in the active editor. */
interface Shown {
  readonly uri: string;
  readonly offer: Offer;
  /** The file that it is in, if that is another one. */
  readonly target?: vscode.Uri;
  /** The line of the typing that hides it. */
  readonly hiddenAt?: number | undefined;
  readonly nHidden: number;
}

export class NextEdits implements vscode.Disposable {
  readonly #painter = new Painter();
  readonly #contexts = new Map<Key, boolean>();
  readonly #disposables: readonly vscode.Disposable[];
  #client: LanguageClient | undefined;
  #shown: Shown | undefined;
  /** The id that the server and the screen reader know to be visible. */
  #reportedId = "";
  #nRequests = 0;
  #request: Promise<void> = Promise.resolve();
  /** The line of a change that the server may not take for settled yet. */
  #changedLine: number | undefined;

  constructor(private readonly buffers: Buffers) {
    const { window, workspace } = vscode;
    this.#disposables = [
      workspace.onDidChangeTextDocument((event) => {
        this.changed(event);
      }),
      workspace.onDidSaveTextDocument(({ uri }) => {
        if (uri.toString() === activeUri()) {
          this.ask("saved");
        }
      }),
      workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("redline.next_edit")) {
          this.ask("moved");
        }
      }),
      window.onDidChangeActiveTextEditor(() => {
        this.set(undefined);
        this.#changedLine = undefined;
        this.ask("moved");
      }),
      window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === window.activeTextEditor) {
          this.moved(textEditor);
        }
      }),
      window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => {
        if (textEditor === window.activeTextEditor) {
          this.paint();
        }
      }),
      buffers.onWritten((uri) => {
        if (uri === activeUri()) {
          this.ask("moved");
        }
      }),
    ];
  }

  /** The commands of this part, by name. */
  readonly commands: Readonly<Record<string, (...given: never[]) => unknown>> = {
    "redline.takeNextEdit": (key?: string) => this.take(key === "tab"),
    "redline.dismissNextEdit": () => {
      this.dismiss("rejected");
    },
  };

  /** Listen to a new server. */
  attach(client: LanguageClient): void {
    this.#client = client;
    this.set(undefined);
    client.onNotification(notifications.nextEditChanged, ({ uri }: NextEditChanged) => {
      if (vscode.Uri.parse(uri).toString() === activeUri()) {
        this.ask("moved");
      }
    });
  }

  /** A server has ended: what it has offered is not followed any more. */
  serverGone(): void {
    this.set(undefined);
  }

  dispose(): void {
    this.set(undefined);
    this.#painter.dispose();
    for (const each of this.#disposables) {
      each.dispose();
    }
  }

  // What the user does.

  private async take(isTab: boolean): Promise<void> {
    // After an edit was accepted the next one is on its way.
    await this.#request;
    if (this.visible() === undefined && !isTab) {
      this.ask("manual");
      await this.#request;
    }
    const editor = vscode.window.activeTextEditor;
    const offer = this.visible();
    if (editor === undefined || offer === undefined) {
      await nothingHere(isTab);
      return;
    }
    if (offer.elsewhere !== undefined) {
      await this.open();
    } else if (stepIn(editor, offer) === "go") {
      go(editor, offer);
    } else if (offer.kind === "jump") {
      go(editor, offer);
      this.notifyTaken(offer);
    } else {
      await this.accept(editor, offer);
    }
  }

  /** Open the other file that the offer is in; the server then offers it there. */
  private async open(): Promise<void> {
    const { target, offer } = this.#shown ?? {};
    if (target === undefined || offer === undefined) {
      return;
    }
    try {
      const { start } = rangeOf(offer.range);
      const selection = new vscode.Range(start, start);
      await vscode.window.showTextDocument(target, { selection });
    } catch {
      tell(`${offer.elsewhere} cannot be opened.`);
      this.dismiss("rejected");
    }
  }

  private async accept(editor: vscode.TextEditor, offer: Offer): Promise<void> {
    const { range, text, cursor } = offer;
    this.set(undefined);
    // The server recognizes the edit by the text.
    const isDone = await editor.edit((builder) => {
      builder.replace(rangeOf(range), text);
    });
    if (isDone) {
      const at = new vscode.Position(cursor.line, cursor.character);
      editor.selection = new vscode.Selection(at, at);
      editor.revealRange(new vscode.Range(at, at));
    }
    this.#changedLine = undefined;
    this.ask("accepted");
    await this.#request;
  }

  private notifyTaken({ id }: Offer): void {
    const given: NextEditIdArguments = { id };
    const params = { command: commands.nextEditAccepted, arguments: [given] };
    this.set(undefined);
    // Without an answer nothing is lost: the offer is then there again.
    this.#client
      ?.sendRequest("workspace/executeCommand", params)
      .catch(() => undefined);
  }

  private dismiss(reason: NextEditDismissedArguments["reason"]): void {
    if (this.#shown !== undefined) {
      const given: NextEditDismissedArguments = { id: this.#shown.offer.id, reason };
      this.notify(notifications.nextEditDismissed, given);
      this.set(undefined);
    }
  }

  private changed({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (document.uri.toString() !== activeUri() || contentChanges.length === 0) {
      return;
    }
    for (const change of contentChanges) {
      this.#changedLine = lastLine(change);
      this.follow(change, this.#changedLine);
    }
    this.paint();
  }

  private follow(change: Change, line: number): void {
    const shown = this.#shown;
    if (shown === undefined) {
      return;
    }
    const { meaning, offer } = followed(shown.offer, change);
    if (offer === undefined) {
      this.#shown = undefined;
    } else if (meaning === "agrees") {
      this.#shown = { ...shown, offer };
    } else {
      const nHidden = shown.nHidden + (shown.hiddenAt === undefined ? 1 : 0);
      this.#shown = { ...shown, offer, hiddenAt: line, nHidden };
      if (nHidden >= MOST_HIDDEN) {
        this.dismiss("ignored");
      }
    }
  }

  private moved({ selection: { active } }: vscode.TextEditor): void {
    if (this.#changedLine !== undefined && active.line !== this.#changedLine) {
      this.#changedLine = undefined;
      this.ask("idle");
    }
    if (this.#shown?.hiddenAt !== undefined && active.line !== this.#shown.hiddenAt) {
      this.#shown = { ...this.#shown, hiddenAt: undefined };
    }
    this.paint();
  }

  // What the server says.

  private ask(reason: NextEditReason): void {
    this.#request = this.request(reason);
  }

  private async request(reason: NextEditReason): Promise<void> {
    const number = ++this.#nRequests;
    const editor = vscode.window.activeTextEditor;
    const client = this.#client;
    if (
      editor === undefined ||
      client?.isRunning() !== true ||
      !this.isWanted(editor)
    ) {
      this.set(undefined);
      return;
    }
    const { document } = editor;
    const { version } = document;
    const edits = await editsOf(client, this.argumentsFor(client, editor, reason));
    // Another request has the answer then, or the server says that there is another one.
    const isLate = number !== this.#nRequests || document.version !== version;
    if (!isLate && editor === vscode.window.activeTextEditor) {
      const [item] = this.isWanted(editor) ? edits : [];
      this.set(item === undefined ? undefined : shownOf(client, document.uri, item));
    }
  }

  private argumentsFor(
    { code2ProtocolConverter: converter }: LanguageClient,
    { document, selection }: vscode.TextEditor,
    reason: NextEditReason,
  ): NextEditArguments {
    // A document that showed proposals has other versions at the server.
    const buffer = this.buffers.of(document.uri.toString());
    const version = buffer?.version ?? document.version;
    return {
      textDocument: { uri: converter.asUri(document.uri), version },
      position: converter.asPosition(selection.active),
      context: { triggerKind: reason === "manual" ? 1 : 2, reason },
    };
  }

  /** Whether next edits are on, and nothing else is proposed in the document. */
  private isWanted({ document }: vscode.TextEditor): boolean {
    const settings = vscode.workspace.getConfiguration("redline", document);
    const isOn = settings.get<boolean>("next_edit.enabled") !== false;
    return isOn && this.buffers.ledger(document.uri.toString()) === undefined;
  }

  private notify(method: string, params: object): void {
    if (this.#client?.isRunning() === true) {
      void this.#client.sendNotification(method, params);
    }
  }

  // What is shown.

  private set(shown: Shown | undefined): void {
    const before = this.#shown;
    const isSame = before !== undefined && before.offer.id === shown?.offer.id;
    this.#shown = isSame ? { ...before, ...shown, nHidden: before.nHidden } : shown;
    this.paint();
  }

  /** The offer, if it is drawn. */
  private visible(): Offer | undefined {
    const shown = this.#shown;
    const isHere = shown?.uri === activeUri() && shown?.hiddenAt === undefined;
    return isHere ? shown?.offer : undefined;
  }

  private paint(): void {
    const editor = vscode.window.activeTextEditor;
    for (const each of vscode.window.visibleTextEditors) {
      if (each !== editor || this.visible() === undefined) {
        this.#painter.clear(each);
      }
    }
    const offer = this.visible();
    if (editor === undefined || offer === undefined) {
      this.context("redline.hasNextEdit", false);
      this.context("redline.nextEditTakesTab", false);
      return;
    }
    const { document, selection, options } = editor;
    const line = lineOf(document);
    const cursor = selection.active;
    const isSelection = !selection.isEmpty || editor.selections.length > 1;
    const isTab = takesTab(offer, cursor, line(cursor.line), isSelection);
    const [old, fresh] = hoverOf(offer, line);
    const hover = new vscode.MarkdownString(`**Next edit**: ${offer.why}`)
      .appendCodeblock(old, document.languageId)
      .appendCodeblock(fresh, document.languageId);
    const drawing = drawingOf(offer, {
      line,
      cursor,
      isInSight: isInSight(offer, editor.visibleRanges),
      step: stepIn(editor, offer),
      key: isTab ? TAB : OTHER_KEY,
      tabSize: typeof options.tabSize === "number" ? options.tabSize : 4,
    });
    this.#painter.paint(editor, drawing, hover);
    this.context("redline.hasNextEdit", true);
    this.context("redline.nextEditTakesTab", isTab);
    if (this.#reportedId !== offer.id) {
      this.#reportedId = offer.id;
      this.notify(notifications.nextEditShown, { id: offer.id });
      say(wordsFor(offer));
    }
  }

  private context(key: Key, value: boolean): void {
    if (this.#contexts.get(key) !== value) {
      this.#contexts.set(key, value);
      void vscode.commands.executeCommand("setContext", key, value);
    }
  }
}

/** Tab is ours until the editor knows that it is not: do what it does otherwise. */
async function nothingHere(isTab: boolean): Promise<void> {
  if (isTab) {
    await vscode.commands.executeCommand("tab");
  } else {
    tell("No next edit is here.");
  }
}

/** Request the next edit; a server that cannot answer offers none. */
async function editsOf(
  client: LanguageClient,
  params: NextEditArguments,
): Promise<NextEditList["edits"]> {
  try {
    return (await client.sendRequest<NextEditList>(requests.nextEdit, params)).edits;
  } catch {
    return [];
  }
}

function shownOf(
  { protocol2CodeConverter: converter }: LanguageClient,
  here: vscode.Uri,
  item: NextEditItem,
): Shown {
  const target = converter.asUri(item.textDocument.uri);
  const shown = { uri: here.toString(), nHidden: 0 };
  if (target.toString() === shown.uri) {
    return { ...shown, offer: item };
  }
  const elsewhere = vscode.workspace.asRelativePath(target);
  return { ...shown, target, offer: { ...item, elsewhere } };
}

function activeUri(): string | undefined {
  return vscode.window.activeTextEditor?.document.uri.toString();
}

function stepIn(editor: vscode.TextEditor, offer: Offer): Step {
  return stepOf(offer, editor.selection.active, isInSight(offer, editor.visibleRanges));
}

function go(editor: vscode.TextEditor, { range: { start } }: Offer): void {
  const at = new vscode.Position(start.line, start.character);
  editor.selection = new vscode.Selection(at, at);
  editor.revealRange(
    new vscode.Range(at, at),
    vscode.TextEditorRevealType.InCenterIfOutsideViewport,
  );
}

function rangeOf({ start, end }: Offer["range"]): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/** The lines of a document; empty beyond its end. */
function lineOf(document: vscode.TextDocument): (number: number) => string {
  return (number) => (number < document.lineCount ? document.lineAt(number).text : "");
}
