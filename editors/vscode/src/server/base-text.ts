// Keeps the server on the base of each document: what is proposed and stands in the
// editor is not in the text that the server has. Middleware of the language client.

import * as vscode from "vscode";
import type {
  ApplyWorkspaceEditParams,
  ApplyWorkspaceEditResult,
  Middleware,
  TextDocumentEdit,
  TextEdit,
  WorkspaceEdit,
} from "vscode-languageclient/node";

import { translated, uriOf } from "../edit/base-requests";
import type { DocumentBuffer } from "../edit/buffer";
import type { Buffers } from "../edit/buffers";
import type { Piece, Side } from "../edit/ledger";
import type { Position } from "../edit/positions";

/** Middleware for the messages that are about documents. */
export function baseText(buffers: Buffers): Middleware {
  return {
    didOpen: async (document, next) => {
      const buffer = buffers.of(document.uri.toString());
      if (buffer !== undefined) {
        buffer.version = document.version;
      }
      await next(buffer === undefined ? document : withText(document, buffer));
    },
    // What the change means for the base was sent when it came.
    didChange: async (event, next) => {
      if (!buffers.hasTranslated(event)) {
        await next(event);
      }
    },
    handleDiagnostics: (uri, diagnostics, next) => {
      const place = placeOf(buffers, uri.toString(), "shown");
      for (const each of place === undefined ? [] : diagnostics) {
        each.range = rangeOf(each.range, place);
      }
      next(uri, diagnostics);
    },
    sendRequest: async (type, params, cancel, next) => {
      const method = typeof type === "string" ? type : type.method;
      // Commands are about the base on both sides.
      if (method === "workspace/executeCommand" || !isObject(params)) {
        return await next(type, params, cancel);
      }
      const own = uriOf(params);
      const asked = translated(params, own, (uri) => placeOf(buffers, uri, "base"));
      const answer = await next(type, asked, cancel);
      return translated(answer, own, (uri) => placeOf(buffers, uri, "shown"));
    },
    workspace: {
      handleApplyEdit: async (params, next) =>
        await applyEdit(buffers, params, async (rest) => {
          const answer = await next(rest, new vscode.CancellationTokenSource().token);
          return "applied" in answer ? answer : { applied: false };
        }),
    },
  };
}

type Answer = ApplyWorkspaceEditResult;

/** Apply edits of bases: those that are shown already become part of the base, others are
 * made at the place where they are shown. */
async function applyEdit(
  buffers: Buffers,
  params: ApplyWorkspaceEditParams,
  next: (params: ApplyWorkspaceEditParams) => Promise<Answer>,
): Promise<Answer> {
  const { documentChanges } = params.edit;
  if (documentChanges === undefined) {
    return await next(params);
  }
  const ours = documentChanges.map((change) => bufferOf(buffers, change));
  await buffers.returned(ours.filter((buffer) => buffer !== undefined));
  // From here to the last accept nothing may wait: a save could begin.
  const rest: typeof documentChanges = [];
  const shown: [DocumentBuffer, readonly Piece[]][] = [];
  for (const change of documentChanges) {
    const buffer = bufferOf(buffers, change);
    if (!isOfText(change) || buffer === undefined) {
      rest.push(change);
      continue;
    }
    if ((change.textDocument.version ?? buffer.version) !== buffer.version) {
      return { applied: false };
    }
    const edits = change.edits.filter((edit): edit is TextEdit => "newText" in edit);
    const { found, others } = split(buffer, edits);
    shown.push([buffer, found]);
    if (others.length > 0) {
      rest.push(placed(buffers, buffer, change, others));
    }
  }
  await Promise.all(
    shown.map(([{ document }, found]) =>
      buffers.accept(document.uri.toString(), found),
    ),
  );
  const edit = { ...params.edit, documentChanges: rest };
  return rest.length === 0 ? { applied: true } : await next({ ...params, edit });
}

type DocumentChange = NonNullable<WorkspaceEdit["documentChanges"]>[number];

/** Whether a change is one of a text; the others create, rename or delete a file. */
function isOfText(change: DocumentChange): change is TextDocumentEdit {
  return !("kind" in change);
}

function bufferOf(
  buffers: Buffers,
  change: DocumentChange,
): DocumentBuffer | undefined {
  return isOfText(change) ? buffers.of(idOf(change.textDocument.uri)) : undefined;
}

/** Edits of a base, at the place where they are shown now. */
function placed(
  buffers: Buffers,
  { document }: DocumentBuffer,
  { textDocument }: TextDocumentEdit,
  edits: TextEdit[],
): TextDocumentEdit {
  const place = (uri: string): Place | undefined => placeOf(buffers, uri, "shown");
  return {
    textDocument: { ...textDocument, version: document.version },
    edits: translated(edits, textDocument.uri, place),
  };
}

/** Tell the edits that stand in the document as pieces from others. */
function split(
  buffer: DocumentBuffer,
  edits: readonly TextEdit[],
): { found: readonly Piece[]; others: TextEdit[] } {
  const { ledger, document } = buffer;
  const lineEnd = document.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n";
  const found: Piece[] = [];
  const others: TextEdit[] = [];
  for (const edit of edits) {
    const start = ledger.positions.offsetAt(edit.range.start);
    const end = ledger.positions.offsetAt(edit.range.end);
    const newText = edit.newText.replace(/\r\n|\r|\n/g, lineEnd);
    const piece = ledger.pieces.find(
      (each) => each.start === start && each.end === end && each.newText === newText,
    );
    if (piece === undefined) {
      others.push(edit);
    } else {
      found.push(piece);
    }
  }
  return { found, others };
}

type Place = (position: Position, side: Side) => Position;

function placeOf(
  buffers: Buffers,
  uri: string,
  to: "base" | "shown",
): Place | undefined {
  const id = idOf(uri);
  return buffers.ledger(id) === undefined
    ? undefined
    : (position, side) => buffers.place(id, position, side, to);
}

/** A document's name as the editor writes it; the server may escape it otherwise. */
function idOf(uri: string): string {
  return vscode.Uri.parse(uri).toString();
}

function rangeOf({ start, end }: vscode.Range, place: Place | undefined): vscode.Range {
  const from = place?.(start, "start") ?? start;
  const to = start.isEqual(end) ? from : (place?.(end, "end") ?? end);
  return new vscode.Range(from.line, from.character, to.line, to.character);
}

/** A document that says it has the base's text. */
function withText(
  document: vscode.TextDocument,
  buffer: DocumentBuffer,
): vscode.TextDocument {
  return Object.create(document, {
    getText: { value: () => buffer.ledger.base },
  }) as vscode.TextDocument;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
