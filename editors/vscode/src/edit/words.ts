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

/** How many of the words of the shorter and of the longer line must stay: a line may grow
 * much, but is another line if most of its words are others. */
const LEAST_OF_SHORTER = 0.5;
const LEAST_OF_LONGER = 0.3;

/** So many signs that stay between two replacements go with them: of a point or a comma
 * that both lines have by chance, nobody learns anything. */
const MOST_BETWEEN = 4;

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
  const found = collect(steps(oldWords, newWords));
  const changes = isRepeated(oldLine, found) ? found : joined(oldLine, found);
  const isReadable = isRepeated(oldLine, changes) || isAlike(oldLine, newLine, changes);
  return isReadable && changes.length <= MOST_CHANGES ? changes : undefined;
}

/** Whether the same words are replaced by the same ones several times, as by a rename. */
function isRepeated(line: string, changes: readonly WordChange[]): boolean {
  const [first, ...others] = changes;
  if (first === undefined || others.length === 0 || !isReplacement(first)) {
    return false;
  }
  const old = line.slice(first.start, first.end);
  return others.every(
    ({ start, end, added }) => line.slice(start, end) === old && added === first.added,
  );
}

function isAlike(
  oldLine: string,
  newLine: string,
  changes: readonly WordChange[],
): boolean {
  // A line of signs alone is compared by those.
  const unit = /\w/.test(oldLine + newLine) ? /\w+/gu : /\S/gu;
  const count = (text: string): number => text.match(unit)?.length ?? 0;
  const ends = [0, ...changes.map(({ end }) => end)];
  const starts = [...changes.map(({ start }) => start), oldLine.length];
  const kept = ends.map((from, at) => oldLine.slice(from, starts[at]));
  const nKept = count(kept.join("\n"));
  const lengths = [count(oldLine), count(newLine)];
  return (
    nKept > 0 &&
    nKept >= LEAST_OF_SHORTER * Math.min(...lengths) &&
    nKept >= LEAST_OF_LONGER * Math.max(...lengths)
  );
}

/** Join replacements with next to nothing between them. */
function joined(line: string, changes: readonly WordChange[]): readonly WordChange[] {
  const all: WordChange[] = [];
  for (const change of changes) {
    const last = all.at(-1);
    const between = line.slice(last?.end, change.start);
    const isJoined =
      last !== undefined &&
      isReplacement(last) &&
      isReplacement(change) &&
      isLittle(between);
    if (isJoined) {
      const added = last.added + between + change.added;
      all.splice(-1, 1, { start: last.start, end: change.end, added });
    } else {
      all.push(change);
    }
  }
  return all;
}

const isReplacement = ({ start, end, added }: WordChange): boolean =>
  end > start && added !== "";

const isLittle = (text: string): boolean =>
  !/\w/u.test(text) && text.replace(/\s+/g, "").length <= MOST_BETWEEN;

interface Step {
  readonly kind: "keep" | "remove" | "add";
  readonly word: string;
}

/** Join the steps between two words that stay. */
function collect(all: Iterable<Step>): readonly WordChange[] {
  const changes: WordChange[] = [];
  let [at, start, added] = [0, 0, ""];
  const close = (): void => {
    if (at > start || added !== "") {
      changes.push({ start, end: at, added });
    }
  };
  for (const { kind, word } of all) {
    if (kind === "keep") {
      close();
      at += word.length;
      [start, added] = [at, ""];
    } else if (kind === "remove") {
      at += word.length;
    } else {
      added += word;
    }
  }
  close();
  return changes;
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
