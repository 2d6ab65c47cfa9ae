// The item in the status bar that says where an edit of the active file stands. A click
// leads to it.

import * as vscode from "vscode";

import type { Buffers } from "./buffers";
import type { Preview } from "./preview";
import type { Sessions } from "./sessions";
import { wordsOf } from "./standing";

/** Right of Redline's own item. */
const PRIORITY = 89;

/** How long the number of changes waits while text comes, in milliseconds: the text is
 * painted first, and the status bar not with each of its paints. */
const COUNT_MS = 100;

export class OfferItem implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem(
    "redline.offer",
    vscode.StatusBarAlignment.Right,
    PRIORITY,
  );
  readonly #disposables: readonly vscode.Disposable[];
  /** The edit that it shows while that is written. */
  #writing: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly sessions: Sessions,
    private readonly buffers: Buffers,
  ) {
    this.#item.name = "Redline: Proposed Edit";
    const show = (): void => {
      this.show();
    };
    this.#disposables = [
      sessions.onChanged(show),
      buffers.onWritten(show),
      vscode.window.onDidChangeActiveTextEditor(show),
      vscode.window.onDidChangeTextEditorSelection(show),
    ];
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#item.dispose();
    for (const each of this.#disposables) {
      each.dispose();
    }
  }

  private show(): void {
    const editor = vscode.window.activeTextEditor;
    const preview = this.chosen(editor);
    const writing = preview?.stage === "writing" ? preview.sessionId : undefined;
    if (writing !== undefined && writing === this.#writing) {
      this.#timer ??= setTimeout(() => {
        this.#writing = undefined;
        this.show();
      }, COUNT_MS);
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = writing;
    if (preview === undefined) {
      this.#item.hide();
    } else {
      this.showEdit(preview, editor);
    }
  }

  private showEdit(preview: Preview, editor: vscode.TextEditor | undefined): void {
    const pieces = this.buffers.ledger(preview.uri)?.pieces ?? [];
    const own = pieces.filter(({ sessionId }) => sessionId === preview.sessionId);
    const n = preview.isLocal === true ? own.length : preview.hunks.length;
    const isElsewhere = editor?.document.uri.toString() !== preview.uri;
    const words = wordsOf(preview, n, isElsewhere);
    this.#item.text = words.text;
    this.#item.tooltip = words.tooltip;
    this.#item.accessibilityInformation = { label: words.label, role: "button" };
    this.#item.backgroundColor =
      preview.stage === "held"
        ? new vscode.ThemeColor("statusBarItem.warningBackground")
        : undefined;
    this.#item.command = {
      title: "Go to the edit",
      command: preview.stage === "held" ? "redline.showProblems" : "redline.goToOffer",
      arguments: [preview.sessionId],
    };
    this.#item.show();
  }

  /** The edit at the cursor, else one of the file, else any. */
  private chosen(editor: vscode.TextEditor | undefined): Preview | undefined {
    const uri = editor?.document.uri.toString() ?? "";
    const here = editor && this.sessions.under(editor);
    return here ?? this.sessions.of(uri)[0] ?? this.sessions.all[0];
  }
}
