// The error for frozen content that can no longer be compiled, which is distinguished from every
// other failure.

import { MissingFileError } from '#areas/content/server/index.ts';

/** `cause` has the reason. */
export class NotCompiled extends Error {}

export function compiling<T>(make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw new NotCompiled('Frozen content cannot be rendered any more', { cause });
  }
}

/**
 * Reads an attachment from the file store: an unavailable store is retried, a missing file is
 * reported.
 */
export async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof MissingFileError)
      throw new NotCompiled('The attachment is missing', { cause });
    throw cause;
  }
}
