// The rows of a tree, and which of them to draw again. Pure.
//
// A row that is drawn again between the press and the release of one of its buttons loses
// the click. So a row is drawn again only if it looks different or has other rows under it.

/** How a tree is made from its items. */
export interface Source<Item> {
  readonly idOf: (item: Item) => string;
  /** What the row shows. */
  readonly lookOf: (item: Item) => unknown;
  readonly childrenOf: (item: Item) => readonly Item[];
}

interface Row<Item> {
  readonly item: Item;
  /** The ids of the rows under it. */
  readonly children: readonly string[];
  /** What it shows and which rows are under it. */
  readonly content: string;
}

export class Rows<Item> {
  #rows: ReadonlyMap<string, Row<Item>> = new Map();
  /** The ids of the rows at the top. */
  #top: readonly string[] = [];
  /** By id, the objects that the editor has: it knows a row by its object. */
  readonly #known = new Map<string, Item>();

  constructor(private readonly source: Source<Item>) {}

  /** Take the items at the top; returns the rows to draw again, undefined: all. */
  update(items: readonly Item[]): Item[] | undefined {
    const [before, top] = [this.#rows, this.#top];
    const rows = new Map<string, Row<Item>>();
    this.#top = this.add(items, rows);
    this.#rows = rows;
    if (top.join("\n") !== this.#top.join("\n")) {
      this.#known.clear();
      return undefined;
    }
    return [...rows]
      .filter(([id, { content }]) => before.get(id)?.content !== content)
      .flatMap(([id]) => this.#known.get(id) ?? []);
  }

  /** The rows under a row, or those at the top, by the objects that the editor has. */
  children(known?: Item): Item[] {
    const ids = known === undefined ? this.#top : (this.row(known)?.children ?? []);
    return ids.flatMap((id) => this.known(id) ?? []);
  }

  /** A row as it is by now. */
  current(known: Item): Item {
    return this.row(known)?.item ?? known;
  }

  private row(known: Item): Row<Item> | undefined {
    return this.#rows.get(this.source.idOf(known));
  }

  private known(id: string): Item | undefined {
    const item = this.#known.get(id) ?? this.#rows.get(id)?.item;
    if (item !== undefined) {
      this.#known.set(id, item);
    }
    return item;
  }

  private add(items: readonly Item[], rows: Map<string, Row<Item>>): string[] {
    const { idOf, lookOf, childrenOf } = this.source;
    return items.map((item) => {
      const children = this.add(childrenOf(item), rows);
      const content = JSON.stringify([lookOf(item), children]);
      rows.set(idOf(item), { item, children, content });
      return idOf(item);
    });
  }
}
