// Reports reach a service with Sentry's protocol and contain no personal data.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { blank, serializeErrorReport, parseDsn } from '../../error-report.ts';
import { startErrorReporting } from './error-reporting.ts';
import { log } from '../log.ts';

let server: Server;
let dsn = '';
let received: { url: string; headers: IncomingMessage['headers']; body: string }[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    received.push({ url: request.url ?? '', headers: request.headers, body });
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  dsn = `http://abc123@127.0.0.1:${(server.address() as AddressInfo).port}/sub/7`;
});

afterAll(() => server.close());
beforeEach(() => {
  received = [];
});

test('a logged error is sent as one envelope and not repeated within a minute', async () => {
  const reporting = startErrorReporting({ dsn, release: '1.2.3', role: 'worker' });
  const error = new TypeError('ada@shop.example has no "Ada Lovelace"');
  log.error('Request failed', { url: '/client-api/api/tags/:id', error });
  log.error('Request failed', { url: '/client-api/api/tags/:id', error });
  log.error('Nothing to report, only to read');
  log.warn('No error', { error });
  await expect.poll(() => received.length).toBe(1);
  reporting.close();
  log.error('After the end', { error: new Error('x') });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(received).toHaveLength(1);
  const [{ url, headers, body } = { url: '', headers: {}, body: '' }] = received;
  expect(url).toBe('/sub/api/7/envelope/');
  expect(headers['x-sentry-auth']).toContain('sentry_key=abc123');
  const [header, item, event] = body.split('\n').map((line) => JSON.parse(line));
  expect(header.event_id).toMatch(/^[0-9a-f]{32}$/);
  expect(item).toMatchObject({ type: 'event' });
  expect(event).toMatchObject({
    event_id: header.event_id,
    platform: 'node',
    level: 'error',
    release: '1.2.3',
    transaction: 'Request failed /client-api/api/tags/:id',
    tags: { side: 'server', role: 'worker' },
  });
  const [exception] = event.exception.values;
  expect(exception).toMatchObject({ type: 'TypeError', value: '[address] has no [quoted]' });
  expect(exception.stacktrace.frames.at(-1).filename).toBe(
    'platform/server/monitoring/error-reporting.test.ts',
  );
  expect(body).not.toMatch(/ada|Lovelace|\/work\/|\/home\//i);
});

test('an unreachable service or an invalid DSN causes no error', async () => {
  const reporting = startErrorReporting({
    dsn: 'http://k@127.0.0.1:9/1',
    release: '1',
    role: 'web',
  });
  expect(() => log.error('Broken', { error: new Error('x') })).not.toThrow();
  reporting.close();
  expect(
    startErrorReporting({ dsn: 'https://nokey.example/1', release: '1', role: 'web' }),
  ).toBeDefined();
  expect(parseDsn('https://key@sentry.example/1')).toEqual({
    endpoint: 'https://sentry.example/api/1/envelope/',
    publicKey: 'key',
  });
  for (const invalid of ['', 'x', 'https://sentry.example/1', 'ftp://k@sentry.example/1']) {
    expect(parseDsn(invalid)).toBeUndefined();
  }
});

test('addresses, link paths, IDs and numbers are removed from reports', () => {
  const local = fc.stringMatching(/^[a-z0-9.]{1,12}$/);
  fc.assert(
    fc.property(fc.string(), local, local, (before, user, host) => {
      const address = `${user}@${host}.example`;
      expect(blank(`${before} ${address}`)).not.toContain(address);
    }),
  );
  expect(blank('GET https://app.example/reset?token=abc12345 failed')).toBe(
    'GET https://app.example/[path] failed',
  );
  expect(blank('id eZVD4w, phone +370 600 00000')).toBe('id [id], phone [number]');
  expect(() =>
    serializeErrorReport(
      { error: undefined, operation: '', side: 'browser', release: '' },
      new Date(0),
      'x',
    ),
  ).not.toThrow();
});
