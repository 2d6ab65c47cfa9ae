// Instructions of the user: asked for, carried out, followed by others.

import { randomUUID } from "node:crypto";

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import {
  notifications,
  type EditArguments,
  type EditOutcome,
  type FilesResult,
  type PromptsResult,
  type RedirectResult,
} from "../protocol";
import { send } from "../server/commands";
import type { InstructionBox } from "./box";
import type { Buffers } from "./buffers";
import { Drafts } from "./drafts";
import type { Failures } from "./failures";
import { NO_INSTRUCTION, type Instruction } from "./images";
import { argumentsOf, Focus, isShownFirst, placeOf, type EditRequest } from "./request";
import type { Sessions } from "./sessions";
import { assumedLines } from "./standing";
import { targetOf } from "./targets";
import { tell, tellFailure, tellNews } from "./tell";

const NO_PROMPTS: PromptsResult = { prompts: [], folders: [], problems: [] };

const NOTHING: FilesResult = { files: [], definitions: [], models: [] };

const LIVE = "liveInstruction";

type Command = "edit" | "variations";

export class Prompt {
  /** The edit that an instruction was meant for that could not be sent. */
  #failedRedirect: string | undefined;

  constructor(
    private readonly sessions: Sessions,
    private readonly buffers: Buffers,
    private readonly box: InstructionBox,
    private readonly failures: Failures,
    /** Whether only the built-in rules answer, which can do little. */
    private readonly isWithoutModel: () => boolean,
    private readonly client: () => LanguageClient | undefined,
  ) {}

  /** The commands of this part, by name. */
  readonly commands: Readonly<Record<string, (...given: never[]) => unknown>> = {
    "redline.instruct": () => this.instruct("edit"),
    "redline.instructVariations": () => this.instruct("variations"),
    "redline.redirectHere": (id?: string) => this.redirect(id),
    "redline.bringBackHere": (uri?: string) => this.bringBack(uri),
  };

