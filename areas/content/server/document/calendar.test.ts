// Events in emails: the calendar file, links and text, findings about invalid events, and the file
// in a rendered message.
import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import type { BlockOf } from '../../document.ts';
import { createBlock, createEmailDocument, createSection } from '../../document-factory.ts';
import { findDocumentProblems } from '../../document-rules.ts';
import { compileMessage } from '../mime/compile-message.ts';
import { listDocumentFindings } from '../checks/document-findings.ts';
import { readParts, renderWhole } from '../preview.ts';
import { sampleSource } from '../sample-source.ts';
import {
  createCalendarFile,
  createCalendarFiles,
  createCalendarLinks,
  readEventTimes,
  formatEventTime,
} from './calendar.ts';

const event = (overrides: Partial<BlockOf<'event'>> = {}) =>
  createBlock('event', {
    ...{ title: 'Tasting', starts: '2027-03-05T18:00', ends: '2027-03-05T20:30' },
    ...{ zone: 'Europe/Oslo', place: 'Storgata 1', ...overrides },
  });
const documentOf = (...blocks: BlockOf<'event'>[]) =>
  createEmailDocument([createSection([blocks])]);
/** Unfolds lines as calendars do; mail clients may have changed line endings. */
const linesOf = (file: string) => file.replace(/\r?\n /g, '').split(/\r?\n/);

test('the calendar file uses UTC, folds long lines and escapes values', () => {
  const title = `Te, smak; "prat"\\ ${'æ'.repeat(80)}\r\nATTENDEE:x`;
  const file = createCalendarFile(event({ title }), 'mail.example');
  expect(file.split('\r\n').every((line) => Buffer.byteLength(line) <= 75)).toBe(true);
  expect(file.endsWith('END:VCALENDAR\r\n')).toBe(true);
  const lines = linesOf(file);
  expect(lines).toContain('DTSTART:20270305T170000Z');
  expect(lines).toContain('DTEND:20270305T193000Z');
  expect(lines).toContain(`SUMMARY:Te\\, smak\\; "prat"\\\\ ${'æ'.repeat(80)} ATTENDEE:x`);
  expect(lines.filter((line) => line.startsWith('ATTENDEE'))).toEqual([]);
});

test('an event has the same file in every email, and a new UID once its time changes', () => {
  const block = event({ id: 'a' });
  const uid = (file: string) => linesOf(file).find((line) => line.startsWith('UID:'));
  expect(createCalendarFile(block, 'h.example')).toBe(
    createCalendarFile({ ...block }, 'h.example'),
  );
  const movedEvent = { ...block, starts: '2027-03-05T17:00' };
  expect(uid(createCalendarFile(movedEvent, 'h.example'))).not.toBe(
    uid(createCalendarFile(block, 'h.example')),
  );
});

test('an event without an end lasts an hour, and a start in a skipped hour is moved to the next hour', () => {
  const { start, end } = readEventTimes(event({ starts: '2027-03-28T02:30', ends: '' })) ?? {};
  expect(start?.toISOString()).toBe('2027-03-28T01:30:00.000Z');
  expect(end?.toISOString()).toBe('2027-03-28T02:30:00.000Z');
});

test('the text and the links contain the same time', () => {
  expect(formatEventTime(event(), 'en-GB')).toMatch(/Friday.*5 March 2027.*18:00.*20:30/);
  expect(formatEventTime(event({ ends: '' }), 'fa')).toContain('۱۴۰۵');
  const [google, outlook] = createCalendarLinks(event({ title: 'A & B' })).map(
    ({ href }) => new URL(href),
  );
  expect(google?.searchParams.get('dates')).toBe('20270305T170000Z/20270305T193000Z');
  expect(google?.searchParams.get('text')).toBe('A & B');
  expect(outlook?.searchParams.get('enddt')).toBe('2027-03-05T19:30:00.000Z');
});

test.each<[string, Partial<BlockOf<'event'>>, string[]]>([
  ['no name', { title: ' ' }, ['event_incomplete']],
  ['no start', { starts: '' }, ['event_incomplete']],
  ['an end before its start', { ends: '2027-03-05T17:00' }, ['event_incomplete']],
  ['an unknown zone', { zone: 'Mars/Olympus' }, ['event_incomplete']],
  ['a zone that databases lack', { zone: 'US/Pacific-New' }, ['event_incomplete']],
  ['a merge tag', { place: 'At {{ city }}' }, ['event_tag']],
  ['all required values', {}, []],
])('an event with $0 has the findings $2', (_, overrides, codes) => {
  const block = event(overrides);
  const findings = listDocumentFindings(documentOf(block)).filter(({ code }) =>
    code.startsWith('event'),
  );
  expect(findings.map(({ code }) => code)).toEqual(codes);
  expect(createCalendarFiles(documentOf(block), 'h.example').length).toBe(
    codes.includes('event_incomplete') && overrides.title === undefined ? 0 : 1,
  );
});

test('more than five events in an email, and an event in a conditional section, are reported', () => {
  const six = documentOf(...Array.from({ length: 6 }, () => event()));
  expect(listDocumentFindings(six).map(({ code }) => code)).toEqual(['events_many']);
  expect(createCalendarFiles(six, 'h.example').map(({ name }) => name)).toEqual([
    'event.ics',
    'event-2.ics',
    'event-3.ics',
    'event-4.ics',
    'event-5.ics',
  ]);
  const condition = {
    match: 'all',
    rules: [{ kind: 'group', operator: 'in', group: 'x' }],
  } as const;
  const conditionalDocument = createEmailDocument([
    createSection([[event()]], { condition: { ...condition, rules: [...condition.rules] } }),
  ]);
  expect(listDocumentFindings(conditionalDocument).map(({ code }) => code)).toEqual([
    'event_conditional',
  ]);
});

test.each([
  '0027-03-05T18:00',
  '2100-01-01T00:00',
  '2027-13-05T18:00',
  '2027-03-05 18:00',
  'constructor',
])('the time %s is malformed', (starts) => {
  const [problem] = findDocumentProblems(documentOf(event({ starts })));
  expect(problem).toMatchObject({ code: 'document_malformed' });
  expect(problem?.place).toMatch(/starts$/);
});

test('a message carries the calendar file, and its HTML and text remain readable', async () => {
  const document = documentOf(event());
  const source = sampleSource({
    html: '<body><p>Come {{ firstname }}</p></body>',
    attachments: createCalendarFiles(document, 'mail.example'),
  });
  const values = { firstname: 'Ada' };
  const token = 'x'.repeat(40);
  const recipient = { email: 'ada@shop.example', token, message_token: token, values };
  const bytes = renderWhole(compileMessage(source), recipient, new Date('2026-03-05T14:07:09Z'));
  const email = await PostalMime.parse(bytes);
  expect(email.html).toContain('<p>Come Ada</p>');
  expect(email.text).toContain('Come Ada');
  expect(email.attachments.map(({ filename, mimeType }) => [filename, mimeType])).toEqual([
    ['event.ics', 'text/calendar'],
  ]);
  expect(bytes.toString()).toContain('method=PUBLISH');
  const file = new TextDecoder().decode(email.attachments[0]?.content as ArrayBuffer);
  expect(linesOf(file)).toContain('SUMMARY:Tasting');
  const parts = readParts(bytes);
  expect(parts.html).toContain('<p>Come Ada</p>');
  expect(parts.text).toContain('Come Ada');
  expect(parts.text).not.toContain('Content-Type');
});
