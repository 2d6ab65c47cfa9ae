// All edits that are not over, as the server's notifications tell.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import {
  notifications,
  type Check,
  type EditBegan,
  type EditEnded,
  type EditHunks,
  type Status,
} from "../protocol";
import { send } from "../server/commands";
import {
  PREVIEW_SCHEME,
  opened,
  stageOf,
  withChange,
  withHunks,
  withState,
  type Preview,
  type Stage,
} from "./preview";

/** The preview of a session has changed, or is gone. */
export interface Change {
  readonly uri: string;
  /** Whether more has changed than what is painted: what can be done with it. */
  readonly isNews: boolean;
}

export class Sessions implements vscode.Disposable {
  readonly #previews = new Map<string, Preview>();
  readonly #changed = new vscode.EventEmitter<Change>();
  readonly #ended = new vscode.EventEmitter<EditEnded>();
  readonly onChanged = this.#changed.event;
  readonly onEnded = this.#ended.event;
  readonly #listener: vscode.Disposable;
  #client: LanguageClient | undefined;

  constructor() {
    this.#listener = vscode.workspace.onDidChangeTextDocument((event) => {
      this.move(event);
    });
  }

  /** Listen to a new server; what the last one knew is gone. */
  attach(client: LanguageClient): void {
    this.clear();
    this.#client = client;
    client.onNotification(notifications.began, (message: EditBegan) => {
      this.put(opened(message));
    });
    client.onNotification(notifications.hunks, (message: EditHunks) => {
      this.take(message);
    });
    client.onNotification(notifications.ended, (message: EditEnded) => {
      this.drop(message.sessionId);
      this.#ended.fire(message);
    });
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

  /** The preview whose region has a line; the region's end line belongs to it only if it
   * is empty, since regions are whole lines. */
  at(uri: string, line: number): Preview | undefined {
    return this.of(uri).find((preview) => isIn(preview, line));
  }

  /** The preview at an editor's cursor, or the one that it compares with the file. */
  under(editor: vscode.TextEditor): Preview | undefined {
    const { uri } = editor.document;
    return uri.scheme === PREVIEW_SCHEME
      ? this.get(uri.query)
      : this.at(uri.toString(), editor.selection.active.line);
  }

  /** Take note of where the sessions stand. */
  follow(status: Status): void {
    for (const { sessionId, state, tier } of status.sessions) {
      const preview = this.#previews.get(sessionId);
      const stage = stageOf(state);
      if (preview !== undefined && stage !== undefined) {
        this.stand(preview, stage, tier ?? preview.tier);
      }
    }
  }

  /** Take note of how a session came out that is not over. */
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

  /** Forget everything: the server is gone. */
  clear(): void {
    for (const { sessionId } of this.all) {
      this.drop(sessionId);
    }
  }

  dispose(): void {
    this.#listener.dispose();
    this.#changed.dispose();
    this.#ended.dispose();
  }

  private move({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    for (const preview of this.of(document.uri.toString())) {
      const next = contentChanges.reduce(
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

  private stand(preview: Preview, stage: Stage, tier: Preview["tier"]): void {
    if (preview.stage === stage && preview.tier === tier) {
      return;
    }
    this.put({ ...preview, stage, tier });
    if (stage !== "writing") {
      void this.refresh(preview.sessionId).catch(() => undefined);
    }
  }

  private put(preview: Preview): void {
    this.#previews.set(preview.sessionId, preview);
    this.#changed.fire({ uri: preview.uri, isNews: true });
  }

  private drop(sessionId: string): void {
    const preview = this.#previews.get(sessionId);
    if (preview !== undefined) {
      this.#previews.delete(sessionId);
      this.#changed.fire({ uri: preview.uri, isNews: true });
    }
  }
}

function isIn({ range, hunks }: Preview, line: number): boolean {
  const isEmpty = range.end.line === range.start.line;
  const last = isEmpty ? range.start.line : range.end.line - 1;
  const isInRegion = line >= range.start.line && line <= last;
  return (
    isInRegion ||
    hunks.some(
      (hunk) => line >= hunk.range.start.line && line <= hunk.range.end.line && isEmpty,
    )
  );
}
