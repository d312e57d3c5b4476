// Measures against abuse: an inviter needs a verified address, links are removed from the names in
// an invitation, and the number of invitations is limited. A password reset ends API tokens.
import { afterEach, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { testServer } from '#testing/setup/server.ts';
import { invitationSent, systemEmailNeeded } from './events.ts';

const server = await testServer({ SMTP_URL: 'smtp://127.0.0.1:1' });
const invitations: { inviter: string; company: string }[] = [];
const secrets = new Map<string, string>();
invitationSent.on(async (_, invitation) => void invitations.push(invitation));
systemEmailNeeded.on(async (_, { email, secret }) => void secrets.set(email, secret));
afterEach(() => clock.reset());
const API = '/client-api/api';

const verify = (userId: number) =>
  server.db
    .updateTable('users')
    .set({ email_verified_at: new Date() })
    .where('id', '=', userId)
    .execute();

test('inviting requires a verified address, and names in an invitation contain no links or addresses', async () => {
  const owner = await server.owner();
  // SMTP_URL is set, so emails go to a relay instead of the test inbox, and inviting requires a
  // verified address.
  expect((await owner.get(`${API}/users`)).body.data.test_inbox).toBe(false);
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

test('invitations of an account are limited by an hourly bucket of twenty and a daily bucket of fifty', async () => {
  const email = 'inviter@shop.example';
  const owner = await server.owner(email);
  await verify(owner.userId);
  let number = 0;
  const inviteUntilRefused = async () => {
    let acceptedCount = 0;
    for (; acceptedCount < 80; acceptedCount++) {
      const guest = { email: `guest${number++}@other.example` };
      const { status, headers } = await owner.post(`${API}/invitations`, guest);
      if (status === 200) continue;
      expect([status, Number(headers['retry-after']) > 0]).toEqual([429, true]);
      break;
    }
    return acceptedCount;
  };
  const rounds: number[] = [];
  for (let index = 0; index < 6; index++) {
    rounds.push(await inviteUntilRefused());
    clock.advance(50 * 60_000);
    await owner.post('/auth/api/sign-in', { email, password: 'correct horse battery' });
  }
  // Each round is 50 minutes after the previous one. The hourly bucket would allow 16 or 17 in each
  // round after the first, but the daily bucket is empty after the third and gains two invitations
  // per hour.
  expect([rounds[0], rounds[1]]).toEqual([20, 16]);
  for (const laterRounds of rounds.slice(3)) expect(laterRounds).toBeLessThanOrEqual(2);
  expect(rounds.reduce((sum, index) => sum + index, 0)).toBeLessThanOrEqual(60);
});

test('a password reset ends the API tokens that were created before it', async () => {
  const owner = await server.owner('owner@taken.example');
  const createdToken = await owner.post(`${API}/tokens`, { title: 'Mine', validity_days: 7 });
  const { token } = createdToken.body.data;
  const request = () =>
    server.client().get(`${API}/tags`, { authorization: `Bearer ${token}`, cookie: '' });
  const statusBefore = (await request()).status;
  await server.client().post('/auth/api/forgot-password', { email: 'owner@taken.example' });
  await server.runJobs();
  const reset = { token: secrets.get('owner@taken.example'), password: 'quite another one 7' };
  expect((await server.client().post('/auth/api/reset-password', reset)).status).toBe(200);
  expect(statusBefore).not.toBe(401);
  expect((await request()).status).toBe(401);
});
