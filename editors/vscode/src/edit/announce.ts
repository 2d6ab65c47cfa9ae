// Says what becomes of an edit: for screen readers, and to everybody when an offer goes
// that nobody has rejected.

import * as vscode from "vscode";

import type { EditEnded } from "../protocol";
import type { Adopted, Buffers } from "./buffers";
import type { Stage } from "./preview";
import type { Sessions } from "./sessions";
import { plural } from "./standing";
import { tell } from "./tell";

/** What the user has asked for needs no message. */
const ASKED_FOR = new Set(["accepted", "rejected", "superseded"]);

const BRING_BACK = "Bring It Back";

/** So soon a file is closed whose text is read from disk for that, in milliseconds: VS
 * Code does so if the user does not save it. */
const CLOSE_MS = 500;

const IS_BACK = "Bring Back the Last Offer restores it.";

export class Announcer implements vscode.Disposable {
  readonly #heard = new Map<string, Stage>();
  readonly #disposables: readonly vscode.Disposable[];
  /** What the status bar says of the last edit that is over. */
  #over: vscode.Disposable | undefined;

  constructor(
    private readonly sessions: Sessions,
    private readonly buffers: Buffers,
  ) {
    this.#disposables = [
      sessions.onChanged(() => {
        this.follow();
      }),
      sessions.onEnded((ended) => {
        this.ended(ended);
      }),
      buffers.onAdopted((adopted) => {
        this.adopted(adopted);
      }),
    ];
  }

  dispose(): void {
    for (const each of this.#disposables) {
      each.dispose();
    }
  }

  private follow(): void {
    for (const { sessionId, stage, hunks, checks } of this.sessions.all) {
      if (this.#heard.get(sessionId) === stage) {
        continue;
      }
      this.#heard.set(sessionId, stage);
      // That one may be what is back, or another one waits now.
      this.#over?.dispose();
      // Not all of it may be written into the document yet.
      const n = hunks.length;
      if (stage === "writing") {
        say("Redline is writing.");
      } else if (stage === "offered") {
        say(`Redline proposes ${n === 0 ? "no change" : plural(n, "change")}.`);
      } else {
        say(`Redline holds the edit back: ${checks[0]?.message ?? "it has problems"}`);
      }
    }
  }

  private ended({ sessionId, outcome, message }: EditEnded): void {
    const stage = this.#heard.get(sessionId);
    this.#heard.delete(sessionId);
    const preview = this.sessions.get(sessionId);
    const isDropped =
      !ASKED_FOR.has(outcome) && !this.sessions.isEndedByUser(sessionId);
    const n = preview === undefined ? 0 : this.count(preview.uri, sessionId);
    if (preview !== undefined && isDropped && stage !== "writing" && n > 0) {
      const text = `An offer of Redline was dropped. ${message ?? ""}`.trim();
      void offerBack(text, preview.uri);
      return;
    }
    say(`Redline: the edit is ${outcome}.`);
    if (outcome === "rejected" && n > 0) {
      this.#over = tell(`Rejected. ${IS_BACK}`);
    }
  }

  /** Say that nothing is left of an offer, after a change of its text. */
  private adopted({ uri, pieces, isUndone, isFromDisk }: Adopted): void {
    const ids = new Set(pieces.map((piece) => piece.sessionId));
    const isOver = [...ids].some(
      (id) => this.sessions.get(id)?.stage !== "writing" && this.count(uri, id) === 0,
    );
    if (!isOver) {
      return;
    }
    if (isFromDisk) {
      const text =
        "An offer of Redline was dropped: the file was read from disk again.";
      setTimeout(() => {
        if (isOpen(uri)) {
          void offerBack(text, uri);
        }
      }, CLOSE_MS);
    } else if (isUndone) {
      this.#over = tell(`Rejected. ${IS_BACK}`);
    } else {
      const text = "The offer is over: you changed all of it. An undo brings it back.";
      this.#over = tell(text);
    }
  }

  private count(uri: string, sessionId: string): number {
    const pieces = this.buffers.ledger(uri)?.pieces ?? [];
    return pieces.filter((piece) => piece.sessionId === sessionId).length;
  }
}

async function offerBack(text: string, uri: string): Promise<void> {
  const chosen = await vscode.window.showInformationMessage(text, BRING_BACK);
  if (chosen === BRING_BACK) {
    await vscode.commands.executeCommand("redline.bringBackHere", uri);
  }
}

function isOpen(uri: string): boolean {
  return vscode.workspace.textDocuments.some((each) => each.uri.toString() === uri);
}

/** Say something to a screen reader: messages are read out, the status bar is not. */
export function say(text: string): void {
  const support = vscode.workspace
    .getConfiguration("editor")
    .get<string>("accessibilitySupport");
  if (support === "on") {
    void vscode.window.showInformationMessage(text);
  }
}
