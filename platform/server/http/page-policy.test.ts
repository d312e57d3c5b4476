// A page's own policy (what it may load, which sites may frame it) replaces the server's.
import helmet from 'helmet';
import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { pagePolicy, setPagePolicy } from './page-policy.ts';

test('a policy forbids the sources that it does not name', () => {
  expect(pagePolicy({ framing: 'none' })).toBe(
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  const form = {
    scripts: ["'self'"],
    styles: ["'self'"],
    hasForms: true,
    framing: 'any',
  } as const;
  expect(pagePolicy(form)).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors *",
  );
  expect(pagePolicy({ sandbox: '', framing: 'self' })).toMatch(
    /^sandbox; .*frame-ancestors 'self'$/,
  );
});

test('a page that any site may frame has no anti-framing header', async () => {
  const app = fastify();
  const setHeaders = helmet();
  app.addHook('onRequest', (request, reply, done) => {
    setHeaders(request.raw, reply.raw, () => done());
  });
  app.get('/framed', (_, reply) => setPagePolicy(reply, { framing: 'any' }).send('x'));
  app.get('/alone', (_, reply) => setPagePolicy(reply, { framing: 'none' }).send('x'));
  const headersOf = async (url: string) => (await app.inject(url)).headers;
  const framedHeaders = await headersOf('/framed');
  expect(framedHeaders['x-frame-options']).toBeUndefined();
  expect(framedHeaders['content-security-policy']).toContain('frame-ancestors *');
  expect(await headersOf('/alone')).toMatchObject({ 'x-frame-options': 'DENY' });
});
