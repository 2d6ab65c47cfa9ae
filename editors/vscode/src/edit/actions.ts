// What the user does with edits: ask for one, redirect, stop, accept, reject, compare.

import { randomUUID } from "node:crypto";

import * as vscode from "vscode";
import { ResponseError, type LanguageClient } from "vscode-languageclient/node";

import { notifications } from "../protocol";
import type { EditArguments, EditOutcome, PrepareArguments } from "../protocol";
import { send } from "../server/commands";
import type { Server } from "../server/server";
import { ask } from "./box";
import { stopArguments } from "./choices";
import type { Compare } from "./compare";
import type { Preview } from "./preview";
import type { Sessions } from "./sessions";
import { target } from "./target";
import { tell, tellFailure, tellNews } from "./tell";

const LIVE = "liveInstruction";

export class Actions {
  constructor(
    private readonly server: Server,
    private readonly sessions: Sessions,
    private readonly compare: Compare,
    /** Whether only the built-in rules answer, which can do little. */
    private readonly isWithoutModel: () => boolean,
  ) {}

  /** The commands of this part, by name. */
  readonly commands: Readonly<Record<string, (...given: never[]) => unknown>> = {
    "redline.instruct": () => this.instruct("edit"),
    "redline.instructVariations": () => this.instruct("variations"),
    "redline.stopHere": (id?: string) => this.stop(id),
    "redline.stopAll": () => this.withClient((client) => send(client, "stop", {})),
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
    if (running !== undefined) {
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
        range: client.code2ProtocolConverter.asRange(range),
        sessionId: `vscode-${randomUUID()}`,
      };
      await this.askAndRun(client, request, words, new Focus(editor, range.start));
    });
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
    const isWriting = preview.stage === "writing";
    const instruction = await ask({
      title: isWriting ? "Redline: redirect" : "Redline: follow up",
      placeholder: isWriting
        ? "What to do instead, such as: keep it synchronous"
        : "What should be different, such as: without the comment",
      value: "",
      isLive: undefined,
      onTyped: () => undefined,
      onLive: () => undefined,
    });
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

  /** Fill in what a redirect of the menu leaves open; undefined: the user left it. */
  async instructionFor(sessionId: string | undefined): Promise<string | undefined> {
    const isWriting = this.find(sessionId)?.stage === "writing";
    return await ask({
      title: isWriting ? "Redline: redirect" : "Redline: follow up",
      placeholder: "What to do instead, such as: keep it synchronous",
      value: "",
      isLive: undefined,
      onTyped: () => undefined,
      onLive: () => undefined,
    });
  }

  private async stop(id: string | undefined): Promise<void> {
    const given = stopArguments(id, this.find(undefined));
    await this.withClient(async (client) => {
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
    const given = { sessionId: preview.sessionId, ...(hunks && { hunks }) };
    await this.withClient((client) => send(client, command, given));
  }

  private async chooseHunk(
    command: "accept" | "reject",
    id: string | undefined,
    hunk: number | undefined,
  ): Promise<void> {
    const chosen = hunk ?? this.hunkAtCursor(this.find(id));
    if (chosen === undefined) {
      tell("Put the cursor on a change first.");
      return;
    }
    await this.choose(command, id, [chosen]);
  }

  private hunkAtCursor(preview: Preview | undefined): number | undefined {
    const line = vscode.window.activeTextEditor?.selection.active.line;
    if (preview === undefined || line === undefined) {
      return undefined;
    }
    const settled = preview.hunks.filter((hunk) => hunk.state === "settled");
    const under = settled.find(
      ({ range }) =>
        line >= range.start.line &&
        line <= Math.max(range.start.line, range.end.line - 1),
    );
    // Elsewhere in the region: the next one below, so that one key goes through them all.
    return (
      under ??
      settled.find(({ range }) => range.start.line >= line) ??
      settled[0]
    )?.id;
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

  /** Say why something failed, in the server's own words, with what can be done. */
  async fail(error: unknown): Promise<void> {
    const data: unknown = error instanceof ResponseError ? error.data : undefined;
    const cause = (data as { readonly cause?: string } | undefined)?.cause;
    // It starts again by itself; if it gives up, it says so.
    const hasStopped = this.server.client === undefined;
    await tellFailure(
      hasStopped
        ? new Error(
            "Redline's server stopped and is started again. The file is as it was.",
          )
        : error,
      hasStopped ? undefined : cause,
    );
  }
}

/** What was selected: a selection would hide the colours of what is painted. */
class Focus {
  readonly #selections: readonly vscode.Selection[];
  isCleared = false;

  constructor(
    private readonly editor: vscode.TextEditor,
    private readonly place: vscode.Position,
  ) {
    this.#selections = editor.selections;
  }

  clear(): void {
    if (!this.isCleared) {
      this.isCleared = true;
      this.editor.selection = new vscode.Selection(this.place, this.place);
    }
  }

  restore(): void {
    this.editor.selections = this.#selections;
  }
}

interface EditRequest {
  readonly command: "edit" | "variations";
  readonly uri: string;
  readonly range: EditArguments["range"];
  readonly sessionId: string;
}

function argumentsOf(request: EditRequest, instruction: string): EditArguments {
  const { uri, range, sessionId } = request;
  const found = vscode.workspace
    .getConfiguration("redline")
    .inspect<string>("edit.apply");
  const isChosen = [
    found?.globalValue,
    found?.workspaceValue,
    found?.workspaceFolderValue,
  ].some((value) => value !== undefined);
  // Whoever sets `edit.apply` gets that; else an edit is shown before it is applied.
  const apply = isChosen ? {} : ({ apply: "preview" } as const);
  return { uri, range, instruction, sessionId, ...apply };
}
