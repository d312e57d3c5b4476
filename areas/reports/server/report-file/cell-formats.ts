// Formats cells of a report in the words and digits of a language.
import { type Language, LOCALE } from '#platform/languages.ts';
import type { ReportCell } from './sections.ts';

const formatters = new Map<Language, (cell: ReportCell) => string>();

/** Creates a language's cell formatter; cached because formats are expensive to create. */
export function createCellFormatter(language: Language): (cell: ReportCell) => string {
  const cachedFormatter = formatters.get(language);
  if (cachedFormatter) return cachedFormatter;
  const locale = LOCALE[language];
  const number = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const precisePercent = new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: 2,
  });
  // Formats a percentage. Small ones have more decimals, as on the screens, so that five of twenty
  // thousand are not 0 %.
  const shareOf = (value: number) =>
    (value > 0 && value < 0.001 ? precisePercent : percent).format(value);
  const money = new Intl.NumberFormat(locale, {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const formatCell = (cell: ReportCell): string => {
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
  formatters.set(language, formatCell);
  return formatCell;
}

/** Returns whether the cell is aligned to the end of its column, as numbers are. */
export const isNumber = (cell: ReportCell | undefined) =>
  cell !== undefined && cell.kind !== 'text' && cell.kind !== 'code' && cell.kind !== 'day';
