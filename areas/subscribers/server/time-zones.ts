// The time zone of a subscriber: the stored one, otherwise the one determined by the country or the
// phone number.
import { findPhoneCountry } from './phone-number.ts';

/** Data about a subscriber's location. */
export interface SubscriberLocation {
  timezone: string | null;
  country: string | null;
  phone: string | null;
}

/**
 * Returns the time zone of a subscriber, or undefined if it is unknown or ambiguous, as in a
 * country with several zones.
 */
export function resolveSubscriberZone({
  timezone,
  country,
  phone,
}: SubscriberLocation): string | undefined {
  if (timezone && isZone(timezone)) return timezone;
  const countryZones = country ? listZonesIn(country.toUpperCase()) : [];
  // The country takes precedence: it is where the subscriber lives now, while the phone number may
  // be from a country where the subscriber lived before.
  const zones =
    countryZones.length > 0 || !phone ? countryZones : listZonesIn(findPhoneCountry(phone) ?? '');
  return zones.length === 1 ? zones[0] : undefined;
}

/** Results of `isZone`. Stored zones can be invalid, because they come from any source. */
const zoneSupport = new Map<string, boolean>();

function isZone(zone: string): boolean {
  let isKnown = zoneSupport.get(zone);
  if (isKnown === undefined) {
    try {
      new Intl.DateTimeFormat('en', { timeZone: zone });
      isKnown = true;
    } catch {
      isKnown = false;
    }
    if (zoneSupport.size > 1000) zoneSupport.clear();
    zoneSupport.set(zone, isKnown);
  }
  return isKnown;
}

const inCountry = new Map<string, readonly string[]>();

/**
 * Returns the zones of a country, taken from the runtime's locale data if `ZONES` lacks the
 * country. Zones between the easternmost and the westernmost may be missing.
 */
export function listZonesIn(country: string): readonly string[] {
  let zones = ZONES[country] ?? inCountry.get(country);
  if (!zones) {
    zones = /^[A-Z]{2}$/.test(country) ? (timeZonesOf(country) ?? []) : [];
    inCountry.set(country, zones);
  }
  return zones;
}

function timeZonesOf(country: string): readonly string[] | undefined {
  const locale = new Intl.Locale(`und-${country}`) as Intl.Locale & {
    timeZones?: string[];
    getTimeZones?(): string[] | undefined;
  };
  return locale.getTimeZones?.() ?? locale.timeZones;
}

/** Zones of countries; only the two outermost ones of a country with many. */
const ZONES: Record<string, readonly string[]> = {
  US: ['America/New_York', 'Pacific/Honolulu'],
  CA: ['America/St_Johns', 'America/Vancouver'],
  GB: ['Europe/London'],
  IE: ['Europe/Dublin'],
  FR: ['Europe/Paris'],
  DE: ['Europe/Berlin'],
  NO: ['Europe/Oslo'],
  SE: ['Europe/Stockholm'],
  DK: ['Europe/Copenhagen'],
  FI: ['Europe/Helsinki'],
  LT: ['Europe/Vilnius'],
  LV: ['Europe/Riga'],
  EE: ['Europe/Tallinn'],
  PL: ['Europe/Warsaw'],
  ES: ['Europe/Madrid', 'Atlantic/Canary'],
  IT: ['Europe/Rome'],
  NL: ['Europe/Amsterdam'],
  BE: ['Europe/Brussels'],
  AT: ['Europe/Vienna'],
  CH: ['Europe/Zurich'],
  PT: ['Europe/Lisbon', 'Atlantic/Azores'],
  IR: ['Asia/Tehran'],
  TR: ['Europe/Istanbul'],
  IN: ['Asia/Kolkata'],
  AU: ['Australia/Sydney', 'Australia/Perth'],
  NZ: ['Pacific/Auckland'],
};
