// The available date formats, each shown with today's date.
import { getFormats } from '#platform/web/texts/formats.ts';
import type { PlaceOption } from '#platform/web/texts/countries-and-zones.ts';
import { type Texts, texts } from '#platform/web/texts/texts.ts';
import { DATE_FORMATS } from '../../shared.ts';

export function listDateFormats(t: Texts, today = new Date()): PlaceOption[] {
  const locale = texts.language ?? 'en';
  return DATE_FORMATS.map((value) => {
    const example = getFormats(locale, value).date(today);
    return { value, label: value === 'auto' ? t('account.datesAuto', { example }) : example };
  });
}
