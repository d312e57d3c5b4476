// A call gets 503 while the disk of PostgreSQL or of the files is full, and if a connection fails.
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { addErrorAnswers } from './errors.ts';

function bareServer() {
  const app = fastify();
  addErrorAnswers(app);
  return app;
}

test.each([
  ['ENOSPC', 503, 'unavailable'],
  ['EDQUOT', 503, 'unavailable'],
  ['53100', 503, 'unavailable'],
  ['ECONNREFUSED', 503, 'unavailable'],
  ['22P02', 500, 'server_error'],
])('an error %s is answered with %i %s', async (code, status, answer) => {
  const app = bareServer();
  app.get('/', () => {
    throw Object.assign(new Error('No'), { code });
  });
  const reply = await app.inject('/');
  expect([reply.statusCode, reply.json().code]).toEqual([status, answer]);
  await app.close();
});

test('a call whose database connection breaks is answered with 503', async () => {
  const app = bareServer();
  app.get('/', () => {
    throw new Error('Connection terminated unexpectedly');
  });
  expect((await app.inject('/')).statusCode).toBe(503);
  await app.close();
});
