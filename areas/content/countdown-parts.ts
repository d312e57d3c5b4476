// The parts of a countdown in a language, shared by the drawn image and the editor's canvas.

const MAX_DAYS = 999;

export type CountdownPart = { unit: 'day' | 'hour' | 'minute'; value: string; label: string };

/** Days, hours and minutes. @param locale BCP 47 */
export function splitCountdown(minutesLeft: number, locale: string): CountdownPart[] {
  const digits = new Intl.NumberFormat(locale, { minimumIntegerDigits: 2 });
  const createPart = (unit: CountdownPart['unit'], count: number) => ({
    unit,
    value: digits.format(count),
    label: formatUnitName(locale, unit, count),
  });
  return [
    createPart('day', Math.min(MAX_DAYS, Math.floor(minutesLeft / 1440))),
    createPart('hour', Math.floor(minutesLeft / 60) % 24),
    createPart('minute', minutesLeft % 60),
  ];
}

/** Returns the name of the unit in the plural form that the language uses for this count. */
function formatUnitName(locale: string, unit: string, count: number): string {
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' })
    .formatToParts(count)
    .filter(({ type }) => type === 'unit')
    .map(({ value }) => value)
    .join(' ');
}
