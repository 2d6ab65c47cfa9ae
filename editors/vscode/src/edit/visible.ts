// Text of a model as it may be painted: what cannot be seen, or turns what is read into
// something else, is made visible. Pure.

/** Controls, and what changes the direction of text or has no width (Unicode Bidi, UTS 39). */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Characters that take two columns, roughly (UAX 11, W and F). */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;

/**
 * Return a line as it is painted: tabs as spaces, hidden characters by their names.
 *
 * @param from The column that it begins in, for its tabs.
 */
export function visible(line: string, tabSize: number, from = 0): string {
  const named = line.replace(
    HIDDEN,
    (found) => `‹U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}›`,
  );
  let painted = "";
  let column = from;
  for (const character of named) {
    const width = character === "\t" ? tabSize - (column % tabSize) : 1;
    painted += character === "\t" ? " ".repeat(width) : character;
    column += WIDE.test(character) ? 2 : width;
  }
  return painted;
}

/** How many columns a line takes. */
export function columns(line: string, tabSize: number): number {
  let column = 0;
  for (const character of line) {
    if (character === "\t") {
      column += tabSize - (column % tabSize);
    } else {
      column += WIDE.test(character) ? 2 : 1;
    }
  }
  return column;
}

/** What a row begins with that goes on with the line above it. */
const GOES_ON = "↪ ";

/** Shorter rows than this would be no easier to read than a long one. */
const LEAST_COLUMNS = 20;

/**
 * Break a line that is painted into rows, between words where it has some.
 *
 * @param line As `visible` returns it: without tabs.
 */
export function broken(line: string, most: number): readonly string[] {
  const indent = line.slice(0, line.length - line.trimStart().length);
  const hang = (indent.length + LEAST_COLUMNS < most ? indent : "") + GOES_ON;
  const rows: string[] = [];
  let row = "";
  for (const word of line.match(/\s*(?:\S{1,80})|\s+$/gu) ?? []) {
    if (row.trim() !== "" && columns(row + word, 1) > most) {
      rows.push(row);
      row = hang + word.trimStart();
    } else {
      row += word;
    }
  }
  return [...rows, row];
}
