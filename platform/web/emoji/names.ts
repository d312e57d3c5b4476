// Emoji names and search words in the product's languages, from Unicode CLDR 48 (names/LICENSE),
// loaded with the first picker.
import type { Language } from '#platform/languages.ts';

/** In the order of Unicode; flags are left out. */
export const EMOJI_GROUPS = [
  'smileys_emotion',
  'people_body',
  'animals_nature',
  'food_drink',
  'travel_places',
  'activities',
  'objects',
  'symbols',
] as const;
type EmojiGroup = (typeof EMOJI_GROUPS)[number];

export interface Emoji {
  emoji: string;
  name: string;
  /** Name and search words in lower case, with a space before each. */
  searchText: string;
  group: EmojiGroup;
}

/** By group: `emoji<tab>name<tab>words`. */
type Names = Record<EmojiGroup, readonly string[]>;

const files = import.meta.glob<Names>('./names/*.json', { import: 'default' });

export async function loadEmoji(language: Language): Promise<Emoji[]> {
  const names = await files[`./names/${language}.json`]?.();
  if (names === undefined) return [];
  return EMOJI_GROUPS.flatMap((group) =>
    names[group].map((line): Emoji => {
      const [emoji = '', name = '', words = ''] = line.split('\t');
      return { emoji, name, searchText: ` ${name} ${words}`.toLowerCase(), group };
    }),
  );
}

/**
 * Finds emoji with, for each typed word, a name or search word that begins with it. Matches in the
 * name come first.
 */
export function searchEmoji(all: readonly Emoji[], search: string): Emoji[] {
  const typedWords = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (typedWords.length === 0) return [];
  const matches = all.filter(
    ({ emoji, searchText }) =>
      typedWords.every((word) => searchText.includes(` ${word}`)) || emoji === search.trim(),
  );
  const isNamed = ({ name }: Emoji) =>
    typedWords.every((word) => ` ${name.toLowerCase()}`.includes(` ${word}`));
  return [...matches.filter(isNamed), ...matches.filter((symbol) => !isNamed(symbol))];
}
