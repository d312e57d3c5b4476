// Keys that are named by a letter, on keyboards that write another script.

/**
 * What the key writes on a Latin keyboard: with a Persian layout the key of Z writes a Persian letter, and Ctrl with
 * it is meant all the same. ASCII, and keys that write nothing (`Enter`), are as they are.
 */
export function latinKey({ key, code }: { key: string; code: string }): string {
  if (key.length !== 1 || key < '\u0080') return key;
  if (key === '؟') return '?';
  return /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase() ?? key;
}
