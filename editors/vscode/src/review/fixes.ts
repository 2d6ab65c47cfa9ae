// Fixes of findings: each is proposed in its file like any edit, and its finding is fixed
// once the user has accepted it.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import type { Buffers } from "../edit/buffers";
import type { Failures } from "../edit/failures";
import type { Prompt } from "../edit/prompt";
import { isShownFirst } from "../edit/request";
import { tell } from "../edit/tell";
import type { ApplyFixArguments, Finding } from "../protocol-reviews";
import { send } from "../server/commands";

export class Fixes {
  constructor(
    private readonly buffers: Buffers,
    private readonly prompt: Prompt,
    private readonly failures: Failures,
  ) {}

  /** Fix a finding, or all findings of a review that have a fix. */
  async fix(given: ApplyFixArguments): Promise<void> {
    await this.failures.withClient(async (client) => {
      if (!isShownFirst()) {
        await apply(client, given);
        return;
      }
      const { findings } = await send(client, "reviews", {});
      const { findingId, reviewId } = given;
      if (findingId === undefined) {
        const all = findings.filter(
          (each) =>
            each.reviewId === reviewId && each.state === "open" && "fix" in each,
        );
        await this.offerAll(client, all);
        return;
      }
      const finding = findings.find(({ id }) => id === findingId);
      if (finding !== undefined) {
        await this.reveal(finding);
      }
      const sessionId = await this.offer(client, findingId);
      if (finding !== undefined && sessionId !== undefined) {
        await this.goTo(finding, sessionId);
      }
    });
  }

  /** Show the lines of a finding. */
  private async reveal({ uri, range }: Finding): Promise<void> {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
    const shown = document.uri.toString();
    const { line } = this.buffers.place(shown, range.start, "start", "shown");
    const selection = new vscode.Range(line, 0, line, 0);
    await vscode.window.showTextDocument(document, { selection });
  }

  /** Place the cursor in a fix, so that the keys of the edit are for it: the editor has
   * moved it behind the lines that were replaced. */
  private async goTo({ uri }: Finding, sessionId: string): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    const shown = vscode.Uri.parse(uri).toString();
    await this.buffers.of(shown)?.idle();
    if (document?.uri.toString() === shown) {
      await vscode.commands.executeCommand("redline.goToOffer", sessionId);
    }
  }

  /** Offer a fix; returns its session, if it waits for the user. */
  private async offer(
    client: LanguageClient,
    findingId: string,
  ): Promise<string | undefined> {
    const given = { findingId, apply: "preview" } as const;
    const { offered } = await send(client, "applyFix", given);
    if (offered === undefined) {
      return undefined;
    }
    this.prompt.settle(offered);
    return offered.outcome === "offered" ? offered.sessionId : undefined;
  }

  /** Offer one fix after the other, each in its file. */
  private async offerAll(
    client: LanguageClient,
    findings: readonly Finding[],
  ): Promise<void> {
    let n = 0;
    const refused: string[] = [];
    for (const { id, uri } of findings) {
      try {
        await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
        n += Number((await this.offer(client, id)) !== undefined);
      } catch (error) {
        refused.push(error instanceof Error ? error.message : String(error));
      }
    }
    const files = new Set(findings.map(({ uri }) => uri)).size;
    const fixes = n === 1 ? "1 fix is" : `${n} fixes are`;
    const places = files === 1 ? "1 file" : `${files} files`;
    report(`${fixes} offered in ${places}`, n, refused);
  }
}

/** Have fixes applied at once, as `edit.apply` says. */
async function apply(client: LanguageClient, given: ApplyFixArguments): Promise<void> {
  const { applied, refused } = await send(client, "applyFix", given);
  report(
    `${applied.length} fixed`,
    applied.length,
    refused.map(({ message }) => message),
  );
}

function report(done: string, n: number, refused: readonly string[]): void {
  const [first] = refused;
  if (first !== undefined) {
    void vscode.window.showWarningMessage(`${done}, ${refused.length} not: ${first}`);
  } else {
    tell(n === 0 ? "There was nothing to fix." : `${done}.`);
  }
}
