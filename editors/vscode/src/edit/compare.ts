// A proposal as a comparison of two documents, in the editor's own diff view: for long
// changes, and for screen readers.

import * as path from "node:path";

import * as vscode from "vscode";

import type { Buffers } from "./buffers";
import { PREVIEW_SCHEME, type Preview } from "./preview";
import type { Sessions } from "./sessions";

export class Compare implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  /** The left side of each comparison, by the edit. */
  readonly #shown = new Map<string, vscode.Uri>();
  readonly #disposables: vscode.Disposable[];

  constructor(
    private readonly sessions: Sessions,
    private readonly buffers: Buffers,
  ) {
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

  /** Open the comparison: the file without its proposals, and as it is shown. */
  async show(preview: Preview): Promise<void> {
    const file = vscode.Uri.parse(preview.uri);
    // The file's own ending, so that the editor knows the language.
    const before = vscode.Uri.from({
      scheme: PREVIEW_SCHEME,
      path: file.path,
      query: preview.sessionId,
    });
    this.#shown.set(preview.sessionId, before);
    await vscode.commands.executeCommand(
      "vscode.diff",
      before,
      file,
      `${path.posix.basename(file.path)}: as proposed by Redline`,
    );
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const document = vscode.workspace.textDocuments.find(
      (each) => each.uri.path === uri.path && each.uri.scheme !== PREVIEW_SCHEME,
    );
    const shown = document?.uri.toString() ?? "";
    return this.buffers.ledger(shown)?.base ?? document?.getText() ?? "";
  }

  dispose(): void {
    this.#changed.dispose();
    for (const each of this.#disposables) {
      each.dispose();
    }
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
      input.original.toString() === uri.toString(),
  );
  await vscode.window.tabGroups.close(ours);
}
