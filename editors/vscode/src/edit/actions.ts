// What the user does with edits: ask for one, redirect, stop, accept, reject, compare.

import { randomUUID } from "node:crypto";

import * as vscode from "vscode";
import { ResponseError, type LanguageClient } from "vscode-languageclient/node";

import { notifications } from "../protocol";
import type { EditArguments, EditOutcome, PrepareArguments } from "../protocol";
import { send } from "../server/commands";
import type { Server } from "../server/server";
import { ask } from "./box";
import type { Buffers } from "./buffers";
import type { Compare } from "./compare";
import type { Preview } from "./preview";
import { argumentsOf, Focus, type EditRequest } from "./request";
import type { Sessions } from "./sessions";
import type { Piece } from "./ledger";
import { target } from "./target";
import { tell, tellFailure, tellNews } from "./tell";
import type { Walk } from "./walk";

const LIVE = "liveInstruction";

export class Actions {
  constructor(
    private readonly server: Server,
    private readonly sessions: Sessions,
    private readonly buffers: Buffers,
    private readonly walk: Walk,
    private readonly compare: Compare,
    /** Whether only the built-in rules answer, which can do little. */
    private readonly isWithoutModel: () => boolean,
  ) {}

  /** The commands of this part, by name. */
  readonly commands: Readonly<Record<string, (...given: never[]) => unknown>> = {
    "redline.instruct": () => this.instruct("edit"),
    "redline.instructVariations": () => this.instruct("variations"),
    "redline.stopHere": (id?: string) => this.stop(id),
    "redline.stopAll": () => {
      this.sessions.endsByUser(undefined);
      return this.withClient((client) => send(client, "stop", {}));
    },
    "redline.redirectHere": (id?: string) => this.redirect(id),
    "redline.acceptAll": (id?: string) => this.choose("accept", id),
    "redline.rejectAll": (id?: string) => this.choose("reject", id),
    "redline.acceptHunk": (id?: string, hunk?: number) =>
      this.chooseHunk("accept", id, hunk),
    "redline.rejectHunk": (id?: string, hunk?: number) =>
      this.chooseHunk("reject", id, hunk),
    "redline.nextCandidateHere": (id?: string) => this.nextCandidate(id),
    "redline.showProblems": (id?: string) => this.showProblems(id),
    "redline.compare": (id?: string) => this.showCompare(id),
  };

