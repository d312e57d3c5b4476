// The product's texts: i18next with one lazy catalogue per language, one namespace per area.
import i18next, { type FormatterModule, type i18n, type TFunction } from 'i18next';
import { initReactI18next, useTranslation } from 'react-i18next';
import {
  DIRECTION,
  isLanguage,
  type Language,
  LOCALE,
  languageOfLocale,
  preferredLanguage,
} from './languages.ts';

export type Texts = TFunction<string, undefined>;

type Catalogue = Record<string, Record<string, unknown>>;

const catalogues: Record<Language, () => Promise<{ default: Catalogue }>> = {
  eng: () => import('./catalogues/eng.ts'),
  nor: () => import('./catalogues/nor.ts'),
  swe: () => import('./catalogues/swe.ts'),
  lit: () => import('./catalogues/lit.ts'),
  fas: () => import('./catalogues/fas.ts'),
  lav: () => import('./catalogues/lav.ts'),
};

const storageKey = 'sendloom.language';

/** Numbers in texts are written as the language writes them: `{{count}}` is ۱۲٬۳۴۵ in Persian. */
const numbersByLanguage: FormatterModule = {
  type: 'formatter',
  init: () => undefined,
  add: () => undefined,
  addCached: () => undefined,
  format: (value, _format, language) =>
    typeof value === 'number' ? new Intl.NumberFormat(language).format(value) : String(value ?? ''),
};

export const texts: i18n = i18next.createInstance();

/** Starts with the language chosen last on this device, else the browser's. */
export async function startTexts(): Promise<void> {
  await texts
    .use(numbersByLanguage)
    .use(initReactI18next)
    .init({
      lng: undefined,
      fallbackLng: false,
      keySeparator: '.',
      nsSeparator: ':',
      interpolation: { escapeValue: false, alwaysFormat: true },
      returnNull: false,
      resources: {},
    });
  await showLanguage(rememberedLanguage());
}

/** Loads a language's catalogue, then turns the whole interface to it. */
export async function showLanguage(language: Language): Promise<void> {
  const locale = LOCALE[language];
  if (!texts.hasResourceBundle(locale, 'platform')) {
    const { default: files } = await catalogues[language]();
    for (const [path, words] of Object.entries(files)) {
      const area = path.replace(/^.*\//, '').replace('.json', '');
      texts.addResourceBundle(locale, area, words);
    }
  }
  localStorage.setItem(storageKey, language);
  document.documentElement.lang = locale;
  document.documentElement.dir = DIRECTION[language];
  await texts.changeLanguage(locale);
}

export function currentLanguage(): Language {
  return languageOfLocale(texts.language);
}

/** The texts of one area inside a component: `const t = useTexts('groups'); t('list.title')`. */
export function useTexts(area: string): Texts {
  return useTranslation(area, { i18n: texts }).t;
}

/** Outside components (notices, titles): `text('platform:errors.generic')`. */
export function text(key: string, values: Record<string, unknown> = {}): string {
  return texts.t(key, values);
}

function rememberedLanguage(): Language {
  const remembered = localStorage.getItem(storageKey);
  return isLanguage(remembered) ? remembered : preferredLanguage(navigator.languages);
}
