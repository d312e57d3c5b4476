// Content that was frozen and can no longer be made into copies: told apart from whatever else may fail.

import { FileGone } from '#areas/content/server/index.ts';

/** `cause` says why. */
export class NotCompiled extends Error {}

export function compiling<T>(make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw new NotCompiled('Frozen content cannot be rendered any more', { cause });
  }
}

/** What it carries, from the file store: one that does not answer is asked again, one that is without a file is told. */
export async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof FileGone) throw new NotCompiled('What was attached is gone', { cause });
    throw cause;
  }
}
