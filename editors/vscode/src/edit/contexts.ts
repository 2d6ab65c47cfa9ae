// The context keys that decide when the keys of an edit count.

import * as vscode from "vscode";

import type { Buffers } from "./buffers";
import type { Sessions } from "./sessions";

type Key =
  | "redline.isWriting"
  | "redline.hasChanges"
  | "redline.isElsewhere"
  | "redline.isOffered"
  | "redline.canAccept"
  | "redline.hasCandidates";

export class Contexts implements vscode.Disposable {
  readonly #known = new Map<Key, boolean>();
  readonly #disposables: vscode.Disposable[];

  constructor(
    private readonly sessions: Sessions,
    private readonly buffers: Buffers,
  ) {
    const update = (): void => {
      this.update();
    };
    this.#disposables = [
      sessions.onChanged(({ isNews }) => {
        if (isNews) {
          update();
        }
      }),
      // The keys count as soon as the text is on the screen, which is before the editor
      // has answered.
      buffers.onWriting(update),
      buffers.onWritten(update),
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
    const all = this.sessions.of(uri);
    const waiting = all.filter(({ stage }) => stage !== "writing");
    const only = waiting.length === 1 ? waiting[0] : undefined;
    // A running edit anywhere in the file is stopped by Escape: its place need not be
    // found first. An offer is rejected by it only at its place.
    this.set("redline.isWriting", waiting.length < all.length);
    this.set("redline.hasChanges", this.hasChanges(uri));
    this.set("redline.isElsewhere", all.length < this.sessions.all.length);
    this.set("redline.isOffered", here !== undefined && here.stage !== "writing");
    this.set("redline.canAccept", here !== undefined || only !== undefined);
    const chosen = here ?? only;
    this.set("redline.hasCandidates", (chosen?.candidates.length ?? 0) > 1);
  }

  /** Whether changes stand in a document, or may at any time: buttons for them that came
   * together with the first text would delay it. */
  private hasChanges(uri: string): boolean {
    const isWriting = this.sessions.of(uri).some(({ stage }) => stage === "writing");
    return isWriting || this.buffers.coming(uri) !== undefined;
  }

  private set(key: Key, value: boolean): void {
    if (this.#known.get(key) !== value) {
      this.#known.set(key, value);
      void vscode.commands.executeCommand("setContext", key, value);
    }
  }
}
