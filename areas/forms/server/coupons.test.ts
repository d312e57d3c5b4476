// Coupon codes of popups: all visitors get the same code, or each gets a different code of a pool.
// Each address gets one code, which is shown once and emailed.
import PostalMime from 'postal-mime';
import { beforeAll, expect, test } from 'vitest';
import { FORMS, publishForm, listSettledSubscribers, signUp } from '#testing/servers/form-site.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';

let server: TestServer;
let relay: TestSmtpServer;
beforeAll(async () => {
  server = await testServer({ SIGN_UP: 'open' });
  relay = await startSmtpServer();
  return () => relay.close();
});

const POOLS = '/client-api/api/coupon_pools';
const FIXED_COUPON = { source: 'fixed', prize: '10% off', code: 'TEA10', pool_id: '' };

async function popup(owner: TestOwner, settings: object) {
  const form = await publishForm(
    owner,
    { layout: 'corner' },
    { use_recaptcha: false, coupon: FIXED_COUPON, ...settings },
  );
  form.settings.use_recaptcha = false;
  return form;
}

const emailsTo = (email: string) => relay.accepted.filter(({ to }) => to[0] === email);
async function emailTo(email: string, count = 1) {
  await expect.poll(() => emailsTo(email).length, { timeout: 20_000 }).toBe(count);
  const { subject = '', text = '' } = await PostalMime.parse(emailsTo(email).at(-1)?.source ?? '');
  return { subject, text };
}

test('a popup shows its code with the prize and emails it once to each address', async () => {
  startTestSender(server.db, relay.url);
  const owner = await server.owner();
  const form = await popup(owner, {});
  const send = (email: string) => signUp(server, form, { email });
  expect((await send('ann@fixed.example')).body).toEqual({
    prize: { slice: 0, label: '10% off', code: 'TEA10' },
  });
  await listSettledSubscribers(server, owner);
  const { subject, text } = await emailTo('ann@fixed.example');
  expect(subject).toMatch(/^Your code from /);
  expect(text).toMatch(/10% off[\s\S]*TEA10/);
  expect((await send('Ann+2@fixed.example')).body.note).toMatchObject({
    heading: 'This address already has a code',
    text: expect.stringContaining('We sent it by email.'),
  });
  await listSettledSubscribers(server, owner);
  // Codes are never part of what sites load.
  const { settings, published_version: version } = form;
  const snapshot = await server.client().get(`/f/s/${settings.embed_hash}.${version}.json`);
  expect(snapshot.text).not.toContain('TEA10');
});

test('a popup that does not email its code only shows it', async () => {
  const owner = await server.owner();
  const form = await popup(owner, { email_code: false });
  expect((await signUp(server, form, { email: 'ben@off.example' })).body.prize.code).toBe('TEA10');
  await listSettledSubscribers(server, owner);
  expect((await signUp(server, form, { email: 'ben@off.example' })).body.note.text).toBe(
    'Each address gets one code.',
  );
  expect(emailsTo('ben@off.example')).toEqual([]);
});

test('each visitor gets a different code from the pool, or none once it is empty', async () => {
  const owner = await server.owner();
  const pool = (await owner.post(POOLS, { title: 'Tea' })).body.data;
  await owner.post(`${POOLS}/${pool.id}/codes`, { codes: 'A1\nB2' });
  const coupon = { ...FIXED_COUPON, source: 'pool', code: '', pool_id: pool.id };
  const form = await popup(owner, { coupon });
  const submissions = await Promise.all(
    [1, 2, 3].map((n) => signUp(server, form, { email: `p${n}@pool.example` })),
  );
  const codes = submissions.map(({ body }) => body.prize?.code).filter(Boolean);
  expect(codes.toSorted()).toEqual(['A1', 'B2']);
  const [without] = submissions.filter(({ body }) => !body.prize);
  expect(without?.body.note.heading).toBe('All codes are gone');
  expect(await listSettledSubscribers(server, owner)).toHaveLength(3);
  const [{ left }] = (await owner.get(POOLS)).body.data;
  expect(left).toBe(0);
});

test('no code is drawn from another account’s pool', async () => {
  const [owner, otherOwner] = [await server.owner(), await server.owner()];
  const pool = (await otherOwner.post(POOLS, { title: 'Theirs' })).body.data;
  await otherOwner.post(`${POOLS}/${pool.id}/codes`, { codes: 'THEIRS' });
  const form = await popup(owner, {
    coupon: { ...FIXED_COUPON, source: 'pool', pool_id: pool.id },
  });
  const { body } = await signUp(server, form, { email: 'eve@pool.example' });
  expect(body.prize).toBeUndefined();
  expect((await otherOwner.get(POOLS)).body.data[0].left).toBe(1);
});

test('with double opt-in, the code is emailed after the confirmation, and immediately to existing subscribers', async () => {
  startTestSender(server.db, relay.url);
  const owner = await server.owner();
  const form = await popup(owner, {
    double_opt_in: true,
    confirmation: { ...SENDER, subject: '', heading: '', text: '', button: '' },
  });
  expect(form.document.success).toMatchObject([{ text: 'Check your inbox' }, {}, { kind: 'code' }]);
  expect((await signUp(server, form, { email: 'new@optin.example' })).body).toEqual({});
  await listSettledSubscribers(server, owner);
  const confirmation = await emailTo('new@optin.example');
  expect(confirmation.text).not.toContain('TEA10');
  await server.client().post(/\/f\/confirm\/[\w.-]+/.exec(confirmation.text)?.[0] ?? '');
  expect((await emailTo('new@optin.example', 2)).text).toContain('TEA10');
  // A subscriber who signs up again does not get a second code.
  await signUp(server, form, { email: 'new@optin.example' });
  await owner.post('/client-api/api/subscribers', { email: 'old@optin.example' });
  await signUp(server, form, { email: 'old@optin.example' });
  await listSettledSubscribers(server, owner);
  expect((await emailTo('old@optin.example')).text).toContain('TEA10');
  expect(emailsTo('new@optin.example')).toHaveLength(2);
  const update = await owner.patch(`${FORMS}/${form.id}`, { settings: { double_opt_in: false } });
  expect(update.body.data.document.success[0].text).toBe('Thank you!');
}, 60_000);

const SENDER = { from_email: 'news@shop.example', from_name: 'Shop' };
