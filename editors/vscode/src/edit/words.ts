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

/** How much of the shorter and of the longer line must be common, of what is not blank:
 * a line may grow much, but is another line if little of it is left. */
const LEAST_OF_SHORTER = 0.5;
const LEAST_OF_LONGER = 0.3;

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
  const { changes, nKept } = collect(steps(oldWords, newWords));
  const lengths = [solid(oldLine), solid(newLine)];
  const isAlike =
    nKept > 0 &&
    nKept >= LEAST_OF_SHORTER * Math.min(...lengths) &&
    nKept >= LEAST_OF_LONGER * Math.max(...lengths);
  return isAlike && changes.length <= MOST_CHANGES ? changes : undefined;
}

interface Step {
  readonly kind: "keep" | "remove" | "add";
  readonly word: string;
}

interface Collected {
  readonly changes: readonly WordChange[];
  /** How many characters that are not blank stay. */
  readonly nKept: number;
}

/** Join the steps between two words that stay. */
function collect(all: Iterable<Step>): Collected {
  const changes: WordChange[] = [];
  let nKept = 0;
  let [at, start, added] = [0, 0, ""];
  const close = (): void => {
    if (at > start || added !== "") {
      changes.push({ start, end: at, added });
    }
  };
  for (const { kind, word } of all) {
    if (kind === "keep") {
      close();
      nKept += word.trim().length;
      at += word.length;
      [start, added] = [at, ""];
    } else if (kind === "remove") {
      at += word.length;
    } else {
      added += word;
    }
  }
  close();
  return { changes, nKept };
}

/** The longest common subsequence, as steps from the old words to the new ones. */
function* steps(a: readonly string[], b: readonly string[]): Generator<Step> {
  const best = commonLengths(a, b);
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    const [word, other] = [a[i] ?? "", b[j] ?? ""];
    if (word === other) {
      yield { kind: "keep", word };
      i++;
      j++;
    } else if (best(i + 1, j) >= best(i, j + 1)) {
      yield { kind: "remove", word };
      i++;
    } else {
      yield { kind: "add", word: other };
      j++;
    }
  }
  yield* a.slice(i).map((word): Step => ({ kind: "remove", word }));
  yield* b.slice(j).map((word): Step => ({ kind: "add", word }));
}

/** How many words the rests of two lists have in common, by where the rests begin. */
function commonLengths(
  a: readonly string[],
  b: readonly string[],
): (i: number, j: number) => number {
  const width = b.length + 1;
  const table = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => table[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      table[i * width + j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  return at;
}

function solid(line: string): number {
  return line.replace(/\s+/g, "").length;
}
