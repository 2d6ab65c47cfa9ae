// The item in the status bar.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import { notifications } from "../protocol";
import type { Status } from "../protocol-status";
import type { Server } from "../server/server";
import { wordsFor } from "./words";

/** Left of the language's own items. */
const PRIORITY = 90;

export class StatusBar implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem(
    "redline.status",
    vscode.StatusBarAlignment.Right,
    PRIORITY,
  );
  readonly #heard = new vscode.EventEmitter<Status>();
  readonly onStatus = this.#heard.event;
  readonly #listener: vscode.Disposable;
  #status: Status | undefined;

  constructor(private readonly server: Server) {
    this.#item.name = "Redline";
    this.#item.command = "redline.menu";
    this.#listener = server.onChanged(() => {
      this.show();
    });
    this.show();
    this.#item.show();
  }

  get status(): Status | undefined {
    return this.#status;
  }

  /** Listen to a new server. */
  attach(client: LanguageClient): void {
    this.#status = undefined;
    client.onNotification(notifications.status, (status: Status) => {
      this.#status = status;
      this.show();
      this.#heard.fire(status);
    });
  }

  dispose(): void {
    this.#item.dispose();
    this.#heard.dispose();
    this.#listener.dispose();
  }

  private show(): void {
    const words = wordsFor(this.server.state, this.#status);
    this.#item.text = words.text;
    this.#item.tooltip = new vscode.MarkdownString(words.tooltip);
    this.#item.accessibilityInformation = { label: words.label, role: "button" };
    this.#item.backgroundColor = words.isBad
      ? new vscode.ThemeColor("statusBarItem.warningBackground")
      : undefined;
  }
}
