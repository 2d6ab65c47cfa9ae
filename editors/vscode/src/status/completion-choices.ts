// What the menu offers about completions and next edits, and what is paused. Pure.

import type { CompletionStatus, NextEditStatus } from "../protocol-status";

/** What a choice changes. */
export type Choice =
  | { readonly does: "set"; readonly key: string; readonly value: unknown }
  | { readonly does: "pauseFile" | "pauseHour" | "resume" };

export interface ChoiceEntry {
  readonly label: string;
  readonly description: string;
  readonly choice: Choice;
}

/** What is set, for the file that is worked on. */
export interface Given {
  readonly isOn: boolean;
  readonly isNextEditOn: boolean;
  /** Languages without completions. */
  readonly off: readonly string[];
  readonly language: string | undefined;
  readonly isPaused: boolean;
}

const PAUSE_MS = 3_600_000;

/** Automatic completions that are off for a while, or in files; until the window closes. */
export class Pauses {
  readonly #files = new Set<string>();
  #until = 0;

  pauseFile(uri: string): void {
    this.#files.add(uri);
  }

  pauseHour(nowMs: number): void {
    this.#until = nowMs + PAUSE_MS;
  }

  /** End the pause of the window, and that of a file. */
  resume(uri: string | undefined): void {
    this.#until = 0;
    if (uri !== undefined) {
      this.#files.delete(uri);
    }
  }

  has(uri: string | undefined, nowMs: number): boolean {
    return nowMs < this.#until || (uri !== undefined && this.#files.has(uri));
  }
}

/** Say what completions or next edits did; empty: nothing yet. */
export function countsOf(
  counts: CompletionStatus | NextEditStatus | undefined,
): string {
  if (counts === undefined || (counts.shown === 0 && counts.requests === 0)) {
    return "";
  }
  const { requests, shown, accepted, cost, pause } = counts;
  const atOnce = "atOnce" in counts ? ` (${counts.atOnce} at once)` : "";
  const price = cost > 0 ? `, $${cost.toFixed(4)}` : "";
  const reason = pause === "" ? "" : `; no requests now: ${PAUSES[pause]}`;
  return `${accepted} accepted of ${shown} shown${atOnce}, ${requests} requests${price}${reason}`;
}

const PAUSES = {
  minute: "the limit of a minute is reached",
  day: "the limit of a day is reached",
  failures: "the model has failed",
} as const;

/** The choices; those for a while and for a language only where completions are on. */
export function choicesOf(given: Given): readonly ChoiceEntry[] {
  const { isOn, isNextEditOn } = given;
  return [
    ...(isOn ? [...pauseChoices(given), ...languageChoices(given)] : []),
    switchOf("$(sparkle) Turn completions", "complete.enabled", isOn),
    switchOf("$(arrow-right) Turn next edits", "next_edit.enabled", isNextEditOn),
  ];
}

function pauseChoices({ isPaused, off, language }: Given): readonly ChoiceEntry[] {
  if (isPaused) {
    const choice = { does: "resume" } as const;
    return [
      {
        label: "$(play) Resume completions",
        description: "they are paused here",
        choice,
      },
    ];
  }
  if (language !== undefined && off.includes(language)) {
    return [];
  }
  const hour: ChoiceEntry = {
    label: "$(debug-pause) Pause completions for an hour",
    description: "in this window",
    choice: { does: "pauseHour" },
  };
  const file: ChoiceEntry = {
    label: "$(file) Pause completions in this file",
    description: "until the window closes",
    choice: { does: "pauseFile" },
  };
  return language === undefined ? [hour] : [hour, file];
}

function languageChoices({ off, language }: Given): readonly ChoiceEntry[] {
  if (language === undefined) {
    return [];
  }
  const isOff = off.includes(language);
  const value = isOff ? off.filter((each) => each !== language) : [...off, language];
  return [
    {
      label: `$(code) Turn completions ${isOff ? "on" : "off"} for ${language}`,
      description: "complete.off",
      choice: { does: "set", key: "complete.off", value },
    },
  ];
}

function switchOf(label: string, key: string, isOn: boolean): ChoiceEntry {
  return {
    label: `${label} ${isOn ? "off" : "on"}`,
    description: key,
    choice: { does: "set", key, value: !isOn },
  };
}
