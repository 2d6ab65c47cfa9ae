// What the user does with reviews: start one, cancel it, read it, and with findings: go
// there, fix, dismiss.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import { tell } from "../edit/tell";
import type { DeepReviewArguments } from "../protocol-reviews";
import { send } from "../server/commands";
import type { Server } from "../server/server";
import { withClient } from "../server/with-client";
import type { Fixes } from "./fixes";
import type { FindingItem, ReviewItem } from "./items";

export class ReviewActions {
  constructor(
    private readonly server: Server,
    private readonly fixes: Fixes,
  ) {}

  /** The commands of this part, by name. */
  readonly commands: Readonly<Record<string, (...given: never[]) => unknown>> = {
    "redline.reviewFile": () => this.reviewEditor(false),
    "redline.reviewSelection": () => this.reviewEditor(true),
    "redline.reviewChanges": () => this.reviewChanges(),
    "redline.reviewSinceReview": () =>
      withClient(this.server, (client) =>
        this.begin(client, { change: "sinceReview" }),
      ),
    "redline.cancelReviewHere": ({ review }: ReviewItem) =>
      withClient(this.server, (client) =>
        send(client, "cancelReview", { reviewId: review.reviewId }),
      ),
    "redline.openReportHere": ({ review }: ReviewItem) =>
      withClient(this.server, (client) =>
        report(client, { reviewId: review.reviewId }),
      ),
    "redline.fixAllFindings": ({ review }: ReviewItem) =>
      this.fixes.fix({ reviewId: review.reviewId }),
    "redline.goToFinding": ({ finding }: FindingItem) =>
      goTo(finding.uri, finding.range.start.line),
    "redline.explainFinding": ({ finding }: FindingItem) =>
      withClient(this.server, (client) => report(client, { findingId: finding.id })),
    "redline.fixFinding": ({ finding }: FindingItem) =>
      this.fixes.fix({ findingId: finding.id }),
    "redline.dismissFinding": ({ finding }: FindingItem) => this.dismiss(finding.id),
  };

  private async reviewEditor(isSelection: boolean): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) {
      tell("Open a file to review first.");
      return;
    }
    await withClient(this.server, async (client) => {
      const uri = editor.document.uri.toString();
      const range = client.code2ProtocolConverter.asRange(editor.selection);
      await this.begin(client, isSelection ? { uri, range } : { uri });
    });
  }

  private async reviewChanges(): Promise<void> {
    const entries = [
      { label: "What has changed since the last commit", change: "workingTree" },
      { label: "What has changed since the last review", change: "sinceReview" },
      { label: "What the next commit would change", change: "staged" },
      { label: "What the commits since a base have changed…", change: undefined },
    ];
    const chosen = await vscode.window.showQuickPick(entries, {
      title: "Redline: review changes",
    });
    if (chosen === undefined) {
      return;
    }
    const base =
      chosen.change === undefined
        ? await vscode.window.showInputBox({
            title: "Redline: review the commits since",
            value: "main",
            prompt: "A branch, tag or commit",
          })
        : undefined;
    const change =
      chosen.change ?? (base === undefined || base === "" ? undefined : `${base}..`);
    if (change !== undefined) {
      await withClient(this.server, (client) => this.begin(client, { change }));
    }
  }

  private async begin(
    client: LanguageClient,
    given: DeepReviewArguments,
  ): Promise<void> {
    await send(client, "deepReview", given);
    await vscode.commands.executeCommand("redline.reviews.focus", {
      preserveFocus: true,
    });
  }

  private async dismiss(findingId: string): Promise<void> {
    const reason = await vscode.window.showInputBox({
      title: "Redline: dismiss this finding",
      placeHolder: "Why, in your words; may stay empty",
      prompt: "It is not shown again, nor in later reviews",
    });
    if (reason !== undefined) {
      const why = reason.trim() === "" ? {} : { reason: reason.trim() };
      await withClient(this.server, (client) =>
        send(client, "dismiss", { findingId, ...why }),
      );
    }
  }
}

async function report(
  client: LanguageClient,
  given: { reviewId: string } | { findingId: string },
): Promise<void> {
  const { uri, shown } = await send(client, "openReport", given);
  if (!shown) {
    await vscode.window.showTextDocument(vscode.Uri.parse(uri));
  }
}

async function goTo(uri: string, line: number): Promise<void> {
  const selection = new vscode.Range(line, 0, line, 0);
  await vscode.window.showTextDocument(vscode.Uri.parse(uri), { selection });
}