  /** Ask for an instruction on the selection, or for another one where an edit is. */
  private async instruct(command: Command): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) {
      tell("Open a file to edit first.");
      return;
    }
    const { document, selection } = editor;
    const running = this.sessions.at(document.uri.toString(), selection);
    if (running !== undefined && running.isLocal !== true) {
      await this.redirect(running.sessionId);
      return;
    }
    await this.failures.withClient(async (client) => {
      await this.askAndRun(client, command, editor);
    });
  }

  private async askAndRun(
    client: LanguageClient,
    command: Command,
    editor: vscode.TextEditor,
  ): Promise<void> {
    const configuration = vscode.workspace.getConfiguration("redline");
    const uri = editor.document.uri.toString();
    const sessionId = `vscode-${randomUUID()}`;
    const target = targetOf(client, this.buffers, editor);
    const focus = new Focus(editor, target);
    const request = target.then((known): EditRequest => {
      const { range } = known;
      const prepared = client.sendNotification(notifications.prepare, { uri, range });
      void prepared.catch(() => undefined);
      return { command, uri, target: known, sessionId };
    });
    // It is reported when the instruction is carried out, if it ever is.
    void request.catch(() => undefined);
    const drafts = new Drafts(request, (known, typed: Instruction) =>
      this.draft(client, known, typed),
    );
    const instruction = await this.box.ask("edit", {
      title: "Redline: edit",
      laterTitle: target.then(({ words }) => `Redline: edit ${words}`),
      placeholder: "What to do, such as: add type hints",
      isLive: command === "edit" ? configuration.get<boolean>(LIVE, false) : undefined,
      onEnter: isShownFirst()
        ? "see the result before your file changes"
        : "run the instruction",
      takesImages: true,
      nameable: (typed) => nameable(client, typed),
      prompts: () => promptsOf(client),
      onTyped: (typed) => {
        focus.clear();
        void drafts.add(typed).catch(() => undefined);
      },
      about: async ({ text, images }) => {
        const { target: known } = await request;
        const { summary, assumes } = await send(client, "nextPrompt", {
          uri,
          ...placeOf(known),
          instruction: text,
          images: images.length,
        });
        return { sent: summary ?? "", rest: assumedLines(assumes) };
      },
      onLive: (isLive) => {
        void configuration
          .update(LIVE, isLive, vscode.ConfigurationTarget.Global)
          .then(undefined, (error: unknown) => tellFailure(error));
      },
    });
    if (instruction !== undefined) {
      focus.clear();
      focus.dispose();
      await this.run(client, command, request, instruction);
      return;
    }
    drafts.end();
    focus.dispose();
    if (focus.isCleared) {
      focus.restore();
      this.sessions.endsByUser(sessionId);
      await send(client, "stop", { sessionId });
    }
  }

  /** Show what an instruction would do, as far as it is typed. What fails says so once
   * it is carried out. */
  private async draft(
    client: LanguageClient,
    known: EditRequest,
    instruction: Instruction,
  ): Promise<void> {
    if (instruction.text.trim() === "") {
      await send(client, "stop", { sessionId: known.sessionId });
      return;
    }
    this.follow(
      await send(client, "edit", { ...argumentsOf(known, instruction), draft: true }),
    );
  }

  /** Carry out an instruction. What fails is in the box when it is opened again. */
  private async run(
    client: LanguageClient,
    command: Command,
    request: Promise<EditRequest>,
    instruction: Instruction,
  ): Promise<void> {
    this.box.beginWith("edit", NO_INSTRUCTION);
    const isDone = await this.failures.withClient(async () => {
      const given = argumentsOf(await request, instruction);
      await this.carryOut(client, command, given);
    });
    if (!isDone) {
      this.box.beginWith("edit", instruction);
    }
  }

  /** Send an edit, and follow it until it waits or is over. */
  async carryOut(
    client: LanguageClient,
    command: Command,
    given: EditArguments,
  ): Promise<void> {
    this.settle(await send(client, command, given));
  }

  /** Follow an edit that waits, and report one that is over. */
  settle(outcome: EditOutcome): void {
    this.follow(outcome);
    this.report(outcome);
  }

  private follow({ sessionId, outcome, checks }: EditOutcome): void {
    if (outcome === "offered" || outcome === "held") {
      this.sessions.settle(sessionId, outcome, checks);
      void this.sessions.refresh(sessionId).catch(() => undefined);
    }
  }

  private report({ outcome, message }: EditOutcome): void {
    if (outcome === "unchanged") {
      void tellNews(
        message ?? "Nothing needed to change.",
        this.isWithoutModel() ? "no-model" : undefined,
      );
    } else if (outcome === "stopped") {
      tell(message ?? "Stopped. The file is as it was.");
    } else if (outcome === "applied") {
      tell(message ?? "Applied. One undo takes it back.");
    } else if (outcome === "offered" && message !== undefined) {
      tell(message);
    }
  }

  private async redirect(id: string | undefined): Promise<void> {
    const preview = this.sessions.named(id);
    if (preview === undefined) {
      tell("No edit of Redline is here.");
      return;
    }
    if (preview.isLocal === true) {
      tell("Redline's server does not run: accept or reject this offer first.");
      return;
    }
    const { sessionId } = preview;
    await this.failures.withClient(() =>
      this.redirectBy(sessionId, async (instruction) => {
        const client = this.client();
        if (client === undefined) {
          throw new Error("Redline's server does not run.");
        }
        return await send(client, "redirect", { sessionId, instruction });
      }),
    );
  }

  /** Ask what to do instead, and send it; undefined: the user left it. What fails is in
   * the box when it is opened again for that edit. */
  async redirectBy(
    sessionId: string | undefined,
    sendIt: (instruction: string) => Promise<RedirectResult>,
  ): Promise<RedirectResult | undefined> {
    if (this.#failedRedirect !== sessionId) {
      this.box.beginWith("redirect", NO_INSTRUCTION);
    }
    const instruction = await this.instructionFor(sessionId);
    if (instruction === undefined) {
      return undefined;
    }
    this.box.beginWith("redirect", instruction);
    this.#failedRedirect = sessionId;
    const result = await sendIt(instruction.text);
    this.box.beginWith("redirect", NO_INSTRUCTION);
    if (!result.accepted) {
      // Where it was, only another edit can be asked for.
      this.box.beginWith("edit", instruction);
      tell(
        "Too late: that edit is over. Your instruction is in the box for a new one.",
      );
    }
    return result;
  }

  /** Ask what to do instead; undefined: the user left it. */
  private async instructionFor(
    sessionId: string | undefined,
  ): Promise<Instruction | undefined> {
    const isWriting = this.sessions.named(sessionId)?.stage === "writing";
    const client = this.client();
    return await this.box.ask("redirect", {
      title: isWriting ? "Redline: redirect" : "Redline: follow up",
      placeholder: isWriting
        ? "What to do instead, such as: keep it synchronous"
        : "What should be different, such as: without the comment",
      takesImages: false,
      nameable: async (typed) =>
        client === undefined ? NOTHING : await nameable(client, typed),
      prompts: async () =>
        client === undefined ? NO_PROMPTS : await promptsOf(client),
      isLive: undefined,
      onEnter: isWriting ? "stop and write this instead" : "change what is proposed",
      onTyped: () => undefined,
      onLive: () => undefined,
    });
  }

  /** Have the last offer of a file that was rejected or dropped offered again. */
  private async bringBack(uri: string | undefined): Promise<void> {
    const file =
      uri === undefined
        ? vscode.window.activeTextEditor?.document.uri
        : vscode.Uri.parse(uri);
    if (file === undefined) {
      tell("Open the file whose last offer is to come back.");
      return;
    }
    await vscode.window.showTextDocument(file);
    await this.failures.withClient(async (client) => {
      try {
        this.follow(await send(client, "bringBack", { uri: file.toString() }));
      } catch (error) {
        tell(error instanceof Error ? error.message : String(error));
      }
    });
  }
}

/** What an instruction can name; nothing: the server does not know. An older one knows no
 * definitions. */
async function nameable(client: LanguageClient, typed: string): Promise<FilesResult> {
  try {
    return { ...NOTHING, ...(await send(client, "files", { typed })) };
  } catch {
    return NOTHING;
  }
}

/** The saved prompts; none: the server does not know. */
async function promptsOf(client: LanguageClient): Promise<PromptsResult> {
  try {
    return await send(client, "prompts", {});
  } catch {
    return NO_PROMPTS;
  }
}
