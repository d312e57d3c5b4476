// Finds variables of the environment that are probably misspelled settings.

/** Minimum length of a compared name; shorter names are close to unrelated variables. */
const MIN_LENGTH = 5;
/** Misspelled names of at least this length may differ by two edits, shorter ones by one. */
const LONG = 8;

/**
 * Finds misspelled settings among the environment variables, and the setting that each resembles.
 */
export function findMisspelledSettings(
  env: Record<string, string | undefined>,
  settings: readonly string[],
): { name: string; setting: string }[] {
  const knownNames = new Set(settings.flatMap((name) => [name, `${name}_FILE`]));
  return Object.keys(env).flatMap((name) => {
    if (knownNames.has(name) || name.length < MIN_LENGTH) return [];
    const setting = settings.find((setting) =>
      isClose(name.toUpperCase().replace(/_FILE$/, ''), setting),
    );
    return setting === undefined ? [] : [{ name, setting }];
  });
}

function isClose(name: string, setting: string): boolean {
  const max = Math.min(name.length, setting.length) >= LONG ? 2 : 1;
  if (setting.length < MIN_LENGTH || Math.abs(name.length - setting.length) > max) return false;
  return edits(name, setting) <= max;
}

/**
 * Counts the edits between two names: insertions, deletions, substitutions, and swaps of neighbors
 * (optimal string alignment).
 */
function edits(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + cost,
        isSwap ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
