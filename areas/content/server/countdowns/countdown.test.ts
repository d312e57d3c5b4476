// Countdowns: the remaining time in each language, the signed image over HTTP and its cache, what
// is shown after the end, and the findings about incomplete countdowns.
import sharp from 'sharp';
import { afterEach, expect, test } from 'vitest';
import { encodeId } from '#platform/ids.ts';
import { LANGUAGES } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import { testServer } from '#testing/setup/server.ts';
import { splitCountdown } from '../../countdown-parts.ts';
import type { BlockOf } from '../../document.ts';
import { createBlock, createEmailDocument, createSection } from '../../document-factory.ts';
import { findDocumentProblems } from '../../document-rules.ts';
import { listDocumentFindings, listExpiredFindings } from '../checks/document-findings.ts';
import { createCountdownSources } from './countdown-address.ts';
import { drawCountdown } from './draw-countdown.ts';

const server = await testServer();
const ada = await server.owner();

afterEach(() => clock.freeze(undefined));

const countdown = (overrides: Partial<BlockOf<'countdown'>> = {}) =>
  createBlock('countdown', { ends: '2027-03-05T18:00', zone: 'Europe/Oslo', ...overrides });
const documentOf = (block: BlockOf<'countdown'>) => createEmailDocument([createSection([[block]])]);
const END = new Date('2027-03-05T17:00:00Z');

