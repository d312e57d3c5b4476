// The connection that listens for new work.
import { EventEmitter } from 'node:events';
import type { PoolClient } from 'pg';
import { expect, test, vi } from 'vitest';
import { createDatabase, getPool } from '#platform/server/database/database.ts';
import { listenForWork } from './wake.ts';

class FakeClient extends EventEmitter {
  readonly release = vi.fn<(isDestroyed: boolean) => void>();
  private readonly isLost: boolean;

  constructor(isLost: boolean) {
    super();
    this.isLost = isLost;
  }

  async query(): Promise<void> {
    if (!this.isLost) return;
    const error = new Error('read ECONNRESET');
    this.emit('error', error);
    throw error;
  }
}

test('a connection that is lost during LISTEN is replaced once', async () => {
  const db = createDatabase('postgres://nobody@localhost/none');
  const clients: FakeClient[] = [];
  vi.spyOn(getPool(db), 'connect').mockImplementation(async () => {
    const client = new FakeClient(clients.length === 0);
    clients.push(client);
    return client as unknown as PoolClient;
  });
  const onWork = vi.fn<(accountId: number, isReload: boolean) => void>();
  const stop = listenForWork(db, onWork);
  await expect.poll(() => onWork.mock.calls.length, { timeout: 5_000 }).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(clients).toHaveLength(2);
  await stop();
  for (const client of clients) expect(client.release).toHaveBeenCalledExactlyOnceWith(true);
  await db.destroy();
});
