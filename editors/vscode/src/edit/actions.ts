// What the user does with an edit that is there: stop, accept, reject, compare.

import * as vscode from "vscode";

import { send } from "../server/commands";
import type { Server } from "../server/server";
import type { Buffers } from "./buffers";
import type { Compare } from "./compare";
import type { Failures } from "./failures";
import type { Preview } from "./preview";
import type { Sessions } from "./sessions";
import type { Piece } from "./ledger";
import type { Spot } from "./marks";
import { problemsOf } from "./standing";
import { tell } from "./tell";
import type { NamedChange, Walk } from "./walk";

/** The most buttons of a message that lead to a line. */
const MOST_PLACES = 3;

export class Actions {
  constructor(
    private readonly server: Server,
    private readonly sessions: Sessions,
    private readonly buffers: Buffers,
    private readonly walk: Walk,
    private readonly compare: Compare,
    private readonly failures: Failures,
  ) {}

  /** The commands of this part, by name. */
  readonly commands: Readonly<Record<string, (...given: never[]) => unknown>> = {
    "redline.stopHere": (id?: string) => this.stop(id),
    "redline.stopAll": () => {
      this.sessions.endsByUser(undefined);
      return this.failures.withClient((client) => send(client, "stop", {}));
    },
    "redline.acceptAll": (id?: string) => this.choose("accept", id),
    "redline.rejectAll": (id?: string) => this.choose("reject", id),
    "redline.acceptHunk": (...named: NamedChange) =>
      this.chooseHunk("accept", this.walk.chosen(...named)),
    "redline.rejectHunk": (...named: NamedChange) =>
      this.chooseHunk("reject", this.walk.chosen(...named)),
    "redline.nextCandidateHere": (id?: string) => this.nextCandidate(id),
    "redline.showProblems": (id?: string) => this.showProblems(id),
    "redline.compare": (id?: string) => this.showCompare(id),
  };

  private async stop(id: string | undefined): Promise<void> {
    const here =
      id === undefined
        ? (this.sessions.named(id) ?? this.writing())
        : this.sessions.named(id);
    const sessionId = id ?? here?.sessionId;
    this.letUndo(here);
    this.sessions.endsByUser(sessionId);
    await this.failures.withClient(async (client) => {
      // An edit that is named and has ended stops no other.
      const given = sessionId === undefined ? {} : { sessionId };
      const { stopped } = await send(client, "stop", given);
      if (stopped.length === 0) {
        tell("Nothing was running.");
      }
    });
  }

  private async choose(
    command: "accept" | "reject",
    id: string | undefined,
    hunks?: readonly number[],
  ): Promise<void> {
    const preview = this.sessions.named(id);
    if (preview === undefined) {
      tell("No edit of Redline is here.");
      return;
    }
    const { uri, sessionId, isLocal } = preview;
    if (command === "reject" && hunks === undefined) {
      this.letUndo(preview);
    }
    const given = { sessionId, ...(hunks && { hunks }) };
    const work =
      isLocal === true
        ? this.chooseLocally(command, preview, hunks)
        : this.failures.withClient((client) => send(client, command, given));
    if (command === "accept") {
      this.buffers.of(uri)?.accepting(work);
    }
    await work;
  }

  /** Answer an offer that no server knows of. */
  private async chooseLocally(
    command: "accept" | "reject",
    { uri, sessionId }: Preview,
    hunks: readonly number[] | undefined,
  ): Promise<void> {
    const buffer = this.buffers.of(uri);
    await this.buffers.returned(buffer === undefined ? [] : [buffer]);
    const all = this.piecesOf(uri, sessionId);
    const chosen = all.filter(({ hunkId }) => hunks?.includes(hunkId) ?? true);
    if (chosen.length === all.length && command === "reject") {
      this.sessions.endLocal(sessionId, "rejected");
      return;
    }
    this.buffers.withdraw(chosen);
    if (command === "accept") {
      await this.buffers.accept(uri, chosen);
    }
    this.buffers.sync(uri);
    if (chosen.length === all.length) {
      this.sessions.endLocal(sessionId, "accepted");
    }
  }

