// Cells of a report in the words and digits of a language.
import { type Language, LOCALE } from '#platform/languages.ts';
import type { Cell } from './sections.ts';

const writers = new Map<Language, (cell: Cell) => string>();

/** How cells are written in a language; kept, since formats are costly to make. */
export function writerOf(language: Language): (cell: Cell) => string {
  const known = writers.get(language);
  if (known) return known;
  const locale = LOCALE[language];
  const number = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const small = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
  // As the screens of a report write it: five complaints of twenty thousand are no 0 %.
  const shareOf = (value: number) => (value > 0 && value < 0.001 ? small : percent).format(value);
  const money = new Intl.NumberFormat(locale, {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const written = (cell: Cell): string => {
    switch (cell.kind) {
      case 'day':
        return date.format(new Date(`${cell.value}T00:00:00Z`));
      case 'count':
        return number.format(cell.value);
      case 'share':
        return cell.value === null ? '–' : shareOf(cell.value);
      case 'money':
        return `${money.format(cell.value)} ${cell.currency}`.trim();
      default:
        return cell.value;
    }
  };
  writers.set(language, written);
  return written;
}

/** Whether the cell stands at the end of its column, as numbers do. */
export const isNumber = (cell: Cell | undefined) =>
  cell !== undefined && cell.kind !== 'text' && cell.kind !== 'code' && cell.kind !== 'day';
