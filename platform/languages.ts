// The interface's languages: the product's codes, their locales and directions.

export const LANGUAGES = ['eng', 'nor', 'swe', 'lit', 'fas', 'lav'] as const;
export type Language = (typeof LANGUAGES)[number];

/** BCP 47 locale for Intl and plurals. */
export const LOCALE: Record<Language, string> = {
  eng: 'en',
  nor: 'nb',
  swe: 'sv',
  lit: 'lt',
  fas: 'fa',
  lav: 'lv',
};

export const DIRECTION: Record<Language, 'ltr' | 'rtl'> = {
  eng: 'ltr',
  nor: 'ltr',
  swe: 'ltr',
  lit: 'ltr',
  fas: 'rtl',
  lav: 'ltr',
};

/** Languages of content and public pages: the interface languages, plus Polish and Spanish. */
export const TEXT_LANGUAGES = [...LANGUAGES, 'pol', 'spa'] as const;
export type TextLanguage = (typeof TEXT_LANGUAGES)[number];

export const TEXT_LOCALE: Record<TextLanguage, string> = { ...LOCALE, pol: 'pl', spa: 'es' };

export function isLanguage(value: unknown): value is Language {
  return LANGUAGES.includes(value as Language);
}

const BY_TAG: Record<string, Language> = {
  en: 'eng',
  nb: 'nor',
  no: 'nor',
  nn: 'nor',
  sv: 'swe',
  lt: 'lit',
  fa: 'fas',
  lv: 'lav',
};

/**
 * Returns the supported language with the highest preference in an Accept-Language header (RFC
 * 9110, 12.5.4).
 */
export function parseAcceptLanguage(header: string | undefined): Language | undefined {
  const preferences = (header ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().split(';');
      const quality = parameters.find((parameter) => parameter.trim().startsWith('q='));
      return { tag: tag.toLowerCase(), q: quality ? Number(quality.trim().slice(2)) : 1 };
    })
    .filter((preference) => preference.q > 0)
    .sort((a, b) => b.q - a.q);
  for (const { tag } of preferences) {
    const language = BY_TAG[tag.split('-')[0] ?? ''];
    if (language) return language;
  }
  return undefined;
}

/** The cookie with the language the web client showed last. */
export const SHOWN_LANGUAGE = 'language';
