// When marketing texts may reach people, by the law of where they are. Local hours; the end is the first
// minute that is too late. Where nobody says more, 8 to 21 as the TCPA has it (47 CFR 64.1200(c)(1)).

type Window = readonly [from: number, to: number];

export type Rule = {
  /** Monday to Sunday. */
  days: readonly (Window | null)[];
  source: string;
  /** When the source was read. */
  asOf: string;
};

const every = (window: Window) => Array<Window>(7).fill(window);
const ASOF = '2026-11-01';

const DEFAULT: Rule = { days: every([8, 21]), source: '47 CFR 64.1200(c)(1)', asOf: ASOF };
const until20 = (source: string): Rule => ({ days: every([8, 20]), source, asOf: ASOF });

/** By country, and by country and state. */
export const RULES: Readonly<Record<string, Rule>> = {
  'US-FL': until20('Fla. Stat. 501.059'),
  'US-MD': until20('Md. Code, Com. Law 14-4503'),
  'US-MS': until20('Miss. Code 77-3-723'),
  'US-NJ': until20('N.J.S.A. 56:8-130'),
  'US-OK': until20('Okla. Stat. 15-775C.4'),
  'US-WA': until20('RCW 80.36.390'),
  'US-CT': { days: every([9, 20]), source: 'Conn. Gen. Stat. 42-288a', asOf: ASOF },
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
    source: 'Charte SMS+ / Code des postes L34-5',
    asOf: ASOF,
  },
};

export type Place = { zone: string; rule: Rule };

/** A person may be in any of these: allowed only where it is allowed in all. */
export function placesOf(
  phone: string,
  known: { country?: string | null; zone?: string | null },
): Place[] {
  const country = known.country ?? countryOf(phone);
  const rule = RULES[country ?? ''] ?? DEFAULT;
  if (known.zone && isZone(known.zone)) return [{ zone: known.zone, rule }];
  const area = country === 'US' || country === 'CA' ? AREAS[phone.slice(2, 5)] : undefined;
  if (area) return [{ zone: area.zone, rule: RULES[`US-${area.state}`] ?? DEFAULT }];
  return (ZONES[country ?? ''] ?? ['UTC']).map((zone) => ({ zone, rule }));
}

/** Area codes of the states with rules of their own, and of the largest others. */
const AREAS: Record<string, { zone: string; state: string }> = Object.fromEntries(
  [
    [
      'America/New_York',
      'FL',
      '239 305 321 352 386 407 561 645 656 689 727 728 754 772 786 813 863 904 941 954',
    ],
    ['America/New_York', 'MD', '240 301 410 443 667'],
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
  ].flatMap(([zone, state, codes]) =>
    (codes as string)
      .split(' ')
      .map((code) => [code, { zone: zone as string, state: state as string }]),
  ),
);

/** The zones of a country that a number may be in; of those with many the outermost two. */
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

const CODES: readonly (readonly [string, string])[] = [
  ['+1', 'US'],
  ['+44', 'GB'],
  ['+353', 'IE'],
  ['+33', 'FR'],
  ['+49', 'DE'],
  ['+47', 'NO'],
  ['+46', 'SE'],
  ['+45', 'DK'],
  ['+358', 'FI'],
  ['+370', 'LT'],
  ['+371', 'LV'],
  ['+372', 'EE'],
  ['+48', 'PL'],
  ['+34', 'ES'],
  ['+39', 'IT'],
  ['+31', 'NL'],
  ['+32', 'BE'],
  ['+43', 'AT'],
  ['+41', 'CH'],
  ['+351', 'PT'],
  ['+98', 'IR'],
  ['+90', 'TR'],
  ['+91', 'IN'],
  ['+61', 'AU'],
  ['+64', 'NZ'],
];

export const countryOf = (phone: string): string | undefined =>
  CODES.find(([code]) => phone.startsWith(code))?.[1];

const QUARTER_MS = 15 * 60_000;
const MOST_QUARTERS = 4 * 24 * 4;

/** Null: it may leave now. Else the first quarter of an hour at which it may, in all places at once. */
export function heldUntil(places: readonly Place[], now: Date): Date | null {
  if (places.every((place) => isOpen(place, now))) return null;
  let at = new Date(Math.ceil((now.getTime() + 1) / QUARTER_MS) * QUARTER_MS);
  for (let n = 0; n < MOST_QUARTERS; n++) {
    const instant = at;
    if (places.every((place) => isOpen(place, instant))) return at;
    at = new Date(at.getTime() + QUARTER_MS);
  }
  return at;
}

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const formats = new Map<string, Intl.DateTimeFormat>();

function isOpen({ zone, rule }: Place, at: Date): boolean {
  const parts = formatOf(zone).formatToParts(at);
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
  const window = rule.days[DAYS.indexOf(part('weekday'))];
  const hour = Number(part('hour')) % 24;
  return window != null && hour >= window[0] && hour < window[1];
}

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      weekday: 'short',
      hour: '2-digit',
      hourCycle: 'h23',
    });
    formats.set(zone, format);
  }
  return format;
}

function isZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}