  /** Follow the user's own change of what was proposed. The server finds out what was
   * typed in its lines, but not which new lines it was typed in, and not an undo. */
  async adopted(
    uri: string,
    pieces: readonly Piece[],
    isUndone: boolean,
  ): Promise<void> {
    for (const sessionId of new Set(pieces.map((piece) => piece.sessionId))) {
      const isOver = this.piecesOf(uri, sessionId).length === 0;
      if (this.sessions.get(sessionId)?.isLocal !== true) {
        const own = pieces.filter((piece) => piece.sessionId === sessionId);
        await this.giveUp(sessionId, isUndone && isOver ? undefined : own);
      } else if (isOver) {
        this.sessions.endLocal(sessionId, isUndone ? "rejected" : "accepted");
      }
    }
  }

  /** Have the server propose some pieces no longer, or none. */
  private async giveUp(
    sessionId: string,
    pieces: readonly Piece[] | undefined,
  ): Promise<void> {
    const hunks = pieces?.map(({ hunkId }) => hunkId);
    const given = { sessionId, ...(hunks && { hunks }) };
    const { client } = this.server;
    // A hunk that the server has dropped by itself is an error that says nothing new.
    await (client && send(client, "reject", given).catch(() => undefined));
  }

  private piecesOf(uri: string, sessionId: string): readonly Piece[] {
    const pieces = this.buffers.ledger(uri)?.pieces ?? [];
    return pieces.filter((piece) => piece.sessionId === sessionId);
  }

  /** Accept or reject a change, and go on to the next one. */
  private async chooseHunk(
    command: "accept" | "reject",
    spot: Spot | undefined,
  ): Promise<void> {
    if (spot === undefined) {
      tell("No change waits here.");
      return;
    }
    const { sessionId, hunkId } = spot.piece;
    const uri = this.sessions.get(sessionId)?.uri ?? "";
    await this.choose(command, sessionId, [hunkId]);
    await this.buffers.of(uri)?.idle();
    this.walk.goOn(uri, spot);
    // A click on a link of a hover has moved the focus there; keys belong to the file.
    await vscode.commands.executeCommand("workbench.action.focusActiveEditorGroup");
  }

  /** Keep the file as clean as it was, where one undo takes away what was written. */
  private letUndo(preview: Preview | undefined): void {
    const active = vscode.window.activeTextEditor?.document.uri.toString();
    if (preview !== undefined && active === preview.uri) {
      this.buffers.of(preview.uri)?.allowUndo();
    }
  }

  /** What is written in the active file, wherever the cursor is. */
  private writing(): Preview | undefined {
    const uri = vscode.window.activeTextEditor?.document.uri.toString() ?? "";
    return this.sessions.of(uri).find(({ stage }) => stage === "writing");
  }

  private async nextCandidate(id: string | undefined): Promise<void> {
    const preview = this.sessions.named(id);
    if (preview === undefined || preview.candidates.length < 2) {
      tell("There is no other candidate here.");
      return;
    }
    const { sessionId } = preview;
    await this.failures.withClient(async (client) => {
      await send(client, "nextCandidate", { sessionId });
      await this.sessions.refresh(sessionId);
    });
  }

  private async showProblems(id: string | undefined): Promise<void> {
    const preview = this.sessions.named(id);
    if (preview === undefined) {
      return;
    }
    const { checks, range } = preview;
    const lines = new Set(checks.map(({ line }) => range.start.line + (line ?? 0)));
    const places = [...lines]
      .slice(0, MOST_PLACES)
      .map((line) => ({ title: `Go to Line ${line + 1}`, line }));
    // A click on the status bar item has moved the focus there; keys belong to the file.
    await vscode.commands.executeCommand("workbench.action.focusActiveEditorGroup");
    // A list would cut the sentences.
    const chosen = await vscode.window.showWarningMessage(
      "Redline holds this edit back",
      { modal: true, detail: problemsOf(checks) },
      ...places,
    );
    if (chosen !== undefined) {
      await vscode.commands.executeCommand("revealLine", {
        lineNumber: chosen.line,
        at: "center",
      });
    }
  }

  private async showCompare(id: string | undefined): Promise<void> {
    const preview = this.sessions.named(id);
    if (preview !== undefined) {
      await this.compare.show(preview);
    }
  }
}
