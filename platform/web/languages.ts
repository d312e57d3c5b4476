// The six languages of the interface: their codes in the product, for the browser, and their direction.

export const languages = ['eng', 'nor', 'swe', 'lit', 'fas', 'lav'] as const;

export type Language = (typeof languages)[number];

/** BCP 47, for `lang` attributes, plural rules and Intl. */
export const locales: Record<Language, string> = {
  eng: 'en',
  nor: 'nb',
  swe: 'sv',
  lit: 'lt',
  fas: 'fa',
  lav: 'lv',
};

export const languageNames: Record<Language, string> = {
  eng: 'English',
  nor: 'Norsk',
  swe: 'Svenska',
  lit: 'Lietuvių',
  fas: 'فارسی',
  lav: 'Latviešu',
};

export function directionOf(language: Language): 'ltr' | 'rtl' {
  return language === 'fas' ? 'rtl' : 'ltr';
}

export function isLanguage(value: unknown): value is Language {
  return languages.includes(value as Language);
}

/** What the browser prefers, `nb-NO` and `no` both meaning Norwegian; English if it prefers none. */
export function preferredLanguage(preferred: readonly string[]): Language {
  for (const tag of preferred) {
    const base = tag.toLowerCase().split('-')[0] ?? '';
    if (base === 'no' || base === 'nn') return 'nor';
    const found = languages.find((language) => locales[language] === base);
    if (found) return found;
  }
  return 'eng';
}
