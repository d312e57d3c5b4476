// Shortcuts with letters, on keyboards with non-Latin layouts.

/**
 * Returns the key's character on a Latin keyboard: on a Persian layout the Z key types a Persian
 * letter, but Ctrl+Z must still work. ASCII and keys without a character (`Enter`) are returned
 * unchanged.
 */
export function toLatinKey({ key, code }: { key: string; code: string }): string {
  if (key.length !== 1 || key < '\u0080') return key;
  if (key === '؟') return '?';
  return /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase() ?? key;
}
