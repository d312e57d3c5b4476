// Reads rows in pages. `PageCursor` serves polls that read one page at a time: after a full page
// the next poll continues, after a partial one it starts again. `paginate` reads all rows once.

/** Default size of a page. */
export const PAGE_ROWS = 1_000;

/** A page of at most `size` rows with IDs greater than `after`. */
export type IdPage = { after: number; size: number };

/** Yields all IDs that `find` returns, page after page, until the signal aborts. */
export async function* paginate(
  find: (page: IdPage) => Promise<number[]>,
  size: number,
  signal: AbortSignal,
): AsyncGenerator<number> {
  let lastId: number | undefined = 0;
  while (lastId !== undefined && !signal.aborted) {
    const ids = await find({ after: lastId, size });
    for (const id of ids) {
      if (signal.aborted) return;
      yield id;
    }
    lastId = ids.length < size ? undefined : ids.at(-1);
  }
}

/** Key before the first message, where a poll of messages starts. */
export const FIRST_MESSAGE_KEY = { account_id: 0, id: 0 };

export class PageCursor<Key> {
  after: Key;
  readonly size: number;
  private readonly start: Key;

  constructor(start: Key, size: number) {
    this.after = start;
    this.start = start;
    this.size = size;
  }

  /** Stores the position where the next poll continues and returns the page. */
  advance<Row>(page: Row[], keyOf: (row: Row) => Key): Row[] {
    const last = page.length < this.size ? undefined : page.at(-1);
    this.after = last === undefined ? this.start : keyOf(last);
    return page;
  }
}
