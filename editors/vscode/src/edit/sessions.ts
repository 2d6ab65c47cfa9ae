// All edits that are not over, as the server's notifications tell. Their ranges are in
// the base of the document: the text without what is proposed.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import {
  notifications,
  type Check,
  type EditBegan,
  type EditEnded,
  type EditHunks,
} from "../protocol";
import type { Status } from "../protocol-status";
import { send } from "../server/commands";
import { spotsOf } from "./marks";
import type { BaseEvent, Buffers } from "./buffers";
import {
  PREVIEW_SCHEME,
  handedOver,
  opened,
  regionAt,
  stageOf,
  withChange,
  withHunks,
  withState,
  type Preview,
  type Stage,
} from "./preview";

/** Of ranges that are of no text the server knows: what is written stays as it is. */
export const NO_VERSION = -1;

/** The preview of a session has changed, or is gone. */
export interface Change {
  readonly uri: string;
  /** Whether more has changed than what is painted: what can be done with it. */
  readonly isNews: boolean;
}

export class Sessions implements vscode.Disposable {
  readonly #previews = new Map<string, Preview>();
  readonly #quiet = new Set<string>();
  readonly #changed = new vscode.EventEmitter<Change>();
  readonly #ended = new vscode.EventEmitter<EditEnded>();
  readonly onChanged = this.#changed.event;
  readonly onEnded = this.#ended.event;
  readonly #listener: vscode.Disposable;
  #messages: readonly vscode.Disposable[] = [];
  #client: LanguageClient | undefined;

