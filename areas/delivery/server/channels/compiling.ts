// Distinguishes frozen content that can never be rendered again from failures that may be retried.

import { MissingFileError } from '#areas/content/server/index.ts';

/** The content can no longer be rendered, or a file of it is missing; `cause` has the reason. */
export class NotCompiled extends Error {}

export function compiling<T>(make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw new NotCompiled('Could not render frozen content', { cause });
  }
}

/**
 * Runs a function that reads attachments from the file store. Throws NotCompiled if a file is
 * missing; other errors, such as an unavailable store, may be retried.
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
