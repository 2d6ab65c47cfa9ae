// Where an edit stands, in words: for the status bar, and for screen readers. Pure.

import type { Check } from "../protocol";
import type { Preview } from "./preview";

export interface Words {
  readonly text: string;
  readonly tooltip: string;
  /** For screen readers. */
  readonly label: string;
}

const KEYS =
  "F7: next change\nShift+Alt+Y: accept a change and go on\nAlt+Enter: accept all\n" +
  "Escape: reject";

/** Say where an edit stands. */
export function wordsOf(
  preview: Preview,
  nChanges: number,
  isElsewhere: boolean,
): Words {
  const { stage, tier, reasons, checks } = preview;
  const changes = nChanges === 0 ? "no changes" : plural(nChanges, "change");
  const where = isElsewhere ? " in another file" : "";
  if (stage === "writing") {
    const so = nChanges === 0 ? "" : `, ${changes}`;
    return {
      text: `$(loading~spin) Redline is writing${so}${where}`,
      tooltip: [...reasons, `The ${tier} tier writes. Escape stops it.`].join("\n"),
      label: `Redline is writing${so}${where}`,
    };
  }
  const problem = stage === "held" ? `Held back: ${heldWords(checks)}` : "";
  const icon = stage === "held" ? "$(warning)" : "$(diff)";
  const text = [problem, capital(changes) + where, candidateWords(preview)]
    .filter((each) => each !== "")
    .join(" · ");
  return {
    text: `${icon} ${text}`,
    tooltip: [problemsOf(checks), KEYS].filter((each) => each !== "").join("\n\n"),
    label: `Redline proposes: ${text}`,
  };
}

/** Say what the checks found, a sentence a line. */
export function problemsOf(checks: readonly Check[]): string {
  return checks.map(({ rule, message }) => `${message} (${rule})`).join("\n");
}

export function plural(n: number, word: string): string {
  return `${n} ${word}${n === 1 ? "" : "s"}`;
}

function heldWords(checks: readonly Check[]): string {
  return checks.length === 0 ? "not checked" : plural(checks.length, "problem");
}

function candidateWords({ candidates }: Preview): string {
  const at = candidates.findIndex((each) => each.shown) + 1;
  return candidates.length < 2 ? "" : `Candidate ${at} of ${candidates.length}`;
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
