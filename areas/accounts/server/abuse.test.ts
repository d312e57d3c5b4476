// What an account may make the installation say to strangers, and what stays of whoever had a password.
import { expect, test } from 'vitest';
import { testServer } from '#testing/server.ts';
import { invitationSent, letterNeeded } from './events.ts';

const server = await testServer({ SMTP_URL: 'smtp://127.0.0.1:1' });
const invitations: { inviter: string; company: string }[] = [];
const secrets = new Map<string, string>();
invitationSent.on(async (_, facts) => void invitations.push(facts));
letterNeeded.on(async (_, { email, secret }) => void secrets.set(email, secret));
const API = '/client-api/api';

const verify = (userId: number) =>
  server.db
    .updateTable('users')
    .set({ email_verified_at: new Date() })
    .where('id', '=', userId)
    .execute();

test('only who has proven their address invites, and no address of theirs stands in the letter', async () => {
  const owner = await server.owner();
  const invite = () => owner.post(`${API}/invitations`, { email: 'guest@other.example' });
  expect((await invite()).body.code).toBe('email_not_verified');
  await verify(owner.userId);
  const title = `Win at https://evil.example/now or evil.example/x, www.evil.example ${'x'.repeat(150)}`;
  await owner.patch(`${API}/accounts`, { title });
  await owner.patch(`${API}/user_questionnaire`, {
    name: 'Call',
    surname: 'bob@evil.example',
    website: 'https://shop.example',
  });
  expect((await invite()).status).toBe(200);
  const { inviter, company } = invitations.at(-1) ?? { inviter: '', company: '' };
  expect(`${inviter} ${company}`).not.toContain('evil');
  expect(company.length).toBeLessThanOrEqual(64);
  await owner.patch(`${API}/accounts`, { title: 'Tea.example & Söhne' });
  await invite();
  expect(invitations.at(-1)?.company).toBe('Tea.example & Söhne');
});

test('a new password ends the API tokens that were made before it', async () => {
  const owner = await server.owner('owner@taken.example');
  const made = await owner.post(`${API}/tokens`, { title: 'Mine', validity_days: 7 });
  const { token } = made.body.data;
  const asked = () =>
    server.client().get(`${API}/tags`, { authorization: `Bearer ${token}`, cookie: '' });
  const before = (await asked()).status;
  await server.client().post('/auth/api/forgot-password', { email: 'owner@taken.example' });
  await server.runJobs();
  const reset = { token: secrets.get('owner@taken.example'), password: 'quite another one 7' };
  expect((await server.client().post('/auth/api/reset-password', reset)).status).toBe(200);
  expect([before, (await asked()).status]).toEqual([before, 401]);
  expect(before).not.toBe(401);
});
