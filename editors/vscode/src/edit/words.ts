// The difference of two lines, by words. Pure.

/** A part of a line that goes, and what comes in its place; either may be empty. */
export interface WordChange {
  /** In the old line, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly added: string;
}

/** More words than this are not compared: the table is their product. */
const MOST_WORDS = 160;

/** More changes than this in one line are harder to read than two lines. */
const MOST_CHANGES = 4;

/** How much of the shorter line must be left, of what is not blank. */
const LEAST_KEPT = 0.5;

const WORD = /\w+|\s+|[^\w\s]/gu;

/** Return how one line becomes the other; undefined: they have too little in common. */
export function wordChanges(
  oldLine: string,
  newLine: string,
): readonly WordChange[] | undefined {
  const oldWords = oldLine.match(WORD) ?? [];
  const newWords = newLine.match(WORD) ?? [];
  if (oldWords.length > MOST_WORDS || newWords.length > MOST_WORDS) {
    return undefined;
  }
  const changes: WordChange[] = [];
  let kept = 0;
  let [at, start, added] = [0, 0, ""];
  const close = (): void => {
    if (at > start || added !== "") {
      changes.push({ start, end: at, added });
    }
  };
  for (const step of steps(oldWords, newWords)) {
    if (step.kind === "keep") {
      close();
      kept += step.word.trim().length;
      at += step.word.length;
      [start, added] = [at, ""];
    } else if (step.kind === "remove") {
      at += step.word.length;
    } else {
      added += step.word;
    }
  }
  close();
  const shorter = Math.min(solid(oldLine), solid(newLine));
  const isAlike = shorter > 0 && kept >= LEAST_KEPT * shorter;
  return isAlike && changes.length <= MOST_CHANGES ? changes : undefined;
}

interface Step {
  readonly kind: "keep" | "remove" | "add";
  readonly word: string;
}

/** The longest common subsequence, as steps from the old words to the new ones. */
function* steps(a: readonly string[], b: readonly string[]): Generator<Step> {
  const width = b.length + 1;
  const best = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => best[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      best[i * width + j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      yield { kind: "keep", word: left };
      i++;
      j++;
    } else if (
      left !== undefined &&
      (right === undefined || at(i + 1, j) >= at(i, j + 1))
    ) {
      yield { kind: "remove", word: left };
      i++;
    } else {
      yield { kind: "add", word: right ?? "" };
      j++;
    }
  }
}

function solid(line: string): number {
  return line.replace(/\s+/g, "").length;
}
