// Where an edit stands, in words: for the status bar, and for screen readers. Pure.

import type { Check } from "../protocol";
import type { Preview } from "./preview";

export interface Words {
  readonly text: string;
  readonly tooltip: string;
  /** For screen readers. */
  readonly label: string;
}

/** Longest message in the status bar. VS Code cuts an item at 40 % of the window: this
 * fits into 1280 pixels with all that stands behind it. */
const MOST_HELD = 48;

/** Longest name in such a message: what is wrong with it stands behind it, and is still
 * read in a window of 700 pixels. */
const MOST_NAME = 12;

const GO_THERE = "F7: go to it";

const KEYS =
  "F7: next change\nShift+Alt+Y: accept a change and go on\nAlt+Enter: accept all\n" +
  "Escape: reject";

/** Say where an edit stands. */
export function wordsOf(
  preview: Preview,
  nChanges: number,
  isElsewhere: boolean,
): Words {
  const { stage, reasons, checks, assumes } = preview;
  const changes = nChanges === 0 ? "no changes" : plural(nChanges, "change");
  const where = isElsewhere ? " in another file" : "";
  if (stage === "writing") {
    const so = nChanges === 0 ? "" : `, ${changes}`;
    const text = withAssumptions(`Redline is writing${so}${where}`, assumes);
    const how = [...reasons, `${writerOf(preview)} Escape stops it.`].join("\n");
    return {
      text: `$(loading~spin) ${text}`,
      tooltip: paragraphs(assumedWords(assumes), how),
      label: paragraphs(text, assumedWords(assumes)),
    };
  }
  const problem = stage === "held" ? `Held: ${heldWords(checks)}` : "";
  const icon = stage === "held" ? "$(warning)" : "$(diff)";
  const state = [problem, capital(changes) + where, candidateWords(preview)]
    .filter((each) => each !== "")
    .join(" · ");
  const text = withAssumptions(state, assumes);
  return {
    // What looks like an icon in a message is text.
    text: `${icon} ${text.replaceAll("$(", "\\$(")}`,
    tooltip: paragraphs(
      problemsOf(checks),
      assumedWords(assumes),
      isElsewhere ? GO_THERE : KEYS,
    ),
    label: paragraphs(
      `Redline proposes: ${text}`,
      problemsOf(checks),
      assumedWords(assumes),
    ),
  };
}

function writerOf({ tier, model }: Preview): string {
  return model === ""
    ? `The ${tier} tier writes.`
    : `${model} writes, as the ${tier} tier.`;
}

/** Say which keys are for some proposed changes, and why they are held back if they are. */
export function keyWords({ stage, checks }: Preview, nChanges: number): string {
  const next = nChanges === 1 ? "" : " · F7 next";
  if (stage === "held") {
    return `Held: ${heldWords(checks)}${next} · Escape rejects`;
  }
  return nChanges === 1
    ? "Alt+Enter accepts · Escape rejects"
    : `Alt+Enter accepts all${next} · Escape rejects`;
}

/** Say what a vague instruction leaves open and is taken for granted; may be empty. */
export function assumedWords(assumes: readonly string[]): string {
  return assumes.length === 0 ? "" : `Taken for granted: ${assumes.join(" ")}`;
}

/** The same, a sentence a line. */
export function assumedLines(assumes: readonly string[]): readonly string[] {
  return assumes.map((each, at) => (at === 0 ? `Taken for granted: ${each}` : each));
}

function withAssumptions(text: string, assumes: readonly string[]): string {
  return assumes.length === 0
    ? text
    : `${text} · ${plural(assumes.length, "assumption")}`;
}

function paragraphs(...parts: readonly string[]): string {
  return parts.filter((each) => each !== "").join("\n\n");
}

/** Say what the checks found, a sentence a line. */
export function problemsOf(checks: readonly Check[]): string {
  return checks.map(({ rule, message }) => `${message} (${rule})`).join("\n");
}

export function plural(n: number, word: string): string {
  return `${n} ${word}${n === 1 ? "" : "s"}`;
}

function heldWords(checks: readonly Check[]): string {
  const [first, ...others] = checks;
  if (first === undefined) {
    return "not checked";
  }
  return others.length > 0
    ? plural(checks.length, "problem")
    : shortened(first.message);
}

/** The beginning of a message, for the status bar. */
function shortened(message: string): string {
  const text = message
    .replace(/\.$/, "")
    .replace(/`([^`]+)`/g, (_, name: string) => cut(name, MOST_NAME));
  return cut(text, MOST_HELD);
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text;
}

function candidateWords({ candidates }: Preview): string {
  const at = candidates.findIndex((each) => each.shown) + 1;
  return candidates.length < 2 ? "" : `Candidate ${at} of ${candidates.length}`;
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
