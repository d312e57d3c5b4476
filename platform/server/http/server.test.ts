// What every answer carries, and the surfaces beside the calls.
import { expect, test } from 'vitest';
import { testServer } from '#testing/server.ts';

test('health, readiness, metrics, and the API described and shown', async () => {
  const server = await testServer();
  const client = server.client();
  expect((await client.get('/health')).body).toEqual({ status: 'ok' });
  expect((await client.get('/ready')).body).toEqual({ status: 'ready' });
  expect((await client.get('/metrics')).text).toContain('sendloom_http_request_seconds_bucket');
  const document = (await client.get('/docs/openapi.json')).body;
  expect(document.openapi).toBe('3.1.0');
  expect(document.paths['/client-api/api/tags'].post.operationId).toBe('groups.createGroup');
  expect((await client.get('/docs/')).text).toContain('swagger-ui');
});

test('each answer has an id, is not kept, and a path may end in a slash', async () => {
  const server = await testServer();
  const owner = await server.owner();
  const answer = await owner.get('/client-api/api/users/');
  expect(answer.status).toBe(200);
  expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer.headers['cache-control']).toContain('no-cache');
  expect(answer.headers['content-security-policy']).toContain("default-src 'self'");
});

test('another sign-in service: browsers are sent there, and back to where they were', async () => {
  const server = await testServer({ AUTH_URL: 'https://id.shop.example/login' });
  const answer = await server.client().get('/auth?next=%2Fcampaigns');
  expect(answer.status).toBe(302);
  expect(answer.headers.location).toBe('https://id.shop.example/login?next=%2Fcampaigns');
  const foreign = await server.client().get('/auth?next=https%3A%2F%2Fevil.example');
  expect(foreign.headers.location).toBe('https://id.shop.example/login');
});