  /** Ask for an instruction on the selection, or for another one where an edit is. */
  private async instruct(command: "edit" | "variations"): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) {
      tell("Open a file to edit first.");
      return;
    }
    const { document, selection } = editor;
    const running = this.sessions.at(document.uri.toString(), selection.active.line);
    if (running !== undefined && running.isLocal !== true) {
      await this.redirect(running.sessionId);
      return;
    }
    const { start, end, words } = target(
      selection.start,
      selection.end,
      document.lineAt(selection.start.line).text,
    );
    const range = document.validateRange(
      new vscode.Range(start.line, start.character, end.line, end.character),
    );
    await this.withClient(async (client) => {
      const request: EditRequest = {
        command,
        uri: document.uri.toString(),
        range: this.baseRange(document.uri.toString(), range),
        sessionId: `vscode-${randomUUID()}`,
      };
      await this.askAndRun(client, request, words, new Focus(editor, range.start));
    });
  }

  /** A shown range, as the server knows it. */
  private baseRange(uri: string, { start, end }: vscode.Range): EditArguments["range"] {
    const from = this.buffers.place(uri, start, "start", "base");
    return {
      start: from,
      end: start.isEqual(end) ? from : this.buffers.place(uri, end, "end", "base"),
    };
  }

  private async askAndRun(
    client: LanguageClient,
    request: EditRequest,
    words: string,
    focus: Focus,
  ): Promise<void> {
    const configuration = vscode.workspace.getConfiguration("redline");
    const { uri, range } = request;
    const ahead: PrepareArguments = { uri, range };
    void client.sendNotification(notifications.prepare, ahead);
    const instruction = await ask({
      title: `Redline: edit ${words}`,
      placeholder: "What to do, such as: add type hints",
      value: "",
      isLive:
        request.command === "edit"
          ? configuration.get<boolean>(LIVE, false)
          : undefined,
      onTyped: (text) => {
        focus.clear();
        void this.draft(client, request, text);
      },
      onLive: (isLive) => {
        void configuration.update(LIVE, isLive, vscode.ConfigurationTarget.Global);
      },
    });
    if (instruction !== undefined) {
      focus.clear();
      await this.run(client, request, instruction);
    } else if (focus.isCleared) {
      focus.restore();
      this.sessions.endsByUser(request.sessionId);
      await send(client, "stop", { sessionId: request.sessionId });
    }
  }

  /** Show what an instruction would do, as far as it is typed. What fails says so once
   * it is carried out. */
  private async draft(
    client: LanguageClient,
    request: EditRequest,
    instruction: string,
  ): Promise<void> {
    if (instruction.trim() === "") {
      await send(client, "stop", { sessionId: request.sessionId }).catch(
        () => undefined,
      );
      return;
    }
    const outcome = await send(client, "edit", {
      ...argumentsOf(request, instruction),
      draft: true,
    }).catch(() => undefined);
    if (outcome !== undefined) {
      this.follow(outcome);
    }
  }

  private async run(
    client: LanguageClient,
    request: EditRequest,
    instruction: string,
  ): Promise<void> {
    try {
      const given = argumentsOf(request, instruction);
      const outcome = await send(client, request.command, given);
      this.follow(outcome);
      this.report(outcome);
    } catch (error) {
      await this.fail(error);
    }
  }

  private follow({ sessionId, outcome, checks }: EditOutcome): void {
    if (outcome === "offered" || outcome === "held") {
      this.sessions.settle(sessionId, outcome, checks);
      void this.sessions.refresh(sessionId).catch(() => undefined);
    }
  }

  private report({ outcome, message, checks }: EditOutcome): void {
    if (outcome === "unchanged") {
      void tellNews(
        message ?? "Nothing needed to change.",
        this.isWithoutModel() ? "no-model" : undefined,
      );
    } else if (outcome === "stopped") {
      tell("Stopped. The file is as it was.");
    } else if (outcome === "held") {
      tell(`Held back: ${checks[0]?.message ?? "it has problems"}`);
    } else if (outcome === "applied") {
      tell("Applied. One undo takes it back.");
    }
  }

  private async redirect(id: string | undefined): Promise<void> {
    const preview = this.find(id);
    if (preview === undefined) {
      tell("No edit of Redline is here.");
      return;
    }
    if (preview.isLocal === true) {
      tell("This offer was brought back: accept or reject it, then ask again.");
      return;
    }
    const instruction = await this.instructionFor(preview.sessionId);
    if (instruction === undefined) {
      return;
    }
    await this.withClient(async (client) => {
      const { sessionId } = preview;
      const { accepted } = await send(client, "redirect", { sessionId, instruction });
      if (!accepted) {
        tell("Too late: that edit is over.");
      }
    });
  }

  /** Ask what to do instead; undefined: the user left it. */
  async instructionFor(sessionId: string | undefined): Promise<string | undefined> {
    const isWriting = this.find(sessionId)?.stage === "writing";
    return await ask({
      title: isWriting ? "Redline: redirect" : "Redline: follow up",
      placeholder: isWriting
        ? "What to do instead, such as: keep it synchronous"
        : "What should be different, such as: without the comment",
      value: "",
      isLive: undefined,
      onTyped: () => undefined,
      onLive: () => undefined,
    });
  }

  private async stop(id: string | undefined): Promise<void> {
    const here = id === undefined ? (this.find(id) ?? this.writing()) : this.find(id);
    const sessionId = id ?? here?.sessionId;
    this.letUndo(here);
    this.sessions.endsByUser(sessionId);
    await this.withClient(async (client) => {
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
    const preview = this.find(id);
    if (preview === undefined) {
      tell("No edit of Redline is here.");
      return;
    }
    const { sessionId, isLocal } = preview;
    if (command === "reject" && hunks === undefined) {
      this.letUndo(preview);
    }
    if (isLocal === true) {
      await this.chooseLocally(command, preview, hunks);
      return;
    }
    const given = { sessionId, ...(hunks && { hunks }) };
    await this.withClient((client) => send(client, command, given));
  }

  /** Answer an offer that no server knows of. */
  private async chooseLocally(
    command: "accept" | "reject",
    { uri, sessionId }: Preview,
    hunks: readonly number[] | undefined,
  ): Promise<void> {
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

  /** Accept or reject the change at the cursor, and go on to the next one. */
  private async chooseHunk(
    command: "accept" | "reject",
    id: string | undefined,
    hunk: number | undefined,
  ): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const uri = editor?.document.uri.toString() ?? "";
    const spot = this.walk.at(uri, editor?.selection.active.line ?? 0);
    if (spot === undefined) {
      tell("No change waits here.");
      return;
    }
    const { sessionId, hunkId } = spot.piece;
    await this.choose(command, id ?? sessionId, [hunk ?? hunkId]);
    await this.buffers.of(uri)?.idle();
    this.walk.goOn(command === "accept" ? spot.end : spot.first);
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
    const preview = this.find(id);
    if (preview === undefined || preview.candidates.length < 2) {
      tell("There is no other candidate here.");
      return;
    }
    const { sessionId } = preview;
    await this.withClient(async (client) => {
      await send(client, "nextCandidate", { sessionId });
      await this.sessions.refresh(sessionId);
    });
  }

  private async showProblems(id: string | undefined): Promise<void> {
    const preview = this.find(id);
    if (preview === undefined) {
      return;
    }
    const items = preview.checks.map(({ rule, message, line }) => ({
      label: `$(warning) ${rule}`,
      detail: message,
      line: preview.range.start.line + (line ?? 0),
    }));
    // A click on the status bar item has moved the focus there; keys belong to the file.
    await vscode.commands.executeCommand("workbench.action.focusActiveEditorGroup");
    const chosen = await vscode.window.showQuickPick(items, {
      title: "Why Redline holds this edit back",
      placeHolder: "Choose one to go to its line",
    });
    if (chosen !== undefined) {
      await vscode.commands.executeCommand("revealLine", {
        lineNumber: chosen.line,
        at: "center",
      });
    }
  }

  private async showCompare(id: string | undefined): Promise<void> {
    const preview = this.find(id);
    if (preview !== undefined) {
      await this.compare.show(preview);
    }
  }

  /** The named session, or else the one at the cursor, or the only one of the file. */
  private find(id: string | undefined): Preview | undefined {
    if (id !== undefined) {
      return this.sessions.get(id);
    }
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) {
      return undefined;
    }
    const all = this.sessions.of(editor.document.uri.toString());
    return this.sessions.under(editor) ?? (all.length === 1 ? all[0] : undefined);
  }

  private async withClient(
    work: (client: LanguageClient) => Promise<unknown>,
  ): Promise<void> {
    const { client } = this.server;
    if (client === undefined) {
      await tellFailure(new Error("Redline's server does not run."), "restart");
      return;
    }
    try {
      await work(client);
    } catch (error) {
      await this.fail(error);
    }
  }

  /** Say what became of what a server that is gone has written. */
  private leftWords(): string {
    return this.sessions.all.some(({ isLocal }) => isLocal)
      ? "What was written is still offered."
      : "The file is as it was.";
  }

  /** Say why something failed, in the server's own words, with what can be done. */
  async fail(error: unknown): Promise<void> {
    const data: unknown = error instanceof ResponseError ? error.data : undefined;
    const cause = (data as { readonly cause?: string } | undefined)?.cause;
    // It starts again by itself; if it gives up, it says so.
    const hasStopped = this.server.client === undefined;
    await tellFailure(
      hasStopped
        ? new Error(
            `Redline's server stopped and is started again. ${this.leftWords()}`,
          )
        : error,
      hasStopped ? undefined : cause,
    );
  }
}
