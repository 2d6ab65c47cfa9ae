// The context keys that decide when the keys of an edit count: only where it is.

import * as vscode from "vscode";

import type { Sessions } from "./sessions";

type Key = "redline.isWriting" | "redline.isOffered" | "redline.hasCandidates";

export class Contexts implements vscode.Disposable {
  readonly #known = new Map<Key, boolean>();
  readonly #disposables: vscode.Disposable[];

  constructor(private readonly sessions: Sessions) {
    const update = (): void => {
      this.update();
    };
    this.#disposables = [
      sessions.onChanged(({ isNews }) => {
        if (isNews) {
          update();
        }
      }),
      vscode.window.onDidChangeActiveTextEditor(update),
      vscode.window.onDidChangeTextEditorSelection(update),
    ];
  }

  dispose(): void {
    for (const each of this.#disposables) {
      each.dispose();
    }
  }

  private update(): void {
    const editor = vscode.window.activeTextEditor;
    const uri = editor?.document.uri.toString() ?? "";
    const here = editor && this.sessions.under(editor);
    // A running edit anywhere in the file is stopped by Escape: whoever wants it to stop
    // does not look for its place first.
    const isWriting = this.sessions.of(uri).some(({ stage }) => stage === "writing");
    this.set("redline.isWriting", isWriting);
    this.set("redline.isOffered", here !== undefined && here.hunks.length > 0);
    this.set("redline.hasCandidates", (here?.candidates.length ?? 0) > 1);
  }

  private set(key: Key, value: boolean): void {
    if (this.#known.get(key) !== value) {
      this.#known.set(key, value);
      void vscode.commands.executeCommand("setContext", key, value);
    }
  }
}
