// The account's brand on a form's pages and in its emails, with a link back to the account's
// website.
import { createHash } from 'node:crypto';
import PostalMime from 'postal-mime';
import { beforeAll, expect, test } from 'vitest';
import { FORMS, publishForm, listSettledSubscribers, signUp } from '#testing/servers/form-site.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { startTestSender } from '#testing/worlds/sender.ts';

let server: TestServer;
let relay: TestSmtpServer;
beforeAll(async () => {
  server = await testServer({ SIGN_UP: 'open' });
  relay = await startSmtpServer();
  return () => relay.close();
});

const LOGO = 'https://cdn.shop.example/logo.png';
const BRAND = {
  logo: { src: LOGO, alt: 'Tea shop', width: 120, height: 40 },
  website: 'https://shop.example/?a=1&b={{2}}',
  button_background: '#ffcc00',
};
const LINK = 'https://shop.example/?a=1&amp;b=%7B%7B2}}';

test('the confirmation email and the pages of a form show the brand, and all except the confirmation question link to the website', async () => {
  startTestSender(server.db, relay.url);
  const owner = await server.owner();
  expect((await owner.patch('/client-api/api/brand', BRAND)).status).toBe(200);
  const form = await publishForm(
    owner,
    {},
    {
      use_recaptcha: false,
      double_opt_in: true,
      confirmation: {
        ...{ from_email: 'news@shop.example', from_name: 'Tea shop' },
        ...{ subject: '', heading: '', text: '', button: '' },
      },
    },
  );
  form.settings.use_recaptcha = false;
  await signUp(server, form, { email: 'ann@brand.example' });
  await listSettledSubscribers(server, owner);
  const findEmail = () => relay.accepted.find(({ to }) => to[0] === 'ann@brand.example');
  await expect.poll(findEmail, { timeout: 20_000 }).toBeDefined();
  const { html = '', text = '' } = await PostalMime.parse(findEmail()?.source ?? '');
  expect(html).toContain(LOGO);
  // A light button has dark text.
  expect(html).toMatch(/background:#ffcc00;color:#1b1d22/i);
  expect(html).toContain(`href="${LINK}"`);
  expect(text).toContain('https://shop.example/');
  const path = /\/f\/confirm\/[\w.-]+/.exec(text)?.[0] ?? '';
  const question = await server.client().get(path);
  expect(question.text).toContain(`<img src="${LOGO}" alt="Tea shop">`);
  expect(question.text).not.toContain('shop.example/?');
  const policy = String(question.headers['content-security-policy']);
  expect(policy).toContain('img-src https://cdn.shop.example');
  for (const [, style = ''] of question.text.matchAll(/<style>([\s\S]*?)<\/style>/g))
    expect(policy).toContain(`'sha256-${createHash('sha256').update(style).digest('base64')}'`);
  const confirmationPage = await server.client().post(path);
  expect(confirmationPage.text).toContain(`<a href="${LINK}">Back to `);
  await owner.patch(`${FORMS}/${form.id}`, { is_active: 0 });
  const closedPage = await server.client().get(`/f/${form.settings.embed_hash}/view`);
  expect(closedPage.status).toBe(410);
  expect(closedPage.text).toContain(`<a href="${LINK}">Back to `);
});

test('a page without a brand has no image', async () => {
  const owner = await server.owner();
  const form = await publishForm(owner, {});
  await owner.patch(`${FORMS}/${form.id}`, { is_active: 0 });
  const closedPage = await server.client().get(`/f/${form.settings.embed_hash}/view`);
  expect(closedPage.text).not.toContain('<img');
  expect(String(closedPage.headers['content-security-policy'])).not.toContain('img-src');
});
