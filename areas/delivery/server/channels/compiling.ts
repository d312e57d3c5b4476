// Content that was frozen and can no longer be made into copies: told apart from whatever else may fail.

/** `cause` says why. */
export class NotCompiled extends Error {}

export function compiling<T>(make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw new NotCompiled('What was frozen can no longer be sent', { cause });
  }
}
