// Which marks editors have, so that nothing is sent to clear those that are not there: the
// editor takes one message after the other, the changed text among them. Pure.

export class Marked<Editor extends object, Kind> {
  readonly #kinds = new WeakMap<Editor, Set<Kind>>();

  /** Record how many marks of a kind an editor is about to have; whether it must be sent. */
  isNews(editor: Editor, kind: Kind, n: number): boolean {
    const kinds = this.#kinds.get(editor) ?? new Set();
    this.#kinds.set(editor, kinds);
    if (n === 0) {
      return kinds.delete(kind);
    }
    kinds.add(kind);
    return true;
  }
}
