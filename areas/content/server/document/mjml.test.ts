// The thread of MJML: many callers at once, one that errs, and one that never comes back.
import { expect, test } from 'vitest';
import { layoutHtml } from './mjml.ts';

const mail = (words: string) =>
  `<mjml><mj-body><mj-section><mj-column><mj-text>${words}</mj-text></mj-column></mj-section></mj-body></mjml>`;

test('each caller gets its own mail', async () => {
  const mails = await Promise.all(
    Array.from({ length: 30 }, (_, i) => layoutHtml(mail(`number ${i}.`))),
  );
  for (const [i, html] of mails.entries()) expect(html).toContain(`number ${i}.`);
});

test('what is no MJML fails alone', async () => {
  const [good, bad] = await Promise.allSettled([
    layoutHtml(mail('fine')),
    layoutHtml('<mjml><mj-body><mj-nothing /></mj-body></mjml>'),
  ]);
  expect(good.status).toBe('fulfilled');
  expect(bad.status).toBe('rejected');
  expect(await layoutHtml(mail('after'))).toContain('after');
});

test('one that takes too long is given up by name, and the next one works', async () => {
  const slow = layoutHtml(mail('<p>'.repeat(200_000)), 1);
  await expect(slow).rejects.toMatchObject({ code: 'document_too_slow' });
  expect(await layoutHtml(mail('next'))).toContain('next');
});
