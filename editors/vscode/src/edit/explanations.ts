// Explanations of code, as a page beside it that follows while they are written.

import { randomUUID } from "node:crypto";

import * as vscode from "vscode";
import type { LanguageClient, ProgressType } from "vscode-languageclient/node";

import type { ExplainArguments, Explanation } from "../protocol";
import { send } from "../server/commands";
import { tell } from "./tell";

const SCHEME = "redline-explanation";

/** Decides when Escape stops an action, such as an explanation. */
const IS_ACTING = "redline.isActing";

// As the library builds it, which is not loaded yet: its class has no members of its own.
// eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment
const SO_FAR: ProgressType<Explanation> = { __: undefined, _pr: undefined };

export class Explanations
  implements vscode.TextDocumentContentProvider, vscode.Disposable
{
  /** The latest text of each page, by its URI. */
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  /** Those that are being written. */
  readonly #running = new Set<vscode.CancellationTokenSource>();
  readonly onDidChange = this.#changed.event;
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(
    SCHEME,
    this,
  );

  readonly commands: Readonly<Record<string, () => void>> = {
    "redline.stopAction": () => {
      for (const each of this.#running) {
        each.cancel();
      }
    },
  };

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
      title: "Redline: Explain (Escape stops it)",
      cancellable: true,
    };
    try {
      await vscode.window.withProgress(options, (_, cancelled) =>
        this.stoppable(cancelled, async (cancel) => {
          try {
            show((await send(client, "explain", given, cancel)).markdown);
          } catch (error) {
            if (!cancel.isCancellationRequested) {
              throw error;
            }
            tell(text === undefined ? "Stopped." : "Stopped. The text so far stays.");
          }
        }),
      );
    } catch (error) {
      if (text !== undefined) {
        show(`${text}\n*The rest is missing: it could not be finished.*\n`);
      }
      throw error;
    } finally {
      stream.dispose();
    }
  }

  /** Do what the user can cancel, or stop by Escape, such as writing tests. */
  async stoppable(
    cancelled: vscode.CancellationToken,
    work: (cancel: vscode.CancellationToken) => Promise<void>,
  ): Promise<void> {
    const source = new vscode.CancellationTokenSource();
    const cancelling = cancelled.onCancellationRequested(() => {
      source.cancel();
    });
    this.#running.add(source);
    this.showState();
    try {
      await work(source.token);
    } finally {
      this.#running.delete(source);
      this.showState();
      cancelling.dispose();
      source.dispose();
    }
  }

  private showState(): void {
    const isActing = this.#running.size > 0;
    void vscode.commands.executeCommand("setContext", IS_ACTING, isActing);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? "";
  }

  dispose(): void {
    this.#changed.dispose();
    this.#registration.dispose();
  }
}
