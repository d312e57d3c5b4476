// Limits of groups that both halves know.

export const TITLE_MOST = 255;
/** Groups of one account. */
export const GROUPS_MOST = 10_000;

/** What makes two titles the same. */
export function titleKey(title: string): string {
  return title.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();
}
