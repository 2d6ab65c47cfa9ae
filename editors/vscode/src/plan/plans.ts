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
import { isAtWork, type Item, type PlanItem, type StepItem } from "./items";

const APPLY = "Apply";
const OPEN = "Open the Plan";

export class Plans implements vscode.Disposable {
  readonly #plans = new Map<string, PlanStatus>();
  readonly #changed = new vscode.EventEmitter<void>();
  /** A plan or a step has changed. */
  readonly onChanged = this.#changed.event;
  /** The plans at work: when one of them waits for the user, a message says so. */
  readonly #working = new Set<string>();

  constructor(private readonly server: Server) {}

  /** The commands of this part, by name. */
  readonly commands: Readonly<Record<string, (...given: never[]) => unknown>> = {
    "redline.planChange": () => this.plan(),
    "redline.showPlans": () => this.pick(),
    "redline.openPlanItem": (item: Item) => this.open(item),
    "redline.runPlanItem": (item: Item) =>
      withClient(this.server, (client) =>
        send(client, "runPlan", {
          planId: item.plan.planId,
          ...(item.kind === "step" ? { steps: [item.step.id] } : {}),
        }),
      ),
    "redline.applyPlanItem": ({ plan }: PlanItem) => this.apply(plan.planId),
    "redline.discardPlanItem": ({ plan }: PlanItem) =>
      withClient(this.server, (client) =>
        send(client, "rejectPlan", { planId: plan.planId }),
      ),
    "redline.takeBackPlanItem": ({ plan }: PlanItem) =>
      withClient(this.server, async (client) => {
        await send(client, "takeBack", { planId: plan.planId });
        tell("The plan is taken back: its files are as they were before it.");
      }),
    "redline.cancelPlanItem": ({ plan }: PlanItem) =>
      withClient(this.server, (client) =>
        send(client, "cancelPlan", { planId: plan.planId }),
      ),
    "redline.openStepFile": ({ step }: StepItem) => openFile(step.file),
  };

  /** The plans, the oldest first. */
  get list(): readonly PlanStatus[] {
    return [...this.#plans.values()];
  }

  dispose(): void {
    this.#changed.dispose();
  }

  /** Ask a server that has just started for the plans that it knows. */
  async refresh(): Promise<void> {
    const { client } = this.server;
    if (client === undefined) {
      return;
    }
    // A server that is too old has no plans to show.
    const known = await send(client, "plans", {}).catch(() => ({ plans: [] }));
    // What was sent meanwhile is newer.
    const sent = [...this.#plans];
    this.#plans.clear();
    for (const plan of known.plans) {
      this.#plans.set(plan.planId, plan);
    }
    for (const [planId, plan] of sent) {
      this.#plans.set(planId, plan);
    }
    this.#changed.fire();
  }

  /** Listen to a new server. */
  attach(client: LanguageClient): void {
    this.#plans.clear();
    client.onNotification(notifications.plan, (status: PlanStatus) => {
      this.#plans.set(status.planId, status);
      this.#changed.fire();
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
    if (isAtWork(state)) {
      this.#working.add(planId);
      return;
    }
    // Plans that waited before are sent again after a start.
    if (!this.#working.delete(planId)) {
      return;
    }
    if (state === "failed") {
      await tellFailure(new Error(`The ${kind} failed: ${message}`));
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
      await this.apply(planId);
    } else if (chosen === OPEN) {
      await withClient(this.server, () => send(client, "openPlan", { planId }));
    }
  }

  private async apply(planId: string): Promise<void> {
    await withClient(this.server, async (client) => {
      const done = await send(client, "applyPlan", { planId });
      if (done.message !== "") {
        tell(done.message);
      }
    });
  }

  /** Open the document of a plan, at a step if one is meant. */
  private async open(item: Item): Promise<void> {
    await withClient(this.server, async (client) => {
      const { planId } = item.plan;
      const { uri } = await send(client, "openPlan", { planId });
      if (item.kind === "plan") {
        return;
      }
      const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
      const heading = `## ${item.step.id} `;
      const lines = document.getText().split("\n");
      const line = lines.findIndex((text) => text.startsWith(heading));
      const selection = new vscode.Range(Math.max(line, 0), 0, Math.max(line, 0), 0);
      await vscode.window.showTextDocument(document, { selection });
    });
  }
}

/** Open the file of a step; one that the plan creates is not there yet. */
async function openFile(path: string): Promise<void> {
  for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
    const file = vscode.Uri.joinPath(uri, path);
    const found = await vscode.workspace.fs.stat(file).then(
      () => true,
      () => false,
    );
    if (found) {
      await vscode.window.showTextDocument(file);
      return;
    }
  }
  tell(`There is no ${path} yet.`);
}
