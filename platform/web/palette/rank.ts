// Finds palette entries for the typed text, each once, best match first.

export interface RankableItem {
  id: string;
  label: string;
  keywords?: string | undefined;
  to?: string | undefined;
}

/** Removes case and accents, so that `irasas` finds `Įrašas`. */
export function foldText(text: string): string {
  return text.trim().toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
}

/** Characters that precede a word, as in the server's ranking. */
const BREAK = /[-_./@(["'+:#]/g;

/**
 * Returns 0 for the exact name, and larger numbers for worse matches: a prefix, a word's prefix, a
 * part, a synonym; undefined for no match.
 */
export function computeRank(item: RankableItem, text: string): number | undefined {
  const label = foldText(item.label);
  if (label === text) return 0;
  if (label.startsWith(text)) return 1;
  const terms = text.split(/\s+/);
  const spaced = ` ${label.replace(BREAK, ' ')}`;
  const startsLabel = (term: string) => spaced.includes(` ${term}`);
  if (terms.every(startsLabel)) return 2;
  if (terms.every((term) => label.includes(term))) return 3;
  const words = ` ${label} ${foldText(item.keywords ?? '')}`;
  if (terms.every((term) => words.includes(` ${term}`))) return 4;
  return terms.every((term) => words.includes(term)) ? 5 : undefined;
}

/**
 * Returns the matches, best first; `foundItems` are results from the server and match regardless of
 * their names.
 */
export function rankItems<Item extends RankableItem>(
  commands: readonly Item[],
  foundItems: readonly Item[],
  term: string,
): Item[] {
  const foldedTerm = foldText(term);
  if (foldedTerm === '') return unique(commands);
  const rankedCommands = commands.flatMap((item) => {
    const rank = computeRank(item, foldedTerm);
    return rank === undefined ? [] : [{ item, rank }];
  });
  const matches = foundItems.map((item) => ({ item, rank: computeRank(item, foldedTerm) ?? 6 }));
  // The sort is stable: among equals, commands precede objects, each in their own order.
  const sortedItems = [...rankedCommands, ...matches].sort((a, b) => a.rank - b.rank);
  return unique(sortedItems.map(({ item }) => item));
}

/** Keeps only the first entry with the same id, or with the same path and name. */
function unique<Item extends RankableItem>(items: readonly Item[]): Item[] {
  const seenIds = new Set<string>();
  return items.filter((item) => {
    const names = [`id ${item.id}`, ...(item.to ? [`${item.to} ${foldText(item.label)}`] : [])];
    if (names.some((name) => seenIds.has(name))) return false;
    for (const name of names) seenIds.add(name);
    return true;
  });
}