/** Previews a document with the countdown and returns its HTML and the path of its image. */
async function previewCountdown(
  block: BlockOf<'countdown'>,
): Promise<{ src: string; html: string }> {
  const { status, body } = await ada.post('/client-api/api/content/preview', {
    document: documentOf(block),
  });
  expect(status).toBe(200);
  const html = (body as { data: { html: string } }).data.html;
  const [, src = ''] = /src="https?:\/\/[^/"]+(\/i\/c\/[^"]+)"/.exec(html) ?? [];
  return { src, html };
}

const get = (url: string) => server.app.inject({ url });

test('the parts of a countdown have the digits and plural forms of their language', () => {
  const minutes = (2 * 24 + 1) * 60 + 5;
  const formatParts = (locale: string) =>
    splitCountdown(minutes, locale).map(({ value, label }) => `${value} ${label}`);
  expect(formatParts('en')).toEqual(['02 days', '01 hour', '05 minutes']);
  expect(formatParts('lt')).toEqual(['02 dienos', '01 valanda', '05 minutės']);
  expect(formatParts('fa')).toEqual(['۰۲ روز', '۰۱ ساعت', '۰۵ دقیقه']);
  expect(splitCountdown(5_000_000, 'en')[0]?.value).toBe('999');
});

test('the image changes every minute and at the end, and is cached longer after the end', async () => {
  // The countdown ends before the test's session expires.
  const end = new Date(Math.ceil(clock.now().getTime() / 60_000 + 10) * 60_000);
  const block = { ends: end.toISOString().slice(0, 16), zone: 'UTC' };
  clock.freeze(new Date(end.getTime() - 90_000));
  const { src, html } = await previewCountdown(
    countdown({ ...block, ended: 'Over & out', href: 'https://a.example' }),
  );
  expect(html).toMatch(/alt="Ends: [A-Z][^"]*20\d\d[^"]*UTC"/);
  const firstImage = await get(src);
  expect(firstImage.statusCode).toBe(200);
  expect(firstImage.headers['content-type']).toBe('image/png');
  expect(firstImage.headers['cache-control']).toBe('public, max-age=30');
  const { width, height } = await sharp(firstImage.rawPayload).metadata();
  expect([width, height]).toEqual([1080, 280]);
  expect(firstImage.rawPayload.length).toBeLessThan(40_000);

  clock.freeze(new Date(end.getTime() - 61_000));
  expect((await get(src)).rawPayload.equals(firstImage.rawPayload)).toBe(true);
  clock.freeze(new Date(end.getTime() - 1000));
  const lastImage = await get(src);
  expect(lastImage.rawPayload.equals(firstImage.rawPayload)).toBe(false);
  clock.freeze(end);
  const expiredImage = await get(src);
  expect(expiredImage.rawPayload.equals(lastImage.rawPayload)).toBe(false);
  expect(expiredImage.headers['cache-control']).toBe('public, max-age=3600');
});

test('identical requests within one minute share one drawing', async () => {
  const values = {
    ...{ accountId: 7, end: END, language: 'nor' as const },
    ...{ textColor: '#ffffff', boxColor: '#102030', endText: '' },
  };
  const at = new Date(END.getTime() - 86_400_000);
  const [first, second] = await Promise.all([drawCountdown(values, at), drawCountdown(values, at)]);
  expect(first.bytes).toBe(second.bytes);
  const laterImage = await drawCountdown(values, new Date(at.getTime() + 60_000));
  expect(laterImage.bytes).not.toBe(first.bytes);
});

test.each(LANGUAGES)(
  'the remaining time and any final text can be drawn in %s',
  async (language) => {
    const values = { accountId: 1, end: END, language, textColor: '#ffffff', boxColor: '#000000' };
    for (const endText of ['', '\u200b', '🎉', 'پایان یافت', '<b>&"\'', 'x'.repeat(100)]) {
      for (const at of endText === '' ? [new Date(0), END] : [END]) {
        const { bytes } = await drawCountdown({ ...values, endText }, at);
        const { channels } = await sharp(bytes).stats();
        // White digits on black boxes: the image is neither empty nor of one color.
        expect(channels[0]?.max).toBeGreaterThan(200);
      }
    }
  },
);

test('an image URL that was changed or names another account returns 404', async () => {
  const { src } = await previewCountdown(countdown());
  const otherOwner = await server.owner();
  const [path, token = ''] = src.split('?t=');
  const [payload = '', signature = ''] = token.split('.');
  const tamperedPayload = Buffer.from(payload, 'base64url')
    .toString()
    .replace('#ffffff', '#ff0000');
  const invalidUrls = [
    `${path}?t=${Buffer.from(tamperedPayload).toString('base64url')}.${signature}`,
    `${path}?t=${payload}`,
    `${path}?t=${payload}.${signature.slice(0, -2)}`,
    `${path}?t=${token}&t=${token}`,
    `${path}`,
    `/i/c/${encodeId('account', otherOwner.accountId)}.png?t=${token}`,
    `/i/c/x.png?t=${token}`,
  ];
  for (const url of invalidUrls) expect((await get(url)).statusCode, url).toBe(404);
});

test.each<[string, Partial<BlockOf<'countdown'>>, string[]]>([
  ['no end', { ends: '' }, ['countdown_incomplete']],
  ['an unknown zone', { zone: 'Mars/Olympus' }, ['countdown_incomplete']],
  ['a merge tag', { ended: 'Bye {{ firstname }}' }, ['countdown_tag']],
  ['valid values', {}, []],
])('a countdown with $0 is stored with the findings $2', async (_, overrides, codes) => {
  const block = countdown(overrides);
  const document = documentOf(block);
  expect(findDocumentProblems(document)).toEqual([]);
  expect(listDocumentFindings(document).map(({ code }) => code)).toEqual(codes);
  const hasImage = Object.keys(createCountdownSources(document, 1, 'eng')).length === 1;
  expect(hasImage).toBe(!codes.includes('countdown_incomplete'));
});

test('a countdown that has ended is reported for its block', () => {
  const document = documentOf(countdown({ id: 'own' }));
  expect(listExpiredFindings(document, new Date(END.getTime() - 1))).toEqual([]);
  expect(listExpiredFindings(document, END)).toEqual([
    { code: 'countdown_over', severity: 'warning', part: 'html', node: 'own' },
  ]);
});

test('a document refuses a countdown with overlong text, an impossible time or an invalid color', () => {
  const problems = (overrides: Partial<BlockOf<'countdown'>>) =>
    findDocumentProblems(documentOf(countdown(overrides))).map(({ code }) => code);
  expect(problems({ ended: 'x'.repeat(101) })).toEqual(['document_too_large']);
  expect(problems({ ends: '2027-13-05T18:00' })).toEqual(['document_malformed']);
  expect(problems({ boxes: 'red' as never })).toEqual(['document_malformed']);
});
