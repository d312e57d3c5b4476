// A connection to Postmaster Tools can be removed even if its tokens can no longer be decrypted.
import { expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { testServer } from '#testing/setup/server.ts';
import { disconnect } from './connection.ts';
import { GOOGLE } from './postmaster.ts';
import { findConnection, saveConnection } from './signals.sql.ts';

const server = await testServer();

test('a connection encrypted with a previous secret can be removed', async () => {
  const { accountId } = await server.owner();
  const credentials = Buffer.from('sealed with another secret');
  const row = { credentials, title: '', at: clock.now() };
  await inTransaction(server.db, (tx) => saveConnection(tx, accountId, row));
  await inTransaction(server.db, (tx) => disconnect(tx, accountId, { urls: GOOGLE }));
  expect(await findConnection(server.db, accountId)).toBeUndefined();
});
