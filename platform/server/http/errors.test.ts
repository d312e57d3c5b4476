// A call returns 503 if PostgreSQL or this machine is out of disk space, or if a database
// connection fails. An unexpected database error returns 500.
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { addErrorResponses } from './errors.ts';

function bareServer() {
  const app = fastify();
  addErrorResponses(app);
  return app;
}

test.each([
  ['ENOSPC', 503, 'unavailable'],
  ['EDQUOT', 503, 'unavailable'],
  ['53100', 503, 'unavailable'],
  ['ECONNREFUSED', 503, 'unavailable'],
  ['22P02', 500, 'server_error'],
])('an error with the code %s is answered with %i %s', async (code, status, errorCode) => {
  const app = bareServer();
  app.get('/', () => {
    throw Object.assign(new Error('No'), { code });
  });
  const reply = await app.inject('/');
  expect([reply.statusCode, reply.json().code]).toEqual([status, errorCode]);
  await app.close();
});

test('a call fails with 503 if its database connection breaks', async () => {
  const app = bareServer();
  app.get('/', () => {
    throw new Error('Connection terminated unexpectedly');
  });
  expect((await app.inject('/')).statusCode).toBe(503);
  await app.close();
});
