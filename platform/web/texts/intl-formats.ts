// Formatters of `Intl`, each created once: creating one takes a hundred times as long as using it,
// and every cell of a table formats something.

const numberFormats = new Map<string, Intl.NumberFormat>();
const dateFormats = new Map<string, Intl.DateTimeFormat>();

export function numberFormat(
  locale: string,
  options: Intl.NumberFormatOptions = {},
): Intl.NumberFormat {
  return cachedFormat(numberFormats, locale, options, () => new Intl.NumberFormat(locale, options));
}

export function dateTimeFormat(
  locale: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  return cachedFormat(dateFormats, locale, options, () => new Intl.DateTimeFormat(locale, options));
}

/** A page uses only a few locales, zones and currencies, so the cache never evicts entries. */
function cachedFormat<Format>(
  formats: Map<string, Format>,
  locale: string,
  options: object,
  create: () => Format,
): Format {
  const key = locale + JSON.stringify(options);
  const existing = formats.get(key);
  if (existing) return existing;
  const format = create();
  formats.set(key, format);
  return format;
}
