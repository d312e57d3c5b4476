// Slots for third-party scripts are empty without configuration, and only configured origins are
// allowed.
import { expect, test } from 'vitest';
import { testServer } from '#testing/setup/server.ts';

const PATH = '/client-api/api/third_parties';
const CONFIGURED = {
  LIVE_CHAT_SCRIPT: 'https://chat.example/widget.js',
  ANALYTICS_SCRIPT: 'https://stats.example/tag.js',
  THIRD_PARTY_HOSTS: 'https://*.chat.example, wss://chat.example',
  SENTRY_DSN: 'https://key@errors.example/3',
};

const policyOf = (headers: Record<string, unknown>): string =>
  String(headers['content-security-policy']);

test("only the product's scripts may run if no others are configured", async () => {
  const server = await testServer();
  const owner = await server.owner();
  const { body, headers } = await owner.get(PATH);
  expect(body.data).toEqual({
    live_chat: null,
    feedback: null,
    analytics: null,
    error_reporting: null,
  });
  expect(policyOf(headers)).toContain("script-src 'self';");
  expect(policyOf(headers)).toContain("connect-src 'self';");
  expect((await server.client().get(PATH)).status).toBe(401);
});

test('configured scripts are published, and exactly the configured origins are allowed', async () => {
  const server = await testServer(CONFIGURED);
  const owner = await server.owner();
  const { body, headers } = await owner.get(PATH);
  expect(body.data).toEqual({
    live_chat: CONFIGURED.LIVE_CHAT_SCRIPT,
    feedback: null,
    analytics: CONFIGURED.ANALYTICS_SCRIPT,
    error_reporting: CONFIGURED.SENTRY_DSN,
  });
  const origins =
    'https://chat.example https://stats.example https://errors.example https://*.chat.example wss://chat.example';
  expect(policyOf(headers)).toContain(`script-src 'self' ${origins};`);
  expect(policyOf(headers)).toContain(`connect-src 'self' ${origins};`);
});