  constructor(private readonly buffers: Buffers) {
    this.#listener = buffers.onBase((event) => {
      this.move(event);
    });
  }

  /** Listen to a new server; what the last one knew is gone. */
  attach(client: LanguageClient): void {
    this.serverGone();
    this.#client = client;
    this.#messages = [
      client.onNotification(notifications.began, (message: EditBegan) => {
        const known = this.get(message.sessionId);
        this.put(known === undefined ? opened(message) : handedOver(known, message));
      }),
      client.onNotification(notifications.hunks, (message: EditHunks) => {
        this.take(message);
      }),
      client.onNotification(notifications.ended, (message: EditEnded) => {
        // First those who keep what is about to go.
        this.#ended.fire(message);
        this.drop(message.sessionId);
      }),
    ];
  }

  get all(): readonly Preview[] {
    return [...this.#previews.values()];
  }

  get(sessionId: string): Preview | undefined {
    return this.#previews.get(sessionId);
  }

  /** The previews of a document. */
  of(uri: string): readonly Preview[] {
    return this.all.filter((preview) => preview.uri === uri);
  }

  /** The preview whose region has the cursor of a selection, or one of whose changes has
   * its line. */
  at(uri: string, { active, anchor }: vscode.Selection): Preview | undefined {
    const { line } = active;
    const ledger = this.buffers.ledger(uri);
    const spot = (ledger === undefined ? [] : spotsOf(ledger)).find(
      ({ first, end }) => line >= first && line < Math.max(end, first + 1),
    );
    const found = spot && this.get(spot.piece.sessionId);
    const base = this.buffers.place(uri, active, "start", "base");
    const isEndIn = !anchor.isAfter(active);
    return found ?? regionAt(this.of(uri), base, isEndIn);
  }

  /** The preview at an editor's cursor, or the one that it compares with the file. */
  under(editor: vscode.TextEditor): Preview | undefined {
    const { uri } = editor.document;
    return uri.scheme === PREVIEW_SCHEME
      ? this.get(uri.query)
      : this.at(uri.toString(), editor.selection);
  }

  /** The named session, or else the one at the cursor, or the only one of the file. */
  named(id: string | undefined): Preview | undefined {
    if (id !== undefined) {
      return this.get(id);
    }
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) {
      return undefined;
    }
    const all = this.of(editor.document.uri.toString());
    return this.under(editor) ?? (all.length === 1 ? all[0] : undefined);
  }

  /** Record that the user ends an edit, so that no message reports it. */
  endsByUser(sessionId: string | undefined): void {
    for (const preview of this.all) {
      if (sessionId === undefined || preview.sessionId === sessionId) {
        this.#quiet.add(preview.sessionId);
      }
    }
  }

  /** Whether the user has ended an edit. */
  isEndedByUser(sessionId: string): boolean {
    return this.#quiet.has(sessionId);
  }

  /** Add an offer that no server knows of. */
  bring(preview: Preview): void {
    this.put({ ...preview, isLocal: true, stage: "offered" });
  }

  /** End an offer that no server knows of. */
  endLocal(sessionId: string, outcome: EditEnded["outcome"]): void {
    this.#ended.fire({ sessionId, outcome });
    this.drop(sessionId);
  }

  /** Record the state of the sessions. */
  follow(status: Status): void {
    for (const { sessionId, state, tier, model } of status.sessions) {
      const preview = this.#previews.get(sessionId);
      const stage = stageOf(state);
      if (preview !== undefined && stage !== undefined) {
        this.stand(preview, {
          stage,
          tier: tier ?? preview.tier,
          model: model ?? preview.model,
        });
      }
    }
  }

  /** Record the result of a session that is not over. */
  settle(sessionId: string, stage: Stage, checks: readonly Check[]): void {
    const preview = this.#previews.get(sessionId);
    if (preview !== undefined) {
      this.put({ ...preview, stage, checks });
    }
  }

  /** Ask the server for everything about a session: its candidates, too. */
  async refresh(sessionId: string): Promise<void> {
    if (this.#client === undefined) {
      return;
    }
    const state = await send(this.#client, "editState", { sessionId });
    const preview = this.#previews.get(sessionId);
    if (preview !== undefined && state.seq >= preview.seq) {
      this.put(withState(preview, state));
    }
  }

  /** The server is gone: the changes that were finished are offered, without it. */
  serverGone(): void {
    for (const preview of this.all) {
      const pieces = this.buffers.ledger(preview.uri)?.pieces ?? [];
      const own = pieces.filter(({ sessionId }) => sessionId === preview.sessionId);
      const isGrowing = (id: number): boolean =>
        preview.hunks.some((hunk) => hunk.id === id && hunk.state === "growing");
      const growing = own.filter(({ hunkId }) => isGrowing(hunkId));
      this.buffers.withdraw(growing);
      if (growing.length < own.length) {
        this.bring({ ...preview, version: NO_VERSION });
      } else {
        this.drop(preview.sessionId);
      }
    }
  }

  /** Follow nothing any more: what stands in the documents stays. */
  dispose(): void {
    this.#listener.dispose();
    for (const each of this.#messages) {
      each.dispose();
    }
    this.#changed.dispose();
    this.#ended.dispose();
  }

  private move({ uri, changes }: BaseEvent): void {
    for (const preview of this.of(uri)) {
      const next = changes.reduce(
        (moved, { range, text }) =>
          withChange(moved, {
            first: range.start.line,
            last: range.end.line,
            isUpToLast: range.end.character === 0,
            nAdded: text.split(/\r\n|\r|\n/).length - 1,
          }),
        preview,
      );
      if (next !== preview) {
        this.put(next);
      }
    }
  }

  private take(message: EditHunks): void {
    const preview = this.#previews.get(message.sessionId);
    if (preview === undefined) {
      return;
    }
    const next = withHunks(preview, message);
    if (next === undefined) {
      // A session that is over by now needs no state: its end is on the way.
      void this.refresh(message.sessionId).catch(() => undefined);
      return;
    }
    this.#previews.set(next.sessionId, next);
    const isNews = next.hunks.length !== preview.hunks.length || message.full;
    this.#changed.fire({ uri: next.uri, isNews });
  }

  private stand(
    preview: Preview,
    now: Pick<Preview, "stage" | "tier" | "model">,
  ): void {
    const { stage, tier, model } = preview;
    if (now.stage === stage && now.tier === tier && now.model === model) {
      return;
    }
    this.put({ ...preview, ...now });
    if (now.stage !== "writing") {
      void this.refresh(preview.sessionId).catch(() => undefined);
    }
  }

  private put(preview: Preview): void {
    this.#previews.set(preview.sessionId, preview);
    this.#changed.fire({ uri: preview.uri, isNews: true });
  }

  private drop(sessionId: string): void {
    const preview = this.#previews.get(sessionId);
    this.#quiet.delete(sessionId);
    if (preview !== undefined) {
      this.#previews.delete(sessionId);
      this.#changed.fire({ uri: preview.uri, isNews: true });
    }
  }
}
