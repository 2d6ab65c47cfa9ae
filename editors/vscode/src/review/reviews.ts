// What is known of reviews: asked for again whenever the server says that one went on.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import { notifications } from "../protocol";
import type { ReviewList } from "../protocol-reviews";
import { send } from "../server/commands";

const NONE: ReviewList = { reviews: [], findings: [] };

/** How long changes are gathered before the list is asked for, in milliseconds: findings
 * move with each keystroke. */
const GATHER_MS = 200;

export class Reviews implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onChanged = this.#changed.event;
  readonly #listener: vscode.Disposable;
  #client: LanguageClient | undefined;
  #list = NONE;
  #due: NodeJS.Timeout | undefined;

  constructor() {
    this.#listener = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      // Findings are diagnostics: where those change, findings may have moved.
      const known = new Set(this.#list.findings.map(({ uri }) => uri));
      if (uris.some((uri) => known.has(uri.toString()))) {
        this.refreshSoon();
      }
    });
  }

  get list(): ReviewList {
    return this.#list;
  }

  /** Listen to a new server. */
  attach(client: LanguageClient): void {
    this.#client = client;
    client.onNotification(notifications.review, () => {
      this.refreshSoon();
    });
  }

  /** The server runs: ask it what it has found in its store. */
  refreshSoon(): void {
    this.#due ??= setTimeout(() => {
      this.#due = undefined;
      void this.refresh();
    }, GATHER_MS);
  }

  dispose(): void {
    clearTimeout(this.#due);
    this.#listener.dispose();
    this.#changed.dispose();
  }

  private async refresh(): Promise<void> {
    const client = this.#client;
    if (client?.isRunning() !== true) {
      return;
    }
    // A server that ends meanwhile is followed by another, which is asked again.
    const list = await send(client, "reviews", {}).catch(() => undefined);
    if (list !== undefined) {
      this.#list = list;
      this.#changed.fire();
    }
  }
}
