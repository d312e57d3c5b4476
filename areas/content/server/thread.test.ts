// Work on user content does not block other requests for long.
import { expect, test } from 'vitest';
import { LOCALE } from '#platform/languages.ts';
import { TOKEN_LENGTH } from '#areas/tracking/server/index.ts';
import { filters } from './personalization/filters.ts';
import type { MessageSource } from './personalization/message-source.ts';
import { sampleSource } from './sample-source.ts';
import { checkSource, inlineStyles, previewSource, showMessage } from './thread.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
/** Without worker threads each call blocked for two seconds; a busy machine needs a margin. */
const MAX_PAUSE_MS = 1_000;

/** Returns the longest time that the event loop was blocked. */
async function maxPause(work: () => Promise<unknown>): Promise<number> {
  let max = 0;
  let lastTick = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    max = Math.max(max, now - lastTick);
    lastTick = now;
  }, 5);
  await work();
  await new Promise((settle) => setTimeout(settle, 10));
  clearInterval(timer);
  return max;
}

const withHtml = (html: string): MessageSource => ({ ...sampleSource(), html, message_id: 1 });

test('a megabyte of links, nested elements or dates blocks the event loop for less than a second', async () => {
  const links = withHtml('<a href="https://shop.example/x">x</a>'.repeat(24_000));
  const nestedHtml = `<style>p{color:red}</style>${'<div><p>x</p></div>'.repeat(20_000)}`;
  const dates = withHtml(`<p>${`{{ "now" | date: "${'%B%A'.repeat(100)}" }}`.repeat(1_500)}</p>`);
  const reader = { email: 'a@b.example', token: 'x'.repeat(TOKEN_LENGTH) };
  const recipient = { ...reader, message_token: reader.token, values: {} };
  const pause = await maxPause(async () => {
    await previewSource(links, {}, NOW).catch(() => {});
    await checkSource(links).catch(() => {});
    await inlineStyles(nestedHtml).catch(() => {});
    await showMessage(dates, recipient, NOW, { isForStrangers: true }).catch(() => {});
  });
  expect(pause).toBeLessThan(MAX_PAUSE_MS);
});

test('content errors thrown on a worker thread reach the caller with their findings', async () => {
  const broken = withHtml(`${'<p>words</p>'.repeat(2_000)}{{ firstname | nothing }}`);
  await expect(previewSource(broken, {}, NOW)).rejects.toMatchObject({
    code: 'content_invalid',
    findings: [{ code: 'tag_filter_unknown' }],
  });
  const manyTags = withHtml('{{ email }}'.repeat(2_001));
  await expect(previewSource(manyTags, {}, NOW)).rejects.toMatchObject({
    findings: [{ code: 'tags_too_many' }],
  });
});

test('thousands of dates with month and weekday names are formatted within a second', () => {
  const startedAt = performance.now();
  for (const locale of Object.values(LOCALE)) {
    for (let i = 0; i < 2_000; i++) filters.date.run('now', ['%B%b%A%a'], { now: NOW, locale });
  }
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
