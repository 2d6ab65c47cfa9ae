// Ranges in messages to and from the server, between the base of a document and what is
// shown. Pure. It walks any message: what has the form of a range or a position is one.

import type { Position } from "./positions";
import type { Side } from "./ledger";

interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** Translates a position of a document; undefined: the document needs no translation. */
export type Translate = (
  uri: string,
) => ((position: Position, side: Side) => Position) | undefined;

/** Opaque to the client: it goes back to the server as it came. */
const OPAQUE = new Set(["data"]);

/**
 * Translate all ranges and positions of a message.
 *
 * @param uri The document that those are in which name none.
 */
export function translated<T>(
  message: T,
  uri: string | undefined,
  translate: Translate,
): T {
  return walk(message, uri, translate) as T;
}

function walk(value: unknown, uri: string | undefined, translate: Translate): unknown {
  if (Array.isArray(value)) {
    return value.map((each) => walk(each, uri, translate));
  }
  if (value === null || typeof value !== "object") {
    return value;
  }
  const place = uri === undefined ? undefined : translate(uri);
  if (place !== undefined && isPosition(value)) {
    return { ...value, ...place(value, "start") };
  }
  if (place !== undefined && isRange(value)) {
    return rangeOf(value, place);
  }
  const own = uriOf(value) ?? uri;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      // The edits of a document stand below its name.
      const named = name.includes("://") || name.startsWith("untitled:") ? name : own;
      return [name, OPAQUE.has(name) ? each : walk(each, named, translate)];
    }),
  );
}

function rangeOf(
  { start, end }: Range,
  place: (position: Position, side: Side) => Position,
): Range {
  const isEmpty = start.line === end.line && start.character === end.character;
  const first = place(start, "start");
  return { start: first, end: isEmpty ? first : place(end, "end") };
}

function isPosition(value: object): value is Position {
  return (
    "line" in value &&
    "character" in value &&
    typeof value.line === "number" &&
    typeof value.character === "number"
  );
}

function isRange(value: object): value is Range {
  return (
    "start" in value &&
    "end" in value &&
    isObject(value.start) &&
    isObject(value.end) &&
    isPosition(value.start) &&
    isPosition(value.end)
  );
}

/** The document that an object is about, if it says so. */
export function uriOf(value: object): string | undefined {
  const { uri, targetUri, textDocument } = value as Record<string, unknown>;
  const found = uri ?? targetUri;
  if (typeof found === "string") {
    return found;
  }
  return isObject(textDocument) ? uriOf(textDocument) : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
