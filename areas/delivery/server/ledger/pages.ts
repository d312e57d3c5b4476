// Where looks at all accounts go on: behind the last of a full page, and from the start where it was not full.

/** One look reads so many; more of them only come later. */
export const PAGE = 1_000;

/** Of messages: before all of them. */
export const FIRST = { account_id: 0, id: 0 };

export class Pages<Key> {
  after: Key;
  readonly size: number;
  private readonly start: Key;

  constructor(start: Key, size: number) {
    this.after = start;
    this.start = start;
    this.size = size;
  }

  /** Takes up where the page ended, and gives it back. */
  passed<Row>(page: Row[], keyOf: (row: Row) => Key): Row[] {
    const last = page.length < this.size ? undefined : page.at(-1);
    this.after = last === undefined ? this.start : keyOf(last);
    return page;
  }
}
