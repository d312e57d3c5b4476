// Allowed hours of marketing SMS, by the law of the destination. Hours are local, and the end is
// exclusive. The default is 8 to 21, as in the TCPA (47 CFR 64.1200(c)(1)). US states are listed
// only if their law limits SMS further; the laws of other states limit only voice calls.

import { findPhoneCountry, listZonesIn } from '#areas/subscribers/server/index.ts';

type Window = readonly [from: number, to: number];

export type HoursRule = {
  /** The allowed hours of each day from Monday on; null for a day when no SMS may be sent. */
  days: readonly (Window | null)[];
  source: string;
  /** Whether no SMS may be sent on this date, because it is a public holiday. */
  isClosed?(year: number, month: number, day: number): boolean;
  /** When the source was last checked. */
  asOf: string;
};

const forAllDays = (window: Window) => Array<Window>(7).fill(window);
const ASOF = '2026-11-01';

const DEFAULT: HoursRule = {
  days: forAllDays([8, 21]),
  source: '47 CFR 64.1200(c)(1)',
  asOf: ASOF,
};
const allowUntil20 = (source: string): HoursRule => ({
  days: forAllDays([8, 20]),
  source,
  asOf: ASOF,
});

/** Rules by country, or by country and state. */
export const RULES: Readonly<Record<string, HoursRule>> = {
  'US-FL': allowUntil20('Fla. Stat. 501.059'),
  'US-MD': allowUntil20('Md. Code, Com. Law 14-4503'),
  'US-MS': {
    days: [...Array<Window>(6).fill([8, 20]), null],
    source: 'Miss. Code 77-3-723',
    asOf: '2026-11-27',
  },
  'US-NJ': allowUntil20('N.J.S.A. 56:8-130'),
  'US-OK': allowUntil20('Okla. Stat. 15-775C.4'),
  'US-WA': allowUntil20('RCW 80.36.390'),
  'US-CT': { days: forAllDays([9, 20]), source: 'Conn. Gen. Stat. 42-288a', asOf: ASOF },
  'US-TX': {
    days: [...Array<Window>(6).fill([9, 21]), [12, 21]],
    source: 'Tex. Bus. & Com. Code 301.051',
    asOf: ASOF,
  },
  'US-RI': {
    days: [...Array<Window>(5).fill([9, 18]), [10, 17], [10, 17]],
    source: 'R.I. Gen. Laws 5-61-3.6',
    asOf: ASOF,
  },
  FR: {
    days: [...Array<Window>(6).fill([8, 20]), null],
    isClosed: isFrenchHoliday,
    source: 'Charte SMS+ / Code des postes L34-5',
    asOf: ASOF,
  },
};

/** Returns whether the date is a holiday under Code du travail L3133-1. */
function isFrenchHoliday(year: number, month: number, day: number): boolean {
  if (['1/1', '5/1', '5/8', '7/14', '8/15', '11/1', '11/11', '12/25'].includes(`${month}/${day}`)) {
    return true;
  }
  const afterEaster = (Date.UTC(year, month - 1, day) - computeEaster(year)) / 86_400_000;
  return afterEaster === 1 || afterEaster === 39 || afterEaster === 50;
}

/** Computes Easter Sunday in the Gregorian calendar (Meeus's algorithm). */
function computeEaster(year: number): number {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const d =
    (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const e = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - d - (c % 4)) % 7;
  const m = Math.floor((a + 11 * d + 22 * e) / 451);
  const n = d + e - 7 * m + 114;
  return Date.UTC(year, Math.floor(n / 31) - 1, (n % 31) + 1);
}

export type ZoneRule = { zone: string; rule: HoursRule };

/**
 * Returns the time zones that a subscriber may be in, each with all rules that apply; an instant
 * must be allowed by all of them. Rules come from the number's country and state, wherever its
 * owner is, and from the country where the subscriber is known to be.
 */
export function listZoneRules(
  phone: string,
  location: { country?: string | null; zone?: string | null },
): ZoneRule[] {
  const numberCountry = findPhoneCountry(phone);
  const area =
    numberCountry === 'US' || numberCountry === 'CA' ? AREAS[phone.slice(2, 5)] : undefined;
  const countries = [...new Set([numberCountry, location.country?.toUpperCase()])].filter(
    (country) => country !== undefined,
  );
  const rules = new Set(countries.map((country) => RULES[country] ?? DEFAULT));
  const state = area && RULES[`US-${area.state}`];
  if (state) rules.add(state);
  if (rules.size === 0) rules.add(DEFAULT);
  // The hours of all specific rules lie within the default hours, so the default adds nothing.
  if (rules.size > 1) rules.delete(DEFAULT);
  const zones = listZones(location.zone, area?.zones, numberCountry, countries);
  return zones.flatMap((zone) => [...rules].map((rule) => ({ zone, rule })));
}

function listZones(
  zone: string | null | undefined,
  areaZones: readonly string[] | undefined,
  numberCountry: string | undefined,
  countries: readonly string[],
): string[] {
  if (zone && isZone(zone)) return [zone];
  const zones = countries.flatMap((country) =>
    country === numberCountry && areaZones ? areaZones : listZonesIn(country),
  );
  return zones.length > 0 ? [...new Set(zones)] : ['UTC'];
}

