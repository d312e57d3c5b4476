// Rate limits are drawn before a call's transaction, so concurrent calls never wait for each
// other's connection.
import { expect, test } from 'vitest';
import { type TestClient, testServer } from '#testing/setup/server.ts';
import { encodeId } from '#platform/ids.ts';

const PASSWORD = 'correct horse battery';
const token = `1.${'x'.repeat(43)}`;

test('rate-limited calls do not wait, even if more run concurrently than the pool has connections', async () => {
  const server = await testServer({ DATABASE_CONNECTIONS: '2' });
  const owner = await server.owner();
  const user = encodeId('user', owner.userId);
  const domain = await owner.post('/client-api/api/domains', { email: 'news@shop.example' });
  const campaign = await owner.post('/client-api/api/campaigns', { title: 'Spring' });
  const anonymousClient = server.client();
  const email = (i: number) => `person${i}@shop.example`;
  const calls: [client: TestClient, method: 'GET' | 'POST', url: string, (i: number) => object][] =
    [
      [
        anonymousClient,
        'POST',
        '/auth/api/sign-up',
        (i) => ({ email: email(i), password: PASSWORD }),
      ],
      [
        anonymousClient,
        'POST',
        '/auth/api/sign-in',
        (i) => ({ email: email(i), password: PASSWORD }),
      ],
      [anonymousClient, 'POST', '/auth/api/forgot-password', (i) => ({ email: email(i) })],
      [anonymousClient, 'POST', '/auth/api/reset-password', () => ({ token, password: PASSWORD })],
      [anonymousClient, 'POST', '/auth/api/verify-email', () => ({ token })],
      [anonymousClient, 'POST', '/auth/api/invitation', () => ({ token })],
      [
        anonymousClient,
        'POST',
        '/auth/api/accept-invitation',
        () => ({ token, password: PASSWORD }),
      ],
      [anonymousClient, 'POST', '/client-api/api/domains/confirm', () => ({ token })],
      [owner, 'GET', `/client-api/api/users/${user}/resend_verification_letter`, () => ({})],
      [owner, 'POST', '/client-api/api/invitations', (i) => ({ email: email(i) })],
      [
        owner,
        'POST',
        `/client-api/api/users/${user}/password`,
        () => ({ current: 'another', password: PASSWORD }),
      ],
      [owner, 'POST', '/client-api/api/domains', (i) => ({ email: `news@shop${i}.example` })],
      [owner, 'POST', `/client-api/api/domains/${domain.body.data.id}/resend`, () => ({})],
      [
        owner,
        'POST',
        `/client-api/api/campaigns/${campaign.body.data.id}/test`,
        () => ({ emails: [email(1)] }),
      ],
    ];
  for (const [client, method, url, body] of calls) {
    const startedAt = performance.now();
    const statuses = await Promise.all(
      Array.from({ length: 4 }, async (_, i) => {
        const payload = method === 'GET' ? {} : { payload: body(i) };
        return (await client.send({ method, url, ...payload })).status;
      }),
    );
    expect(Math.max(...statuses), `${url}: ${statuses}`).toBeLessThan(500);
    expect(statuses, url).not.toContain(404);
    // Waiting for a connection takes ten seconds.
    expect(performance.now() - startedAt, url).toBeLessThan(5_000);
  }
}, 60_000);
