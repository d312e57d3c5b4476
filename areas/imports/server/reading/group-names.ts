// Parses the groups in a cell: tags, lists and segments in the formats of services.
import { MAX_TITLE_LENGTH } from '#areas/groups/shared.ts';
import { cutText } from '#platform/server/clean-text.ts';

const NAMES_OF_CELL = 100;
/** Maximum number of characters read in a cell; the rest of a longer cell is ignored. */
const MAX_CELL_LENGTH = 32_000;
const GROUP_NAME = /\s*(?:"((?:[^"]|"")*)"|'([^']*)'(?=\s*[,;|،؛\]]|\s*$)|([^,;|،؛]+))/g;

/**
 * Invisible characters, which are replaced by spaces. Joiners are not among them, because Persian
 * words and some emoji contain them.
 */
const UNSEEN = /[^\P{C}\u200c\u200d]/gu;

/**
 * Returns the names in a cell such as `"VIP","Spring, 2026"`, `VIP; Spring` or `['VIP']`, each
 * once.
 */
export function splitGroupNames(cell: string): string[] {
  const list = cell
    .slice(0, MAX_CELL_LENGTH)
    .trim()
    .replace(/^\[([^]*)\]$/, '$1');
  const names = new Map<string, string>();
  for (const [, double, single, plain] of list.matchAll(GROUP_NAME)) {
    const title = double?.replaceAll('""', '"') ?? single ?? plain ?? '';
    const name = cutText(title.replace(UNSEEN, ' ').trim(), MAX_TITLE_LENGTH);
    if (name !== '' && names.size < NAMES_OF_CELL) names.set(name.toLowerCase(), name);
  }
  return [...names.values()];
}

/** Formats a cell that `splitGroupNames` parses back to these names. */
export function formatGroupCell(names: readonly string[]): string {
  return names
    .filter((name) => name.trim() !== '')
    .map((name) => `"${name.replaceAll('"', '""')}"`)
    .join(',');
}
