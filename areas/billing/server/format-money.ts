// Formats an amount in minor units for a language.
import { isLanguage, LOCALE } from '#platform/languages.ts';

const formats = new Map<string, Intl.NumberFormat>();

export function showMoney(minor: number, currency: string, language: string): string {
  const known = isLanguage(language) ? language : 'eng';
  const key = `${known} ${currency}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(LOCALE[known], {
      style: 'currency',
      currency: currency.toUpperCase(),
    });
    formats.set(key, format);
  }
  return format.format(minor / 100);
}
