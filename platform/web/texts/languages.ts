// The languages as shown in a chooser, and the language that a browser prefers.
import {
  isLanguage,
  LANGUAGES,
  type Language,
  LOCALE,
  parseAcceptLanguage,
} from '#platform/languages.ts';

export { DIRECTION, isLanguage, LANGUAGES, type Language, LOCALE } from '#platform/languages.ts';

/** The name of each language in that language. */
export const languageNames: Record<Language, string> = {
  eng: 'English',
  nor: 'Norsk',
  swe: 'Svenska',
  lit: 'Lietuvių',
  fas: 'فارسی',
  lav: 'Latviešu',
};

/** Returns the first of the browser's languages that the product supports, otherwise English. */
export function preferredLanguage(preferred: readonly string[]): Language {
  return parseAcceptLanguage(preferred.join(',')) ?? 'eng';
}

export function toLanguage(locale: string | undefined): Language {
  const match = LANGUAGES.find((language) => LOCALE[language] === locale);
  return isLanguage(match) ? match : 'eng';
}
