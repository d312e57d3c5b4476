// All names of a language: its codes, and its name in each supported language.
import { LANGUAGES, type Language, LOCALE } from '../texts/languages.ts';

/** Names that the browser's list of names lacks. */
const ALSO: Partial<Record<Language, string>> = { fas: 'Farsi Parsi Dari', nor: 'Norwegian no' };

export function listLanguageNames(language: Language): string {
  const names = LANGUAGES.map((shown) =>
    new Intl.DisplayNames([LOCALE[shown]], { type: 'language' }).of(LOCALE[language]),
  );
  return [...names, language, LOCALE[language], ALSO[language]].filter(Boolean).join(' ');
}
