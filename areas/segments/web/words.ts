// Conditions in plain words: the names of types and operators, and a short reading for chips. How a
// whole segment reads comes from the server, with the titles of all that it names.
import { useFormats } from '#platform/web/formats.ts';
import { useTexts } from '#platform/web/texts.ts';
import { FAMILIES, operandOf } from '../conditions.ts';
import type { Condition, Operator } from '../limits.ts';

const MAIL: ReadonlySet<string> = new Set(FAMILIES.mail);
const SHOP: ReadonlySet<string> = new Set(FAMILIES.shop);

/** The key of an operator's words, which differ where the same operator asks something else. */
export function operatorKey(type: Condition['type'], operator: Operator): string {
  if (type === 'not_active_subscribers' || type === 'not_active_customers') {
    return `operators.inactive.${operator}`;
  }
  if (type === 'geolocation_eu') return `operators.eu.${operator}`;
  if (operator === 'all' || operator === 'specific') {
    if (MAIL.has(type)) return `operators.mail.${operator}`;
    if (SHOP.has(type)) return `operators.shop.${operator}`;
  }
  return `operators.plain.${operator}`;
}

/** Where an operator's words have their value: 'in the last … weeks'. */
const PLACE = '…';

export function useWords(titles: ReadonlyMap<string, string>) {
  const t = useTexts('segments');
  const { number, date, dateTime, list } = useFormats();
  const typeName = (one: Pick<Condition, 'type' | 'key'>) =>
    one.key ? (titles.get(one.key) ?? t('gone')) : t(`types.${one.type}`);
  const operatorName = (type: Condition['type'], operator: Operator) =>
    t(operatorKey(type, operator));
  const written = (value: string, kind: ReturnType<typeof operandOf>): string => {
    switch (kind) {
      case 'number':
      case 'number_range':
        return number(Number(value));
      case 'date':
      case 'date_range': {
        const instant = `${value.slice(0, 10)}T${value.slice(11) || '00:00:00'}Z`;
        const isDay = value.length === 10 || /(00:00:00|23:59:59)$/.test(value);
        return isDay ? date(instant, 'UTC') : dateTime(instant, 'UTC');
      }
      case 'status':
      case 'statuses':
        return t(`statuses.${value}`);
      case 'groups':
      case 'campaigns':
      case 'stores':
      case 'products':
        return titles.get(value) ?? t('gone');
      default:
        return value;
    }
  };
  const valueOf = (one: Condition): string => {
    const kind = operandOf(one.type, one.operator);
    if (kind === 'none') return '';
    const values = [one.operand, ...one.more].map((value) => written(value, kind));
    if (one.operator === 'between') return t('range', { from: values[0], to: values[1] });
    return list(values);
  };
  /** 'First name contains Ann' */
  const reading = (one: Condition): string => {
    const isPast = one.operator === 'weeks' || one.operator === 'months';
    const words = isPast
      ? t(`${one.type.startsWith('not_active') ? 'without' : 'within'}.${one.operator}`, {
          count: Number(one.operand),
        })
      : operatorName(one.type, one.operator);
    const value = isPast ? '' : valueOf(one);
    const rest = words.includes(PLACE) ? words.replace(PLACE, value) : `${words} ${value}`;
    return `${typeName(one)} ${rest}`.trim();
  };
  return { typeName, operatorName, reading };
}
