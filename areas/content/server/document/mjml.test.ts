// MJML and documents on worker threads: concurrent callers, an error, and a time-out.
import { expect, test } from 'vitest';
import { compileMjml } from './layout-html.ts';
import { renderDocument } from './render-document.ts';
import { createLargeDocument, SAMPLE_CONTEXT } from './sample-document.ts';

const mjmlOf = (text: string) =>
  `<mjml><mj-body><mj-section><mj-column><mj-text>${text}</mj-text></mj-column></mj-section></mj-body></mjml>`;

test('concurrent callers each receive their own email', async () => {
  const emails = await Promise.all(
    Array.from({ length: 30 }, (_, i) => compileMjml(mjmlOf(`number ${i}.`))),
  );
  for (const [i, html] of emails.entries()) expect(html).toContain(`number ${i}.`);
});

test('invalid MJML fails without affecting other calls', async () => {
  const [good, bad] = await Promise.allSettled([
    compileMjml(mjmlOf('fine')),
    compileMjml('<mjml><mj-body><mj-nothing /></mj-body></mjml>'),
  ]);
  expect(good.status).toBe('fulfilled');
  expect(bad.status).toBe('rejected');
  expect(await compileMjml(mjmlOf('after'))).toContain('after');
});

test('a document that exceeds the time limit is refused, and identical concurrent documents are rendered once', async () => {
  const context = {
    language: 'eng',
    company: 'Tea',
    public_url: 'https://shop.example',
    logo: null,
    website: '',
    texts: {
      unsubscribe: 'u',
      play: 'p',
      addToCalendar: 'a',
      calendarFile: 'c',
      countdownEnds: 'e',
      networks: SAMPLE_CONTEXT.texts.networks,
    },
  } as const;
  const slowRendering = renderDocument(createLargeDocument(480), context, 1);
  await expect(slowRendering).rejects.toMatchObject({ code: 'document_too_slow' });
  const document = createLargeDocument(3);
  const renderings = [document, document].map((emailDocument) =>
    renderDocument(emailDocument, context),
  );
  const [first, second] = await Promise.all(renderings);
  expect(first?.html).toContain('</html>');
  expect(second).toBe(first);
});
