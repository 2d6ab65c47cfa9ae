// The `@file`, `#tier`, `#model` or `/prompt` that is being typed in an instruction. Pure.

export interface Mention {
  readonly sign: "@" | "#" | "/";
  /** Where the sign stands. */
  readonly start: number;
  /** After its last character. */
  readonly end: number;
  /** What is typed before the cursor, without the sign and quotes. */
  readonly typed: string;
}

/** Characters of a name without quotes; the server reads names in the same way. */
const PLAIN = "[^\\s@\"'`,;:!?()[\\]{}<>|*]";
const IS_FIRST = "(?<![\\w@/.])";

/** Each form of a name: what is before the cursor, and what may be behind it. */
const FORMS = [
  {
    sign: "@",
    typed: new RegExp(`${IS_FIRST}@(${PLAIN}*)$`),
    remainder: new RegExp(`^${PLAIN}*`),
  },
  {
    sign: "@",
    typed: new RegExp(`${IS_FIRST}@"([^"\\n]*)$`),
    remainder: /^[^"\n]*"/,
  },
  { sign: "#", typed: /(?<!\S)#(\S*)$/, remainder: /^\S*/ },
  { sign: "/", typed: /(?<=^\s*)\/(\S*)$/, remainder: /^\S*/ },
] as const;

const IS_PLAIN = new RegExp(`^${PLAIN}+$`);

/** Where the cursor is after a text was changed by typing. */
export function cursorAfter(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let n = 0;
  while (n < most && before.at(-1 - n) === after.at(-1 - n)) {
    n++;
  }
  // Of "aa" after "a", the cursor is behind both.
  return after.startsWith(before) ? after.length : after.length - n;
}

/** The name that the cursor is in or behind. */
export function mentionAt(text: string, cursor: number): Mention | undefined {
  const before = text.slice(0, cursor);
  const rest = text.slice(cursor);
  for (const { sign, typed, remainder } of FORMS) {
    const found = typed.exec(before);
    if (found !== null) {
      return {
        sign,
        start: found.index,
        end: cursor + (remainder.exec(rest)?.[0].length ?? 0),
        typed: found[1] ?? "",
      };
    }
  }
  return undefined;
}

/** Put a text in the place of a name, with a space after it; empty: take it away. */
export function withMention(text: string, mention: Mention, chosen: string): string {
  const rest = text.slice(mention.end).trimStart();
  const gap = chosen === "" ? "" : " ";
  return `${text.slice(0, mention.start)}${chosen}${gap}${rest}`;
}

/** The name of the saved prompt that an instruction begins with. */
export function promptName(instruction: string): string | undefined {
  return /^\/([\p{L}\p{N}_][\p{L}\p{N}_.-]*)(?=\s|$)/u.exec(instruction)?.[1];
}

interface Labelled {
  readonly label: string;
}

/** The files and the actions that fit what is typed. An action that is being typed is not
 * hidden below files that have its letters somewhere, but is below those that begin so. */
export function inOrder<Row extends Labelled>(
  typed: string,
  files: readonly Row[],
  actions: readonly Row[],
): readonly Row[] {
  const wanted = typed.toLowerCase();
  const isTyped = ({ label }: Row): boolean =>
    wanted.length > 2 && label.toLowerCase().startsWith(wanted);
  const fitting = actions.filter(({ label }) => label.toLowerCase().includes(wanted));
  const first = files.some(isTyped) ? [] : fitting.filter(isTyped);
  return [...first, ...files, ...fitting.filter((each) => !first.includes(each))];
}

/** The files whose names begin as typed, then definitions, then the other files, which may
 * only have its letters somewhere. */
export function likeliestFirst<Row extends Labelled>(
  typed: string,
  files: readonly Row[],
  definitions: readonly Row[],
): readonly Row[] {
  const wanted = typed.toLowerCase();
  const begins = ({ label }: Row): boolean => label.toLowerCase().startsWith(wanted);
  const rest = files.filter((each) => !begins(each));
  return [...files.filter(begins), ...definitions, ...rest];
}

/** How a file or a definition is named in an instruction. */
export function nameOf(path: string): string {
  return IS_PLAIN.test(path) && !path.endsWith(".") ? `@${path}` : `@"${path}"`;
}
