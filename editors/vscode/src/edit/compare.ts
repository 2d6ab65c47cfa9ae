// A preview as a comparison of two documents, in the editor's own diff view: for long
// changes, and for screen readers.

import * as path from "node:path";

import * as vscode from "vscode";

import { PREVIEW_SCHEME, type Preview } from "./preview";
import { resultOf } from "./result";
import type { Sessions } from "./sessions";

export class Compare implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #shown = new Map<string, vscode.Uri>();
  readonly #disposables: vscode.Disposable[];

  constructor(private readonly sessions: Sessions) {
    this.#disposables = [
      vscode.workspace.registerTextDocumentContentProvider(PREVIEW_SCHEME, this),
      sessions.onChanged(() => {
        this.refresh();
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.#shown.delete(uri.query);
      }),
    ];
  }

  /** Open the comparison. */
  async show(preview: Preview): Promise<void> {
    const original = vscode.Uri.parse(preview.uri);
    // The file's own ending, so that the editor knows the language.
    const proposed = vscode.Uri.from({
      scheme: PREVIEW_SCHEME,
      path: original.path,
      query: preview.sessionId,
    });
    this.#shown.set(preview.sessionId, proposed);
    const name = path.posix.basename(original.path);
    await vscode.commands.executeCommand(
      "vscode.diff",
      original,
      proposed,
      `${name}: as proposed by Redline`,
    );
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const preview = this.sessions.get(uri.query);
    const document = vscode.workspace.textDocuments.find(
      (each) => each.uri.toString() === preview?.uri,
    );
    if (preview === undefined || document === undefined) {
      // It is over; the diff view is about to close, or shows that nothing is left.
      return this.ended(uri);
    }
    return resultOf(document.getText(), preview.hunks, (position) =>
      document.offsetAt(new vscode.Position(position.line, position.character)),
    );
  }

  dispose(): void {
    this.#changed.dispose();
    for (const each of this.#disposables) {
      each.dispose();
    }
  }

  private ended(uri: vscode.Uri): string {
    const original = vscode.workspace.textDocuments.find(
      (each) => each.uri.path === uri.path && each.uri.scheme !== PREVIEW_SCHEME,
    );
    return original?.getText() ?? "";
  }

  private refresh(): void {
    for (const [sessionId, uri] of this.#shown) {
      if (this.sessions.get(sessionId) === undefined) {
        this.#shown.delete(sessionId);
        void closeTabs(uri);
      } else {
        this.#changed.fire(uri);
      }
    }
  }
}

async function closeTabs(uri: vscode.Uri): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const ours = tabs.filter(
    ({ input }) =>
      input instanceof vscode.TabInputTextDiff &&
      input.modified.toString() === uri.toString(),
  );
  await vscode.window.tabGroups.close(ours);
}
