// Repeated log lines: the first is written immediately; identical lines after it are counted, and
// the count is written once a minute. Otherwise an outage would write the same warning thousands of
// times.

type Write = (repeatCount: number) => void;
type Entry = { repeatCount: number; write: Write };

const MINUTE_MS = 60_000;
/**
 * Maximum number of different lines that are counted at the same time; other lines are written each
 * time.
 */
const MAX_LINES = 500;
const MAX_KEY_LENGTH = 1_000;

const entries = new Map<string, Entry>();

/**
 * Returns true if a line with this text (compared by its first 1,000 characters), or its count, was
 * written within the last minute. Then `write` is called at the end of that minute with the number
 * of repetitions.
 */
export function isRepeated(text: string, write: Write): boolean {
  const key = text.slice(0, MAX_KEY_LENGTH);
  const entry = entries.get(key);
  if (entry) {
    entry.repeatCount += 1;
    entry.write = write;
    return true;
  }
  if (entries.size < MAX_LINES) {
    entries.set(key, { repeatCount: 0, write });
    scheduleCount(key);
  }
  return false;
}

function scheduleCount(key: string): void {
  setTimeout(() => {
    const entry = entries.get(key);
    if (!entry) return;
    if (entry.repeatCount === 0) entries.delete(key);
    else {
      writeCount(entry);
      scheduleCount(key);
    }
  }, MINUTE_MS).unref();
}

function writeCount(entry: Entry): void {
  entry.write(entry.repeatCount);
  entry.repeatCount = 0;
}

/** Writes the remaining counts when the process ends. */
export function writeRepeated(): void {
  for (const entry of entries.values()) if (entry.repeatCount > 0) writeCount(entry);
  entries.clear();
}

process.on('exit', writeRepeated);
