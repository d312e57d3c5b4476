// Formats an amount in minor units for a language.
import { isLanguage, LOCALE } from '#platform/languages.ts';

const formats = new Map<string, Intl.NumberFormat>();

export function formatMoney(minor: number, currency: string, language: string): string {
  const knownLanguage = isLanguage(language) ? language : 'eng';
  const key = `${knownLanguage} ${currency}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(LOCALE[knownLanguage], {
      style: 'currency',
      currency: currency.toUpperCase(),
    });
    formats.set(key, format);
  }
  return format.format(minor / 100);
}
