// Pages of text for reading: they are no files, and nobody is asked to save them.

import * as vscode from "vscode";

const SCHEME = "redline-page";

export class Pages implements vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(
    SCHEME,
    {
      onDidChange: this.#changed.event,
      provideTextDocumentContent: (uri) => this.#texts.get(uri.path) ?? "",
    },
  );

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }

  /** Show a text under a file name, which decides its language. */
  async show(name: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}` });
    this.#texts.set(uri.path, text);
    this.#changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true });
  }
}
