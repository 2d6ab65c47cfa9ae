// Explanations of code, as a page beside it.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import type { ExplainArguments } from "../protocol";
import { send } from "../server/commands";

const SCHEME = "redline-explanation";

export class Explanations
  implements vscode.TextDocumentContentProvider, vscode.Disposable
{
  /** The latest text of each page, by its URI. */
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(
    SCHEME,
    this,
  );

  /** Explain a range: one page for each file, which never covers it. */
  async explain(
    client: LanguageClient,
    { uri, range, question }: ExplainArguments,
  ): Promise<void> {
    const { markdown } = await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: "Redline: Explain",
        cancellable: true,
      },
      (_, cancel) =>
        send(client, "explain", { uri, range, ...(question && { question }) }, cancel),
    );
    const file = vscode.Uri.parse(uri);
    const page = vscode.Uri.from({
      scheme: SCHEME,
      path: `${file.path}: explained.md`,
    });
    this.#texts.set(page.toString(), markdown);
    this.#changed.fire(page);
    await vscode.commands.executeCommand("markdown.showPreviewToSide", page);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? "";
  }

  dispose(): void {
    this.#changed.dispose();
    this.#registration.dispose();
  }
}
