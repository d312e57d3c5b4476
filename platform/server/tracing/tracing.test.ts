// A local OTLP receiver gets traces of requests, and of their jobs and statements, without values.
// The SDK is loaded only if an endpoint is set.
import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { loadConfig } from '../config.ts';
import { isTracing, recordSpan, startTracing, traceWork } from './tracing.ts';

type Attribute = { key: string; value: Record<string, unknown> };
type ReceivedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  status: { code?: number };
};
type SpanExport = {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: ReceivedSpan[] }[];
  }[];
};

const received: { path: string; key: string | undefined; body: SpanExport }[] = [];
const receiver = createServer((request, response) => {
  void json(request).then((body) => {
    const key = request.headers['x-key'];
    received.push({ path: request.url ?? '', key: String(key), body: body as SpanExport });
    response.setHeader('content-type', 'application/json').end('{}');
  });
});
let server: TestServer;
let stop: (() => Promise<void>) | undefined;

const spans = () =>
  received.flatMap(({ body }) =>
    body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans: all }) => all)),
  );
const valueOf = (attributes: readonly Attribute[], key: string) => {
  const value = attributes.find((attribute) => attribute.key === key)?.value ?? {};
  return Object.values(value)[0];
};

beforeAll(async () => {
  await new Promise<void>((settle) => receiver.listen(0, '127.0.0.1', settle));
  const { port } = receiver.address() as AddressInfo;
  const { tracing } = loadConfig({
    NODE_ENV: 'test',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20secret',
  });
  stop = await startTracing({ ...tracing, version: '1.2.3', role: 'web' });
  server = await testServer({ TRUST_PROXY: '1' });
});
afterAll(async () => {
  await stop?.();
  receiver.close();
});

test('a request, its statements and its jobs are one trace, which continues the trace of a proxy', async () => {
  const [traceId, parentId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  const response = await server.app.inject({
    method: 'POST',
    url: '/auth/api/forgot-password',
    headers: { 'x-sendloom': '1', traceparent: `00-${traceId}-${parentId}-01` },
    payload: { email: 'ada@shop.example' },
  });
  expect(response.statusCode).toBe(200);
  await server.runJobs();
  const failure = Object.assign(new Error('ada@shop.example'), { code: '23505' });
  await expect(
    traceWork('job test', { attributes: {} }, () => Promise.reject(failure)),
  ).rejects.toThrow();
  recordSpan('delivery.step', 40, { 'sendloom.recipients': 7 });
  await stop?.();
  stop = undefined;

  const request = spans().find(({ name }) => name.startsWith('POST'));
  expect(request).toMatchObject({ traceId, parentSpanId: parentId, kind: 2 });
  const { attributes = [] } = request ?? {};
  expect(valueOf(attributes, 'http.route')).toBe('/auth/api/forgot-password');
  expect(valueOf(attributes, 'http.response.status_code')).toBe(200);
  expect(valueOf(attributes, 'sendloom.request')).toBe(response.headers['x-request-id']);
  const ofTrace = spans().filter((span) => span.traceId === traceId);
  const job = ofTrace.find(({ name }) => name === 'job accounts.forgotten_password');
  expect(ofTrace.map(({ spanId }) => spanId)).toContain(job?.parentSpanId);
  const statements = ofTrace.filter(({ kind }) => kind === 3);
  expect(statements.some(({ parentSpanId }) => parentSpanId === job?.spanId)).toBe(true);
  expect(statements.map(({ name }) => name)).toEqual(expect.arrayContaining(['select']));

  const failedSpan = spans().find(({ name }) => name === 'job test');
  expect(failedSpan?.status.code).toBe(2);
  expect(valueOf(failedSpan?.attributes ?? [], 'error.type')).toBe('23505');
  const step = spans().find(({ name }) => name === 'delivery.step');
  const nanoseconds = BigInt(step?.endTimeUnixNano ?? 0) - BigInt(step?.startTimeUnixNano ?? 0);
  expect(Number(nanoseconds / 1_000_000n)).toBeGreaterThanOrEqual(39);

  const [first] = received;
  expect([first?.path, first?.key]).toEqual(['/v1/traces', 'a secret']);
  const resource = first?.body.resourceSpans[0]?.resource.attributes ?? [];
  expect(
    ['service.name', 'service.version', 'sendloom.role'].map((key) => valueOf(resource, key)),
  ).toEqual(['sendloom', '1.2.3', 'web']);
  expect(JSON.stringify(received)).not.toContain('ada@shop.example');
});

test('nothing is traced and the SDK is not loaded if no endpoint is configured', async () => {
  const { tracing } = loadConfig({ NODE_ENV: 'test' });
  expect(await startTracing({ ...tracing, version: '1.2.3', role: 'web' })).toBeUndefined();
  expect(isTracing()).toBe(false);
  expect(await traceWork('job', { attributes: {} }, async () => 7)).toBe(7);
  const root = join(import.meta.dirname, '../../..');
  const files = globSync('{areas,platform,providers,main}/**/*.{ts,tsx}', { cwd: root }).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  const importing = (pattern: RegExp) =>
    files.filter((file) => pattern.test(readFileSync(join(root, file), 'utf8')));
  expect(importing(/@opentelemetry\//)).toEqual(['platform/server/tracing/tracing-sdk.ts']);
  expect(importing(/from '[^']*tracing-sdk\.ts'/)).toEqual([]);
});

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'secret'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'x-key=%zz'],
  ['OTEL_TRACES_SAMPLER_ARG', '2'],
])('%s=%s is refused', (name, value) => {
  expect(() => loadConfig({ NODE_ENV: 'test', [name]: value })).toThrow(name);
});
