// Formats the events of a document: dates as text, calendar files (RFC 5545) that are attached to
// every copy, and links that add them to web calendars.
import { createHash } from 'node:crypto';
import { isZone } from '#areas/accounts/server/index.ts';
import { wallTimeToInstant } from '#platform/server/zoned-time.ts';
import { type EventBlock, forEachBlock, type EmailDocument } from '../../document.ts';
import { MAX_EVENTS } from '../../shared.ts';

export type EventTimes = { start: Date; end: Date };

/** Duration of an event without an end. */
const DEFAULT_DURATION_MS = 3_600_000;

const zones = new Map<string, boolean>();
const MAX_ZONES = 1_000;

/** Caches results, because a document may contain a zone five hundred times. */
function isKnown(zone: string): boolean {
  let cached = zones.get(zone);
  if (cached === undefined) {
    if (zones.size >= MAX_ZONES) zones.clear();
    cached = isZone(zone);
    zones.set(zone, cached);
  }
  return cached;
}

/**
 * Returns the instant of a document's wall time; undefined if it is missing or its zone is unknown.
 */
export function toInstant(wallTime: string, zone: string): Date | undefined {
  if (wallTime === '' || !isKnown(zone)) return undefined;
  const instant = wallTimeToInstant(`${wallTime.replace('T', ' ')}:00`, zone);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}

/** Returns undefined if the start is missing, the end is not after it, or the zone is unknown. */
export function readEventTimes({ starts, ends, zone }: EventBlock): EventTimes | undefined {
  const start = toInstant(starts, zone);
  if (!start) return undefined;
  if (ends === '') return { start, end: new Date(start.getTime() + DEFAULT_DURATION_MS) };
  const end = toInstant(ends, zone);
  return end && end > start ? { start, end } : undefined;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATS = 200;

export function getDateFormat(locale: string, zone: string): Intl.DateTimeFormat {
  const key = `${locale} ${zone}`;
  let format = formats.get(key);
  if (!format) {
    if (formats.size >= MAX_FORMATS) formats.clear();
    format = new Intl.DateTimeFormat(locale, {
      ...{ weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
      ...{ hour: '2-digit', minute: '2-digit', timeZone: zone, timeZoneName: 'short' },
    });
    formats.set(key, format);
  }
  return format;
}

/** Formats date and time in the email's language; returns '' if the event is invalid. */
export function formatEventTime(block: EventBlock, locale: string): string {
  const times = readEventTimes(block);
  if (!times) return '';
  const format = getDateFormat(locale, block.zone);
  return block.ends === ''
    ? format.format(times.start)
    : format.formatRange(times.start, times.end);
}

/** Formats an instant as `20260131T090000Z`. */
const formatStamp = (at: Date) => at.toISOString().replace(/[-:]|\.\d+/g, '');

/** Creates the links that add the event to web calendars. */
export function createCalendarLinks(block: EventBlock): { name: string; href: string }[] {
  const times = readEventTimes(block);
  if (!times) return [];
  const google = new URLSearchParams({
    action: 'TEMPLATE',
    text: block.title,
    dates: `${formatStamp(times.start)}/${formatStamp(times.end)}`,
    ...(block.place && { location: block.place }),
  });
  const outlook = new URLSearchParams({
    path: '/calendar/action/compose',
    rru: 'addevent',
    subject: block.title,
    startdt: times.start.toISOString(),
    enddt: times.end.toISOString(),
    ...(block.place && { location: block.place }),
  });
  return [
    { name: 'Google Calendar', href: `https://calendar.google.com/calendar/render?${google}` },
    { name: 'Outlook', href: `https://outlook.live.com/calendar/0/deeplink/compose?${outlook}` },
  ];
}

/**
 * Returns a calendar file for each of the first MAX_EVENTS valid events of a document. All
 * recipients get the same files.
 */
export function createCalendarFiles(
  document: EmailDocument,
  host: string,
): { name: string; type: string; base64: string }[] {
  const events: EventBlock[] = [];
  forEachBlock(document, (block) => {
    if (block.type === 'event' && readEventTimes(block)) events.push(block);
  });
  return events.slice(0, MAX_EVENTS).map((block, index) => ({
    name: index === 0 ? 'event.ics' : `event-${index + 1}.ics`,
    type: 'text/calendar; charset=utf-8; method=PUBLISH',
    base64: Buffer.from(createCalendarFile(block, host)).toString('base64'),
  }));
}

export function createCalendarFile(block: EventBlock, host: string): string {
  const { start, end } = readEventTimes(block) as EventTimes;
  // The id is derived from the event's content: an unchanged event has the same id in every email,
  // and a changed one (at another time, for example) has another id.
  const identity = [block.id, block.title, block.starts, block.ends, block.zone, block.place];
  const uid = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Sendloom//Email//EN',
    'METHOD:PUBLISH',
    'BEGIN:VEVENT',
    `UID:${uid}@${host}`,
    // A constant timestamp, because all processes must create identical bytes.
    `DTSTAMP:${formatStamp(start)}`,
    `DTSTART:${formatStamp(start)}`,
    `DTEND:${formatStamp(end)}`,
    `SUMMARY:${escapeText(block.title)}`,
    ...(block.place === '' ? [] : [`LOCATION:${escapeText(block.place)}`]),
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ]
    .map(foldLine)
    .join('\r\n');
}

const escapeText = (text: string) =>
  text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/[\\;,]/g, '\\$&');

/** Folds a line, so that none exceeds 75 bytes, without splitting a character. */
function foldLine(line: string): string {
  let output = '';
  let width = 0;
  for (const character of line) {
    const bytes = Buffer.byteLength(character);
    if (width + bytes > 74) {
      output += '\r\n ';
      width = 1;
    }
    output += character;
    width += bytes;
  }
  return output;
}
