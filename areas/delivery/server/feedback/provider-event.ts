// The type of a recipient in an emailed bounce report, and functions that clean the texts and times
// of feedback for storage.

/** One recipient in an emailed bounce report; the address is empty if the report names none. */
export type BouncedCopy = {
  recipient: string;
  /**
   * The original recipient, if the report names it; then `recipient` is the same address. Otherwise
   * `recipient` may be a forwarding target.
   */
  originalRecipient?: string;
  code: string;
  diagnostic: string;
};

const MAX_WORDS = 500;

/** Returns one line without control characters, safe to show. */
export function toOneLine(text: string): string {
  return text
    .slice(0, 4 * MAX_WORDS)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MAX_WORDS)
    .toWellFormed();
}

/** Returns the instant if it is not in the future and at most 31 days old, otherwise `now`. */
export function clampEventTime(at: Date, now: Date): Date {
  const time = at.getTime();
  const isLikely = time <= now.getTime() && time > now.getTime() - 31 * 86_400_000;
  return isLikely ? at : now;
}
