// Checks that a catalog has the same keys in all of its languages, the plural forms of each
// language, and the same placeholders, and that no text is empty, still English, or has Latin
// digits in Persian.
import { LANGUAGES, TEXT_LOCALE, type TextLanguage } from '#platform/languages.ts';
import sameAsEnglish from './same-as-english.json' with { type: 'json' };

type Nested = string | Nested[];
export interface TextCatalog {
  /** Flattened keys of a list are the positions of its items. */
  [key: string]: string | TextCatalog | Nested[];
}

/** The languages of form copy; customers publish forms in more languages than the interface has. */
const FORM_LANGUAGES: readonly TextLanguage[] = [
  'eng',
  'lit',
  'pol',
  'spa',
  'lav',
  'nor',
  'swe',
  'fas',
];
/** Catalogs with a different set of languages than the interface. */
const OWN_LANGUAGES: Record<string, readonly TextLanguage[]> = {
  'form-layouts.content.json': ['eng', 'lit', 'pol', 'spa'],
  'form-blocks.content.json': FORM_LANGUAGES,
  'form-messages.content.json': FORM_LANGUAGES,
  'form-pages.server.json': FORM_LANGUAGES,
};

export const listLanguages = (file: string): readonly TextLanguage[] =>
  OWN_LANGUAGES[file] ?? LANGUAGES;

const FORM = /^(.*?)(_ordinal)?_(zero|one|two|few|many|other)$/;

/** Returns violations in all languages of a catalog file; English is the reference. */
export function findCatalogViolations(
  file: string,
  readCatalog: (language: TextLanguage) => TextCatalog | undefined,
): string[] {
  const english = flattenCatalog(readCatalog('eng') ?? {});
  const plurals = pluralKeys(english);
  return listLanguages(file).flatMap((language) => {
    const path = `locales/${language}/${file}`;
    const catalog = readCatalog(language);
    if (!catalog) return [`${path} is missing.`];
    const textByKey = flattenCatalog(catalog);
    const expectedKeys = new Set(
      [...english.keys()].flatMap((key) => {
        const base = pluralBase(key, plurals);
        return base ? forms(base, plurals.get(base) ?? 'cardinal', language) : [key];
      }),
    );
    return [
      ...[...expectedKeys]
        .filter((key) => !textByKey.has(key))
        .map((key) => `${path}: ${key} is missing.`),
      ...[...textByKey.keys()]
        .filter((key) => !expectedKeys.has(key))
        .map((key) => `${path}: ${key} is not in the English catalog.`),
      ...[...textByKey]
        .filter(([, text]) => text.trim() === '')
        .map(([key]) => `${path}: ${key} is empty.`),
      ...[...textByKey]
        .filter(([key, text]) => otherPlaceholders(english, plurals, key, text))
        .map(([key]) => `${path}: ${key} has other placeholders than English.`),
      ...[...textByKey]
        .filter(
          ([key, text]) => !isData(file, key) && isUntranslated(language, english.get(key), text),
        )
        .map(([key]) => `${path}: ${key} is still English.`),
      ...[...textByKey]
        .filter(([key, text]) => language === 'fas' && !isData(file, key) && hasLatinCount(text))
        .map(([key]) => `${path}: ${key} has Latin digits.`),
    ];
  });
}

/**
 * Returns whether the value is data that is not translated: sample values of template variables,
 * such as order numbers and addresses.
 */
export const isData = (file: string, key: string) =>
  file === 'email-templates.content.json' && key.startsWith('samples.');

const SAME_AS_ENGLISH: Partial<Record<TextLanguage | '', readonly string[]>> = sameAsEnglish;

/**
 * Returns whether the text equals the English text, unless it is a name or a word that both
 * languages share.
 */
function isUntranslated(
  language: TextLanguage,
  english: string | undefined,
  text: string,
): boolean {
  if (language === 'eng' || text !== english) return false;
  const plainText = text.replaceAll(/\{\{.*?\}\}/g, '');
  if (!/[A-Za-z]{2}/.test(plainText)) return false;
  return !SAME_AS_ENGLISH['']?.includes(text) && !SAME_AS_ENGLISH[language]?.includes(text);
}

/**
 * Returns whether Persian text has Latin digits in a count. Digits of formats, addresses and
 * headers stay Latin: they follow a direction mark or a Latin letter.
 */
function hasLatinCount(text: string): boolean {
  return /(?<![\w.,/:+\u200E\u2066-]|[A-Za-z]: )\d(?![\w.,/:]*\u2069)/.test(
    text.replaceAll(/\{\{.*?\}\}/g, ''),
  );
}

/** Converts `{a: {b: 'x'}}` to `a.b` → `x`. */
export function flattenCatalog(catalog: TextCatalog, prefix = ''): Map<string, string> {
  return new Map(
    Object.entries(catalog).flatMap(([key, value]) =>
      typeof value === 'string'
        ? [[`${prefix}${key}`, value] as [string, string]]
        : [...flattenCatalog(value as TextCatalog, `${prefix}${key}.`)],
    ),
  );
}

/** `members_one` and `members_other` become `members`. */
export const withoutForm = (key: string): string => FORM.exec(key)?.[1] ?? key;

type Plurals = Map<string, Intl.PluralRuleType>;

/** Returns keys with plural forms, which have an `_other`. */
function pluralKeys(textByKey: Map<string, string>): Plurals {
  const plurals: Plurals = new Map();
  for (const key of textByKey.keys()) {
    const [, base, ordinal, form] = FORM.exec(key) ?? [];
    if (base !== undefined && form === 'other') plurals.set(base, ordinal ? 'ordinal' : 'cardinal');
  }
  return plurals;
}

function pluralBase(key: string, plurals: Plurals): string | undefined {
  const base = FORM.exec(key)?.[1];
  return base !== undefined && plurals.has(base) ? base : undefined;
}

function forms(base: string, type: Intl.PluralRuleType, language: TextLanguage): string[] {
  const { pluralCategories } = new Intl.PluralRules(TEXT_LOCALE[language], {
    type,
  }).resolvedOptions();
  return pluralCategories.map((form) => `${base}${type === 'ordinal' ? '_ordinal' : ''}_${form}`);
}

/** Compares the placeholders with English. A plural form may omit `count` ("one subscriber"). */
function otherPlaceholders(
  english: Map<string, string>,
  plurals: Plurals,
  key: string,
  text: string,
): boolean {
  const base = pluralBase(key, plurals);
  const reference = english.get(
    base ? `${base}${plurals.get(base) === 'ordinal' ? '_ordinal' : ''}_other` : key,
  );
  if (reference === undefined) return false;
  const names = (plainText: string) =>
    new Set(
      [...plainText.matchAll(/\{\{\s*([\w.]+)[^}]*\}\}/g)]
        .map(([, name]) => name)
        .filter((name) => !(base && name === 'count')),
    );
  const [placeholders, expected] = [names(text), names(reference)];
  return (
    placeholders.size !== expected.size || [...placeholders].some((name) => !expected.has(name))
  );
}
