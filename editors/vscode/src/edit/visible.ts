// Text as it may be painted: what cannot be seen, or turns what is read into something
// else, is made visible. Pure.

/** Controls, and what changes the direction of text or has no width (Unicode Bidi, UTS 39). */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Return a line as it is painted: tabs as spaces, hidden characters by their names. */
export function visible(line: string, tabSize: number): string {
  return line
    .replace(
      HIDDEN,
      (found) =>
        `‹U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}›`,
    )
    .replaceAll("\t", " ".repeat(tabSize));
}
