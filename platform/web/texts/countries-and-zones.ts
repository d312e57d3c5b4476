// Choices of countries and time zones, in the user's language and order, with today's offsets.
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { isCountry } from '#platform/countries.ts';
import { toLanguage } from './languages.ts';
import { texts } from './texts.ts';

export interface PlaceOption {
  value: string;
  label: string;
  /** Other names by which a search finds the country or zone. */
  keywords?: string;
}

const A = 65;

/** Lists all countries by name; the value is the two-letter code. */
export function listCountries(locale: string): PlaceOption[] {
  const names = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' });
  const list: PlaceOption[] = [];
  for (let i = 0; i < 26 * 26; i++) {
    const value = String.fromCharCode(A + Math.floor(i / 26), A + (i % 26));
    const label = isCountry(value) ? names.of(value) : undefined;
    if (label) list.push({ value, label });
  }
  return list.sort((choice, other) => choice.label.localeCompare(other.label, locale));
}

/** Former names that some browsers still list, by current name in the IANA time zone database. */
const FORMER_ZONES: Record<string, string> = {
  'Africa/Asmara': 'Africa/Asmera',
  'America/Argentina/Buenos_Aires': 'America/Buenos_Aires',
  'America/Argentina/Catamarca': 'America/Catamarca',
  'America/Argentina/Cordoba': 'America/Cordoba',
  'America/Argentina/Jujuy': 'America/Jujuy',
  'America/Argentina/Mendoza': 'America/Mendoza',
  'America/Atikokan': 'America/Coral_Harbour',
  'America/Indiana/Indianapolis': 'America/Indianapolis',
  'America/Kentucky/Louisville': 'America/Louisville',
  'America/Nuuk': 'America/Godthab',
  'Asia/Ho_Chi_Minh': 'Asia/Saigon',
  'Asia/Kathmandu': 'Asia/Katmandu',
  'Asia/Kolkata': 'Asia/Calcutta',
  'Asia/Yangon': 'Asia/Rangoon',
  'Atlantic/Faroe': 'Atlantic/Faeroe',
  'Europe/Kyiv': 'Europe/Kiev',
  'Pacific/Chuuk': 'Pacific/Truk',
  'Pacific/Kanton': 'Pacific/Enderbury',
  'Pacific/Pohnpei': 'Pacific/Ponape',
};
const CURRENT_ZONES = new Map(
  Object.entries(FORMER_ZONES).map(([current, former]) => [former, current]),
);

/** The current name of a zone: Asia/Kolkata for Asia/Calcutta. */
const currentZone = (zone: string): string => CURRENT_ZONES.get(zone) ?? zone;

/** The zone of this browser; undefined if it is unknown. */
export const getBrowserZone = (): string | undefined => {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined;
  return zone === undefined ? undefined : currentZone(zone);
};

/**
 * Returns a country's only zone. Undefined for countries with several zones, and in browsers that
 * do not know the zones of countries.
 */
export function findOnlyZone(country: string): string | undefined {
  if (!isCountry(country)) return undefined;
  const locale = new Intl.Locale(`und-${country}`) as {
    getTimeZones?: () => string[] | undefined;
    timeZones?: string[];
  };
  const zones = locale.getTimeZones?.() ?? locale.timeZones ?? [];
  return zones.length === 1 && zones[0] ? currentZone(zones[0]) : undefined;
}

/**
 * Lists the browser's own zone, then all others from west to east. A label such as `(GMT+02:00)
 * Europe/Vilnius · Eastern European Time` contains the zone's name in the user's language.
 * `selectedZone` is included even if the browser knows it by another name.
 */
export function listTimeZones(
  locale: string,
  selectedZone?: string,
  at = new Date(),
  ownZone = getBrowserZone(),
): PlaceOption[] {
  const zones = new Set(['UTC', ...Intl.supportedValuesOf('timeZone').map(currentZone)]);
  if (selectedZone) {
    // A zone chosen under its former name keeps its stored value.
    zones.delete(currentZone(selectedZone));
    zones.add(selectedZone);
  }
  return [...zones]
    .flatMap((zone) => zoneAt(zone, locale, at) ?? [])
    .sort(
      (zone, other) =>
        Number(currentZone(other.zone) === ownZone) - Number(currentZone(zone.zone) === ownZone) ||
        zone.offsetMinutes - other.offsetMinutes ||
        zone.zone.localeCompare(other.zone),
    )
    .map(({ zone, offsetMinutes, name }) => ({
      value: zone,
      label: labelOf(currentZone(zone), offsetMinutes, name, locale),
      keywords: FORMER_ZONES[currentZone(zone)]?.replaceAll('_', ' '),
    }));
}

interface Zone {
  zone: string;
  /** Offset east of Greenwich at that time. */
  offsetMinutes: number;
  name: string;
}

/**
 * Returns undefined for an unknown zone. Creates one formatter per zone: 400 of them take 100 ms.
 */
function zoneAt(zone: string, locale: string, at: Date): Zone | undefined {
  try {
    const parts = new Intl.DateTimeFormat(`${locale}-u-ca-gregory-nu-latn`, {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      timeZoneName: 'longGeneric',
    }).formatToParts(at);
    const findPart = (type: string) =>
      parts.find((findPart) => findPart.type === type)?.value ?? '';
    const number = (type: string) => Number.parseInt(findPart(type), 10);
    const wallMs = Date.UTC(
      number('year'),
      number('month') - 1,
      number('day'),
      number('hour'),
      number('minute'),
    );
    const minutes = Math.round((wallMs - Math.floor(at.getTime() / 60_000) * 60_000) / 60_000);
    return { zone, offsetMinutes: minutes, name: findPart('timeZoneName') };
  } catch {
    return undefined;
  }
}

/** Builds a label that keeps Latin words and the language's digits in order in Persian text. */
function labelOf(zone: string, minutes: number, name: string, locale: string): string {
  const twoDigits = new Intl.NumberFormat(locale, { minimumIntegerDigits: 2, useGrouping: false });
  const whole = Math.abs(minutes);
  const offset = `${twoDigits.format(Math.floor(whole / 60))}:${twoDigits.format(whole % 60)}`;
  const label = `(GMT${minutes < 0 ? '-' : '+'}${offset}) ${zone.replaceAll('_', ' ')}`;
  // Zones without a name are named after their offset, which the label already contains.
  const isNamed = name !== '' && !/\d|GMT/.test(name);
  const isolatedLabel = isRightToLeft(locale) ? `\u2066${label}\u2069` : label;
  return isNamed ? `${isolatedLabel} · ${name}` : isolatedLabel;
}

const isRightToLeft = (locale: string) => toLanguage(locale) === 'fas';

export function useCountries(): PlaceOption[] {
  const { i18n } = useTranslation(undefined, { i18n: texts });
  return useMemo(() => listCountries(i18n.language ?? 'en'), [i18n.language]);
}

export function useTimeZones(selectedZone?: string): PlaceOption[] {
  const { i18n } = useTranslation(undefined, { i18n: texts });
  return useMemo(
    () => listTimeZones(i18n.language ?? 'en', selectedZone),
    [i18n.language, selectedZone],
  );
}
