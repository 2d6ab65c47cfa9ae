// What a user can do with an edit, in words: the lenses above it. Pure.

import type { Check, Hunk } from "../protocol";
import type { Preview } from "./preview";

/** One lens; several on a line stand side by side, in order. */
export interface Lens {
  readonly line: number;
  readonly title: string;
  readonly tooltip: string;
  /** Empty: it only says something. */
  readonly command: string;
  readonly given: readonly unknown[];
}

/** The lenses of one edit: those of all of it first, then those of each change. */
export function lensesOf(preview: Preview): readonly Lens[] {
  const whole = preview.stage === "writing" ? writing(preview) : waiting(preview);
  const single =
    preview.hunks.length > 1 ? preview.hunks.flatMap((h) => ofHunk(preview, h)) : [];
  return [...whole, ...single];
}

/** What "Stop" stops: the edit of the lens, even if that has ended by now; without a
 * lens, the edit at the cursor, or all. */
export function stopArguments(
  ofLens: string | undefined,
  atCursor: Preview | undefined,
): { readonly sessionId?: string } {
  const sessionId = ofLens ?? atCursor?.sessionId;
  return sessionId === undefined ? {} : { sessionId };
}

/** Say what the checks found, as one sentence or a list of them. */
export function problemsOf(checks: readonly Check[]): string {
  return checks.map(({ rule, message }) => `${message} (${rule})`).join("\n");
}

function writing(preview: Preview): readonly Lens[] {
  const { sessionId, tier, reasons } = preview;
  const lens = ofWhole(preview);
  return [
    lens(
      `$(loading~spin)\u00a0Redline is writing (${tier} tier)`,
      reasons.join("\n"),
      "",
    ),
    lens(
      "Stop",
      "Stop writing and leave the file as it is (Escape)",
      "redline.stopHere",
      sessionId,
    ),
    lens(
      "Redirect",
      "Tell it something else while it writes",
      "redline.redirectHere",
      sessionId,
    ),
  ];
}

function waiting(preview: Preview): readonly Lens[] {
  const { sessionId, hunks, stage, checks, candidates } = preview;
  const lens = ofWhole(preview);
  const n = hunks.length;
  const lenses: Lens[] = [];
  if (stage === "held") {
    const words = plural(checks.length, "problem");
    const first = problemsOf(checks);
    lenses.push(
      lens(
        `$(warning)\u00a0Held back: ${words}`,
        first,
        "redline.showProblems",
        sessionId,
      ),
    );
  }
  if (n === 0) {
    lenses.push(
      lens("$(info)\u00a0No changes", "This instruction changes nothing here", ""),
    );
  } else {
    const accept =
      stage === "held"
        ? "Accept anyway"
        : `$(check)\u00a0Accept${n > 1 ? ` all ${n} changes` : ""}`;
    lenses.push(
      lens(
        accept,
        "Put the changes into the file, as one undo step",
        "redline.acceptAll",
        sessionId,
      ),
    );
  }
  lenses.push(
    lens(
      "$(close)\u00a0Reject",
      "Leave the file as it is",
      "redline.rejectAll",
      sessionId,
    ),
  );
  if (n > 0) {
    lenses.push(
      lens(
        "$(diff)\u00a0Compare",
        "Show the file before and after, side by side",
        "redline.compare",
        sessionId,
      ),
    );
  }
  if (candidates.length > 1) {
    const at = candidates.findIndex((each) => each.shown) + 1;
    lenses.push(
      lens(
        `Candidate ${at} of ${candidates.length}: next`,
        candidateWords(preview),
        "redline.nextCandidateHere",
        sessionId,
      ),
    );
  }
  lenses.push(
    lens(
      "Follow up",
      "Say what should be different",
      "redline.redirectHere",
      sessionId,
    ),
  );
  return lenses;
}

function candidateWords({ candidates }: Preview): string {
  return candidates
    .map(({ shown, hunks, problems }, at) => {
      const found = problems.length > 0 ? `: ${problemsOf(problems)}` : ", no problems";
      return `${shown ? "▸ " : ""}${at + 1}. ${plural(hunks, "change")}${found}`;
    })
    .join("\n");
}

function ofHunk({ sessionId }: Preview, hunk: Hunk): readonly Lens[] {
  if (hunk.state !== "settled") {
    return [];
  }
  const { line } = hunk.range.start;
  const given = [sessionId, hunk.id];
  return [
    {
      line,
      title: "$(check)\u00a0Accept this",
      tooltip: "Put this change into the file",
      command: "redline.acceptHunk",
      given,
    },
    {
      line,
      title: "$(close)\u00a0Reject this",
      tooltip: "Drop this change",
      command: "redline.rejectHunk",
      given,
    },
  ];
}

function ofWhole({ range }: Preview) {
  return (
    title: string,
    tooltip: string,
    command: string,
    ...given: unknown[]
  ): Lens => ({
    line: range.start.line,
    title,
    tooltip,
    command,
    given,
  });
}

function plural(n: number, word: string): string {
  return `${n} ${word}${n === 1 ? "" : "s"}`;
}
