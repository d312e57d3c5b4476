// Words and instants of what comes back, made fit to be kept.

/** One recipient in a report by mail; the address is empty where the report names none. */
export type BouncedCopy = {
  recipient: string;
  /** Where the report says whom it was sent to first: `recipient` may be where it was sent on to. */
  original?: string;
  code: string;
  words: string;
};

const MOST_WORDS = 500;

/** One line without control characters, as it may be shown. */
export function oneLine(text: string): string {
  return text
    .slice(0, 4 * MOST_WORDS)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MOST_WORDS)
    .toWellFormed();
}

/** An instant that may be believed: never in the future, never older than a month. */
export function plausible(at: Date, now: Date): Date {
  const time = at.getTime();
  const isLikely = time <= now.getTime() && time > now.getTime() - 31 * 86_400_000;
  return isLikely ? at : now;
}
