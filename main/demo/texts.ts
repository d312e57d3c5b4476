// Texts for the sample data, in locales/<lang>/sample-data.content.json, by the account's language.
import { isLanguage, type Language, LOCALE } from '#platform/languages.ts';
import { contentTexts } from '#platform/server/texts.ts';
import type eng from '../../locales/eng/sample-data.content.json';

export type SampleTexts = typeof eng;
type DemoLanguage = { language: Language; locale: string; texts: SampleTexts };

export function resolveDemoLanguage(accountLanguage: string): DemoLanguage {
  const language = isLanguage(accountLanguage) ? accountLanguage : 'eng';
  const catalog = contentTexts<SampleTexts>('sample-data', language);
  return { language, locale: LOCALE[language], texts: catalog };
}

/** Replaces `{name}` with `value`. Merge tags have double braces and are filled for a recipient. */
export function fillIn(text: string, name: string, value: string): string {
  return text.replace(`{${name}}`, () => value);
}
