// Limits and titles of groups, shared by server and client.

export const MAX_TITLE_LENGTH = 255;
/** Maximum number of groups per account. */
export const MAX_GROUPS = 10_000;

/** Returns the normalized title: titles with the same key are treated as equal. */
export function toTitleKey(title: string): string {
  return title.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();
}
