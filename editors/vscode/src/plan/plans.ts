// Plans: starts one from the editor, and says when one waits for the user. The plan's
// document, its lenses and the edit that applies it come from the server.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import { tell, tellFailure } from "../edit/tell";
import { notifications } from "../protocol";
import type { PlanStatus } from "../protocol-plans";
import { send } from "../server/commands";
import type { Server } from "../server/server";
import { withClient } from "../server/with-client";

const APPLY = "Apply";
const OPEN = "Open the Plan";

const AT_WORK: ReadonlySet<PlanStatus["state"]> = new Set([
  "queued",
  "gathering",
  "planning",
  "running",
  "joining",
  "reviewing",
] as const);

export class Plans {
  /** The plans at work: when one of them waits for the user, a message says so. */
  readonly #working = new Set<string>();

  constructor(private readonly server: Server) {}

  /** The commands of this part, by name. */
  readonly commands: Readonly<Record<string, () => unknown>> = {
    "redline.planChange": () => this.plan(),
    "redline.showPlans": () => this.pick(),
  };

  /** Listen to a new server. */
  attach(client: LanguageClient): void {
    client.onNotification(notifications.plan, (status: PlanStatus) => {
      void this.changed(client, status);
    });
  }

  private async plan(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) {
      tell("Open a file that the change is about first.");
      return;
    }
    const instruction = await vscode.window.showInputBox({
      title: "Redline: plan a change over several files",
      prompt: "What to change; the deep tier plans it, and you see the plan first",
      ignoreFocusOut: true,
    });
    if (instruction === undefined || instruction.trim() === "") {
      return;
    }
    await withClient(this.server, async (client) => {
      const uri = editor.document.uri.toString();
      const range = client.code2ProtocolConverter.asRange(editor.selection);
      const place = editor.selection.isEmpty ? { uri } : { uri, range };
      await send(client, "plan", { ...place, instruction });
    });
  }

  private async pick(): Promise<void> {
    await withClient(this.server, async (client) => {
      const { plans } = await send(client, "plans", {});
      const entries = plans
        .filter(({ steps }) => steps.length > 0)
        .reverse()
        .map((plan) => ({
          label: plan.summary === "" ? plan.instruction : plan.summary,
          description: plan.state,
          detail: plan.steps
            .map(({ id, file, state }) => `${id} ${file} (${state})`)
            .join(", "),
          planId: plan.planId,
        }));
      if (entries.length === 0) {
        tell("There is no plan yet.");
        return;
      }
      const chosen = await vscode.window.showQuickPick(entries, {
        title: "Redline: plans",
      });
      if (chosen !== undefined) {
        await send(client, "openPlan", { planId: chosen.planId });
      }
    });
  }

  /** Say once that a plan waits for the user, or has failed. */
  private async changed(client: LanguageClient, status: PlanStatus): Promise<void> {
    const { planId, kind, state, message } = status;
    if (AT_WORK.has(state)) {
      this.#working.add(planId);
      return;
    }
    // Plans that waited before are sent again after a start.
    if (!this.#working.delete(planId)) {
      return;
    }
    if (state === "failed") {
      await tellFailure(new Error(`The ${kind} failed: ${message}`), undefined);
    }
    if (state !== "ready" && state !== "held") {
      return;
    }
    const text =
      state === "ready"
        ? `Redline: the ${kind} is ready to be applied. ${status.cause}`
        : `Redline: the ${kind} is held: ${[status.cause, message].join(" ").trim()}`;
    const entries = status.steps.length > 0 ? [APPLY, OPEN] : [OPEN];
    const chosen = await vscode.window.showInformationMessage(text.trim(), ...entries);
    if (chosen === APPLY) {
      await withClient(this.server, async () => {
        const done = await send(client, "applyPlan", { planId });
        if (done.message !== "") {
          tell(done.message);
        }
      });
    } else if (chosen === OPEN) {
      await withClient(this.server, () => send(client, "openPlan", { planId }));
    }
  }
}
