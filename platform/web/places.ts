// Countries and time zones to choose from, in the reader's language and order, with today's offsets.
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { texts } from './texts.ts';

export interface Choice {
  value: string;
  label: string;
}

/** Codes that ISO 3166 reserves or has withdrawn, which browsers still name. */
const NO_COUNTRIES = new Set(
  'AC AN BU CP CQ CS DD DG DY EA EU EZ FX HV IC NH NT QO QU RH SU TA TP UK UN VD XA XB YD YU ZR ZZ'.split(
    ' ',
  ),
);
const A = 65;

/** All countries by name; the value is the two-letter code. */
export function countriesIn(locale: string): Choice[] {
  const names = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' });
  const list: Choice[] = [];
  for (let i = 0; i < 26 * 26; i++) {
    const value = String.fromCharCode(A + Math.floor(i / 26), A + (i % 26));
    const label = NO_COUNTRIES.has(value) ? undefined : names.of(value);
    if (label) list.push({ value, label });
  }
  return list.sort((one, other) => one.label.localeCompare(other.label, locale));
}

/**
 * All zones from west to east: `(GMT+02:00) Europe/Vilnius`. `chosen` is among them even where the
 * browser knows it by another name.
 */
export function timeZones(chosen?: string, at = new Date()): Choice[] {
  const zones = new Set(['UTC', ...Intl.supportedValuesOf('timeZone')]);
  if (chosen) zones.add(chosen);
  return [...zones]
    .flatMap((zone) => {
      const minutes = offsetOf(zone, at);
      return minutes === undefined ? [] : [{ zone, minutes }];
    })
    .sort((one, other) => one.minutes - other.minutes || one.zone.localeCompare(other.zone))
    .map(({ zone, minutes }) => ({
      value: zone,
      label: `(GMT${written(minutes)}) ${zone.replaceAll('_', ' ')}`,
    }));
}

/** Minutes east of Greenwich at that time; undefined for a zone that is not known here. */
function offsetOf(zone: string, at: Date): number | undefined {
  try {
    const parts = new Intl.DateTimeFormat('en', {
      timeZone: zone,
      timeZoneName: 'longOffset',
    }).formatToParts(at);
    const name = parts.find((part) => part.type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    return sign ? (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1) : 0;
  } catch {
    return undefined;
  }
}

function written(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const whole = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(whole / 60))}:${two(whole % 60)}`;
}

export function useCountries(): Choice[] {
  const { i18n } = useTranslation(undefined, { i18n: texts });
  return useMemo(() => countriesIn(i18n.language ?? 'en'), [i18n.language]);
}

export function useTimeZones(chosen?: string): Choice[] {
  return useMemo(() => timeZones(chosen), [chosen]);
}
