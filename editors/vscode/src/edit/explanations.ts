// Explanations of code, as a page beside it that follows while they are written.

import { randomUUID } from "node:crypto";

import * as vscode from "vscode";
import { ProgressType, type LanguageClient } from "vscode-languageclient/node";

import type { ExplainArguments, Explanation } from "../protocol";
import { send } from "../server/commands";
import { tell } from "./tell";

const SCHEME = "redline-explanation";

const SO_FAR = new ProgressType<Explanation>();

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
    const page = vscode.Uri.from({
      scheme: SCHEME,
      path: `${vscode.Uri.parse(uri).path}: explained.md`,
    });
    const streamToken = `explain-${randomUUID()}`;
    const given = { uri, range, ...(question && { question }), streamToken };
    let text: string | undefined;
    const show = (markdown: string): void => {
      const isFirst = text === undefined;
      text = markdown;
      this.#texts.set(page.toString(), markdown);
      this.#changed.fire(page);
      if (isFirst) {
        void vscode.commands.executeCommand("markdown.showPreviewToSide", page);
      }
    };
    const stream = client.onProgress(SO_FAR, streamToken, ({ markdown }) => {
      show(markdown);
    });
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: "Redline: Explain",
      cancellable: true,
    };
    try {
      await vscode.window.withProgress(options, async (_, cancel) => {
        try {
          show((await send(client, "explain", given, cancel)).markdown);
        } catch (error) {
          if (!cancel.isCancellationRequested) {
            throw error;
          }
          tell(text === undefined ? "Stopped." : "Stopped. What came stays.");
        }
      });
    } catch (error) {
      if (text !== undefined) {
        show(`${text}\n*The rest is missing: it could not be finished.*\n`);
      }
      throw error;
    } finally {
      stream.dispose();
    }
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? "";
  }

  dispose(): void {
    this.#changed.dispose();
    this.#registration.dispose();
  }
}
