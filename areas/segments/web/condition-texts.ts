// Labels of conditions: the names of operators, and each condition as a phrase.
import { useTranslation } from 'react-i18next';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FAMILIES, getKeyKind } from '../conditions.ts';
import type { Condition, Operator } from '../shared.ts';
import { buildPhrase } from '../sentence.ts';

const MESSAGES: ReadonlySet<string> = new Set([...FAMILIES.mail, ...FAMILIES.sms]);
const SHOP: ReadonlySet<string> = new Set(FAMILIES.shop);

/** Returns the text key of an operator. It depends on the type if the meaning does. */
export function operatorKey(type: Condition['type'], operator: Operator): string {
  if (type === 'not_active_subscribers' || type === 'not_active_customers') {
    return `operators.inactive.${operator}`;
  }
  if (getKeyKind(type) === 'event' && (operator === 'all' || operator === 'more-than')) {
    return `operators.event.${operator}`;
  }
  if (type === 'geolocation_eu') return `operators.eu.${operator}`;
  if (operator === 'all' || operator === 'specific') {
    if (MESSAGES.has(type)) return `operators.mail.${operator}`;
    if (SHOP.has(type)) return `operators.shop.${operator}`;
  }
  return `operators.plain.${operator}`;
}

/**
 * Returns a function that describes a condition as in the segment's sentence, beginning with a
 * capital letter.
 */
export function useReading(titles: ReadonlyMap<string, string>): (condition: Condition) => string {
  const translate = useTexts('segments.words');
  const locale = useTranslation().i18n.language;
  const { date } = useFormats();
  const speech = {
    locale,
    translate: (key: string, values: Record<string, unknown> = {}): string =>
      translate(key, values),
    titles: Object.fromEntries(titles),
    date: (day: string) => date(`${day}T00:00:00Z`, 'UTC'),
  };
  return (condition) => {
    const phrase = buildPhrase(condition, speech);
    return phrase.charAt(0).toLocaleUpperCase(locale) + phrase.slice(1);
  };
}
