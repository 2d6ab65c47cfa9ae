// The steps of the walkthrough that are done by more than a command.

import * as vscode from "vscode";

/** A step that a context key of its own ticks, `redline.did.` and this. */
type Step = "start" | "connect" | "edit" | "choose";

/**
 * VS Code ticks a step when its context key becomes true, but never one whose key was
 * true before the walkthrough was first opened. So a key is true for a moment only: when
 * its step is done, and again when a page that may be the walkthrough comes up.
 */
export class Walkthrough implements vscode.Disposable {
  readonly #done = new Set<Step>();
  readonly #listener: vscode.Disposable;

  constructor() {
    this.#listener = vscode.window.tabGroups.onDidChangeTabs(({ opened, changed }) => {
      // A walkthrough is a tab of no kind that the API knows.
      if ([...opened, ...changed].some(({ input }) => input === undefined)) {
        this.#done.forEach(tick);
      }
    });
  }

  dispose(): void {
    this.#listener.dispose();
  }

  /** Tick a step, now or when the walkthrough is opened. */
  finish(step: Step): void {
    if (!this.#done.has(step)) {
      this.#done.add(step);
      tick(step);
    }
  }
}

function tick(step: Step): void {
  for (const value of [true, false]) {
    void vscode.commands.executeCommand("setContext", `redline.did.${step}`, value);
  }
}
