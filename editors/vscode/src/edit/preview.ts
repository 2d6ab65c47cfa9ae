// What is known of one edit that is not over: its region, what it changes, where it
// stands. Pure values; the messages of the server turn one into the next.

import type {
  CandidateSummary,
  Check,
  EditBegan,
  EditHunks,
  EditState,
  Hunk,
  Tier,
} from "../protocol";
import type { Position } from "./positions";

/** Of documents that show a file without what is proposed for it. */
export const PREVIEW_SCHEME = "redline-preview";

/** `writing` until the server says that it is offered or held. */
export type Stage = "writing" | "offered" | "held";

export interface Preview {
  readonly sessionId: string;
  readonly uri: string;
  /** The version of the document that all ranges are in. */
  readonly version: number;
  readonly range: Hunk["range"];
  readonly tier: Tier;
  /** The name of the model that writes it; empty: not known. */
  readonly model: string;
  readonly reasons: readonly string[];
  readonly assumes: readonly string[];
  /** Of the last message; a gap means that one was missed. */
  readonly seq: number;
  /** In the order of the document. */
  readonly hunks: readonly Hunk[];
  readonly stage: Stage;
  readonly checks: readonly Check[];
  readonly candidates: readonly CandidateSummary[];
  /** Unknown while it is written. */
  readonly instruction?: string;
  /** No server knows of it yet, or its server is gone. */
  readonly isLocal?: boolean;
}

/** Begin to follow a session. */
export function opened(message: EditBegan): Preview {
  const { sessionId, uri, version, range, tier, reasons, assumes } = message;
  return {
    sessionId,
    uri,
    version,
    range,
    tier,
    model: "",
    reasons,
    assumes,
    seq: 0,
    hunks: [],
    stage: "writing",
    checks: [],
    candidates: [],
  };
}

/** Follow an offer that the server knows from now on; it stays as it is shown until the
 * server's own changes come. */
export function handedOver(known: Preview, message: EditBegan): Preview {
  const { hunks, version, stage, checks, tier, model } = known;
  return { ...opened(message), hunks, version, stage, checks, tier, model };
}

/** Take in a message; undefined: one before it was missed, and the state must be asked for. */
export function withHunks(preview: Preview, message: EditHunks): Preview | undefined {
  if (message.seq <= preview.seq) {
    return preview;
  }
  if (!message.full && message.seq !== preview.seq + 1) {
    return undefined;
  }
  const { seq, version } = message;
  const hunks = merged(message.full ? [] : preview.hunks, message);
  return { ...preview, seq, version, hunks };
}

/** Take over the whole state, as the server knows it. */
export function withState(preview: Preview, state: EditState): Preview {
  const { seq, version, hunks, candidates } = state;
  const stage = stageOf(state.state) ?? preview.stage;
  const checks = candidates.find((each) => each.shown)?.problems ?? [];
  const { instruction, assumes } = state;
  const known = { ...preview, seq, version, hunks, candidates, stage, checks };
  return { ...known, instruction, assumes };
}

/** Lines of the document that were replaced by others. */
export interface LineChange {
  readonly first: number;
  readonly last: number;
  /** Whether nothing of the last line itself is replaced. */
  readonly isUpToLast: boolean;
  readonly nAdded: number;
}

/** Move the region with a change of the document; what is changed in it stays in it. */
export function withChange(preview: Preview, change: LineChange): Preview {
  const { start, end } = preview.range;
  const by = change.nAdded - (change.last - change.first);
  const isAfter = change.first >= Math.max(end.line, start.line + 1);
  if (by === 0 || isAfter) {
    return preview;
  }
  const isUpTo = change.isUpToLast && change.first < start.line;
  const isBefore = change.last < start.line || (isUpTo && change.last === start.line);
  const range = {
    start: isBefore ? { ...start, line: start.line + by } : start,
    end: { ...end, line: Math.max(end.line + by, start.line) },
  };
  return { ...preview, range };
}

/** The preview whose region, which is whole lines, has a place of the base.
 *
 * @param isEndIn Whether the start of the line below a region is in it, too, unless
 * another begins there: editors leave the cursor there once whole lines are selected or
 * replaced. */
export function regionAt(
  previews: readonly Preview[],
  place: Position,
  isEndIn: boolean,
): Preview | undefined {
  const known = previews.filter(({ isLocal }) => isLocal !== true);
  const around = known.find(({ range }) => hasLine(range, place.line));
  return (
    around ?? (isEndIn ? known.find(({ range }) => isEnd(range, place)) : undefined)
  );
}

/** Where a session stands by the server's word for it; undefined: it is about to end. */
export function stageOf(state: string): Stage | undefined {
  switch (state) {
    case "offered":
    case "held":
      return state;
    case "routing":
    case "generating":
    case "checking":
      return "writing";
    default:
      return undefined;
  }
}

function hasLine(range: Hunk["range"], line: number): boolean {
  return line >= range.start.line && line <= lastLine(range);
}

/** Whether a place is at the end of whole lines; a place between two lines has none. */
function isEnd(range: Hunk["range"], { line, character }: Position): boolean {
  const { start, end } = range;
  const isEmpty = start.line === end.line && start.character === end.character;
  return !isEmpty && character === 0 && line === lastLine(range) + 1;
}

/** The last line that a range has a part of: it may end with or without its line end. */
function lastLine({ start, end }: Hunk["range"]): number {
  return Math.max(start.line, end.line - (end.character === 0 ? 1 : 0));
}

function merged(old: readonly Hunk[], message: EditHunks): readonly Hunk[] {
  const byId = new Map(old.map((hunk) => [hunk.id, hunk]));
  for (const id of message.removed) {
    byId.delete(id);
  }
  for (const hunk of message.hunks) {
    byId.set(hunk.id, hunk);
  }
  return [...byId.values()].sort(
    (a, b) =>
      a.range.start.line - b.range.start.line ||
      a.range.start.character - b.range.start.character ||
      a.id - b.id,
  );
}
