// The groups that a cell names: tags, lists and segments as services write them.
import { TITLE_MOST } from '#areas/groups/limits.ts';
import { cutText } from '#platform/server/clean-text.ts';

const namesOfCell = 100;
/** What lies beyond names no groups. */
const cellLooked = 32_000;
const cut = /\s*(?:"((?:[^"]|"")*)"|'([^']*)'(?=\s*[,;|،؛\]]|\s*$)|([^,;|،؛]+))/g;

/** What no name is made of; joiners hold Persian words and some emoji together. */
const unseen = /[^\P{C}\u200c\u200d]/gu;

/** `"VIP","Spring, 2026"`, `VIP; Spring`, `['VIP']`: each name once, without the marks between them. */
export function groupNames(cell: string): string[] {
  const list = cell
    .slice(0, cellLooked)
    .trim()
    .replace(/^\[([^]*)\]$/, '$1');
  const names = new Map<string, string>();
  for (const [, double, single, plain] of list.matchAll(cut)) {
    const title = double?.replaceAll('""', '"') ?? single ?? plain ?? '';
    const name = cutText(title.replace(unseen, ' ').trim(), TITLE_MOST);
    if (name !== '' && names.size < namesOfCell) names.set(name.toLowerCase(), name);
  }
  return [...names.values()];
}

/** The cell that `groupNames` reads these names from. */
export function groupCell(names: readonly string[]): string {
  return names
    .filter((name) => name.trim() !== '')
    .map((name) => `"${name.replaceAll('"', '""')}"`)
    .join(',');
}