/**
 * Time zones and states by US area code, for the states with rules and the largest states without.
 */
const AREAS: Record<string, { zones: string[]; state: string }> = Object.fromEntries(
  [
    [
      'America/New_York',
      'FL',
      '239 305 321 324 352 386 407 561 645 656 689 727 728 754 772 786 813 863 904 941 954',
    ],
    // The time zones meet in the west of Florida.
    ['America/New_York America/Chicago', 'FL', '448 850'],
    ['America/New_York', 'MD', '227 240 301 410 443 667'],
    ['America/Chicago', 'MS', '228 601 662 769'],
    ['America/New_York', 'NJ', '201 551 609 640 732 848 856 862 908 973'],
    ['America/Chicago', 'OK', '405 539 572 580 918'],
    ['America/Los_Angeles', 'WA', '206 253 360 425 509 564'],
    ['America/New_York', 'CT', '203 475 860 959'],
    [
      'America/Chicago',
      'TX',
      '210 214 254 281 325 346 361 409 430 432 469 512 682 713 726 737 806 817 830 832 903 936 940 945 956 972 979',
    ],
    ['America/Denver', 'TX', '915'],
    ['America/New_York', 'RI', '401'],
    [
      'America/New_York',
      'NY',
      '212 315 332 347 516 518 585 607 631 646 680 716 718 838 845 914 917 929 934',
    ],
    [
      'America/Los_Angeles',
      'CA',
      '209 213 310 323 341 408 415 424 442 510 530 559 562 619 626 628 650 657 661 669 707 714 747 760 805 818 820 831 858 909 916 925 949 951',
    ],
    ['America/Chicago', 'IL', '217 224 309 312 331 618 630 708 773 779 815 847 872'],
  ].flatMap(([zones = '', state = '', codes = '']) =>
    codes.split(' ').map((code) => [code, { zones: zones.split(' '), state }]),
  ),
);

const QUARTER_MS = 15 * 60_000;
const MAX_QUARTERS = 4 * 24 * 4;

/** Returns the next quarter-hour that all rules allow, or null if sending is allowed now. */
export function findDelayEnd(zoneRules: readonly ZoneRule[], now: Date): Date | null {
  const quarter = Math.floor(now.getTime() / QUARTER_MS);
  if (quarter !== openingCache.quarter) {
    openingCache.quarter = quarter;
    openingCache.until.clear();
  }
  const key = zoneRules.map(({ zone, rule }) => `${zone} ${rule.source}`).join();
  let opensAt = openingCache.until.get(key);
  if (opensAt === undefined) {
    opensAt = findNextOpening(zoneRules, now);
    openingCache.until.set(key, opensAt);
  }
  return opensAt;
}

/**
 * Results by zones and rules. Allowed hours begin and end on a quarter-hour, even in zones whose
 * offset includes 15, 30 or 45 minutes, so results stay valid within a quarter-hour.
 */
const openingCache = { quarter: Number.NaN, until: new Map<string, Date | null>() };

/**
 * Returns the end of the allowed hours, until which an SMS sent now may be delivered; at most about
 * 14 hours from now.
 */
export function findEndOfHours(zoneRules: readonly ZoneRule[], now: Date): Date {
  let quarterHour = new Date(Math.ceil((now.getTime() + 1) / QUARTER_MS) * QUARTER_MS);
  for (let n = 0; n < MAX_OPEN_QUARTERS; n++) {
    const instant = quarterHour;
    if (!zoneRules.every((zoneRule) => isOpen(zoneRule, instant))) return quarterHour;
    quarterHour = new Date(quarterHour.getTime() + QUARTER_MS);
  }
  return quarterHour;
}

/** Maximum validity of an SMS, in quarter-hours. */
const MAX_OPEN_QUARTERS = 4 * 14;

function findNextOpening(zoneRules: readonly ZoneRule[], now: Date): Date | null {
  if (zoneRules.every((zoneRule) => isOpen(zoneRule, now))) return null;
  let quarterHour = new Date(Math.ceil((now.getTime() + 1) / QUARTER_MS) * QUARTER_MS);
  for (let n = 0; n < MAX_QUARTERS; n++) {
    const instant = quarterHour;
    if (zoneRules.every((zoneRule) => isOpen(zoneRule, instant))) return quarterHour;
    quarterHour = new Date(quarterHour.getTime() + QUARTER_MS);
  }
  return quarterHour;
}

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const formats = new Map<string, Intl.DateTimeFormat>();

function isOpen({ zone, rule }: ZoneRule, at: Date): boolean {
  const dateParts = getFormat(zone).formatToParts(at);
  const datePart = (type: string) =>
    dateParts.find((datePart) => datePart.type === type)?.value ?? '';
  if (rule.isClosed?.(Number(datePart('year')), Number(datePart('month')), Number(datePart('day'))))
    return false;
  const window = rule.days[DAYS.indexOf(datePart('weekday'))];
  const hour = Number(datePart('hour')) % 24;
  return window != null && hour >= window[0] && hour < window[1];
}

function getFormat(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      weekday: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: '2-digit',
      hourCycle: 'h23',
    });
    formats.set(zone, format);
  }
  return format;
}

function isZone(zone: string): boolean {
  try {
    getFormat(zone);
    return true;
  } catch {
    return false;
  }
}
