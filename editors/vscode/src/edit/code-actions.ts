// Code actions that a model carries out: what they change is proposed like any edit, what
// they explain is shown beside the code, and the tests they write are opened.

import { randomUUID } from "node:crypto";

import * as vscode from "vscode";
import type { CodeAction, LanguageClient } from "vscode-languageclient/node";

import {
  commands,
  type EditArguments,
  type ExplainArguments,
  type WriteTestsArguments,
} from "../protocol";
import { send } from "../server/commands";
import type { Buffers } from "./buffers";
import type { Explanations } from "./explanations";
import type { Failures } from "./failures";
import type { Position } from "./positions";
import type { Prompt } from "./prompt";
import { applyOf } from "./request";
import { tell } from "./tell";

/** The kind of the action for all `redline:` comments of a file. */
const COMMENTS = "source.redline.comments";

const RUN = "redline.runAction";

const ASK = "Edit with an instruction…";

/** Commands whose work is done here, so that it can be seen and stopped. */
const HERE: ReadonlySet<string> = new Set([commands.edit, commands.writeTests]);

/** The data of an action whose edit the server computes. */
interface Work {
  readonly command: string;
  /** Of the base of the document that the arguments name. */
  readonly version: number;
  readonly arguments: EditArguments | WriteTestsArguments;
}

function runHere(action: vscode.CodeAction | vscode.Command): void {
  const { data } = action as { data?: Partial<Work> };
  const isOurs = data !== undefined && HERE.has(data.command ?? "");
  if (isOurs && action instanceof vscode.CodeAction) {
    action.command = { title: action.title, command: RUN, arguments: [data] };
  }
}

export class CodeActions {
  constructor(
    private readonly client: () => LanguageClient | undefined,
    private readonly buffers: Buffers,
    private readonly prompt: Prompt,
    private readonly explanations: Explanations,
    private readonly failures: Failures,
  ) {}

  readonly commands: Readonly<Record<string, (...given: never[]) => unknown>> = {
    [RUN]: (work: Work) => this.run(work),
    "redline.doComments": () => this.doComments(),
  };

  /** Have actions run here instead of resolved to an edit, and offer the prompt. */
  offered(
    actions: (vscode.CodeAction | vscode.Command)[],
    range: vscode.Range,
    context: vscode.CodeActionContext,
  ): (vscode.CodeAction | vscode.Command)[] {
    actions.forEach(runHere);
    const kind = vscode.CodeActionKind.RefactorRewrite;
    const isWanted = context.only?.contains(kind) ?? true;
    // Without a selection it stands only beside others that rewrite: there is no bulb for
    // it alone, and the menu of a finding stays short.
    const others = actions.map((each) =>
      each instanceof vscode.CodeAction ? each.kind : undefined,
    );
    const isBeside = others.some((each) => each !== undefined && kind.contains(each));
    if (!isWanted || (range.isEmpty && !isBeside)) {
      return actions;
    }
    const ask = new vscode.CodeAction(ASK, kind);
    ask.command = { title: ASK, command: "redline.instruct" };
    return [...actions, ask];
  }

  /** Complete an action that the server runs, such as the fix of a finding. */
  async resolve(
    action: vscode.CodeAction,
    cancel: vscode.CancellationToken,
  ): Promise<vscode.CodeAction> {
    const client = this.client();
    if (client === undefined || action.command?.command === RUN) {
      return action;
    }
    // The library would show its own words and "[object Object]" around the sentence.
    const given = client.code2ProtocolConverter.asCodeActionSync(action);
    try {
      const method = "codeAction/resolve";
      const resolved = await client.sendRequest<CodeAction>(method, given, cancel);
      return await client.protocol2CodeConverter.asCodeAction(resolved, cancel);
    } catch (error) {
      if (!cancel.isCancellationRequested) {
        void this.failures.fail(error);
      }
      return action;
    }
  }

  /** Show an explanation of the light bulb. */
  async explain(given: ExplainArguments): Promise<void> {
    await this.failures.withClient((client) =>
      this.explanations.explain(client, given),
    );
  }

  /** Place the cursor in the lines of an edit instead of behind their selection, so that
   * the keys of the edit are for it. */
  private focusOn(uri: string, start: Position): void {
    const editor = vscode.window.activeTextEditor;
    const shown = editor?.document.uri.toString();
    if (
      editor !== undefined &&
      shown === vscode.Uri.parse(uri).toString() &&
      !editor.selection.isEmpty
    ) {
      const { line, character } = this.buffers.place(shown, start, "start", "shown");
      editor.selection = new vscode.Selection(line, character, line, character);
    }
  }

  /** Carry out all `redline:` comments of the file as one edit. */
  private async doComments(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (document === undefined) {
      tell("Open a file with `redline:` comments first.");
      return;
    }
    const start = { line: 0, character: 0 };
    const textDocument = { uri: document.uri.toString() };
    const context = { diagnostics: [], only: [COMMENTS] };
    let work: Work | undefined;
    await this.failures.withClient(async (client) => {
      const given = { textDocument, range: { start, end: start }, context };
      const method = "textDocument/codeAction";
      const found = await client.sendRequest<CodeAction[] | null>(method, given);
      work = (found ?? [])
        .map((each) => (each as { data?: Work }).data)
        .find((each) => each?.command === commands.edit);
    });
    if (work === undefined) {
      tell("No comment that begins with `redline:` is in this file.");
    } else {
      await this.run(work);
    }
  }

  private async run({ command, version, arguments: given }: Work): Promise<void> {
    const { uri } = given;
    const document = vscode.workspace.textDocuments.find(
      (each) => each.uri.toString() === vscode.Uri.parse(uri).toString(),
    );
    const base = this.buffers.of(document?.uri.toString() ?? "") ?? document;
    if (base?.version !== version) {
      tell("The text has changed since this was offered: choose it again.");
      return;
    }
    await this.failures.withClient(async (client) => {
      if (command === commands.writeTests) {
        await this.writeTests(client, given as WriteTestsArguments);
        return;
      }
      const { range, ranges } = given as EditArguments;
      const first = range ?? ranges?.[0]?.range;
      if (first !== undefined) {
        this.focusOn(uri, first.start);
      }
      const sessionId = `vscode-${randomUUID()}`;
      const edit = { ...(given as EditArguments), ...applyOf(), sessionId };
      await this.prompt.carryOut(client, "edit", edit);
    });
  }

  /** Write tests, and open their file. */
  private async writeTests(
    client: LanguageClient,
    given: WriteTestsArguments,
  ): Promise<void> {
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: "Redline: Write tests (Escape stops it)",
      cancellable: true,
    };
    await vscode.window.withProgress(options, (_, cancelled) =>
      this.explanations.stoppable(cancelled, async (cancel) => {
        try {
          const { uri } = await send(client, "writeTests", given, cancel);
          await vscode.window.showTextDocument(vscode.Uri.parse(uri), {
            preview: false,
          });
        } catch (error) {
          if (!cancel.isCancellationRequested) {
            throw error;
          }
          tell("Stopped. No tests were written.");
        }
      }),
    );
  }
}
