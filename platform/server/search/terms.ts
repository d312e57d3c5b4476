// Search terms, folded like the text they are compared with.

/** Maximum words in a search; further words are ignored. */
const MAX_TERMS = 8;

export type SearchTerms = {
  /** As typed, without surrounding spaces. */
  typed: string;
  /** In lower case, without marks. */
  folded: string;
  words: string[];
};

export function readTerms(search: string): SearchTerms | undefined {
  const normalized = search.replaceAll('\0', ' ').trim().replace(/\s+/g, ' ');
  const foldedText = foldText(normalized);
  const words = foldedText.split(' ').filter(Boolean).slice(0, MAX_TERMS);
  return words.length === 0 ? undefined : { typed: normalized, folded: foldedText, words };
}

/** Removes case and marks, so that `irasas` finds `Įrašas`; equals `foldSql` in matching.sql.ts. */
export function foldText(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036F\u064B-\u0655]/g, '');
}
